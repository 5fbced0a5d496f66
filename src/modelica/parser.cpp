#include "modelica/parser.hpp"

#include <fmt/format.h>

#include "modelica/parser_base.hpp"

namespace tieline::modelica {
namespace {

/// Classes, elements, equations and statements (appendix A.2.1 to A.2.6 and A.2.8).
class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  void stored_definition(StoredDefinition& file) {
    while (!is_at_end()) {
      const Offset begin = offset();
      try {
        if (sees("within")) {
          within(file);
          continue;
        }
        const bool is_final = take_if("final");
        if (!starts_class()) fail("a class, such as 'model' or 'package'");
        file.classes.push_back(class_definition());
        file.classes.back().is_final = is_final;
        expect(";", "after a class");
      } catch (const SyntaxError&) {
        skip_to_class(begin);
      }
    }
  }

 private:
  void within(StoredDefinition& file) {
    const Offset at = offset();
    take();
    if (file.has_within || !file.classes.empty()) report(at, "'within' must be the first word of the file, once");
    file.has_within = true;
    if (!sees(";")) file.within = name("of a package");
    expect(";", "after 'within'");
  }

  /// After an error outside of all classes: to the next word that starts one.
  void skip_to_class(Offset begin) {
    if (offset() == begin && !is_at_end()) take();
    while (!is_at_end() && !starts_class()) take();
  }

  [[nodiscard]] bool starts_class() const {
    return sees_any({"encapsulated", "partial", "class", "model", "operator", "record", "block", "expandable",
                     "connector", "type", "package", "pure", "impure", "function"});
  }

  void class_prefixes(ClassDefinition& definition) {
    definition.is_encapsulated = take_if("encapsulated");
    definition.is_partial = take_if("partial");
    if (sees_any({"pure", "impure"})) definition.purity = take().text;
    if (take_if("expandable")) definition.is_expandable = true;
    if (sees("operator") && (sees("record", 1) || sees("function", 1))) {
      take();
      definition.is_operator = true;
    }
    if (!sees_any({"class", "model", "record", "block", "connector", "type", "package", "function", "operator"})) {
      fail("'model', 'block', 'connector', 'package' or another kind of class");
    }
    definition.restriction = take().text;
  }

  ClassDefinition class_definition() {
    const Level level(*this);
    ClassDefinition definition;
    definition.at = offset();
    class_prefixes(definition);
    if (take_if("extends")) {
      definition.form = ClassDefinition::Form::extends_form;
      definition.name_at = offset();
      definition.name = expect_identifier("of the class");
      definition.base.parts = {definition.name};
      definition.base.at = definition.name_at;
      if (sees("(")) definition.modification = class_modification();
      class_body(definition);
      return definition;
    }
    definition.name_at = offset();
    definition.name = expect_identifier("of the class");
    if (take_if("=")) {
      short_class(definition);
    } else {
      class_body(definition);
    }
    return definition;
  }

  void short_class(ClassDefinition& definition) {
    if (take_if("enumeration")) {
      definition.form = ClassDefinition::Form::enumeration;
      enumeration(definition);
    } else if (take_if("der")) {
      definition.form = ClassDefinition::Form::derivative;
      expect("(");
      definition.base = name("of a function");
      while (take_if(",")) (void)expect_identifier("of an argument");
      expect(")");
    } else {
      definition.form = ClassDefinition::Form::short_form;
      if (sees_any({"input", "output"})) {
        definition.prefix.direction = sees("input") ? Direction::input : Direction::output;
        take();
      }
      definition.base = name("of a class");
      definition.subscripts = subscripts();
      if (sees("(")) definition.modification = class_modification();
    }
    definition.comment = comment();
  }

  void enumeration(ClassDefinition& definition) {
    expect("(");
    if (take_if(":")) {
      definition.has_any_items = true;
    } else if (!sees(")")) {
      do {
        EnumerationItem item;
        item.name = expect_identifier("of an item");
        item.comment = comment();
        definition.items.push_back(std::move(item));
      } while (take_if(","));
    }
    expect(")", "after the items");
  }

  void class_body(ClassDefinition& definition) {
    definition.comment.at = offset();
    definition.comment.text = string_comment();
    element_list(definition, false);
    for (;;) {
      if (take_if("public")) {
        element_list(definition, false);
      } else if (take_if("protected")) {
        element_list(definition, true);
      } else if (sees_any({"equation", "algorithm"}) ||
                 (sees("initial") && (sees("equation", 1) || sees("algorithm", 1)))) {
        section(definition);
      } else if (sees("external")) {
        external(definition);
      } else if (sees("annotation")) {
        class_annotation(definition);
      } else if (sees("end") && sees_kind(TokenKind::identifier, 1)) {
        break;
      } else {
        // Elements after an error, or a wrong `end`.
        const Offset begin = offset();
        if (is_at_end()) {
          fail_at(definition.name_at, fmt::format("{} '{}' has no end; expected 'end {};'", definition.restriction,
                                                  name_of(definition.name), definition.name));
        }
        if (sees("end")) {
          report(begin, fmt::format("expected 'end {};', found 'end {}'", definition.name, token(1).text));
          take();
          while (!is_at_end() && !sees(";")) take();
          return;
        }
        element_list(definition, false);
        if (offset() == begin) fail("an element, 'equation' or 'end'");
      }
    }
    take();  // end
    const Offset at = offset();
    const std::string_view closed = take().text;
    if (closed != definition.name) {
      report(at, fmt::format("{} '{}' ends with 'end {}'; expected 'end {}'", definition.restriction,
                             name_of(definition.name), closed, definition.name));
    }
  }

  void class_annotation(ClassDefinition& definition) {
    try {
      take();
      Modification annotation = class_modification();
      // Several are not allowed; what they state is kept together.
      for (Argument& argument : annotation.arguments) {
        definition.comment.annotation.arguments.push_back(std::move(argument));
      }
      definition.comment.annotation.has_brackets = true;
      expect(";", "after an annotation");
    } catch (const SyntaxError&) {
      skip_to_next();
    }
  }

  [[nodiscard]] bool ends_list() const {
    return is_at_end() || sees_any({"public", "protected", "equation", "algorithm", "external", "annotation", "end"}) ||
           (sees("initial") && (sees("equation", 1) || sees("algorithm", 1)));
  }

  void element_list(ClassDefinition& definition, bool is_protected) {
    while (!ends_list()) {
      const std::size_t before = definition.elements.size();
      const Offset begin = offset();
      try {
        element(definition.elements);
        expect(";", "after a declaration");
      } catch (const SyntaxError&) {
        if (offset() == begin) take();
        skip_to_next();
      }
      for (std::size_t i = before; i < definition.elements.size(); ++i) {
        definition.elements[i].is_protected = is_protected;
      }
    }
  }

  void element(std::vector<Element>& elements) {
    if (sees("import")) return elements.push_back(import_clause());
    if (sees("extends")) return elements.push_back(extends_clause());
    Element element;
    element.at = offset();
    element.is_redeclare = take_if("redeclare");
    element.is_final = take_if("final");
    element.is_inner = take_if("inner");
    element.is_outer = take_if("outer");
    element.is_replaceable = take_if("replaceable");
    if (starts_class()) {
      element.kind = Element::Kind::class_definition;
      element.definition = std::make_unique<ClassDefinition>(class_definition());
      element.name = element.definition->name;
      element.name_at = element.definition->name_at;
      if (element.is_replaceable) constraint(element);
      elements.push_back(std::move(element));
    } else {
      component_clause(std::move(element), elements);
    }
  }

  void constraint(Element& element) {
    if (!take_if("constrainedby")) return;
    element.constraint = std::make_unique<Constraint>();
    element.constraint->type = name("of a class");
    if (sees("(")) element.constraint->modification = class_modification();
    Comment own = comment();
    if (!own.text.empty()) element.comment.text = std::move(own.text);
    for (Argument& argument : own.annotation.arguments) {
      element.comment.annotation.arguments.push_back(std::move(argument));
    }
  }

  Element import_clause() {
    Element element{.kind = Element::Kind::import, .at = offset()};
    take();
    if (sees_kind(TokenKind::identifier) && sees("=", 1)) {
      element.alias = take().text;
      take();
    }
    element.type = name("of what is imported");
    if (sees(".*") || (sees(".") && sees("*", 1))) {
      if (take().text == ".") take();
      element.imports_all = true;
    } else if (sees(".") && sees("{", 1)) {
      take();
      take();
      do {
        element.imported.push_back(expect_identifier("of what is imported"));
      } while (take_if(","));
      expect("}");
    }
    element.comment = comment();
    return element;
  }

  Element extends_clause() {
    Element element{.kind = Element::Kind::extends, .at = offset()};
    take();
    element.type = name("of the base class");
    if (sees("(")) element.modification = class_modification();
    for (const Argument& argument : element.modification.arguments) {
      if (argument.is_break && !argument.name.empty()) element.removed.push_back(argument.name);
    }
    if (sees("annotation")) element.comment = comment();
    return element;
  }

  TypePrefix type_prefix() {
    TypePrefix prefix;
    if (sees_any({"flow", "stream"})) {
      prefix.is_flow = sees("flow");
      prefix.is_stream = !prefix.is_flow;
      take();
    }
    if (sees_any({"discrete", "parameter", "constant"})) {
      prefix.variability = sees("discrete")    ? Variability::discrete
                           : sees("parameter") ? Variability::parameter
                                               : Variability::constant;
      take();
    }
    if (sees_any({"input", "output"})) {
      prefix.direction = sees("input") ? Direction::input : Direction::output;
      take();
    }
    return prefix;
  }

  /// `common` is what stands before the clause; each component gets its own type.
  void component_clause(Element common, std::vector<Element>& elements) {
    const std::size_t type_at = position();
    for (bool is_first = true; is_first || take_if(","); is_first = false) {
      // The type is parsed again for each component, so that each owns its parts.
      const std::size_t behind = position();
      go_to(type_at);
      Element element{.kind = Element::Kind::component,
                      .is_redeclare = common.is_redeclare,
                      .is_final = common.is_final,
                      .is_inner = common.is_inner,
                      .is_outer = common.is_outer,
                      .is_replaceable = common.is_replaceable,
                      .at = common.at};
      element.prefix = type_prefix();
      if (!sees_kind(TokenKind::identifier) && !sees(".")) fail("a declaration");
      element.type = name("of a type");
      element.type_subscripts = subscripts();
      if (!is_first) go_to(behind);
      component_declaration(element);
      if (element.is_replaceable) constraint(element);
      elements.push_back(std::move(element));
    }
  }

  void component_declaration(Element& element) {
    element.name_at = offset();
    element.name = expect_identifier("of a component");
    element.subscripts = subscripts();
    element.modification = modification();
    if (take_if("if")) element.condition = std::make_unique<Expression>(expression());
    element.comment = comment();
  }

  Comment comment() {
    Comment result;
    result.at = offset();
    result.text = string_comment();
    if (take_if("annotation")) result.annotation = class_modification();
    return result;
  }

  Modification modification() {
    Modification result;
    if (sees("(")) result = class_modification();
    if (sees_any({"=", ":="})) {
      take();
      if (take_if("break")) {
        result.is_break = true;
      } else {
        result.value = std::make_unique<Expression>(expression());
      }
    }
    return result;
  }

  Modification class_modification() {
    const Level level(*this);
    Modification result;
    result.has_brackets = true;
    expect("(");
    if (take_if(")")) return result;
    do {
      result.arguments.push_back(argument());
    } while (take_if(","));
    expect(")", "after the modifications");
    return result;
  }

  Argument argument() {
    Argument argument;
    argument.at = offset();
    if (take_if("break")) {
      argument.is_break = true;
      if (sees("connect")) {
        take();
        (void)output_list();
      } else {
        argument.name = name("of what is left out");
      }
      return argument;
    }
    argument.is_redeclare = take_if("redeclare");
    argument.is_each = take_if("each");
    argument.is_final = take_if("final");
    argument.is_replaceable = take_if("replaceable");
    if (argument.is_redeclare || argument.is_replaceable) {
      redeclared_element(argument);
      return argument;
    }
    argument.name = name("of what is modified");
    // Old tools index what they modify; the language does not.
    if (sees("[")) fail("'=' or '('");
    argument.modification = modification();
    argument.comment = string_comment();
    return argument;
  }

  void redeclared_element(Argument& argument) {
    std::vector<Element> elements;
    Element element;
    element.at = offset();
    element.is_replaceable = argument.is_replaceable;
    element.is_redeclare = argument.is_redeclare;
    if (starts_class()) {
      element.kind = Element::Kind::class_definition;
      element.definition = std::make_unique<ClassDefinition>(class_definition());
      element.name = element.definition->name;
      element.name_at = element.definition->name_at;
    } else {
      element.prefix = type_prefix();
      element.type = name("of a type");
      element.type_subscripts = subscripts();
      element.name_at = offset();
      element.name = expect_identifier("of a component");
      element.subscripts = subscripts();
      element.modification = modification();
      element.comment = comment();
    }
    if (element.is_replaceable) constraint(element);
    argument.name.parts = {element.name};
    argument.name.at = element.name_at;
    argument.element = std::make_unique<Element>(std::move(element));
  }

  void external(ClassDefinition& definition) {
    External function;
    function.at = offset();
    take();
    if (sees_kind(TokenKind::string)) function.language = text_of(take().text);
    if (sees_kind(TokenKind::identifier)) {
      if (!sees("(", 1)) {
        function.result = component_reference();
        expect("=", "in an external function");
      }
      function.function = name_of(expect_identifier("of a function"));
      function.arguments = call_arguments();
    }
    if (take_if("annotation")) function.annotation = class_modification();
    expect(";", "after an external function");
    definition.external = std::move(function);
  }

  void section(ClassDefinition& definition) {
    Section section;
    section.at = offset();
    section.is_initial = take_if("initial");
    section.is_algorithm = sees("algorithm");
    take();
    equations(section.equations, section.is_algorithm);
    definition.sections.push_back(std::move(section));
  }

  [[nodiscard]] bool ends_equations() const {
    return is_at_end() ||
           sees_any({"public", "protected", "equation", "algorithm", "external", "annotation", "end", "else", "elseif",
                     "elsewhen"}) ||
           (sees("initial") && (sees("equation", 1) || sees("algorithm", 1)));
  }

  void equations(std::vector<Equation>& list, bool is_algorithm) {
    const Level level(*this);
    while (!ends_equations()) {
      const Offset begin = offset();
      try {
        list.push_back(equation(is_algorithm));
        expect(";", is_algorithm ? "after a statement" : "after an equation");
      } catch (const SyntaxError&) {
        if (offset() == begin) take();
        skip_to_next();
      }
    }
  }

  Equation equation(bool is_algorithm) {
    Equation result;
    result.at = offset();
    if (sees("connect")) {
      connect(result);
    } else if (sees("if")) {
      result.kind = Equation::Kind::condition;
      branches(result, {"if", "elseif", "then"}, is_algorithm);
    } else if (sees("when")) {
      result.kind = Equation::Kind::when;
      branches(result, {"when", "elsewhen", "then"}, is_algorithm);
    } else if (sees("for")) {
      result.kind = Equation::Kind::loop;
      take();
      result.iterators = for_indices();
      loop_body(result, "for", is_algorithm);
    } else if (sees("while") && is_algorithm) {
      result.kind = Equation::Kind::repetition;
      take();
      result.branches.emplace_back().condition = expression();
      loop_body(result, "while", is_algorithm);
    } else if (is_algorithm && sees_any({"break", "return"})) {
      result.kind = sees("break") ? Equation::Kind::leave : Equation::Kind::finish;
      take();
    } else {
      equality(result, is_algorithm);
    }
    result.comment = comment();
    return result;
  }

  void connect(Equation& result) {
    result.kind = Equation::Kind::connect;
    take();
    expect("(");
    result.operands.push_back(component_reference());
    expect(",", "between what is connected");
    result.operands.push_back(component_reference());
    expect(")", "after what is connected");
  }

  void loop_body(Equation& result, std::string_view word, bool is_algorithm) {
    expect("loop", fmt::format("in '{}'", word));
    if (result.branches.empty()) result.branches.emplace_back();
    equations(result.branches.front().equations, is_algorithm);
    expect("end", fmt::format("of '{}'", word));
    expect(word, "after 'end'");
  }

  struct Words {
    std::string_view first, next, then;
  };
  void branches(Equation& result, const Words& words, bool is_algorithm) {
    do {
      take();
      Equation::Branch& branch = result.branches.emplace_back();
      branch.condition = expression();
      expect(words.then, fmt::format("in '{}'", words.first));
      equations(branch.equations, is_algorithm);
    } while (sees(words.next));
    if (words.first == "if" && take_if("else")) equations(result.branches.emplace_back().equations, is_algorithm);
    expect("end", fmt::format("of '{}'", words.first));
    expect(words.first, "after 'end'");
  }

  void equality(Equation& result, bool is_algorithm) {
    result.operands.push_back(expression());
    const std::string_view sign = is_algorithm ? ":=" : "=";
    if (sees_any({"=", ":="})) {
      if (!sees(sign)) report(offset(), fmt::format("expected '{}', found '{}'", sign, token().text));
      take();
      result.kind = is_algorithm ? Equation::Kind::assignment : Equation::Kind::equality;
      result.operands.push_back(expression());
    } else if (result.operands.front().kind == Expression::Kind::call) {
      result.kind = Equation::Kind::call;
    } else {
      fail(fmt::format("'{}'", sign), is_algorithm ? "in a statement" : "in an equation");
    }
  }
};

}  // namespace

std::string Name::text() const {
  std::string text = is_global ? "." : "";
  for (std::size_t i = 0; i < parts.size(); ++i) text.append(i > 0 ? "." : "").append(parts[i]);
  return text;
}

const Argument* Modification::find(std::string_view name) const {
  for (const Argument& argument : arguments) {
    if (argument.name.parts.size() == 1 && argument.name.parts.front() == name) return &argument;
  }
  return nullptr;
}

std::unique_ptr<StoredDefinition> parse(std::string file, std::string text, document::Diagnostics& diagnostics) {
  auto result = std::make_unique<StoredDefinition>();
  const bool is_too_large = text.size() > kLargestFile;
  if (is_too_large) {
    diagnostics.error({.file = file}, fmt::format("the file has {} bytes; the limit is {}", text.size(), kLargestFile));
    text.clear();
  }
  result->source = std::make_unique<SourceText>(std::move(file), std::move(text));
  Parser(*result->source, diagnostics).stored_definition(*result);
  return result;
}

}  // namespace tieline::modelica
