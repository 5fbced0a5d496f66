#include "components/multibody/system_reading.hpp"

#include <fmt/format.h>

#include "document/expression.hpp"

namespace tieline::components {

using document::Element;
using document::NumberRule;
using document::TimeFunction;

SystemReading::SystemReading(const Element& content, const document::Scope& scope, document::Diagnostics& diagnostics)
    : content_(content),
      scope_(content_scope(content, scope)),
      diagnostics_(diagnostics),
      names_(scope_, diagnostics, {"energy", "ground"}) {}

double SystemReading::number(const Element& element, std::string_view attribute, NumberRule rule, std::string unit) {
  rule.unit = std::move(unit);
  return document::read_number(element, attribute, scope_, rule, diagnostics_);
}

std::vector<double> SystemReading::numbers(const Element& element, std::string_view attribute) {
  return read_numbers(element, attribute, scope_, diagnostics_);
}

Eigen::Vector3d SystemReading::vector(const Element& element, std::string_view attribute) {
  return document::read_vector(element, attribute, scope_, diagnostics_);
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
  return TimeFunction::compile(element.get(attribute), element.place_of(attribute), scope_, input_names_, tables_,
                               diagnostics_);
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
    if (auto compiled =
            TimeFunction::compile(items[i], element.place_of(attribute), scope_, input_names_, tables_, diagnostics_)) {
      result[i] = std::move(*compiled);
    }
  }
  return result;
}

void SystemReading::problem(const Element& element, std::string_view attribute, std::string message) {
  diagnostics_.error(element.has(attribute) ? element.place_of(attribute) : element.place(), std::move(message));
}

int SystemReading::frame(const Element& element, std::string_view attribute) {
  return find_part(text(element, attribute), frame_names_, "frame", element.place_of(attribute), diagnostics_);
}

int SystemReading::joint(const Element& element, std::string_view attribute) {
  return find_part(text(element, attribute), joint_names_, "joint", element.place_of(attribute), diagnostics_);
}

void SystemReading::read_ends(const Element& element, int& from, int& to) {
  from = frame(element, "from");
  to = frame(element, "to");
  if (from < 0 || to < 0) return;
  const int body_from = spec_.frames[static_cast<std::size_t>(from)].body;
  const int body_to = spec_.frames[static_cast<std::size_t>(to)].body;
  if (body_from != body_to) return;
  diagnostics_.error(
      element.place(),
      body_from == kWorld
          ? fmt::format("<{}> joins two frames that no body carries: it can have no effect", element.name())
          : fmt::format("<{}> joins two frames of the body '{}': it can have no effect", element.name(),
                        spec_.bodies[static_cast<std::size_t>(body_from)].name));
}

void SystemReading::add_frame(FrameSpec frame) {
  frame_names_.push_back(frame.name);
  spec_.frames.push_back(std::move(frame));
}

void SystemReading::add_joint(JointSpec joint) {
  joint_names_.push_back(joint.name);
  spec_.joints.push_back(std::move(joint));
}

void SystemReading::add_input(MultibodyInput input) {
  input_names_.push_back(input.name);
  spec_.inputs.push_back(std::move(input));
}

}  // namespace tieline::components
