// How the processes of a run are joined: which link goes where, over what, and through whom.

#include <algorithm>
#include <fmt/format.h>

#include "processes/participation.hpp"
#include "processes/stream_choice.hpp"

namespace tieline::processes {

using core::Result;
using transport::Until;

Result<void> Participation::offer_direct(const engine::NodePair& pair, const transport::StreamFactory& streams,
                                         Offers& at_first, Offers& at_second) {
  // The lower number accepts, so that nobody waits in a circle.
  const auto first = static_cast<std::size_t>(member_at(pair.own));
  auto ends = streams.offer(fleet_->registration(first).endpoint);
  if (!ends) {
    ends.error().component = members_[first].name;
    return std::move(ends.error());
  }
  const engine::Engine& engine = *assembly_->engine;
  const std::uint32_t number = next_link_++;
  at_first.push_back({.number = number,
                      .partner = checked_.nodes[static_cast<std::size_t>(pair.partner)].name,
                      .partner_length = engine.length_of(pair.partner),
                      .stream = std::move((*ends)[0])});
  at_second.push_back({.number = number,
                       .partner = checked_.nodes[static_cast<std::size_t>(pair.own)].name,
                       .partner_length = engine.length_of(pair.own),
                       .stream = std::move((*ends)[1])});
  return {};
}

Result<void> Participation::offer_leg(const engine::NodePair& pair, const transport::StreamFactory& streams,
                                      Offers& to) {
  auto ends = streams.offer(link_setup_->addresses());
  if (!ends) return std::move(ends.error());
  const std::uint32_t number = next_link_++;
  own_ends_.push_back({.offer = {.number = number,
                                 .partner = checked_.nodes[static_cast<std::size_t>(pair.partner)].name,
                                 .stream = std::move((*ends)[0])},
                       .pair = pair});
  to.push_back({.number = number,
                .partner = checked_.nodes[static_cast<std::size_t>(pair.own)].name,
                .partner_length = assembly_->engine->length_of(pair.own),
                .stream = std::move((*ends)[1])});
  return {};
}

Result<void> Participation::offer_link(const engine::NodePair& pair, std::vector<Offers>& offers) {
  const int first = member_at(pair.own), second = member_at(pair.partner);
  if (first < 0 && second < 0) return {};
  // This process can use whatever its partner does.
  const auto streams_at = [&](int member) -> const transport::StreamFactory& {
    return *members_[static_cast<std::size_t>(member >= 0 ? member : std::max(first, second))].streams;
  };
  const transport::StreamFactory& streams = network_->factories().common(streams_at(first), streams_at(second));
  // Programs of others have the transports of this machine only: this process joins them with other hosts.
  const bool is_between_hosts = &streams == network_->between_hosts();
  const auto is_tool = [&](int member) { return member >= 0 && members_[static_cast<std::size_t>(member)].is_tool; };
  const bool can_meet = !is_between_hosts || (!is_tool(first) && !is_tool(second));
  if (first >= 0 && second >= 0 && !is_routed() && can_meet) {
    return offer_direct(pair, streams, offers[static_cast<std::size_t>(first)],
                        offers[static_cast<std::size_t>(second)]);
  }
  // One end is computed here, or both ends are joined here.
  if (first >= 0) {
    auto offered = offer_leg({pair.partner, pair.own}, is_between_hosts ? streams_at(first) : streams,
                             offers[static_cast<std::size_t>(first)]);
    if (!offered) return offered;
  }
  if (second >= 0) {
    auto offered =
        offer_leg(pair, is_between_hosts ? streams_at(second) : streams, offers[static_cast<std::size_t>(second)]);
    if (!offered) return offered;
  }
  if (first >= 0 && second >= 0) {
    const auto last = static_cast<int>(own_ends_.size()) - 1;
    own_ends_[static_cast<std::size_t>(last)].relayed_with = last - 1;
    own_ends_[static_cast<std::size_t>(last) - 1].relayed_with = last;
  }
  return {};
}

Result<void> Participation::join_own_ends() {
  std::vector<transport::LinkOffer> offers;
  for (OwnEnd& end : own_ends_) offers.push_back(std::move(end.offer));
  const double patience = checked_.model.simulation.processes.start_deadline;
  Until until = within(patience);
  until.also_cancel = &fleet_->failed_flag();
  auto streams = link_setup_->make(offers, {}, until);
  if (auto well = fleet_->status(); !well) return well;
  if (!streams) {
    core::Error& error = streams.error();
    if (error.code == core::ErrorCode::deadline) {
      error.message +=
          fmt::format(": its connections were not established within {:g} s (the start deadline)", patience);
    }
    return error;
  }
  for (std::size_t i = 0; i < own_ends_.size(); ++i) {
    const int other = own_ends_[i].relayed_with;
    if (other < 0) {
      assembly_->engine->link(own_ends_[i].pair, std::move((*streams)[i]));
    } else if (other > static_cast<int>(i)) {
      if (relay_ == nullptr) relay_ = std::make_unique<participant::Relay>();
      relay_->add(std::move((*streams)[i]), std::move((*streams)[static_cast<std::size_t>(other)]));
    }
  }
  if (relay_ != nullptr) relay_->start();
  return {};
}

}  // namespace tieline::processes
