#include <fmt/format.h>

#include "tieline/fmu.hpp"

#include "api/errors.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/schema_check.hpp"
#include "processes/fmu_verification.hpp"

namespace tieline {

static_assert(static_cast<int>(FmuCheckResult::skipped) == static_cast<int>(fmi::CheckResult::skipped));

namespace {

/// The description itself: it was read, or this would not be reached.
FmuCheck check_description(const FmuInfo& info) {
  FmuCheck row{.check = "description"};
  std::size_t warnings = 0;
  for (const Problem& problem : info.problems) {
    if (problem.severity == Severity::warning && warnings++ == 0) row.note = problem.message();
  }
  if (warnings > 0) row.result = FmuCheckResult::warned;
  if (warnings > 1) row.note += fmt::format(" (and {} more: `tieline info` lists them)", warnings - 1);
  if (warnings == 0) row.note = fmt::format("FMI {}, {} variables", info.fmi_version, info.variables.size());
  return row;
}

/// Whether the description follows the standard: a row for each rule that it breaks.
void check_rules(const std::filesystem::path& path, const FmuInfo& info, std::vector<FmuCheck>& checks) {
  document::Diagnostics found, ignored;
  auto fmu = fmi::open_fmu(path, ignored);
  if (!fmu) return;
  fmi::check_description_rules(*fmu, found);
  for (const document::Diagnostic& each : found.all()) {
    const bool is_error = each.severity == document::Severity::error;
    const auto& [file, line, column] = each.place;
    checks.push_back({.check = "schema",
                      .result = is_error ? FmuCheckResult::failed : FmuCheckResult::warned,
                      .note = line > 0 ? fmt::format("{}:{}:{}: {}", file, line, column, each.message)
                                       : fmt::format("{}: {}", file, each.message)});
  }
  if (!found.all().empty()) return;
  checks.push_back({.check = "schema", .note = fmt::format("as FMI {} demands", info.fmi_version)});
}

}  // namespace

std::vector<FmuCheck> verify_fmu(const std::filesystem::path& path, const FmuVerificationOptions& options) {
  const FmuInfo info = describe_fmu(path);
  std::vector<FmuCheck> checks{check_description(info)};
  check_rules(path, info, checks);
  const processes::VerificationOptions own{
      .deadline = std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * options.deadline)),
      .program = options.runner,
      .cancel = options.cancel};
  for (const bool is_model_exchange : {true, false}) {
    if (is_model_exchange ? !info.model_exchange : !info.co_simulation) continue;
    auto rows = processes::verify_fmu(path, is_model_exchange, own);
    if (!rows) api::throw_run_error(rows.error());
    for (const fmi::CheckRow& row : *rows) {
      checks.push_back({is_model_exchange ? "model exchange" : "co-simulation", row.check,
                        static_cast<FmuCheckResult>(row.result), row.note});
    }
  }
  if (!info.model_exchange && !info.co_simulation) {
    checks.push_back({"", "modes", FmuCheckResult::failed,
                      "it offers scheduled execution only; expected model exchange or co-simulation"});
  }
  return checks;
}

}  // namespace tieline
