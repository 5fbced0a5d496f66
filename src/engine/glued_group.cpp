#include "engine/glued_group.hpp"

#include <algorithm>
#include <cmath>

#include "core/equilibrium.hpp"

namespace tieline::engine {

using core::Result;

GluedGroup::GluedGroup(std::string name, std::vector<GluedMember> members, std::vector<GlueSocket> sockets,
                       std::vector<GlueSpec> links, core::GluingSettings settings)
    : Component(std::move(name)), stated_(settings), settings_(settings) {
  for (GluedMember& part : members) {
    Member member;
    member.marks.resize(part.sinks.size());
    member.kept.resize(part.ports.size());
    member.is_socket_port.resize(part.ports.size(), false);
    member.part = std::move(part);
    members_.push_back(std::move(member));
  }
  for (const GlueSocket& spec : sockets) {
    Socket socket{.spec = spec};
    Member& member = members_[static_cast<std::size_t>(spec.member)];
    const auto join = [&](core::Port& port) {
      port.is_connected = true;
      const auto found = std::find(member.part.ports.begin(), member.part.ports.end(), &port);
      member.is_socket_port[static_cast<std::size_t>(found - member.part.ports.begin())] = true;
    };
    if (spec.interface != nullptr) {
      socket.axes = core::SpatialInterface::kAxes;
      spec.interface->couple_in_world_axes();
      for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) join(spec.interface->axis(i));
      for (std::size_t i = 0; i < core::SpatialInterface::kPorts - core::SpatialInterface::kAxes; ++i) {
        join(spec.interface->turn(i));
      }
      socket.takes_motion = spec.interface->takes_motion();
    } else {
      socket.takes_motion = spec.port->causality == core::Causality::takes_motion;
      join(*spec.port);
    }
    socket.before.assign(socket.axes, 0.0);
    member.sockets.push_back(sockets_.size());
    sockets_.push_back(std::move(socket));
  }
  for (GlueSpec& spec : links) {
    Link link;
    link.spec = std::move(spec);
    const Socket& from = sockets_[static_cast<std::size_t>(link.spec.from.front())];
    const Socket& to = sockets_[static_cast<std::size_t>(link.spec.to.front())];
    link.is_in_space = from.spec.interface != nullptr;
    link.joint = coupling::JointDirections(link.spec.joint, link.spec.axis);
    link.directions = link.is_in_space ? link.joint.size() : 1;
    const int motion_sides = (from.takes_motion ? 1 : 0) + (to.takes_motion ? 1 : 0);
    link.motion_sides = motion_sides;
    // In space the motions of sides that take one are unknowns of their own.
    link.kind = motion_sides == 0 || link.is_in_space ? Kind::t_t : motion_sides == 1 ? Kind::x_t : Kind::x_x;
    for (const std::vector<int>* side : {&link.spec.from, &link.spec.to}) {
      for (const int socket : *side) {
        ++sockets_[static_cast<std::size_t>(socket)].users;
        sockets_[static_cast<std::size_t>(socket)].link = links_.size();
      }
    }
    links_.push_back(std::move(link));
  }
}

core::Capabilities GluedGroup::capabilities() const {
  core::Capabilities result{.can_snapshot = true, .reports_energy = true};
  bool is_first = true;
  result.is_linear = std::none_of(links_.begin(), links_.end(),
                                  [](const Link& link) { return link.is_in_space && link.joint.turns(); });
  for (const Member& member : members_) {
    const core::Capabilities own = member.part.component->capabilities();
    if (!own.can_snapshot) {
      result.can_snapshot = false;
      result.snapshot_obstacle += "member '" + member.part.component->name() + "': " + own.snapshot_obstacle + "; ";
    }
    result.reports_energy = result.reports_energy && own.reports_energy;
    result.is_linear = result.is_linear && own.is_linear;
    if (is_first) result.fixed_step = own.fixed_step;
    // Steps that differ are no common step.
    if (own.fixed_step != result.fixed_step) result.fixed_step = 0.0;
    is_first = false;
  }
  return result;
}

Result<void> GluedGroup::advance(const core::Window& window) {
  for (Member& member : members_) {
    for (auto& kept : member.kept) kept.clear();
    for (std::size_t i = 0; i < member.part.ports.size(); ++i) {
      if (member.is_socket_port[i]) member.part.ports[i]->outbox.clear();
    }
  }
  auto advanced = settings_.step_tolerance ? advance_controlled(window) : advance_fixed(window);
  if (!advanced) return advanced;
  for (Member& member : members_) {
    for (std::size_t i = 0; i < member.part.ports.size(); ++i) {
      if (!member.is_socket_port[i]) member.part.ports[i]->outbox = member.kept[i];
    }
  }
  return {};
}

Result<double> GluedGroup::step(double limit) {
  if (auto advanced = advance({.begin = time_, .end = limit, .horizon = limit}); !advanced) return advanced.error();
  return time_;
}

void GluedGroup::follow_steps(core::StepLog* log, core::StepLogUse use) {
  outer_log_ = log;
  outer_use_ = use;
  outer_step_ = 0;
  if (log != nullptr && use == core::StepLogUse::note) log->clear();
}

std::size_t GluedGroup::width() const {
  std::size_t sum = 0;
  for (const Member& member : members_) sum += member.part.component->width();
  return sum;
}

const core::Ending* GluedGroup::ending() const {
  const core::Ending* first = nullptr;
  for (const Member& member : members_) {
    const core::Ending* const own = member.part.component->ending();
    if (own != nullptr && (first == nullptr || core::is_before(*own, *first))) first = own;
  }
  return first;
}

std::vector<core::Component*> GluedGroup::parts() {
  std::vector<core::Component*> all;
  for (Member& member : members_) {
    const auto own = member.part.component->parts();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

Result<std::vector<core::Tie>> GluedGroup::ties() {
  std::vector<core::Tie> all;
  for (Member& member : members_) {
    auto own = member.part.component->ties();
    if (!own) return own;
    all.insert(all.end(), own->begin(), own->end());
  }
  for (const Link& link : links_) {
    const auto refuse = [&](const std::string& why) {
      return core::Error{
          .code = core::ErrorCode::unsupported,
          .message = "the components glued by '" + link.spec.name + "' cannot start in equilibrium: " + why,
          .component = name()};
    };
    const bool slides =
        link.spec.joint == core::GlueJoint::prismatic || link.spec.joint == core::GlueJoint::cylindrical;
    if (link.is_in_space && slides) return refuse("its joint slides");
    if (link.motion_sides > 0) return refuse("a side of it takes motion");
    core::FreeAxes free{};
    if (link.spec.joint == core::GlueJoint::spherical) free = {true, true, true};
    if (link.spec.joint == core::GlueJoint::revolute) free[static_cast<std::size_t>(link.spec.axis)] = true;
    for (const GluePoint& point : link.points) {
      if (point.from.size() > 1 || point.to.size() > 1) return refuse("its sets of points do not match");
      const Socket& from = sockets_[static_cast<std::size_t>(point.from.front().socket)];
      const Socket& to = sockets_[static_cast<std::size_t>(point.to.front().socket)];
      if (from.users > 1 || to.users > 1) return refuse("several connections meet at one of its interfaces");
      if (!from.spec.relation.is_identity() || !to.spec.relation.is_identity()) {
        return refuse("it has a scale or an offset; connect them by a line, or let them start as placed");
      }
      all.push_back({.name = link.spec.name,
                     .interfaces = {from.spec.interface, to.spec.interface},
                     .ports = {from.spec.port, to.spec.port},
                     .free = free});
    }
  }
  return all;
}

std::vector<core::Column> GluedGroup::columns_of(core::Domain domain) {
  const bool is_in_space = domain == core::Domain::mechanical3d;
  const core::DomainNames& names = core::names_of(is_in_space ? core::Domain::translation : domain);
  std::vector<core::Column> columns{{"gap", std::string(names.position_unit)}};
  if (is_in_space) columns.push_back({"gap_rotation", "rad"});
  columns.push_back({"energy_residual", std::string(names.energy_unit)});
  columns.push_back({"corrections", "1"});
  columns.push_back({"refreshes", "1"});
  return columns;
}

std::vector<double> GluedGroup::values_of(std::size_t index) const {
  const Link& link = links_[index];
  std::vector<double> values{link.gap[0]};
  if (link.is_in_space) values.push_back(link.gap[1]);
  values.push_back(link.audit.energy_residual());
  values.push_back(static_cast<double>(link.recent_corrections));
  values.push_back(static_cast<double>(figures_.refreshes));
  return values;
}

void GluedGroup::write_row_of(std::size_t index, double t) {
  Link& link = links_[index];
  double row_time = t;
  const core::RecordPlan& plan = link.spec.recording;
  if (plan.sink == nullptr || !link.clock.is_due(t, plan.interval, row_time)) return;
  lines::write_row(plan, row_time, values_of(index));
  link.recent_corrections = 0;
}

GlueOutcome GluedGroup::outcome(std::size_t index) const {
  const Link& link = links_[index];
  const std::size_t numbers = link.points.size() * link.directions * nodes();
  return {.largest_gap = link.largest_gap[0],
          .largest_gap_rotation = link.largest_gap[1],
          .largest_displacement = std::max(link.size[0][0], link.held[0]),
          .largest_work = std::max(link.audit.largest_work(), link.held[0] * link.held[1]),
          .largest_force = std::max(link.size[0][3], link.held[1]),
          .unknowns = numbers * (link.kind == Kind::x_t || (link.is_in_space && link.motion_sides > 0) ? 2 : 1),
          .exchanges = figures_.trials};
}

Result<void> GluedGroup::save(core::ArchiveWriter& archive) const {
  archive.tag(name());
  archive.put(t0_), archive.put(time_), archive.put(macro_steps_), archive.put(planned_step_),
      archive.put(last_length_);
  archive.put(settings_.compatibility), archive.put(settings_.forces), archive.put(is_static_);
  const auto put_vector = [&](const Eigen::VectorXd& v) {
    archive.put_span(std::span<const double>(v.data(), static_cast<std::size_t>(v.size())));
  };
  put_vector(last_), put_vector(ends_);
  archive.put(earlier_.size());
  for (const Eigen::VectorXd& unknowns : earlier_) put_vector(unknowns);
  for (const Socket& socket : sockets_) {
    archive.put_span<double>(socket.before);
    archive.put(socket.position), archive.put(socket.work), archive.put(socket.impulse);
    save_motion(archive, socket.begin);
    save_motion(archive, {socket.start, {}});
    if (socket.is_led()) save_motion(archive, {socket.led, {}});
  }
  for (const Link& link : links_) {
    archive.put(link.audit), archive.put(link.clock), archive.put(link.size), archive.put(link.gap);
    archive.put(link.held);
    archive.put(link.largest_gap), archive.put(link.recent_corrections);
    archive.put_span<double>(link.drift), archive.put_span<double>(link.drift_rate);
  }
  // What is known of the matrix holds on either side of a trial, and probing it again in each would cost.
  if (archive.use() == core::SnapshotUse::resume) {
    archive.put(figures_), archive.put(is_degree_settled_), archive.put(matrices_.size());
    archive.put(secants_length_), secants_.save(archive);
    for (const Link& link : links_) archive.put_text(link.note);
    for (const KnownMatrix& known : matrices_) save_known(archive, known);
  }
  for (const Member& member : members_) {
    if (auto saved = member.part.component->save(archive); !saved) return saved;
  }
  return {};
}

void GluedGroup::save_accounts(core::ArchiveWriter& archive) const {
  for (const Link& link : links_) {
    archive.put(link.audit), archive.put(link.size), archive.put(link.held), archive.put(link.gap);
    archive.put(link.largest_gap), archive.put_text(link.note);
  }
  archive.put(figures_);
  for (const Member& member : members_) member.part.component->save_accounts(archive);
}

void GluedGroup::restore_accounts(core::ArchiveReader& archive) {
  for (Link& link : links_) {
    archive.get(link.audit), archive.get(link.size), archive.get(link.held), archive.get(link.gap);
    archive.get(link.largest_gap), link.note = archive.get_text();
  }
  archive.get(figures_);
  for (Member& member : members_) member.part.component->restore_accounts(archive);
}

Result<void> GluedGroup::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name());
  archive.get(t0_), archive.get(time_), archive.get(macro_steps_), archive.get(planned_step_),
      archive.get(last_length_);
  archive.get(settings_.compatibility), archive.get(settings_.forces), archive.get(is_static_);
  if (archive.use() == core::SnapshotUse::resume) {
    choose_shape();
    number_unknowns();
  }
  const auto get_vector = [&](Eigen::VectorXd& v) {
    const std::vector<double> numbers = archive.get_vector<double>();
    v = Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  };
  get_vector(last_), get_vector(ends_);
  earlier_.resize(archive.get<std::size_t>());
  for (Eigen::VectorXd& unknowns : earlier_) get_vector(unknowns);
  for (Socket& socket : sockets_) {
    archive.get_span<double>(socket.before);
    archive.get(socket.position), archive.get(socket.work), archive.get(socket.impulse);
    socket.begin = restore_motion(archive);
    socket.start = restore_motion(archive).pose;
    if (socket.is_led()) socket.led = restore_motion(archive).pose;
  }
  for (Link& link : links_) {
    archive.get(link.audit), archive.get(link.clock), archive.get(link.size), archive.get(link.gap);
    archive.get(link.held);
    archive.get(link.largest_gap), archive.get(link.recent_corrections);
    archive.get_span<double>(link.drift), archive.get_span<double>(link.drift_rate);
  }
  if (archive.use() == core::SnapshotUse::resume) {
    archive.get(figures_), archive.get(is_degree_settled_);
    matrices_.resize(archive.get<std::size_t>());
    archive.get(secants_length_), secants_.restore(archive);
    choose_leaders();
    if (auto ordered = order_members(t0_); !ordered) return ordered;
    number_leading();
    for (Link& link : links_) link.note = archive.get_text();
    for (KnownMatrix& known : matrices_) restore_known(archive, known);
  }
  for (Member& member : members_) {
    for (auto& kept : member.kept) kept.clear();
    member.is_current = false;
    if (auto restored = member.part.component->restore(archive); !restored) return restored;
  }
  return {};
}

void GluedGroup::save_motion(core::ArchiveWriter& archive, const EndMotion& end) {
  archive.put_span(std::span<const double>(end.pose.orientation.coeffs().data(), 4));
  for (const Eigen::Vector3d* v : {&end.pose.position, &end.motion.velocity, &end.motion.angular_velocity,
                                   &end.motion.acceleration, &end.motion.angular_acceleration}) {
    archive.put_span(std::span<const double>(v->data(), 3));
  }
}

GluedGroup::EndMotion GluedGroup::restore_motion(core::ArchiveReader& archive) {
  EndMotion end;
  std::array<double, 4> q{};
  archive.get_span<double>(q);
  end.pose.orientation.coeffs() = Eigen::Map<const Eigen::Vector4d>(q.data());
  for (Eigen::Vector3d* v : {&end.pose.position, &end.motion.velocity, &end.motion.angular_velocity,
                             &end.motion.acceleration, &end.motion.angular_acceleration}) {
    archive.get_span(std::span<double>(v->data(), 3));
  }
  return end;
}

std::optional<core::Energy> GluedGroup::energy() const {
  core::Energy sum;
  for (const Member& member : members_) {
    const auto own = member.part.component->energy();
    if (!own) return std::nullopt;
    sum.add(*own);
  }
  return sum;
}

core::Statistics GluedGroup::statistics() const {
  core::Statistics sum;
  for (const Member& member : members_) sum.add(member.part.component->statistics());
  sum.solver = "glue";
  return sum;
}

}  // namespace tieline::engine
