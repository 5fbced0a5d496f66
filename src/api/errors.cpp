#include "api/errors.hpp"

#include <algorithm>
#include <tuple>

namespace tieline {

std::string Problem::describe() const {
  const auto name = static_cast<document::Severity>(severity);
  const std::string whole = advice.empty() ? text : text + " (" + advice + ")";
  return document::Diagnostic{name, {file.string(), line, column}, whole}.describe();
}

}  // namespace tieline

namespace tieline::api {

static_assert(static_cast<int>(Severity::note) == static_cast<int>(document::Severity::note));
static_assert(static_cast<int>(Severity::warning) == static_cast<int>(document::Severity::warning));
static_assert(static_cast<int>(Severity::error) == static_cast<int>(document::Severity::error));

std::vector<Problem> problems_of(const document::Diagnostics& diagnostics) {
  std::vector<Problem> problems;
  for (const document::Diagnostic& entry : diagnostics.all()) {
    problems.push_back({.file = entry.place.file,
                        .line = entry.place.line,
                        .column = entry.place.column,
                        .severity = static_cast<Severity>(entry.severity),
                        .text = entry.message});
  }
  const auto key = [](const Problem& p) {
    return std::make_tuple(p.severity == Severity::note, std::cref(p.file.native()), p.line, p.column);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
  return problems;
}

void throw_model_error(const document::Diagnostics& diagnostics) {
  throw ModelError(diagnostics.describe(), problems_of(diagnostics));
}

void throw_run_error(const core::Error& error) {
  throw RunError(error.describe(), error.code == core::ErrorCode::cancelled);
}

}  // namespace tieline::api
