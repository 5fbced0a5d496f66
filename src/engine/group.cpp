#include "engine/group.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/equilibrium.hpp"

namespace tieline::engine {

using core::Result;

namespace {

// Share of the work through a link that it must have made out of nothing before it is compared with all energies.
constexpr double kCreatedShare = 0.1;

}  // namespace

Group::Group(std::string name, std::vector<std::unique_ptr<core::Component>> members, std::vector<GroupLink> links,
             GroupOptions options)
    : Component(std::move(name)),
      members_(std::move(members)),
      links_(std::move(links)),
      options_(options),
      audits_(links_.size()),
      passed_(links_.size()),
      exchanges_(links_.size(), 0),
      defects_(links_.size()) {
  for (GroupLink& link : links_) {
    coupling::prepare_receiver(*link.port_b, link.extrapolation);
    if (!link.is_signal()) coupling::prepare_receiver(*link.port_a, link.extrapolation);
    link.port_a->is_connected = link.port_b->is_connected = true;
  }
  find_leaders();
}

void Group::find_leaders() {
  const std::size_t n = members_.size();
  // leads[a][b]: the output of a comes to b, over other members too.
  std::vector<std::vector<bool>> leads(n, std::vector<bool>(n, false));
  for (const GroupLink& link : links_) {
    const auto a = static_cast<std::size_t>(link.member_a), b = static_cast<std::size_t>(link.member_b);
    leads[a][b] = true;
    if (!link.is_signal()) leads[b][a] = true;
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n && leads[a][k]; ++b) leads[a][b] = leads[a][b] || leads[k][b];
    }
  }
  leaders_.assign(n, {});
  for (const GroupLink& link : links_) {
    const auto a = static_cast<std::size_t>(link.member_a), b = static_cast<std::size_t>(link.member_b);
    if (link.is_signal() && a != b && !leads[b][a]) leaders_[b].push_back(a);
  }
}

/// The member that is furthest behind of those whose leaders have come to the end; none if all have.
std::optional<std::size_t> Group::next_to_step(double end) const {
  std::optional<std::size_t> last;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const double time = members_[m]->time();
    if (time >= end || (last && time >= members_[*last]->time())) continue;
    const bool is_free = std::all_of(leaders_[m].begin(), leaders_[m].end(),
                                     [&](std::size_t leader) { return members_[leader]->time() >= end; });
    if (is_free) last = m;
  }
  return last;
}

core::Capabilities Group::capabilities() const {
  core::Capabilities result{.can_snapshot = true, .reports_energy = true};
  for (const auto& member : members_) {
    const core::Capabilities own = member->capabilities();
    if (!own.can_snapshot) {
      result.can_snapshot = false;
      result.snapshot_obstacle += "member '" + member->name() + "': " + own.snapshot_obstacle + "; ";
    }
    result.reports_energy = result.reports_energy && own.reports_energy;
    result.uses_horizon = result.uses_horizon || own.uses_horizon;
  }
  return result;
}

Result<void> Group::start(double t0) {
  t0_ = time_ = t0;
  macro_steps_ = 0;
  // The outputs of a member at t0 may depend on its inputs: a chain of n members settles in n rounds.
  for (std::size_t round = 0; round <= members_.size(); ++round) {
    for (GroupLink& link : links_) link.delivered_a = link.delivered_b = 0;
    std::fill(defects_.begin(), defects_.end(), LinkDefects{});
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (const GroupLink& link : links_) {
        if (link.member_a == static_cast<int>(m)) link.port_a->outbox.clear();
        if (link.member_b == static_cast<int>(m)) link.port_b->outbox.clear();
      }
      for (core::Port& port : members_[m]->ports()) port.outbox.clear();
      if (auto started = members_[m]->start(t0); !started) return started;
    }
    for (GroupLink& link : links_) {
      link.port_b->incoming.clear();
      if (!link.is_signal()) link.port_a->incoming.clear();
    }
    for (std::size_t m = 0; m < members_.size(); ++m) deliver_from(static_cast<int>(m));
  }
  watch_ = {};
  const auto first = energy();
  first_energy_ = first ? first->kinetic + first->elastic : 0.0;
  first_weight_ = first ? first->potential - first->elastic : 0.0;
  return {};
}

void Group::deliver_from(int member) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    GroupLink& link = links_[i];
    const auto pass_on = [&](core::Port& sender, core::Port& receiver, std::size_t& delivered, double& work,
                             double& impulse, double& effort, coupling::DefectMeter& meter,
                             coupling::ResponseFit& response, double reader_time) {
      if (delivered < sender.outbox.size()) meter.look(receiver.incoming, reader_time);
      for (std::size_t k = delivered; k < sender.outbox.size(); ++k) {
        coupling::deliver(receiver, sender, sender.outbox[k], link.relation);
        meter.note(receiver.incoming);
        response.note(sender.outbox[k]);
      }
      exchanges_[i] += sender.outbox.size() - delivered;
      delivered = sender.outbox.size();
      receiver.incoming.forget_before(reader_time);
      if (sender.outbox.empty()) return;
      work = sender.outbox.back().work;
      impulse = sender.outbox.back().impulse;
      effort = sender.outbox.back().effort;
    };
    Passed& passed = passed_[i];
    LinkDefects& defects = defects_[i];
    if (link.member_a == member) {
      pass_on(*link.port_a, *link.port_b, link.delivered_a, passed.work_a, passed.impulse_a, passed.effort_a,
              defects.at_b, defects.of_a, members_[static_cast<std::size_t>(link.member_b)]->time());
    }
    if (link.member_b == member && !link.is_signal()) {
      pass_on(*link.port_b, *link.port_a, link.delivered_b, passed.work_b, passed.impulse_b, passed.effort_b,
              defects.at_a, defects.of_b, members_[static_cast<std::size_t>(link.member_a)]->time());
    }
  }
  // Only after all links have read them: one output may feed several inputs. What also leaves the group is emptied by
  // whoever sends it on.
  for (GroupLink& link : links_) {
    if (link.member_a == member && !link.port_a->feeds_outside) {
      link.port_a->outbox.clear();
      link.delivered_a = 0;
    }
    if (link.member_b == member) {
      link.port_b->outbox.clear();
      link.delivered_b = 0;
    }
  }
}

core::Error Group::stopped_on_request() const {
  return {.code = core::ErrorCode::cancelled, .message = "stopped on request", .component = name(), .time = time_};
}

Result<void> Group::advance(const core::Window& window) {
  for (GroupLink& link : links_) link.delivered_a = link.delivered_b = 0;
  auto stepped =
      options_.schedule == core::Schedule::furthest_behind ? step_furthest_behind(window) : step_together(window);
  if (!stepped) return stepped;
  time_ = window.end;
  return audit(window.end);
}

Result<double> Group::step(double limit) {
  if (auto advanced = advance({.begin = time_, .end = limit, .horizon = limit}); !advanced) return advanced.error();
  return time_;
}

void Group::follow_steps(core::StepLog* log, core::StepLogUse use) {
  if (log != nullptr) log->parts.resize(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    members_[m]->follow_steps(log != nullptr ? &log->parts[m] : nullptr, use);
  }
}

/// One member after the other, in the order of connections: a jump goes through a chain of members at once.
Result<void> Group::settle_members() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (auto settled = members_[m]->settle(); !settled) return settled;
    deliver_from(static_cast<int>(m));
  }
  return {};
}

Result<void> Group::step_furthest_behind(const core::Window& window) {
  if (auto settled = settle_members(); !settled) return settled;
  while (true) {
    const std::optional<std::size_t> next = next_to_step(window.end);
    if (!next) break;
    if (core::is_cancelled(window)) return stopped_on_request();
    if (auto stepped = members_[*next]->step(window.end); !stepped) return stepped.error();
    deliver_from(static_cast<int>(*next));
  }
  if (!window.is_save_point) return {};
  for (const auto& member : members_) {
    core::Window save = window;
    save.begin = window.end;
    if (auto landed = member->advance(save); !landed) return landed;
  }
  return {};
}

Result<void> Group::step_together(const core::Window& window) {
  const bool is_jacobi = options_.schedule == core::Schedule::jacobi;
  while (time_ < window.end) {
    if (core::is_cancelled(window)) return stopped_on_request();
    // Macro steps end at t0 + k H, whatever the windows; a window's end that lies between cuts one in two.
    const double planned = t0_ + static_cast<double>(macro_steps_ + 1) * options_.macro_step;
    const double end = std::min(planned, window.end);
    if (auto settled = settle_members(); !settled) return settled;
    const core::Window part{
        .begin = time_, .end = end, .horizon = end, .is_save_point = window.is_save_point && end == window.end};
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (auto advanced = members_[m]->advance(part); !advanced) return advanced;
      if (!is_jacobi) deliver_from(static_cast<int>(m));
    }
    if (is_jacobi) {
      for (std::size_t m = 0; m < members_.size(); ++m) deliver_from(static_cast<int>(m));
    }
    if (planned <= window.end) ++macro_steps_;
    time_ = end;
  }
  return {};
}

Result<void> Group::audit(double t) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].is_signal()) continue;
    const Passed& passed = passed_[i];
    audits_[i].add(passed.work_a, passed.work_b, passed.impulse_a, passed.impulse_b);
    const core::RecordPlan& plan = links_[i].recording;
    if (plan.sink == nullptr) continue;
    const auto all = link_values(i);
    std::array<double, kLinkColumns> chosen{};
    for (std::size_t k = 0; k < plan.selected.size(); ++k) chosen[k] = all[static_cast<std::size_t>(plan.selected[k])];
    plan.sink->row(t, {chosen.data(), plan.selected.size()});
  }
  return watch(t);
}

core::Error Group::exploded(std::size_t link, const std::string& what, double t) const {
  const GroupLink& place = links_[link];
  return {.code = core::ErrorCode::step_failed,
          .message = fmt::format("the run has diverged by t = {:.6g} s: connection '{}' {}; use shorter steps or a "
                                 "lower tolerance, couple by a line, or glue",
                                 t, place.name, what),
          .component = members_[static_cast<std::size_t>(place.member_a)]->name(),
          .port = place.port_a->name,
          .time = watch_.since(t)};
}

Result<void> Group::watch(double t) {
  double created = 0.0, passed = 0.0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].is_signal() || links_[i].port_a->domain == core::Domain::thermal) continue;
    const double residual = std::abs(audits_[i].energy_residual());
    if (!std::isfinite(residual)) return exploded(i, "carries values that are not finite", t);
    passed += audits_[i].energy_residual();
    if (residual <= created) continue;
    created = residual;
    worst = i;
  }
  // Members may not report all that they supply; a coupling that is right makes little of what passes through it.
  if (created <= kCreatedShare * audits_[worst].largest_work() || !watch_.is_news(created)) return {};
  const auto now = energy();
  if (!now) return {};
  const double fallen = std::abs((now->potential - now->elastic) - first_weight_);
  const double entered = first_energy_ + now->most_supplied + std::abs(now->received - passed) + fallen;
  if (!watch_.note(created, entered, t)) return {};
  return exploded(worst,
                  fmt::format("has created {:.3g} J of energy, more than {:g} times the {:.3g} J that were present at "
                              "the start or supplied",
                              created, core::kExplosion, entered),
                  t);
}

std::vector<core::Column> Group::link_columns(core::Domain domain) {
  const core::DomainNames& names = core::names_of(domain);
  return {{"energy_residual", std::string(names.energy_unit)},
          {"momentum_residual", std::string(names.impulse_unit)},
          {fmt::format("from.{}", names.effort), std::string(names.effort_unit)},
          {fmt::format("to.{}", names.effort), std::string(names.effort_unit)}};
}

std::array<double, Group::kLinkColumns> Group::link_values(std::size_t link) const {
  const Passed& passed = passed_[link];
  return {audits_[link].energy_residual(), audits_[link].momentum_residual(), passed.effort_a, passed.effort_b};
}

Result<void> Group::save(core::ArchiveWriter& archive) const {
  archive.tag(name());
  archive.put(t0_), archive.put(time_), archive.put(macro_steps_);
  archive.put(first_energy_), archive.put(first_weight_), archive.put(watch_);
  archive.put_span<coupling::SampledAudit>(audits_);
  archive.put_span<Passed>(passed_);
  archive.put_span<LinkDefects>(defects_);
  for (const auto& member : members_) {
    if (auto saved = member->save(archive); !saved) return saved;
  }
  return {};
}

Result<void> Group::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name());
  archive.get(t0_), archive.get(time_), archive.get(macro_steps_);
  archive.get(first_energy_), archive.get(first_weight_), archive.get(watch_);
  archive.get_span<coupling::SampledAudit>(audits_);
  archive.get_span<Passed>(passed_);
  archive.get_span<LinkDefects>(defects_);
  for (const auto& member : members_) {
    if (auto restored = member->restore(archive); !restored) return restored;
  }
  return {};
}

void Group::save_accounts(core::ArchiveWriter& archive) const {
  archive.put_span<coupling::SampledAudit>(audits_);
  archive.put_span<Passed>(passed_);
  archive.put_span<LinkDefects>(defects_);
  archive.put_span<std::uint64_t>(exchanges_);
  for (const auto& member : members_) member->save_accounts(archive);
}

void Group::restore_accounts(core::ArchiveReader& archive) {
  archive.get_span<coupling::SampledAudit>(audits_);
  archive.get_span<Passed>(passed_);
  archive.get_span<LinkDefects>(defects_);
  archive.get_span<std::uint64_t>(exchanges_);
  for (const auto& member : members_) member->restore_accounts(archive);
}

const core::Ending* Group::ending() const {
  const core::Ending* first = nullptr;
  for (const auto& member : members_) {
    const core::Ending* const own = member->ending();
    if (own != nullptr && (first == nullptr || core::is_before(*own, *first))) first = own;
  }
  return first;
}

std::vector<core::Component*> Group::parts() {
  std::vector<core::Component*> all;
  for (const auto& member : members_) {
    const auto own = member->parts();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

core::Result<std::vector<core::Tie>> Group::ties() {
  std::vector<core::Tie> all;
  for (const auto& member : members_) {
    auto own = member->ties();
    if (!own) return own;
    all.insert(all.end(), own->begin(), own->end());
  }
  return all;
}

std::optional<core::Energy> Group::energy() const {
  core::Energy sum;
  for (const auto& member : members_) {
    const auto own = member->energy();
    if (!own) return std::nullopt;
    sum.add(*own);
  }
  return sum;
}

core::Statistics Group::statistics() const {
  core::Statistics sum;
  for (const auto& member : members_) sum.add(member->statistics());
  sum.solver = "group";
  return sum;
}

}  // namespace tieline::engine
