// The command `tieline replay`: one component of an earlier run, computed again.

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "tieline/studies.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"

namespace tieline::cli {
namespace {

void print_comparison(const ReplayOutcome& outcome) {
  const auto& differences = outcome.comparison.differences;
  if (differences.empty()) {
    fmt::print("There is nothing to compare: no rows were recorded.\n");
  } else if (outcome.has_same_values) {
    fmt::print("All values are the same as in the run.\n");
  } else {
    const auto most = std::max_element(differences.begin(), differences.end(),
                                       [](const auto& a, const auto& b) { return a.largest < b.largest; });
    fmt::print("Values differ from those of the run; the largest difference is {} by {:g} {} at t = {:g} s.\n",
               most->name, most->largest, most->unit, most->largest_time);
    fmt::print("{}", outcome.comparison.table);
  }
}

}  // namespace

int replay(const ReplayArguments& arguments) {
  ReplayOptions options{.out = arguments.out, .site = arguments.site, .cancel = &watch_interrupts()};
  options.on_note = [](const std::string& line) { print_error("{}\n", line); };
  ReplayOutcome outcome;
  try {
    outcome = tieline::replay(arguments.folder, arguments.component, options);
  } catch (const RunError& error) {
    return complain(error.what());
  }
  fmt::print("'{}' from t = {:g} s to {:g} s\n", outcome.node, outcome.begin, outcome.end);
  if (!outcome.is_whole) {
    fmt::print("The tracks end before the end of the run, {:g} s; the replay stops there.\n", outcome.stop);
  }
  print_comparison(outcome);
  fmt::print("Results: {}\n", outcome.out.string());
  if (!outcome.failure.empty()) return complain(fmt::format("the replay failed: {}", outcome.failure), kRunFailed);
  return kDone;
}

}  // namespace tieline::cli
