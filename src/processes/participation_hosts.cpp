// Runs on several hosts: who is computed where, and what takes it there.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "participant/environment.hpp"
#include "processes/host_start.hpp"
#include "processes/letter.hpp"
#include "processes/participation.hpp"
#include "processes/runner_invitee.hpp"
#include "processes/slurm.hpp"

namespace tieline::processes {
namespace {

using core::Error;
using core::Result;

// A break is noticed after some seconds, and then the time starts in which the connection may be made again [s].
constexpr double kNoticeTime = 15.0;

secure::Outside outside_of(const model::Host& host) {
  return {.address = host.addresses.front(),
          .door = {.address = host.listening_address(), .first_port = host.ports.first, .last_port = host.ports.last}};
}

std::filesystem::path letter_of(const std::filesystem::path& folder, const std::string& member) {
  return std::filesystem::absolute(folder / (member + ".letter"));
}

}  // namespace

Result<PlacementPlan> Participation::find_hosts(const std::set<int>& recorded, document::Diagnostics& diagnostics) {
  PlacementPlan plan;
  plan.seats.resize(checked_.nodes.size());
  const std::size_t errors = diagnostics.error_count();
  PlacementWishes wishes = options_.place;
  if (options_.is_on_slurm) wishes.emplace_back("*", model::kAnyHost);
  // The licences of programs here are in the site file, too.
  const bool has_programs = std::any_of(checked_.blueprints.begin(), checked_.blueprints.end(),
                                        [](const auto& blueprint) { return blueprint && blueprint->is_program; });
  if (!names_hosts(checked_, wishes) && !has_programs) return plan;
  site_ = model::load_site(options_.site_file, diagnostics);
  if (diagnostics.error_count() > errors) return PlacementPlan{};
  if (options_.is_on_slurm) {
    const auto allocation = slurm::allocation();
    if (!allocation) return Error{.code = core::ErrorCode::unsupported, .message = "there is no allocation of nodes"};
    if (auto used = slurm::use_allocation(*allocation, site_); !used) return used.error();
  }
  plan = place_nodes(checked_, site_, wishes, options_.costs, recorded, diagnostics);
  if (diagnostics.error_count() > errors) return PlacementPlan{};
  return plan;
}

Result<std::string> Participation::describe_plan(const assembly::CheckedModel& checked,
                                                 const ParticipationOptions& options,
                                                 document::Diagnostics& diagnostics) {
  Participation planned(checked, options);
  const std::set<int> recorded = planned.recorded_nodes(diagnostics);
  planned.site_ = model::load_site(options.site_file, diagnostics);
  if (diagnostics.has_errors()) return std::string();
  auto plan = planned.find_hosts(recorded, diagnostics);
  if (!plan) return plan.error();
  if (diagnostics.has_errors()) return std::string();
  if (plan->loads.empty()) {
    // Nobody asks for a host, so that all is computed here.
    const PlacementWishes all_here{{"*", std::string(model::kHere)}};
    plan = place_nodes(checked, planned.site_, all_here, options.costs, recorded, diagnostics);
    for (Seat& seat : plan->seats) seat.reason = "no host is named";
  }
  return describe(*plan, checked, options.costs);
}

std::string Participation::lost_host(const Error& error) const {
  if (error.code != core::ErrorCode::peer_lost && error.code != core::ErrorCode::deadline) return "";
  for (const Member& member : members_) {
    if (member.host != nullptr && member.name == error.component) return member.host->name;
  }
  return "";
}

Result<void> Participation::join_hosts(document::Diagnostics& diagnostics) {
  const auto is_elsewhere = [](const Member& member) { return member.host != nullptr; };
  const auto other = std::find_if(members_.begin(), members_.end(), is_elsewhere);
  if (other == members_.end()) return {};
  const model::Host* const own = site_.find_host(model::kHere);
  if (own == nullptr || own->addresses.empty()) {
    diagnostics.error({site_.file.string(), 0, 0},
                      fmt::format("component '{}' is on host '{}', which must reach this machine: describe it by <Host "
                                  "name=\"{}\" address=\"...\"/>",
                                  other->name, other->host->name, model::kHere));
    return {};
  }
  for (const Member& member : members_) {
    if (member.host == nullptr) continue;
    if (auto launch = start_on(*member.host, {}, {}); !launch) {
      diagnostics.error(member.host->declaration.place(), launch.error().message);
    }
  }
  auto authority = secure::Authority::make();
  if (!authority) return authority.error();
  authority_.emplace(std::move(*authority));
  const auto card = card_for(outside_of(*own));
  if (!card) return card.error();
  auto network = Network::join(*card);
  if (!network) return network.error();
  network_ = std::move(*network);
  return {};
}

Result<NetworkCard> Participation::card_for(const secure::Outside& outside) const {
  auto identity = authority_->issue();
  if (!identity) return std::move(identity.error());
  const auto grace = std::chrono::milliseconds(std::llround(1e3 * site_.break_deadline));
  return NetworkCard{.identity = std::move(*identity), .outside = outside, .grace = grace};
}

Result<void> Participation::send_out(const Member& member, const ParticipationModel& model,
                                     participant::Invitee& invitee) {
  if (!authority_) return {};
  const model::Host* const host = member.host;
  const auto card = card_for(outside_of(host != nullptr ? *host : *site_.find_host(model::kHere)));
  if (!card) return card.error();
  if (host == nullptr) {
    invitee.launch->environment[kCardVariable] = card->text();
    return {};
  }
  Letter letter{.component = member.name, .card = card->text(), .work_folder = host->work_folder};
  for (const auto& variable : host->environment) letter.environment.emplace_back(variable.name, variable.value);
  invitee.host = host->name;
  invitee.longest_break = site_.break_deadline + kNoticeTime;
  invitee.arrange = [letter, host, file = letter_of(run_folder_, member.name), log = invitee.launch->log,
                     runner = runner_program(options_.runner), files = &model.checked.files,
                     note = options_.on_note](const std::string& address, const transport::Token& token) mutable {
    letter.master = address;
    letter.token = token;
    auto written = write_letter(file, letter, *files);
    if (!written) return Result<participant::Launch>(std::move(written.error()));
    auto launch = start_on(*host, runner, file);
    if (!launch) return launch;
    launch->log = log;
    if (launch->command.empty() && note) {
      note(
          fmt::format("waiting for '{}' on host '{}': bring {} there, and start `env {}=- tieline runner` with it as "
                      "its input",
                      letter.component, host->name, file.string(), kLetterVariable));
    }
    return launch;
  };
  invitee.launch.reset();
  return {};
}

void Participation::remove_letters() const {
  std::error_code ignored;
  for (const Member& member : members_) {
    if (member.host != nullptr) std::filesystem::remove(letter_of(run_folder_, member.name), ignored);
  }
}

}  // namespace tieline::processes
