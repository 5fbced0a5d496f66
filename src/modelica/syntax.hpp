#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "modelica/source_text.hpp"

/// What the parser makes of a file: the syntax of the Modelica specification 3.6, appendix A. Plain data that refers to
/// the text of its file; an offset is a place in that text.
namespace tieline::modelica {

using Offset = std::uint32_t;

/// Names separated by dots: "Modelica.Units.SI.Mass".
struct Name {
  bool is_global = false;  ///< it begins with a dot
  std::vector<std::string_view> parts{};
  Offset at = 0;

  [[nodiscard]] bool empty() const { return parts.empty(); }
  [[nodiscard]] std::string text() const;
};

/// A list whose elements may be declared later. The functions of std::vector are evaluated where they are declared by
/// compilers that follow the standard to the letter, and then need the whole element; those of this class are not.
template <typename Element>
class List : public std::vector<Element> {
 public:
  List() noexcept {}  // NOLINT: not constexpr
  List(std::vector<Element>&& elements) noexcept : std::vector<Element>(std::move(elements)) {}  // NOLINT: implicit
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  List(List&& other) noexcept : std::vector<Element>(std::move(other)) {}
  List& operator=(List&& other) noexcept {
    std::vector<Element>::operator=(std::move(other));
    return *this;
  }
  ~List() {}  // NOLINT: not constexpr
};

struct Expression;

/// "a.b[2].c"
struct Reference {
  struct Part {
    std::string_view name{};
    Offset at = 0;
    List<Expression> subscripts{};
  };
  bool is_global = false;
  std::vector<Part> parts{};
};

struct Expression {
  enum class Kind : std::uint8_t {
    missing,       ///< nothing, as between two commas of an output list; or after an error
    number,        ///< text
    string,        ///< text with its quotes
    boolean,       ///< text
    end,           ///< of a subscript
    colon,         ///< a whole dimension
    reference,     ///< reference
    call,          ///< reference, operands: arguments
    named,         ///< an argument: text = operands[0]
    partial_call,  ///< an argument: function reference(operands)
    iteration,     ///< operands[0] for the `iterator`s that follow
    iterator,      ///< text in operands[0], if it has any
    array,         ///< {operands}
    matrix,        ///< [rows]
    row,           ///< operands, separated by commas in a matrix
    range,         ///< operands[0] : operands[1] (: operands[2])
    unary,         ///< text operands[0]
    binary,        ///< operands[0] text operands[1]
    conditional,   ///< if operands[0] then operands[1] (elseif ...) else the last one
    parentheses,   ///< (operands)
    element,       ///< operands[0] is indexed by the others
  };
  Kind kind = Kind::missing;
  std::uint16_t height = 0;  ///< of the tree below it
  Offset at = 0;
  std::string_view text{};
  std::vector<Expression> operands{};
  std::unique_ptr<Reference> reference{};
};

struct Argument;

/// "(a = 1, b(c = 2)) = 3", also the content of an annotation.
struct Modification {
  List<Argument> arguments{};
  bool has_brackets = false;
  std::unique_ptr<Expression> value{};
  bool is_break = false;  ///< = break

  [[nodiscard]] bool empty() const { return !has_brackets && value == nullptr && !is_break; }
  /// The argument of that name; null: there is none.
  [[nodiscard]] const Argument* find(std::string_view name) const;
};

struct Comment {
  std::string text{};
  Offset at = 0;  ///< of the text
  Modification annotation{};
};

enum class Variability : std::uint8_t { continuous, discrete, parameter, constant };
enum class Direction : std::uint8_t { none, input, output };

/// What stands in front of a type.
struct TypePrefix {
  bool is_flow = false;
  bool is_stream = false;
  Variability variability = Variability::continuous;
  Direction direction = Direction::none;
};

/// constrainedby T(...)
struct Constraint {
  Name type{};
  Modification modification{};
};

struct ClassDefinition;

/// A declaration, an extends clause, an import or a class inside a class. `Real a, b;` are two.
struct Element {
  enum class Kind : std::uint8_t { component, class_definition, extends, import };
  Kind kind = Kind::component;
  bool is_redeclare = false;
  bool is_final = false;
  bool is_inner = false;
  bool is_outer = false;
  bool is_replaceable = false;
  bool is_protected = false;
  Offset at = 0;

  Name type{};  ///< of a component; the base class; what is imported
  // of a component
  TypePrefix prefix{};
  std::vector<Expression> type_subscripts{};  ///< behind its type
  std::string_view name{};
  Offset name_at = 0;
  std::vector<Expression> subscripts{};  ///< behind its name
  std::unique_ptr<Expression> condition{};
  // of an import
  std::string_view alias{};
  bool imports_all = false;                  ///< P.*
  std::vector<std::string_view> imported{};  ///< P.{a, b}

  Modification modification{};
  std::vector<Name> removed{};  ///< `break` in an extends clause
  Comment comment{};
  std::unique_ptr<Constraint> constraint{};
  std::unique_ptr<ClassDefinition> definition{};
};

/// One of a modification: "each final a.b(c = 1)", or a redeclaration.
struct Argument {
  bool is_each = false;
  bool is_final = false;
  bool is_redeclare = false;
  bool is_replaceable = false;
  bool is_break = false;  ///< a selective extension: break name
  Offset at = 0;
  Name name{};
  Modification modification{};
  std::string comment{};
  std::unique_ptr<Element> element{};  ///< of a redeclaration or a replaceable element
};

/// An equation or a statement.
struct Equation {
  enum class Kind : std::uint8_t {
    equality,    ///< operands[0] = operands[1]
    assignment,  ///< operands[0] := operands[1]
    connect,     ///< connect(operands[0], operands[1])
    call,        ///< operands[0]
    condition,   ///< if: branches
    loop,        ///< for iterators loop: branches[0]
    when,        ///< branches
    repetition,  ///< while: branches[0]
    leave,       ///< break
    finish,      ///< return
  };
  struct Branch {
    Expression condition{};  ///< missing: else
    std::vector<Equation> equations{};
  };
  Kind kind = Kind::equality;
  Offset at = 0;
  std::vector<Expression> operands{};
  std::vector<Expression> iterators{};
  std::vector<Branch> branches{};
  Comment comment{};
};

/// A list of equations or statements under one heading.
struct Section {
  bool is_initial = false;
  bool is_algorithm = false;
  Offset at = 0;
  std::vector<Equation> equations{};
};

struct EnumerationItem {
  std::string_view name{};
  Comment comment{};
};

/// external "C" y = f(x)
struct External {
  Offset at = 0;
  std::string language{};
  std::string function{};
  std::vector<Expression> arguments{};
  std::optional<Expression> result{};
  Modification annotation{};
};

struct ClassDefinition {
  enum class Form : std::uint8_t { full, short_form, extends_form, enumeration, derivative };
  Form form = Form::full;
  bool is_encapsulated = false;
  bool is_partial = false;
  bool is_final = false;
  bool is_expandable = false;
  bool is_operator = false;        ///< operator record, operator function
  std::string_view purity{};       ///< pure, impure
  std::string_view restriction{};  ///< "model", "package", "operator" ...
  Offset at = 0;
  std::string_view name{};
  Offset name_at = 0;
  Comment comment{};  ///< with the annotation of the class
  std::vector<Element> elements{};
  std::vector<Section> sections{};
  std::optional<External> external{};
  // short form, and `extends` form
  Name base{};
  TypePrefix prefix{};
  std::vector<Expression> subscripts{};
  Modification modification{};
  std::vector<EnumerationItem> items{};
  bool has_any_items = false;  ///< enumeration(:)
};

/// A file.
struct StoredDefinition {
  std::unique_ptr<SourceText> source{};
  bool has_within = false;
  Name within{};
  std::vector<ClassDefinition> classes{};

  [[nodiscard]] document::Place place_at(Offset offset) const { return source->place_at(offset); }
};

/// An expression as text, for messages.
[[nodiscard]] std::string describe(const Expression& expression);
[[nodiscard]] std::string describe(const Reference& reference);

}  // namespace tieline::modelica
