// `tieline info MODEL --component NAME`: what a program offers, beside what the model declares.

#include <cstdio>
#include <fmt/format.h>

#include "tieline/check.hpp"

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_view.hpp"

namespace tieline::cli {
namespace {

void print_interface(const OfferedInterface& offered, bool is_written) {
  fmt::print("{}", offered.declaration);
  if (!offered.position.empty()) {
    fmt::print("  at {:g} {}", fmt::join(offered.position, ", "), offered.position_unit);
  }
  if (!offered.is_declared) fmt::print("  {}", is_written ? "(now declared)" : "(the model does not declare it)");
  if (!offered.difference.empty()) fmt::print("  ({})", offered.difference);
  fmt::print("\n");
}

}  // namespace

int show_program(const InfoArguments& arguments) {
  InquiryOptions options{.site = arguments.site, .writes = arguments.writes, .cancel = &watch_interrupts()};
  options.on_note = [](const std::string& line) { print_error("{}\n", line); };
  const InquiryOutcome outcome = ask_program(arguments.file, arguments.component, options);
  for (const OfferedInterface& offered : outcome.interfaces) print_interface(offered, outcome.written > 0);
  for (const std::string& name : outcome.not_offered) {
    fmt::print("interface '{}', which the model declares, is not offered\n", name);
  }
  fmt::print("It {} save its state, so a run with it {} be resumed.\n", outcome.can_save ? "can" : "cannot",
             outcome.can_save ? "can" : "cannot");
  if (outcome.written > 0) {
    fmt::print("Written to {}: {}\n", arguments.file.string(), count(outcome.written, "interface"));
  }
  return kDone;
}

}  // namespace tieline::cli
