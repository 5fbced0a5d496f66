// `tieline info MODEL --component NAME`: what a program offers, beside what the model declares.

#include <cstdio>
#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_view.hpp"
#include "processes/inquiry.hpp"

namespace tieline::cli {
namespace {

/// Where an interface is at first, where it is somewhere.
std::string first_position(const transport::RegisteredInterface& registered) {
  const core::Domain domain = registered.interface.domain;
  const auto& first = registered.first;
  if (domain == core::Domain::mechanical3d && first.size() >= 3) {
    return fmt::format("at {:g}, {:g}, {:g} m", first[0], first[1], first[2]);
  }
  const auto& names = core::names_of(domain);
  if (!core::is_mechanical(domain) || first.empty()) return "";
  return fmt::format("at {:g} {}", first[0], names.position_unit);
}

void print_interface(const processes::OfferedInterface& offered, bool is_written) {
  fmt::print("{}", processes::interface_tag(offered.registered.interface));
  if (const std::string position = first_position(offered.registered); !position.empty()) fmt::print("  {}", position);
  if (!offered.is_declared) fmt::print("  {}", is_written ? "(now declared)" : "(the model does not declare it)");
  if (!offered.difference.empty()) fmt::print("  ({})", offered.difference);
  fmt::print("\n");
}

}  // namespace

int ask_program(const InfoArguments& arguments) {
  processes::InquiryWishes wishes{.model = arguments.file,
                                  .component = arguments.component,
                                  .site_file = arguments.site,
                                  .writes = arguments.writes,
                                  .cancel = &watch_interrupts()};
  wishes.on_note = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  document::Diagnostics diagnostics;
  const auto outcome = processes::inquire(wishes, diagnostics);
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  if (!outcome) {
    return complain(outcome.error().describe(),
                    outcome.error().code == core::ErrorCode::bad_input ? kBadInput : kRunFailed);
  }
  for (const auto& offered : outcome->interfaces) print_interface(offered, outcome->written > 0);
  for (const std::string& name : outcome->not_offered) {
    fmt::print("interface '{}', which the model declares, is not offered\n", name);
  }
  fmt::print("It {} tell its state, so a run with it {} be resumed.\n", outcome->can_save ? "can" : "cannot",
             outcome->can_save ? "can" : "cannot");
  if (outcome->written > 0) {
    fmt::print("Written to {}: {}\n", arguments.file.string(), count(outcome->written, "interface"));
  }
  return kDone;
}

}  // namespace tieline::cli
