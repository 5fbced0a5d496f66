// Components of a model: what describes them, their content, and alternatives among them.

#include <algorithm>
#include <fmt/format.h>

#include "model/model_reader.hpp"
#include "model/names.hpp"
#include "model/placement.hpp"
#include "model/settings_reader.hpp"

namespace tieline::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComposite = "composite";

/// The first such element of a component, or of each of its interfaces.
std::vector<document::Element> elements_of_kind(const Component& component, const OwnElement& own) {
  std::vector<document::Element> found;
  for (const Statement& statement : component.statements) {
    const auto look_in = [&](const document::Element& element) {
      if (const document::Element child = element.child(own.rule.name); child.exists()) found.push_back(child);
    };
    if (own.is_in_interface) {
      for (const document::Element& interface : statement.element.children("Interface")) look_in(interface);
    } else if (found.empty()) {
      look_in(statement.element);
    }
  }
  return found;
}

}  // namespace

std::optional<std::string> ModelReader::read_new_name(Level& level, const Element& element, const Scope& around) {
  auto name = read_name(element, around);
  if (!name) return std::nullopt;
  if (level.knows(*name)) {
    diagnostics_->error(element.place_of("name"), duplicate_component(level.prefix + *name));
    if (element.name() == "Component") (void)read_apart(level, *name, element, around);  // what else is wrong with it
    return std::nullopt;
  }
  if (is_enabled(element, around, "component", level.prefix + *name)) return name;
  level.left_out.insert(*name);
  declare_left_out(level, *name, element, around);
  return std::nullopt;
}

void ModelReader::declare_left_out(const Level& level, const std::string& name, const Element& element,
                                   const Scope& around) {
  Diagnostics unheard;
  auto* const heard = std::exchange(diagnostics_, &unheard);
  if (element.name() == "Component") {
    (void)read_apart(level, name, element, around);
  } else {
    for (const auto& choice : element.children("Component")) (void)read_apart(level, name, choice, around);
    (void)parameters_.find_override(level.prefix + name);
  }
  diagnostics_ = heard;
}

void ModelReader::read_component(Level& level, const Element& element, const Scope& around) {
  if (const auto name = read_new_name(level, element, around)) add_component(level, *name, element, around);
}

void ModelReader::add_component(Level& level, const std::string& name, const Element& element, const Scope& around) {
  Component component;
  component.name = level.prefix + name;
  component.declaration = element;
  component.scope = around.nested();
  const bool is_described = find_statements(component, level);
  parameters_.give(element, component.scope, around, component.name, *diagnostics_);
  std::vector<Element> owners;
  for (std::size_t i = 1; i < component.statements.size(); ++i) owners.push_back(component.statements[i].element);
  if (!owners.empty()) {
    parameters_.define_defaults(owners, component.scope, around, component.name + ".", *diagnostics_);
  }
  read_metadata(component, around);
  read_process(component, around);
  read_options(component, around);
  component.settings.inherit(level.settings);
  const bool has_content = is_described && find_content(component, around);
  if (component.content.exists()) {
    parameters_.define_defaults({&component.content, 1}, component.scope, around, component.name + ".", *diagnostics_);
    owners.push_back(component.content);
  }
  read_kind_parameters(component, around);
  if (!owners.empty()) ParameterReader::check_given_names(element, owners, *diagnostics_);
  component.frame = add_frame(component, level);
  if (component.kind == kComposite) {
    level.nested[name] = has_content ? read_nested(component, level) : Exports{.is_complete = false};
    return;
  }
  refuse_words_of_other_kinds(component);
  component.declared_interfaces = read_interfaces(component.statements, component.scope, *diagnostics_);
  level.components.try_emplace(name, static_cast<int>(model_.components.size()));
  model_.components.push_back(std::move(component));
}

bool ModelReader::find_statements(Component& component, const Level& level) {
  const Element& element = component.declaration;
  component.statements = {{element, level.file}};
  component.type = element.get("type");
  if (element.has("type") &&
      !shelf_.append_type(element, "type", level.file, level.libraries, component.statements, *diagnostics_)) {
    return false;
  }
  const Statement* statement = stating(component.statements, "kind");
  if (statement != nullptr) {
    component.kind = statement->element.get("kind");
    return true;
  }
  diagnostics_->error(element.place(), element.has("type") ? fmt::format("type '{}' has no kind", component.type)
                                                           : "<Component> needs the attribute 'kind' or 'type'");
  return false;
}

void ModelReader::read_options(Component& component, const Scope& around) {
  for (const ComponentKind& kind : kinds_) {
    if (kind.name != component.kind || !kind.read_options) continue;
    component.options = kind.read_options({component, around, parameters_, *diagnostics_});
  }
}

void ModelReader::refuse_words_of_other_kinds(const Component& component) {
  for (const ComponentKind& kind : kinds_) {
    if (kind.name == component.kind) continue;
    const auto report = [&](const Place& place, const std::string& what) {
      diagnostics_->error(place, fmt::format("{} is for components of kind '{}'; '{}' is of kind '{}'", what, kind.name,
                                             component.name, component.kind));
    };
    for (const auto& attribute : kind.own_attributes) {
      if (const Statement* statement = stating(component.statements, attribute.name))
        report(statement->element.place_of(attribute.name), fmt::format("the attribute '{}'", attribute.name));
    }
    for (const OwnElement& own : kind.own_elements) {
      for (const Element& found : elements_of_kind(component, own)) {
        report(found.place(), fmt::format("<{}>", own.rule.name));
      }
    }
  }
}

void ModelReader::read_kind_parameters(Component& component, const Scope& around) {
  const auto kind =
      std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& known) { return known.name == component.kind; });
  if (kind == kinds_.end()) return;
  for (const std::string& name : kind->parameters) {
    const bool is_stated = component.scope.defines(name) || (component.content.exists() && component.content.has(name));
    if (is_stated) continue;
    const Override* given = parameters_.find_override(component.name + "." + name);
    if (given == nullptr) continue;
    const auto value = around.evaluate(given->value, ParameterReader::place_of(*given), *diagnostics_);
    component.scope.set(name, value.value_or(1.0));
  }
}

void ModelReader::read_alternative(Level& level, const Element& element, const Scope& around) {
  const auto name = read_new_name(level, element, around);
  if (!name) return;
  Alternative alternative{level.prefix + *name, element, {}};
  std::vector<std::string> names;
  for (const auto& child : element.children("Component")) {
    const auto choice = read_name(child, around);
    if (choice && std::find(names.begin(), names.end(), *choice) != names.end()) {
      diagnostics_->error(child.place_of("name"), fmt::format("choice '{}' appears twice", *choice));
    }
    names.push_back(choice.value_or(""));
  }
  const std::size_t chosen = choose(alternative.name, element, names, around);
  const auto children = element.children("Component");
  for (std::size_t i = 0; i < children.size(); ++i) {
    Choice choice{.name = names[i], .declaration = children[i]};
    if (i == chosen) {
      add_component(level, *name, children[i], around);
      describe_choice(level, *name, choice);
    } else {
      choice = read_apart(level, *name, children[i], around);
      choice.name = names[i];
    }
    alternative.choices.push_back(std::move(choice));
  }
  if (!alternative.choices.empty()) model_.alternatives.push_back(std::move(alternative));
}

std::size_t ModelReader::choose(const std::string& full_name, const Element& element,
                                const std::vector<std::string>& names, const Scope& around) {
  const Override* override = parameters_.find_override(full_name);
  if (override == nullptr && !element.has("choose")) return 0;
  const Place place = override != nullptr ? ParameterReader::place_of(*override) : element.place_of("choose");
  const auto text =
      around.interpolate(override != nullptr ? override->value : element.get("choose"), place, *diagnostics_);
  if (!text) return 0;
  const auto found = std::find(names.begin(), names.end(), *text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (*text == std::to_string(i)) return i;
  }
  diagnostics_->error(place, fmt::format("alternative '{}' has no choice '{}'{}", full_name, *text,
                                         document::suggestion(*text, names)));
  return 0;
}

Choice ModelReader::read_apart(const Level& level, const std::string& name, const Element& element,
                               const Scope& around) {
  CompositeModel part;
  part.file = level.file;
  std::swap(model_, part);
  Level apart{.root = level.root,
              .file = level.file,
              .prefix = level.prefix,
              .settings = level.settings,
              .chain = level.chain,
              .libraries = level.libraries};
  add_component(apart, name, element, around);
  Choice choice{.declaration = element};
  describe_choice(apart, name, choice);
  std::swap(model_, part);
  choice.part = std::make_shared<const CompositeModel>(std::move(part));
  return choice;
}

void ModelReader::describe_choice(const Level& level, const std::string& name, Choice& choice) {
  if (const auto leaf = level.components.find(name); leaf != level.components.end()) choice.component = leaf->second;
  if (const auto nested = level.nested.find(name); nested != level.nested.end()) {
    choice.interfaces = nested->second.interfaces;
    choice.is_readable = nested->second.is_complete;
  }
}

const document::Scope& ModelReader::scope_of(const Component& component, const Statement& statement,
                                             const Scope& around) {
  return &statement == &component.statements.front() ? around : component.scope;
}

void ModelReader::read_metadata(Component& component, const Scope& around) {
  const auto word = [&](std::string_view attribute) {
    const Statement* statement = stating(component.statements, attribute);
    return statement == nullptr ? std::string() : statement->element.get(attribute);
  };
  const auto path = [&](std::string_view attribute) {
    const Statement* statement = stating(component.statements, attribute);
    if (statement == nullptr) return fs::path();
    const Scope& scope = scope_of(component, *statement, around);
    return read_path(statement->element, attribute, statement->file, scope).value_or("");
  };
  component.tool = word("tool");
  component.version = word("version");
  component.icon = path("icon");
  component.geometry = path("geometry");
  component.diagram_x = read_optional(component.declaration, "diagram_x", around, *diagnostics_);
  component.diagram_y = read_optional(component.declaration, "diagram_y", around, *diagnostics_);
  for (const auto& statement : component.statements) {
    const Scope& scope = scope_of(component, statement, around);
    component.settings.inherit(read_settings(statement.element, scope, *diagnostics_));
    if (component.description.empty()) component.description = statement.element.child("Description").text();
    for (const auto& input : statement.element.children("InputFile")) {
      if (auto file = read_path(input, "path", statement.file, scope)) component.input_files.push_back(*file);
    }
  }
}

std::string ModelReader::content_element(const std::string& kind) const {
  if (kind == kComposite) return "CompositeModel";
  for (const auto& known : kinds_) {
    if (known.name == kind && !known.grammar.rules.empty()) return known.grammar.rules.front().name;
  }
  return "";
}

bool ModelReader::needs_content(const std::string& kind) const {
  return std::none_of(kinds_.begin(), kinds_.end(),
                      [&](const auto& known) { return known.name == kind && !known.needs_content; });
}

bool ModelReader::find_content(Component& component, const Scope& around) {
  const std::string expected = content_element(component.kind);
  component.content_file = component.statements.front().file;
  for (const auto& statement : component.statements) {
    const Element& element = statement.element;
    Element inline_content;
    for (const auto& child : element.children()) {
      if (child.name() == expected) inline_content = child;
      if (child.name() == expected || expected.empty() || !is_content_of_another_kind(child.name())) continue;
      diagnostics_->error(child.place(), fmt::format("a component of kind '{}' contains <{}>, not <{}>", component.kind,
                                                     expected, child.name()));
      return false;
    }
    if (!inline_content.exists() && !element.has("file")) continue;
    if (inline_content.exists() && element.has("file")) return report_content(component, element, expected);
    component.content_file = statement.file;
    component.content = inline_content;
    return inline_content.exists() || load_content(component, statement, expected, around);
  }
  return !expected.empty() && needs_content(component.kind) &&
         report_content(component, component.declaration, expected);
}

bool ModelReader::report_content(const Component& component, const Element& element, const std::string& expected) {
  diagnostics_->error(element.place(), fmt::format("component '{}' must have either a file or <{}> in it{}",
                                                   component.name, expected, element.has("file") ? ", not both" : ""));
  return false;
}

bool ModelReader::is_content_of_another_kind(std::string_view name) const {
  if (name == "CompositeModel") return true;
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
    return !kind.grammar.rules.empty() && kind.grammar.rules.front().name == name;
  });
}

bool ModelReader::load_content(Component& component, const Statement& statement, const std::string& expected,
                               const Scope& around) {
  const auto file = read_path(statement.element, "file", statement.file, scope_of(component, statement, around));
  component.has_own_file = true;
  if (file) component.content_file = *file;
  if (!file || expected.empty()) return false;  // files of other tools are theirs to read
  std::error_code failure;
  if (!fs::exists(*file, failure)) {
    diagnostics_->error(statement.element.place_of("file"), missing_file(*file));
    return false;
  }
  const auto document = load(*file, expected);
  if (!document || document->root().name() != expected) return false;
  component.content = document->root();
  return true;
}

}  // namespace tieline::model
