// `tieline info MODEL.fmu --verify`: whether an FMU does what it claims.

#include <algorithm>
#include <fmt/format.h>

#include "tieline/fmu.hpp"

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_view.hpp"

namespace tieline::cli {
namespace {

const char* name_of(FmuCheckResult result) {
  switch (result) {
    case FmuCheckResult::passed:
      return "pass";
    case FmuCheckResult::warned:
      return "warn";
    case FmuCheckResult::skipped:
      return "skip";
    case FmuCheckResult::failed:
      break;
  }
  return "FAIL";
}

}  // namespace

int verify(const std::filesystem::path& file, double deadline) {
  const auto checks = verify_fmu(file, {.deadline = deadline, .cancel = &watch_interrupts()});
  fmt::print("{:<16}{:<26}{:<8}{}\n", "mode", "check", "result", "note");
  std::size_t failed = 0;
  for (const FmuCheck& check : checks) {
    const bool has_failed = check.result == FmuCheckResult::failed;
    failed += has_failed ? 1 : 0;
    fmt::print("{:<16}{:<26}{:<8}{}\n", check.mode, check.check, name_of(check.result), check.note);
  }
  if (failed == 0) return kDone;
  print_error("{} of this FMU failed\n", count(failed, "check"));
  return kBadInput;
}

}  // namespace tieline::cli
