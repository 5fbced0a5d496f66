#include "components/multibody/system_reading.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/expression.hpp"

namespace tieline::components {

using document::Element;
using document::NumberRule;
using document::Place;
using document::TimeFunction;
using document::Token;

namespace {

/// A joint may be called as the frame or the body where it is: attributes name either joints or frames, and results of
/// frames are vectors ("D.position.x") where those of a joint's coordinates are numbers ("D.position"); forces and
/// torques are a joint's alone.
bool may_share_name(std::string_view a, std::string_view b) {
  const auto is_frame = [](std::string_view kind) {
    return kind == "Frame" || kind == "Body" || kind == "Beam" || kind == "PlanarBeam";
  };
  return (a == "Joint" && is_frame(b)) || (b == "Joint" && is_frame(a));
}

}  // namespace

std::filesystem::path identity_of(const std::filesystem::path& file) {
  std::error_code failure;
  std::filesystem::path path = std::filesystem::weakly_canonical(file, failure);
  return failure ? file : path;
}

SystemReading::SystemReading(SystemParts& parts, const Element& content, const document::Scope& scope,
                             Standing standing, document::Diagnostics& diagnostics)
    : parts_(parts),
      content_(content),
      scope_(content_scope(content, scope)),
      standing_(std::move(standing)),
      level_(parts.level_count++),
      diagnostics_(diagnostics),
      defaults_(content_, scope_, standing_.defaults, diagnostics),
      names_(scope_, diagnostics, {"energy", "ground"}, may_share_name) {}

bool SystemReading::has(const Element& element, std::string_view attribute) {
  return defaults_.source(element, attribute).element.has(attribute);
}

bool SystemReading::needs(const Element& element, std::string_view attribute) {
  if (has(element, attribute)) return true;
  diagnostics_.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), attribute));
  return false;
}

std::string SystemReading::word(const Element& element, std::string_view attribute, std::string_view otherwise) {
  return defaults_.source(element, attribute).element.get(attribute, otherwise);
}

double SystemReading::number(const Element& element, std::string_view attribute, NumberRule rule, std::string unit) {
  rule.unit = std::move(unit);
  const auto source = defaults_.source(element, attribute);
  return document::read_number(source.element, attribute, *source.scope, rule, diagnostics_);
}

std::vector<double> SystemReading::numbers(const Element& element, std::string_view attribute) {
  const auto source = defaults_.source(element, attribute);
  return read_numbers(source.element, attribute, *source.scope, diagnostics_);
}

Eigen::Vector3d SystemReading::vector(const Element& element, std::string_view attribute) {
  const auto source = defaults_.source(element, attribute);
  return Eigen::Vector3d(document::read_vector(source.element, attribute, *source.scope, diagnostics_).data());
}

core::Pose SystemReading::pose(const Element& element) {
  return {vector(element, "position"), core::rotation_from_angles(vector(element, "angles"))};
}

std::string SystemReading::text(const Element& element, std::string_view attribute) {
  return read_text(element, attribute, scope_, diagnostics_);
}

std::filesystem::path SystemReading::file(const Element& element, std::string_view attribute) {
  return element.document()->file().parent_path() / text(element, attribute);
}

std::optional<TimeFunction> SystemReading::function(const Element& element, std::string_view attribute) {
  if (!element.has(attribute)) return std::nullopt;
  return compile(element.get(attribute), element.place_of(attribute));
}

VectorFunction SystemReading::functions(const Element& element, std::string_view attribute) {
  VectorFunction result;
  if (!element.has(attribute)) return result;
  const auto items = document::split_list(element.get(attribute));
  if (items.size() != 3) {
    problem(element, attribute,
            fmt::format("{} must be three functions separated by commas, found {}", attribute, items.size()));
    return result;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (auto compiled = compile(items[i], element.place_of(attribute))) result[i] = std::move(*compiled);
  }
  return result;
}

void SystemReading::problem(const Element& element, std::string_view attribute, std::string message) {
  diagnostics_.error(defaults_.source(element, attribute).element.place_of(attribute), std::move(message));
}

std::optional<TimeFunction> SystemReading::compile(const std::string& text, const Place& place) {
  auto function = TimeFunction::compile(text, place, scope_, input_names_, tables_, diagnostics_);
  // What it states about inputs that are functions themselves is known only in terms of the component's.
  if (!is_sub_model() || !function || function->is_constant() || input_names_.empty()) return function;
  const auto whole = in_terms_of_component(text, place);
  if (!whole) return std::nullopt;
  return TimeFunction::compile(*whole, place, document::Scope(), parts_.input_names, parts_.tables, diagnostics_);
}

std::optional<std::string> SystemReading::in_terms_of_component(const std::string& text, const Place& place) {
  if (!TimeFunction::compile(text, place, scope_, input_names_, tables_, diagnostics_)) return std::nullopt;
  if (!document::is_expression(text)) return text;
  const std::string_view expression = document::trimmed(text);
  std::string unused;
  const auto tokens = document::tokenize(expression.substr(1, expression.size() - 2), unused);
  std::string result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string name(tokens[i].text);
    const auto input = std::find(input_names_.begin(), input_names_.end(), name);
    if (tokens[i].kind != Token::Kind::name || (name == "t" && input == input_names_.end())) {
      result += name;
    } else if (i + 1 < tokens.size() && tokens[i + 1].text == "(") {
      result += tables_.contains(name) ? shared_table_name(name) : name;
    } else if (input != input_names_.end()) {
      // A signal has one number here, so that u[1] is u.
      if (i + 1 < tokens.size() && tokens[i + 1].text == "[") {
        while (tokens[i].text != "]") ++i;
      }
      result += is_sub_model() ? fmt::format("({})", standing_.inputs.at(name)) : name;
    } else {
      result += fmt::format("({})", scope_.value_of(name, place, diagnostics_).value_or(1.0));
    }
    if (result.size() > document::kLongestExpression) {
      diagnostics_.error(place, fmt::format("with its inputs expanded, the function has more than {} characters",
                                            document::kLongestExpression));
      return std::nullopt;
    }
  }
  return fmt::format("{{{}}}", result);
}

int SystemReading::find(const Element& element, std::string_view attribute, std::string_view what,
                        const std::vector<NamedIndex>& known) {
  std::vector<std::string> names;
  for (const NamedIndex& part : known) names.push_back(part.name);
  const int at = find_part(text(element, attribute), names, what, element.place_of(attribute), diagnostics_);
  return at < 0 ? -1 : known[static_cast<std::size_t>(at)].index;
}

int SystemReading::frame(const Element& element, std::string_view attribute) {
  return find(element, attribute, "frame", frames_);
}

int SystemReading::joint(const Element& element, std::string_view attribute) {
  return find(element, attribute, "joint", joints_);
}

void SystemReading::read_ends(const Element& element, int& from, int& to) {
  from = frame(element, "from");
  to = frame(element, "to");
  if (from < 0 || to < 0) return;
  const int body_from = spec().frames[static_cast<std::size_t>(from)].body;
  const int body_to = spec().frames[static_cast<std::size_t>(to)].body;
  if (body_from != body_to) return;
  const auto is_led = [&](int frame) { return spec().frames[static_cast<std::size_t>(frame)].is_led; };
  if (body_from == kWorld && element.name() != "Joint" && from != to && (is_led(from) || is_led(to))) return;
  diagnostics_.error(element.place(),
                     body_from == kWorld
                         ? fmt::format("<{}> joins two frames that belong to no body: it has no effect", element.name())
                         : fmt::format("<{}> joins two frames of the body '{}': it has no effect", element.name(),
                                       spec().bodies[static_cast<std::size_t>(body_from)].name));
}

void SystemReading::add_ground() {
  frames_.push_back({"ground", static_cast<int>(spec().frames.size())});
  const std::string& prefix = standing_.prefix;
  spec().frames.push_back(
      {.name = is_sub_model() ? prefix.substr(0, prefix.size() - 1) : "ground", .local = standing_.pose});
}

void SystemReading::add_frame(FrameSpec frame) {
  frames_.push_back({own_name(frame.name), static_cast<int>(spec().frames.size())});
  spec().frames.push_back(std::move(frame));
}

void SystemReading::add_joint(JointSpec joint) {
  joints_.push_back({own_name(joint.name), static_cast<int>(spec().joints.size())});
  spec().joints.push_back(std::move(joint));
}

void SystemReading::add_input(const std::string& full_name, double start, bool is_start_stated) {
  input_names_.push_back(own_name(full_name));
  if (is_sub_model()) {
    standing_.inputs.try_emplace(input_names_.back(), fmt::format("{}", start));
  } else {
    parts_.input_names.push_back(full_name);
    spec().inputs.push_back({full_name, start, is_start_stated});
  }
}

std::string SystemReading::shared_table_name(std::string_view name) const { return fmt::format("{}_{}", name, level_); }

void SystemReading::add_table(const std::string& full_name, document::Table table) {
  const std::string name = own_name(full_name);
  parts_.tables[shared_table_name(name)] = table;
  tables_[name] = std::move(table);
}

std::pair<std::string, const document::Table*> SystemReading::named_table(const document::Element& element,
                                                                          std::string_view attribute) {
  const std::string name = word(element, attribute);
  const auto found = tables_.find(name);
  if (found != tables_.end()) return {shared_table_name(name), &found->second};
  std::vector<std::string> known;
  for (const auto& [other, table] : tables_) known.push_back(other);
  problem(element, attribute, fmt::format("there is no table '{}'{}", name, document::suggestion(name, known)));
  return {};
}

void SystemReading::know_parts_of(const SystemReading& sub_model) {
  const std::string prefix = own_name(sub_model.standing_.prefix);
  for (const NamedIndex& frame : sub_model.frames_) {
    // The sub-model's own coordinate system is called as it is.
    const bool is_ground = frame.index == sub_model.ground();
    frames_.push_back({is_ground ? prefix.substr(0, prefix.size() - 1) : prefix + frame.name, frame.index});
  }
  for (const NamedIndex& joint : sub_model.joints_) joints_.push_back({prefix + joint.name, joint.index});
}

}  // namespace tieline::components
