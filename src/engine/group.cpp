#include "engine/group.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/equilibrium.hpp"
#include "core/motion_relation.hpp"
#include "core/spatial_columns.hpp"

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
      options_(std::move(options)),
      audits_(links_.size()),
      exchanges_(links_.size(), 0) {
  std::size_t axes = 0;
  const bool is_held = options_.schedule == core::Schedule::spatiotemporal;
  for (GroupLink& link : links_) {
    link.relation_back = core::reverse_of(link.relation);
    if (is_held) link.extrapolation = core::Extrapolation::hold;
    first_axis_.push_back(axes);
    axes += link.axes();
    for (std::size_t k = 0; k < link.ports(); ++k) link.port_a[k].is_connected = link.port_b[k].is_connected = true;
    if (link.is_in_space()) {
      coupling::prepare_receiver(*link.space_a, link.extrapolation);
      coupling::prepare_receiver(*link.space_b, link.extrapolation);
      continue;
    }
    coupling::prepare_receiver(*link.port_b, link.extrapolation);
    if (!link.is_signal()) coupling::prepare_receiver(*link.port_a, link.extrapolation);
  }
  passed_.resize(axes);
  defects_.resize(axes);
  if (options_.schedule == core::Schedule::furthest_behind) find_leaders();
  if (options_.schedule == core::Schedule::layers) {
    layered_ = std::make_unique<LayeredSteps>(members_, std::move(options_.members), links_, options_.layers);
  } else if (is_held) {
    std::vector<double> steps;
    for (const LayeredMember& member : options_.members) steps.push_back(member.step);
    spatiotemporal_ =
        std::make_unique<SpatiotemporalSteps>(members_, std::move(steps), links_, options_.layers.step.value_or(0.0));
  }
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
        if (link.member_a == static_cast<int>(m)) clear_outbox(link.port_a, link.ports());
        if (link.member_b == static_cast<int>(m)) clear_outbox(link.port_b, link.ports());
      }
      for (core::Port& port : members_[m]->ports()) port.outbox.clear();
      if (auto started = members_[m]->start(t0); !started) return started;
    }
    for (GroupLink& link : links_) {
      for (std::size_t k = 0; k < link.ports(); ++k) {
        link.port_b[k].incoming.clear();
        if (!link.is_signal()) link.port_a[k].incoming.clear();
      }
    }
    for (std::size_t m = 0; m < members_.size(); ++m) deliver_from(static_cast<int>(m));
    if (auto placed = check_places(); !placed) return placed;
  }
  if (layered_ != nullptr) layered_->start();
  if (spatiotemporal_ != nullptr) spatiotemporal_->start(t0);
  watch_ = {};
  const auto first = energy();
  first_energy_ = first ? first->kinetic + first->elastic : 0.0;
  first_weight_ = first ? first->potential - first->elastic : 0.0;
  return {};
}

void Group::clear_outbox(core::Port* first, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) first[k].outbox.clear();
}

core::Result<void> Group::check_places() const {
  for (const GroupLink& link : links_) {
    if (!link.is_in_space()) continue;
    const bool a_is_led = link.space_a->takes_motion(), b_is_led = link.space_b->takes_motion();
    if (a_is_led == b_is_led) continue;  // each holds a copy of what is between them
    const core::SpatialInterface& led = a_is_led ? *link.space_a : *link.space_b;
    if (!led.start() || !led.is_given()) continue;
    const auto apart = core::describe_mismatch(*led.start(), led.given(t0_, wave::Side::right).pose);
    if (!apart) continue;
    const int member = a_is_led ? link.member_a : link.member_b;
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("connection '{}': {}", link.name, *apart),
                       .component = members_[static_cast<std::size_t>(member)]->name(),
                       .port = led.name(),
                       .time = t0_};
  }
  return {};
}

void Group::pass_on(std::size_t index, bool is_from_a) {
  GroupLink& link = links_[index];
  core::Port* const sender = is_from_a ? link.port_a : link.port_b;
  core::Port* const receiver = is_from_a ? link.port_b : link.port_a;
  std::size_t& delivered = is_from_a ? link.delivered_a : link.delivered_b;
  const double reader_time = members_[static_cast<std::size_t>(is_from_a ? link.member_b : link.member_a)]->time();
  const std::span<LinkDefects> defects(defects_.data() + first_axis_[index], link.axes());
  const auto meter = [&](std::size_t k) -> coupling::DefectMeter& {
    return is_from_a ? defects[k].at_b : defects[k].at_a;
  };
  const std::size_t count = sender->outbox.size();
  for (std::size_t k = 0; k < defects.size() && delivered < count; ++k) {
    meter(k).look(receiver[k].incoming, reader_time);
  }
  for (std::size_t number = delivered; number < count; ++number) {
    if (link.is_in_space()) {
      is_from_a ? coupling::deliver(*link.space_b, *link.space_a, number)
                : coupling::deliver(*link.space_a, *link.space_b, number);
    } else {
      coupling::deliver(*receiver, *sender, sender->outbox[number], link.relation_from(is_from_a));
    }
    for (std::size_t k = 0; k < defects.size(); ++k) {
      meter(k).note(receiver[k].incoming);
      wave::Sample sample = sender[k].outbox[number];
      if (k >= 3) sample.position = (is_from_a ? defects[k].turned_a : defects[k].turned_b).note(sample);
      (is_from_a ? defects[k].of_a : defects[k].of_b).note(sample);
    }
  }
  exchanges_[index] += count - delivered;
  delivered = count;
  for (std::size_t k = 0; k < link.ports(); ++k) receiver[k].incoming.forget_before(reader_time);
  if (count == 0) return;
  for (std::size_t k = 0; k < defects.size(); ++k) {
    Passed& passed = passed_[first_axis_[index] + k];
    const wave::Sample& last = sender[k].outbox.back();
    (is_from_a ? passed.work_a : passed.work_b) = last.work;
    (is_from_a ? passed.impulse_a : passed.impulse_b) = last.impulse;
    (is_from_a ? passed.effort_a : passed.effort_b) = last.effort;
  }
}

void Group::deliver_from(int member) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].member_a == member) pass_on(i, true);
    if (links_[i].member_b == member && !links_[i].is_signal()) pass_on(i, false);
  }
  // Only after all links have read them: one output may feed several inputs. What also leaves the group is emptied by
  // whoever sends it on.
  for (GroupLink& link : links_) {
    if (link.member_a == member && !link.port_a->feeds_outside) {
      clear_outbox(link.port_a, link.ports());
      link.delivered_a = 0;
    }
    if (link.member_b == member) {
      clear_outbox(link.port_b, link.ports());
      link.delivered_b = 0;
    }
  }
}

core::Error Group::stopped_on_request() const {
  return {.code = core::ErrorCode::cancelled, .message = "stopped on request", .component = name(), .time = time_};
}

Result<void> Group::advance(const core::Window& window) {
  for (GroupLink& link : links_) link.delivered_a = link.delivered_b = 0;
  const auto by_schedule = [&] {
    if (layered_ != nullptr) return step_layers(window);
    if (spatiotemporal_ != nullptr) return step_spatiotemporal(window);
    return options_.schedule == core::Schedule::furthest_behind ? step_furthest_behind(window) : step_together(window);
  };
  auto stepped = by_schedule();
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
  return land_on_save_point(window);
}

Result<void> Group::land_on_save_point(const core::Window& window) {
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
    const Passed* const passed = &passed_[first_axis_[i]];
    if (links_[i].is_in_space()) {
      std::array<Eigen::Vector3d, 2> of_a, of_b;  // impulses of forces, and of torques
      double work_a = 0.0, work_b = 0.0;
      for (std::size_t k = 0; k < links_[i].axes(); ++k) {
        of_a[k / 3][static_cast<Eigen::Index>(k % 3)] = passed[k].impulse_a;
        of_b[k / 3][static_cast<Eigen::Index>(k % 3)] = passed[k].impulse_b;
        work_a += passed[k].work_a, work_b += passed[k].work_b;
      }
      audits_[i].add(work_a, work_b, of_a[0], of_b[0], of_a[1], of_b[1]);
    } else {
      audits_[i].add(passed->work_a, passed->work_b, passed->impulse_a / links_[i].relation.factor, passed->impulse_b);
    }
    const core::RecordPlan& plan = links_[i].recording;
    if (plan.sink == nullptr) continue;
    const auto all = link_values(i);
    std::array<double, kMostLinkColumns> chosen{};
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
  if (links_.empty()) return {};
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
  std::vector<core::Column> columns{{"energy_residual", std::string(names.energy_unit)}};
  if (domain == core::Domain::mechanical3d) {
    core::add_vector(columns, "momentum_residual", "N s");
    core::add_vector(columns, "angular_momentum_residual", "N m s");
    for (const char* side : {"from", "to"}) {
      core::add_vector(columns, fmt::format("{}.force", side), "N");
      core::add_vector(columns, fmt::format("{}.torque", side), "N m");
    }
    return columns;
  }
  columns.push_back({"momentum_residual", std::string(names.impulse_unit)});
  for (const char* side : {"from", "to"}) {
    columns.push_back({fmt::format("{}.{}", side, names.effort), std::string(names.effort_unit)});
  }
  return columns;
}

std::array<double, Group::kMostLinkColumns> Group::link_values(std::size_t link) const {
  const Passed* const passed = &passed_[first_axis_[link]];
  const coupling::SampledAudit& audit = audits_[link];
  if (!links_[link].is_in_space())
    return {audit.energy_residual(), audit.momentum_residual(), passed->effort_a, passed->effort_b};
  std::array<double, kMostLinkColumns> values{};
  core::RowWriter row(values);
  row.put(audit.energy_residual());
  for (const double part : audit.momentum()) row.put(part);
  for (const double part : audit.angular_momentum()) row.put(part);
  for (std::size_t k = 0; k < links_[link].axes(); ++k) row.put(passed[k].effort_a);
  for (std::size_t k = 0; k < links_[link].axes(); ++k) row.put(passed[k].effort_b);
  return values;
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
  if (layered_ != nullptr) layered_->save(archive);
  if (spatiotemporal_ != nullptr) spatiotemporal_->save(archive);
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
  if (layered_ != nullptr) layered_->restore(archive);
  if (spatiotemporal_ != nullptr) spatiotemporal_->restore(archive);
  return {};
}

void Group::save_accounts(core::ArchiveWriter& archive) const {
  archive.put_span<coupling::SampledAudit>(audits_);
  archive.put_span<Passed>(passed_);
  archive.put_span<LinkDefects>(defects_);
  archive.put_span<std::uint64_t>(exchanges_);
  if (layered_ != nullptr) layered_->save_accounts(archive);
  for (const auto& member : members_) member->save_accounts(archive);
}

void Group::restore_accounts(core::ArchiveReader& archive) {
  archive.get_span<coupling::SampledAudit>(audits_);
  archive.get_span<Passed>(passed_);
  archive.get_span<LinkDefects>(defects_);
  archive.get_span<std::uint64_t>(exchanges_);
  if (layered_ != nullptr) layered_->restore_accounts(archive);
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
