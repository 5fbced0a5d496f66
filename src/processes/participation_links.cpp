// How the processes of a run are joined: which link goes where, over what, and through whom.

#include <fmt/format.h>
#include <unistd.h>

#include "processes/participation.hpp"
#include "transport/shared_stream.hpp"

namespace tieline::processes {

using core::Result;
using transport::Until;

Result<void> Participation::offer_leg(const std::string& name, int partner_node, bool is_tcp, Offers& to,
                                      transport::LinkOffer& own) {
  // This end is in the process of the master: the member connects to it, or they share memory.
  std::optional<transport::LegDoor> door;
  if (is_tcp) door = {link_setup_->endpoint(), tokens_.back()};
  auto leg = transport::make_leg({.number = next_link_++,
                                  .partner = checked_.nodes[static_cast<std::size_t>(partner_node)].name,
                                  .partner_length = assembly_->engine->length_of(partner_node)},
                                 name, door);
  if (!leg) return leg.error();
  for (transport::Descriptor& each : leg->their_descriptors) to.descriptors.push_back(std::move(each));
  for (transport::Descriptor& each : leg->own_descriptors) own_descriptors_.push_back(std::move(each));
  own = std::move(leg->own);
  to.links.push_back(std::move(leg->theirs));
  return {};
}

Result<void> Participation::offer_link(const engine::NodePair& pair, std::vector<Offers>& offers) {
  const int first = member_at(pair.own), second = member_at(pair.partner);
  if (first < 0 && second < 0) return {};
  const auto is_tcp = [&](int member) { return member >= 0 && members_[static_cast<std::size_t>(member)].uses_tcp; };
  const bool over_tcp = is_tcp(first) || is_tcp(second);
  const std::string& first_name = checked_.nodes[static_cast<std::size_t>(pair.own)].name;
  const std::string& second_name = checked_.nodes[static_cast<std::size_t>(pair.partner)].name;
  if (first >= 0 && second >= 0 && !is_routed()) {
    engine::Engine& engine = *assembly_->engine;
    transport::LinkOffer to_first{
        .number = next_link_++, .partner = second_name, .partner_length = engine.length_of(pair.partner)};
    transport::LinkOffer to_second{
        .number = to_first.number, .partner = first_name, .partner_length = engine.length_of(pair.own)};
    Offers& at_first = offers[static_cast<std::size_t>(first)];
    Offers& at_second = offers[static_cast<std::size_t>(second)];
    if (over_tcp) {
      // The lower number accepts, so that nobody waits in a circle.
      to_first.kind = transport::LinkKind::accept;
      to_second.kind = transport::LinkKind::connect;
      to_first.token = to_second.token = tokens_[static_cast<std::size_t>(first)];
      to_second.endpoint = fleet_->registration(static_cast<std::size_t>(first)).endpoint;
    } else {
      auto parts = transport::make_shared_parts();
      if (!parts) return parts.error();
      at_first.descriptors.emplace_back(::dup(parts->memory.get()));
      at_first.descriptors.push_back(std::move(parts->sockets[0]));
      to_second.is_second = true;
      at_second.descriptors.push_back(std::move(parts->memory));
      at_second.descriptors.push_back(std::move(parts->sockets[1]));
    }
    at_first.links.push_back(std::move(to_first));
    at_second.links.push_back(std::move(to_second));
    return {};
  }
  // One end is computed here, or both ends are joined here.
  const bool is_relayed = first >= 0 && second >= 0;
  if (first >= 0) {
    own_ends_.push_back({.pair = {pair.partner, pair.own}});
    if (auto offered = offer_leg(first_name, pair.partner, over_tcp, offers[static_cast<std::size_t>(first)],
                                 own_ends_.back().offer);
        !offered) {
      return offered;
    }
  }
  if (second >= 0) {
    own_ends_.push_back({.pair = pair});
    if (auto offered = offer_leg(second_name, pair.own, over_tcp, offers[static_cast<std::size_t>(second)],
                                 own_ends_.back().offer);
        !offered) {
      return offered;
    }
  }
  if (is_relayed) {
    const auto last = static_cast<int>(own_ends_.size()) - 1;
    own_ends_[static_cast<std::size_t>(last)].relayed_with = last - 1;
    own_ends_[static_cast<std::size_t>(last) - 1].relayed_with = last;
  }
  return {};
}

Result<void> Participation::join_own_ends() {
  std::vector<transport::LinkOffer> offers;
  for (const OwnEnd& end : own_ends_) offers.push_back(end.offer);
  const double patience = checked_.model.simulation.processes.start_deadline;
  Until until = within(patience);
  until.also_cancel = &fleet_->failed_flag();
  auto streams = link_setup_->make(offers, std::move(own_descriptors_), until);
  if (auto well = fleet_->status(); !well) return well;
  if (!streams) {
    core::Error& error = streams.error();
    if (error.code == core::ErrorCode::deadline) {
      error.message += fmt::format(": its connections did not stand within {:g} s (the start deadline)", patience);
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
