// The command `tieline replay`: one component of an earlier run, computed again.

#include "studies/replay.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"

namespace tieline::cli {
namespace {

void print_comparison(const studies::ReplayOutcome& outcome) {
  const auto& differences = outcome.comparison.differences;
  if (differences.empty()) {
    fmt::print("There is nothing to compare: no row was recorded.\n");
  } else if (outcome.has_same_values) {
    fmt::print("Every value is that of the run.\n");
  } else {
    const auto most = std::max_element(differences.begin(), differences.end(),
                                       [](const auto& a, const auto& b) { return a.largest < b.largest; });
    fmt::print("Values differ from those of the run, most of all {} by {:g} {} at t = {:g} s.\n", most->name,
               most->largest, most->unit, most->largest_time);
    fmt::print("{}", results::comparison_table(outcome.comparison));
  }
}

}  // namespace

int replay(const ReplayArguments& arguments) {
  studies::ReplayWishes wishes{.folder = arguments.folder,
                               .component = arguments.component,
                               .out = arguments.out,
                               .site_file = arguments.site,
                               .cancel = &watch_interrupts()};
  wishes.on_note = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  document::Diagnostics diagnostics;
  const auto outcome = studies::replay(wishes, diagnostics);
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  if (!outcome) return complain(outcome.error().describe());
  fmt::print("'{}' from t = {:g} s to {:g} s\n", outcome->node, outcome->begin, outcome->end);
  if (!outcome->is_whole) {
    fmt::print("The tracks break off before the end of the run, {:g} s: what there is was played.\n", outcome->stop);
  }
  print_comparison(*outcome);
  fmt::print("Results: {}\n", outcome->out.string());
  if (outcome->failure) return complain(fmt::format("the replay failed: {}", outcome->failure->describe()), kRunFailed);
  return kDone;
}

}  // namespace tieline::cli
