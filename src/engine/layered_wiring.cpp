// Members in layers: who sends what to whom, and what is kept in snapshots.

#include <algorithm>

#include "engine/layered_steps.hpp"

namespace tieline::engine {
namespace {

std::vector<coupling::LayerMember> layer_members(std::span<const LayeredMember> specs) {
  std::vector<coupling::LayerMember> members;
  for (const LayeredMember& spec : specs) members.push_back({spec.step});
  return members;
}

}  // namespace

std::vector<coupling::LayerEdge> layer_edges(std::span<const GroupLink> links) {
  std::vector<coupling::LayerEdge> edges;
  for (const GroupLink& link : links) edges.push_back({link.member_a, link.member_b, !link.is_signal(), link.order});
  return edges;
}

LayeredSteps::LayeredSteps(std::span<const std::unique_ptr<core::Component>> members, std::vector<LayeredMember> specs,
                           std::span<GroupLink> links, const core::LayerSettings& settings)
    : plan_(coupling::plan_layers(layer_members(specs), layer_edges(links))),
      clusters_(plan_.clusters.size()),
      settings_(settings) {
  if (plan_.clusters.back().control_step == 0.0) plan_.clusters.back().control_step = settings.step.value_or(0.0);
  const std::size_t count = plan_.clusters.size();
  for (std::size_t m = 0; m < members.size(); ++m) {
    Member& member = members_.emplace_back();
    member.component = members[m].get();
    member.spec = std::move(specs[m]);
    member.snapshots.resize(count);
    member.marks.assign(count, std::vector<std::size_t>(member.spec.sinks.size(), 0));
  }
  wire(links);
  place_directions();
  find_abilities();
}

void LayeredSteps::wire(std::span<GroupLink> links) {
  direction_of_.resize(links.size(), {0, 0});
  for (std::size_t i = 0; i < links.size(); ++i) {
    add_direction(links[i], i, true);
    if (!links[i].is_signal()) add_direction(links[i], i, false);
  }
  for (Member& member : members_) {
    std::vector<core::Port*> sending;
    for (const std::size_t d : member.sends) {
      for (std::size_t k = 0; k < directions_[d].ports; ++k) sending.push_back(&directions_[d].from[k]);
    }
    std::sort(sending.begin(), sending.end());
    sending.erase(std::unique(sending.begin(), sending.end()), sending.end());
    for (core::Port* const port : sending) {
      if (!port->feeds_outside) member.inner.push_back(port);
    }
    for (core::Port* const port : member.spec.ports) {
      if (std::binary_search(sending.begin(), sending.end(), port) && !port->feeds_outside) continue;
      member.outer.push_back({.port = port, .marks = std::vector<std::size_t>(clusters_.size(), 0)});
    }
  }
}

void LayeredSteps::add_direction(const GroupLink& link, std::size_t index, bool is_from_a) {
  Direction direction{.link = index, .is_from_a = is_from_a};
  direction.sender = is_from_a ? link.member_a : link.member_b;
  direction.receiver = is_from_a ? link.member_b : link.member_a;
  direction.from = is_from_a ? link.port_a : link.port_b;
  direction.to = is_from_a ? link.port_b : link.port_a;
  direction.space_from = is_from_a ? link.space_a : link.space_b;
  direction.space_to = is_from_a ? link.space_b : link.space_a;
  direction.relation = &link.relation_from(is_from_a);
  direction.axes = link.axes();
  direction.ports = link.ports();
  direction.found.resize(direction.ports);
  direction.before.resize(direction.ports);
  direction.kept.resize(direction.ports);
  direction.last.resize(direction.ports);
  direction.used.resize(direction.axes);
  direction.record.resize(direction.axes);
  direction.ranges.resize(direction.axes);
  direction.trial_ranges.resize(direction.axes);
  direction.errors.resize(direction.axes);
  direction.guessed.assign(direction.axes, 0.0);
  direction.remaining.assign(direction.axes, 0.0);
  direction.marks.assign(clusters_.size(), 0);
  direction_of_[index][is_from_a ? 0 : 1] = directions_.size();
  members_[static_cast<std::size_t>(direction.sender)].sends.push_back(directions_.size());
  members_[static_cast<std::size_t>(direction.receiver)].gets.push_back(directions_.size());
  directions_.push_back(std::move(direction));
}

void LayeredSteps::place_directions() {
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    Direction& direction = directions_[d];
    for (std::size_t c = 0; c < plan_.clusters.size(); ++c) {
      const coupling::LayerUnit *sender = nullptr, *receiver = nullptr;
      for (const coupling::LayerUnit& unit : plan_.clusters[c].units) {
        const auto holds = [&](int m) { return std::binary_search(unit.members.begin(), unit.members.end(), m); };
        if (holds(direction.sender)) sender = &unit;
        if (holds(direction.receiver)) receiver = &unit;
      }
      const bool is_last = c + 1 == plan_.clusters.size();
      if (sender == nullptr || receiver == nullptr || (sender == receiver && !(is_last && sender->member >= 0)))
        continue;
      direction.cluster = c;
      direction.is_late = receiver->stage <= sender->stage;
      clusters_[c].directions.push_back(d);
      break;
    }
  }
}

void LayeredSteps::find_abilities() {
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    Cluster& cluster = clusters_[c];
    const auto& members = plan_.clusters[c].members;
    const auto all = [&](auto&& holds) {
      return std::all_of(members.begin(), members.end(),
                         [&](int m) { return holds(members_[static_cast<std::size_t>(m)]); });
    };
    const bool has_late = std::any_of(cluster.directions.begin(), cluster.directions.end(),
                                      [&](std::size_t d) { return directions_[d].is_late; });
    const bool can_repeat = all([](const Member& member) { return member.component->capabilities().can_snapshot; });
    cluster.repeats = has_late && can_repeat && settings_.corrections > 0;
    cluster.can_halve = has_late && all([](const Member& member) { return member.spec.can_cut; });
  }
}

void LayeredSteps::save(core::ArchiveWriter& archive) const {
  for (const Cluster& cluster : clusters_) {
    archive.put(cluster.halved), archive.put(cluster.easy_steps);
  }
  for (const Direction& direction : directions_) {
    archive.put_span<wave::Sample>(direction.last);
    archive.put_span<Range>(direction.ranges);
    for (const wave::Track& record : direction.record) core::save_track(archive, record);
  }
  save_accounts(archive);
}

void LayeredSteps::restore(core::ArchiveReader& archive) {
  for (Cluster& cluster : clusters_) {
    archive.get(cluster.halved), archive.get(cluster.easy_steps);
  }
  for (Direction& direction : directions_) {
    archive.get_span<wave::Sample>(direction.last);
    archive.get_span<Range>(direction.ranges);
    for (wave::Track& record : direction.record) core::restore_track(archive, record);
    for (auto& samples : direction.found) samples.clear();
    for (auto& values : direction.used) values.clear();
  }
  restore_accounts(archive);
}

void LayeredSteps::save_accounts(core::ArchiveWriter& archive) const {
  for (const Cluster& cluster : clusters_) archive.put(cluster.figures);
  for (const Direction& direction : directions_) archive.put_span<InputErrors>(direction.errors);
}

void LayeredSteps::restore_accounts(core::ArchiveReader& archive) {
  for (Cluster& cluster : clusters_) archive.get(cluster.figures);
  for (Direction& direction : directions_) archive.get_span<InputErrors>(direction.errors);
}

}  // namespace tieline::engine
