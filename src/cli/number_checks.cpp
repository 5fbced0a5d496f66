#include "cli/number_checks.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace tieline::cli {
namespace {

std::optional<double> number_in(const std::string& text) {
  double number = 0.0;
  if (!CLI::detail::lexical_cast(text, number)) return std::nullopt;
  return number;
}

}  // namespace

std::string check_number(const std::string& text) {
  return number_in(text) ? "" : fmt::format("'{}' is not a number", text);
}

std::string check_finite(const std::string& text) {
  const auto number = number_in(text);
  return number && std::isfinite(*number) ? "" : fmt::format("'{}' is not a number", text);
}

std::string check_positive(const std::string& text) {
  const auto number = number_in(text);
  return number && std::isfinite(*number) && *number > 0.0 ? ""
                                                           : fmt::format("'{}' is not a number greater than 0", text);
}

std::string check_not_negative(const std::string& text) {
  const auto number = number_in(text);
  return number && *number >= 0.0 ? "" : fmt::format("'{}' is neither 0 nor a number greater than 0", text);
}

}  // namespace tieline::cli
