#include "fmi/schema_table.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace {

// A line for each kind of element: its name | its attributes | what it contains, in this order.
//   attributes  name, ! required, :form of the value (any text if there is none). Forms: real, bool, date, hex,
//   version,
//               int8 to uint64, kinds of dependencies, or the words that are allowed, separated by slashes; [] a list.
//               @name stands for the attributes of the line of that name, * for any others.
//               A line that begins with blanks continues the one above.
//   contents    Name once, Name? at most once, Name* any number, Name+ at least one; (A B) one of them; Name=kind if
//   its
//               rule is not called like the element; anything.
constexpr std::string_view kSchema1 = R"(
fmiModelDescription | fmiVersion!:1.0 modelName! modelIdentifier! guid! description author version generationTool
    generationDateAndTime:date variableNamingConvention:flat/structured numberOfContinuousStates!:uint32
    numberOfEventIndicators!:uint32 | UnitDefinitions? TypeDefinitions? DefaultExperiment? VendorAnnotations?
    ModelVariables? Implementation?
UnitDefinitions | | BaseUnit*
BaseUnit | unit! | DisplayUnitDefinition*
DisplayUnitDefinition | displayUnit! gain:real offset:real |
TypeDefinitions | | Type*
Type | name! description | (RealType IntegerType BooleanType=free StringType=free EnumerationType)
@real | quantity unit displayUnit relativeQuantity:bool min:real max:real nominal:real |
@integer | quantity min:int32 max:int32 |
RealType | @real |
IntegerType | @integer |
free | * | anything
EnumerationType | @integer | Item*
Item | name! description |
DefaultExperiment | startTime:real stopTime:real tolerance:real |
VendorAnnotations | | Tool*
Tool | name! | Annotation*
Annotation | name! value! |
ModelVariables | | ScalarVariable*
ScalarVariable | name! valueReference!:uint32 description variability:constant/parameter/discrete/continuous
    causality:input/output/internal/none alias:noAlias/alias/negatedAlias | (Real Integer Boolean String Enumeration)
    DirectDependency?
Real | declaredType @real start:real fixed:bool |
Integer | declaredType @integer start:int32 fixed:bool |
Boolean | declaredType start:bool fixed:bool |
String | declaredType start fixed:bool |
Enumeration | declaredType! @integer start:int32 fixed:bool |
DirectDependency | | Name*
Name | |
Implementation | | (CoSimulation_StandAlone CoSimulation_Tool)
CoSimulation_StandAlone | | Capabilities
CoSimulation_Tool | | Capabilities Model
Capabilities | canHandleVariableCommunicationStepSize:bool canHandleEvents:bool canRejectSteps:bool
    canInterpolateInputs:bool maxOutputDerivativeOrder:uint32 canRunAsynchronuously:bool canSignalEvents:bool
    canBeInstantiatedOnlyOncePerProcess:bool canNotUseMemoryManagementFunctions:bool |
Model | entryPoint! manualStart:bool type! | File*
File | file! |
)";

constexpr std::string_view kSchema2 = R"(
fmiModelDescription | fmiVersion!:2.0 modelName! guid! description author version copyright license generationTool
    generationDateAndTime:date variableNamingConvention:flat/structured numberOfEventIndicators:uint32 |
    (ModelExchange CoSimulation)+ UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment?
    VendorAnnotations=Annotations? ModelVariables ModelStructure
@interface | modelIdentifier! needsExecutionTool:bool canBeInstantiatedOnlyOncePerProcess:bool
    canNotUseMemoryManagementFunctions:bool canGetAndSetFMUstate:bool canSerializeFMUstate:bool
    providesDirectionalDerivative:bool |
ModelExchange | @interface completedIntegratorStepNotNeeded:bool | SourceFiles?
CoSimulation | @interface canHandleVariableCommunicationStepSize:bool canInterpolateInputs:bool
    maxOutputDerivativeOrder:uint32 canRunAsynchronuously:bool | SourceFiles?
SourceFiles | | File+
File | name! |
UnitDefinitions | | Unit+
Unit | name! | BaseUnit? DisplayUnit*
BaseUnit | kg:int32 m:int32 s:int32 A:int32 K:int32 mol:int32 cd:int32 rad:int32 factor:real offset:real |
DisplayUnit | name! factor:real offset:real |
TypeDefinitions | | SimpleType+
SimpleType | name! description | (Real=RealType Integer=IntegerType Boolean=free String=free
    Enumeration=EnumerationType)
@real | quantity unit displayUnit relativeQuantity:bool min:real max:real nominal:real unbounded:bool |
@integer | quantity min:int32 max:int32 |
RealType | @real |
IntegerType | @integer |
free | * | anything
EnumerationType | quantity | Item+
Item | name! value!:int32 description |
LogCategories | | Category+
Category | name! description |
DefaultExperiment | startTime:real stopTime:real tolerance:real stepSize:real |
Annotations | | Tool+
Tool | name! | anything
ModelVariables | | ScalarVariable+
ScalarVariable | name! valueReference!:uint32 description
    causality:parameter/calculatedParameter/input/output/local/independent
    variability:constant/fixed/tunable/discrete/continuous initial:exact/approx/calculated
    canHandleMultipleSetPerTimeInstant:bool | (Real Integer Boolean String Enumeration) Annotations?
Real | declaredType @real start:real derivative:uint32 reinit:bool |
Integer | declaredType @integer start:int32 |
Boolean | declaredType start:bool |
String | declaredType start |
Enumeration | declaredType! @integer start:int32 |
ModelStructure | | Outputs=Unknowns? Derivatives=Unknowns? InitialUnknowns=Unknowns?
Unknowns | | Unknown+
Unknown | index!:uint32 dependencies:uint32[] dependenciesKind:kinds |
)";

constexpr std::string_view kSchema3 = R"(
fmiModelDescription | fmiVersion!:version modelName! instantiationToken! description author version copyright license
    generationTool generationDateAndTime:date variableNamingConvention:flat/structured | ModelExchange? CoSimulation?
    ScheduledExecution? UnitDefinitions? TypeDefinitions? LogCategories? DefaultExperiment? ModelVariables
    ModelStructure Annotations?
@interface | modelIdentifier! needsExecutionTool:bool canBeInstantiatedOnlyOncePerProcess:bool
    canGetAndSetFMUState:bool canSerializeFMUState:bool providesDirectionalDerivatives:bool
    providesAdjointDerivatives:bool providesPerElementDependencies:bool * |
ModelExchange | @interface needsCompletedIntegratorStep:bool providesEvaluateDiscreteStates:bool | Annotations?
CoSimulation | @interface canHandleVariableCommunicationStepSize:bool fixedInternalStepSize:real
    maxOutputDerivativeOrder:uint32 recommendedIntermediateInputSmoothness:int32 providesIntermediateUpdate:bool
    mightReturnEarlyFromDoStep:bool canReturnEarlyAfterIntermediateUpdate:bool hasEventMode:bool
    providesEvaluateDiscreteStates:bool | Annotations?
ScheduledExecution | @interface | Annotations?
Annotations | | Annotation+
Annotation | type! | anything
UnitDefinitions | | Unit+
Unit | name! | BaseUnit? DisplayUnit* Annotations?
BaseUnit | kg:int32 m:int32 s:int32 A:int32 K:int32 mol:int32 cd:int32 rad:int32 factor:real offset:real |
DisplayUnit | name! factor:real offset:real inverse:bool | Annotations?
TypeDefinitions | | (Float32Type=FloatType Float64Type=FloatType Int8Type UInt8Type Int16Type UInt16Type Int32Type
    UInt32Type Int64Type UInt64Type BooleanType=PlainType StringType=PlainType BinaryType EnumerationType ClockType)+
@type | name! description |
@float | quantity unit displayUnit relativeQuantity:bool unbounded:bool min:real max:real nominal:real |
FloatType | @type @float | Annotations?
Int8Type | @type quantity min:int8 max:int8 | Annotations?
UInt8Type | @type quantity min:uint8 max:uint8 | Annotations?
Int16Type | @type quantity min:int16 max:int16 | Annotations?
UInt16Type | @type quantity min:uint16 max:uint16 | Annotations?
Int32Type | @type quantity min:int32 max:int32 | Annotations?
UInt32Type | @type quantity min:uint32 max:uint32 | Annotations?
Int64Type | @type quantity min:int64 max:int64 | Annotations?
UInt64Type | @type quantity min:uint64 max:uint64 | Annotations?
PlainType | @type | Annotations?
BinaryType | @type mimeType maxSize:uint64 | Annotations?
EnumerationType | @type quantity min:int64 max:int64 | Annotations? Item+
Item | name! value!:int64 description | Annotations?
@clock | canBeDeactivated:bool priority:uint32
    intervalVariability!:constant/fixed/tunable/changing/countdown/triggered intervalDecimal:real shiftDecimal:real
    supportsFraction:bool resolution:uint64 intervalCounter:uint64 shiftCounter:uint64 |
ClockType | @type @clock | Annotations?
LogCategories | | Category+
Category | name! description | Annotations?
DefaultExperiment | startTime:real stopTime:real tolerance:real stepSize:real | Annotations?
ModelVariables | | (Float32=Float Float64=Float Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Boolean String
    Binary Enumeration Clock)+
@any | name! valueReference!:uint32 description
    causality:parameter/calculatedParameter/input/output/local/independent/structuralParameter
    variability:constant/fixed/tunable/discrete/continuous canHandleMultipleSetPerTimeInstant:bool clocks:uint32[] |
@array | @any intermediateUpdate:bool previous:uint32 initial:exact/approx/calculated |
@variable | @array declaredType |
Float | @variable @float start:real[] derivative:uint32 reinit:bool | Annotations? Dimension* Alias=FloatAlias*
Int8 | @variable quantity min:int8 max:int8 start:int8[] | Annotations? Dimension* Alias*
UInt8 | @variable quantity min:uint8 max:uint8 start:uint8[] | Annotations? Dimension* Alias*
Int16 | @variable quantity min:int16 max:int16 start:int16[] | Annotations? Dimension* Alias*
UInt16 | @variable quantity min:uint16 max:uint16 start:uint16[] | Annotations? Dimension* Alias*
Int32 | @variable quantity min:int32 max:int32 start:int32[] | Annotations? Dimension* Alias*
UInt32 | @variable quantity min:uint32 max:uint32 start:uint32[] | Annotations? Dimension* Alias*
Int64 | @variable quantity min:int64 max:int64 start:int64[] | Annotations? Dimension* Alias*
UInt64 | @variable quantity min:uint64 max:uint64 start:uint64[] | Annotations? Dimension* Alias*
Boolean | @variable start:bool[] | Annotations? Dimension* Alias*
String | @variable | Annotations? Dimension* Start* Alias*
Binary | @variable mimeType maxSize:uint64 | Annotations? Dimension* Start=StartBytes* Alias*
Enumeration | @array declaredType! quantity min:int64 max:int64 start:int64[] | Annotations? Dimension* Alias*
Clock | @any declaredType @clock | Annotations? Alias*
Dimension | start:uint64 valueReference:uint32 |
Start | value |
StartBytes | value:hex |
Alias | name! description |
FloatAlias | name! description displayUnit |
ModelStructure | | Output=Unknown* ContinuousStateDerivative=Unknown* ClockedState=Unknown* InitialUnknown=Unknown*
    EventIndicator=Unknown*
Unknown | valueReference!:uint32 dependencies:uint32[] dependenciesKind:kinds | Annotations?
)";

/// Cuts off what is before a character; all of it where there is none.
std::string_view take_until(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \n"));
  text.remove_prefix(word.size());
  return word;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(take_until(text, separator));
  return parts;
}

ValueRule value_rule(std::string_view text) {
  using Form = ValueRule::Form;
  ValueRule rule;
  if (text.ends_with("[]")) {
    rule.is_list = true;
    text.remove_suffix(2);
  }
  if (text == "kinds") {
    rule.is_list = true;
    text = "dependent/constant/fixed/tunable/discrete";
  }
  static constexpr std::array<std::pair<std::string_view, Form>, 6> kForms{{{"", Form::text},
                                                                            {"real", Form::real},
                                                                            {"bool", Form::boolean},
                                                                            {"date", Form::date},
                                                                            {"hex", Form::hexadecimal},
                                                                            {"version", Form::version}}};
  for (const auto& [name, form] : kForms) {
    if (text != name) continue;
    rule.form = form;
    return rule;
  }
  std::string_view size = text;
  rule.is_unsigned = size.starts_with('u');
  if (rule.is_unsigned) size.remove_prefix(1);
  if (size.starts_with("int")) {
    size.remove_prefix(3);
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), rule.bits);
    assert(error == std::errc() && end == size.data() + size.size());
    static_cast<void>(end), static_cast<void>(error);
    rule.form = Form::integer;
    return rule;
  }
  rule.form = Form::words;
  rule.words = parts_of(text, '/');
  return rule;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void skip_digits(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
}

bool is_real_text(std::string_view text) {
  if (text == "NaN" || text == "INF" || text == "-INF") return true;
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t before = text.size();
  skip_digits(text);
  bool has_digits = text.size() < before;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    has_digits = has_digits || all_digits(text.substr(0, 1));
    skip_digits(text);
  }
  if (!has_digits) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return all_digits(text);
}

std::pair<std::int64_t, std::uint64_t> integer_range(const ValueRule& rule) {
  if (rule.is_unsigned) return {0, std::numeric_limits<std::uint64_t>::max() >> (64 - rule.bits)};
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (65 - rule.bits);
  return {-static_cast<std::int64_t>(most) - 1, most};
}

bool is_integer_text(std::string_view text, const ValueRule& rule) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (!all_digits(text)) return false;
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc()) return false;
  const auto [least, most] = integer_range(rule);
  // The negative numbers of two's complement reach one further.
  return is_negative ? size <= (rule.is_unsigned ? 0 : most + 1) : size <= most;
}

/// Takes a number of so many digits from the front, if it is in a range.
bool take_number(std::string_view& text, std::size_t digits, int least, int most) {
  if (!all_digits(text.substr(0, digits)) || text.size() < digits) return false;
  int value = 0;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value >= least && value <= most;
}

bool take_character(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// As 2024-01-31T12:30:00Z, with fractions of seconds and another zone where needed.
bool is_date_text(std::string_view text) {
  take_character(text, '-');
  const std::size_t digits = std::min(text.find('-'), text.size());
  if (digits < 4 || !all_digits(text.substr(0, digits))) return false;
  text.remove_prefix(digits);
  const bool has_time = take_character(text, '-') && take_number(text, 2, 1, 12) && take_character(text, '-') &&
                        take_number(text, 2, 1, 31) && take_character(text, 'T') && take_number(text, 2, 0, 24) &&
                        take_character(text, ':') && take_number(text, 2, 0, 59) && take_character(text, ':') &&
                        take_number(text, 2, 0, 59);
  if (!has_time) return false;
  if (take_character(text, '.')) {
    const std::size_t before = text.size();
    skip_digits(text);
    if (text.size() == before) return false;
  }
  if (text.empty() || text == "Z") return true;
  return (take_character(text, '+') || take_character(text, '-')) && take_number(text, 2, 0, 14) &&
         take_character(text, ':') && take_number(text, 2, 0, 59) && text.empty();
}

/// 3.x or 3.x.y, with a suffix of versions before a release.
bool is_version_text(std::string_view text) {
  const auto dash = text.find('-');
  if (dash != text.npos && dash + 1 == text.size()) return false;
  const std::string_view numbers = text.substr(0, dash);
  const auto parts = parts_of(numbers, '.');
  if (parts.size() < 2 || parts.size() > 3 || parts.front() != "3" || numbers.ends_with('.')) return false;
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return all_digits(part) && (part.size() == 1 || part.front() != '0');
  });
}

bool is_hexadecimal_text(std::string_view text) {
  return text.size() % 2 == 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

bool takes_one(const ValueRule& rule, std::string_view text) {
  switch (rule.form) {
    case ValueRule::Form::text:
      return true;
    case ValueRule::Form::real:
      return is_real_text(text);
    case ValueRule::Form::boolean:
      return text == "true" || text == "false" || text == "1" || text == "0";
    case ValueRule::Form::integer:
      return is_integer_text(text, rule);
    case ValueRule::Form::date:
      return is_date_text(text);
    case ValueRule::Form::hexadecimal:
      return is_hexadecimal_text(text);
    case ValueRule::Form::version:
      return is_version_text(text);
    case ValueRule::Form::words:
      return std::find(rule.words.begin(), rule.words.end(), text) != rule.words.end();
  }
  return false;
}

/// "'a', 'b' or 'c'"
std::string one_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  return text;
}

}  // namespace

bool ValueRule::takes(std::string_view text) const {
  if (form == Form::text) return true;
  if (!is_list) return takes_one(*this, trimmed(text));
  const auto words_in_text = words_of(text);
  return std::all_of(words_in_text.begin(), words_in_text.end(),
                     [&](std::string_view word) { return takes_one(*this, word); });
}

std::string ValueRule::describe() const {
  std::vector<std::string> quoted;
  for (const std::string_view word : words) quoted.push_back(fmt::format("'{}'", word));
  const auto [least, most] = integer_range(*this);
  const std::string many = is_list ? "a list, each " : "";
  switch (form) {
    case Form::text:
      return "any text";
    case Form::real:
      return many + "a number such as 1.5, -2e-3 or INF";
    case Form::boolean:
      return many + "true or false";
    case Form::integer:
      return many + fmt::format("a whole number from {} to {}", least, most);
    case Form::date:
      return "a date and time such as 2024-01-31T12:30:00Z";
    case Form::hexadecimal:
      return "two hexadecimal digits for each byte";
    case Form::version:
      return "a version such as 3.0 or 3.0.1";
    case Form::words:
      return many + one_of(quoted);
  }
  return {};
}

std::string ChildRule::describe() const {
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(fmt::format("<{}>", element.name));
  return one_of(names);
}

SchemaTable::SchemaTable(std::string_view text) {
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    while (end != text.npos && text.substr(end + 1).starts_with(' ')) end = text.find('\n', end + 1);
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty()) add_line(line);
  }
}

void SchemaTable::add_attributes(std::string_view text, ElementRule& rule) const {
  for (std::string_view word : words_of(text)) {
    if (word == "*") {
      rule.takes_other_attributes = true;
    } else if (word.starts_with('@')) {
      const ElementRule& others = rules_.at(word);
      rule.attributes.insert(rule.attributes.end(), others.attributes.begin(), others.attributes.end());
      rule.takes_other_attributes = rule.takes_other_attributes || others.takes_other_attributes;
    } else {
      std::string_view form = word;
      std::string_view name = take_until(form, ':');
      const bool is_required = name.ends_with('!');
      if (is_required) name.remove_suffix(1);
      rule.attributes.push_back({name, is_required, value_rule(form)});
    }
  }
}

void SchemaTable::add_line(std::string_view line) {
  const std::string_view kind = trimmed(take_until(line, '|'));
  ElementRule rule;
  add_attributes(take_until(line, '|'), rule);
  std::string_view rest = trimmed(line);
  if (rest == "anything") {
    rule.takes_anything = true;
    rest = {};
  }
  while (!rest.empty()) {
    ChildRule child;
    std::string_view names, count;
    if (take_character(rest, '(')) {
      names = take_until(rest, ')');
      count = take_word(rest);
    } else {
      names = take_word(rest);
      count = names.substr(names.find_last_not_of("?*+") + 1);
      names.remove_suffix(count.size());
    }
    child.is_required = count.empty() || count == "+";
    child.is_repeated = count == "*" || count == "+";
    for (const std::string_view each : words_of(names)) {
      std::string_view own_kind = each;
      const std::string_view name = take_until(own_kind, '=');
      child.elements.push_back({name, own_kind.empty() ? name : own_kind});
    }
    rule.children.push_back(std::move(child));
    rest = trimmed(rest);
  }
  rules_.emplace(kind, std::move(rule));
}

const SchemaTable& SchemaTable::of(int version) {
  static const SchemaTable kTable1(kSchema1), kTable2(kSchema2), kTable3(kSchema3);
  return version == 1 ? kTable1 : version == 2 ? kTable2 : kTable3;
}

const ElementRule& SchemaTable::rule(std::string_view kind) const { return rules_.at(kind); }

}  // namespace tieline::fmi
