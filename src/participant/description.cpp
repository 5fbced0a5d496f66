#include "participant/description.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/atomic_file.hpp"

namespace tieline::participant {
namespace {

/// 17 significant digits are enough to distinguish any two numbers.
std::string digits(double value) { return fmt::format("{:.17g}", value); }

std::string text_of(const Parameter& parameter) {
  if (const auto* number = std::get_if<double>(&parameter.value)) return digits(*number);
  return std::get<std::string>(parameter.value);
}

template <class Range, class Text>
std::string lines(const Range& range, const Text& text) {
  std::string all;
  for (const auto& item : range) {
    if (!all.empty()) all += '\n';
    all += text(item);
  }
  return all;
}

core::Error cannot_write(const std::filesystem::path& file, const std::string& why) {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("cannot write '{}'{}{}", file.string(), why.empty() ? "" : ": ", why)};
}

}  // namespace

Environment environment_of(const Description& description) {
  Environment variables{
      {"TIELINE_COMPONENT", description.name},
      {"TIELINE_KIND", description.kind},
      {"TIELINE_START_TIME", digits(description.start)},
      {"TIELINE_STOP_TIME", digits(description.stop)},
      {"TIELINE_EXACT_STEP", description.exact_step ? "1" : "0"},
  };
  if (description.largest_step) variables["TIELINE_LARGEST_STEP"] = digits(*description.largest_step);
  if (!description.model_file.empty()) variables["TIELINE_MODEL_FILE"] = description.model_file.string();
  if (!description.input_files.empty()) {
    variables["TIELINE_INPUT_FILES"] = lines(description.input_files, [](const auto& file) { return file.string(); });
  }
  if (!description.run_folder.empty()) {
    variables["TIELINE_RUN_FOLDER"] = description.run_folder.string();
    variables["TIELINE_PARAMETER_FILE"] = (description.run_folder / kParameterFileName).string();
  }
  const auto& p = description.placement.position;
  const auto& q = description.placement.orientation;
  variables["TIELINE_PLACEMENT_POSITION"] = fmt::format("{} {} {}", digits(p.x()), digits(p.y()), digits(p.z()));
  variables["TIELINE_PLACEMENT_QUATERNION"] =
      fmt::format("{} {} {} {}", digits(q.w()), digits(q.x()), digits(q.y()), digits(q.z()));
  if (!description.interfaces.empty()) {
    variables["TIELINE_INTERFACES"] = lines(description.interfaces, [](const Interface& interface) {
      return fmt::format("{} {} {} {}", interface.name, core::names_of(interface.domain).domain,
                         core::name_of(interface.causality), interface.size);
    });
  }
  for (const Parameter& parameter : description.parameters) {
    variables["TIELINE_PARAMETER_" + parameter.name] = text_of(parameter);
  }
  return variables;
}

std::string parameter_file_text(const Description& description) {
  std::string text = fmt::format("# parameters of {}\n", description.name);
  for (const Parameter& parameter : description.parameters) {
    std::string value = text_of(parameter);
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += fmt::format("{} = {}{}{}\n", parameter.name, value, parameter.unit.empty() ? "" : "  # ", parameter.unit);
  }
  return text;
}

core::Result<void> write_parameter_file(const Description& description) {
  const auto file = description.run_folder / kParameterFileName;
  std::error_code failure;
  std::filesystem::create_directories(description.run_folder, failure);
  if (failure) return cannot_write(file, failure.message());
  return core::replace_file(file, parameter_file_text(description));
}

}  // namespace tieline::participant
