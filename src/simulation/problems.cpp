#include "simulation/problems.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace tieline {
namespace {

constexpr std::string_view kExpected = "; expected ";
constexpr std::string_view kWrite = "; write ";

static_assert(static_cast<int>(Severity::note) == static_cast<int>(document::Severity::note));
static_assert(static_cast<int>(Severity::warning) == static_cast<int>(document::Severity::warning));
static_assert(static_cast<int>(Severity::error) == static_cast<int>(document::Severity::error));

/// Where the remark in brackets at the end of a message begins, if it advises.
std::size_t find_remark(std::string_view message) {
  if (!message.ends_with(')')) return std::string_view::npos;
  const std::size_t at = std::max(message.rfind(" (did you mean ") + 1, message.rfind(" (known: ") + 1);
  return at == 0 ? std::string_view::npos : at - 1;
}

}  // namespace

std::string Problem::message() const {
  if (advice.empty()) return text;
  const bool is_clause = advice.starts_with("expected ") || advice.starts_with("write ");
  return is_clause ? text + "; " + advice : text + " (" + advice + ")";
}

std::string Problem::describe() const {
  return document::Diagnostic{static_cast<document::Severity>(severity), {file.string(), line, column}, message()}
      .describe();
}

Problem problem_of(std::string_view message, Severity severity) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  Problem problem{.severity = severity, .text = std::string(message)};
  std::size_t at = message.rfind(kExpected);
  if (at == std::string_view::npos) at = message.rfind(kWrite);
  if (at != std::string_view::npos) {
    problem.text = message.substr(0, at);
    problem.advice = message.substr(at + 2);
  } else if (const std::size_t remark = find_remark(message); remark != std::string_view::npos) {
    problem.text = message.substr(0, remark);
    problem.advice = message.substr(remark + 2, message.size() - remark - 3);
  }
  return problem;
}

}  // namespace tieline

namespace tieline::simulation {

Warning warning_of(std::string sentence) {
  Problem problem = tieline::problem_of(sentence, Severity::warning);
  return {std::move(sentence), std::move(problem)};
}

Warning warning_of(const document::Diagnostic& diagnostic) {
  const document::Place& place = diagnostic.place;
  std::string where = place.file;
  if (!where.empty() && place.line > 0) where += fmt::format(":{}:{}", place.line, place.column);
  return {where.empty() ? diagnostic.message : fmt::format("{}: {}", where, diagnostic.message),
          problem_of(diagnostic)};
}

Problem problem_of(const document::Diagnostic& diagnostic) {
  Problem problem = tieline::problem_of(diagnostic.message, static_cast<Severity>(diagnostic.severity));
  problem.file = diagnostic.place.file;
  problem.line = diagnostic.place.line;
  problem.column = diagnostic.place.column;
  return problem;
}

std::vector<Problem> problems_of(const document::Diagnostics& diagnostics) {
  std::vector<Problem> problems;
  for (const document::Diagnostic& entry : diagnostics.all()) problems.push_back(problem_of(entry));
  // As `describe` has them.
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    const auto key = [](const Problem& p) {
      return std::make_tuple(p.severity == Severity::note, p.file.native(), p.line, p.column);
    };
    return key(a) < key(b);
  });
  return problems;
}

ModelError model_error_of(const document::Diagnostics& diagnostics) {
  return {diagnostics.describe(), problems_of(diagnostics)};
}

void require(const core::Result<void>& result) {
  if (result) return;
  if (result.error().code == core::ErrorCode::bad_input) throw ModelError(result.error().describe());
  throw RunError(result.error().describe(), false);
}

}  // namespace tieline::simulation
