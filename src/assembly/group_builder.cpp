#include "assembly/group_builder.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "assembly/connection_figures.hpp"
#include "assembly/joint_group.hpp"
#include "components/joined_model.hpp"
#include "components/ode_component.hpp"
#include "core/equal_steps.hpp"
#include "core/motion_relation.hpp"
#include "coupling/layer_plan.hpp"
#include "fmi/cs_system.hpp"
#include "fmi/me_model.hpp"
#include "kinds/fmu_options.hpp"

namespace tieline::assembly {
namespace {

// Inputs of members whose solvers control errors are compared with so many of their tolerances.
constexpr double kTolerancesOfMembers = 10.0;
// Steps that fit a control step but for rounding fit it.
constexpr double kSameLanding = 1e-9;

coupling::LayerEdge::Order order_of(const model::Connection& connection) {
  using First = model::SampledSettings::First;
  using Order = coupling::LayerEdge::Order;
  switch (connection.sampled.first) {
    case First::from:
      return Order::from_first;
    case First::to:
      return Order::to_first;
    case First::neither:
      return Order::together;
    case First::unstated:
      break;
  }
  return Order::unstated;
}

void add_held(const core::RecordPlan& plan, engine::GluedMember& to) {
  if (auto* held = dynamic_cast<engine::HeldSink*>(plan.sink)) to.sinks.push_back(held);
}
void add_parts(const engine::GluedMember& part, engine::GluedMember& to) {
  to.ports.insert(to.ports.end(), part.ports.begin(), part.ports.end());
  to.sinks.insert(to.sinks.end(), part.sinks.begin(), part.sinks.end());
}

/// Whether it is solved in steps of a stated length, which have no tolerance.
bool is_fixed_step(const model::Component& component) {
  const auto method = solvers::method_from_name(component.settings.solver.value_or("auto"));
  return method && solvers::has_fixed_step(*method);
}

}  // namespace

using model::Connection;
using model::Coupling;

std::span<core::Port> GroupBuilder::ports(const model::Endpoint& end) const {
  return ports_at(checked_, end, *assembly_.components[static_cast<std::size_t>(end.component)]);
}

core::SpatialInterface* GroupBuilder::spatial_at(const model::Endpoint& end) const {
  return interfaces_at(checked_, end, *assembly_.components[static_cast<std::size_t>(end.component)]).front();
}

engine::GluedMember GroupBuilder::build(const GroupTree& tree, bool is_outermost) {
  switch (tree.kind) {
    case GroupTree::Kind::sampled:
      return joining_of(tree) != kinds::Joining::none ? build_joint(tree) : build_sampled(tree, is_outermost);
    case GroupTree::Kind::glued:
      return build_glued(tree, is_outermost);
    case GroupTree::Kind::joined:
      return build_joined(tree);
    case GroupTree::Kind::single:
      break;
  }
  const auto index = static_cast<std::size_t>(tree.component);
  engine::GluedMember result{.component = std::move(parts_.built[index])};
  for (core::Port& port : result.component->ports()) result.ports.push_back(&port);
  add_held(parts_.component_plans[index], result);
  return result;
}

kinds::Joining GroupBuilder::joining_of(const GroupTree& tree) const {
  const auto own = [&](const GroupTree& member) {
    if (member.kind != GroupTree::Kind::single) return kinds::Joining::none;
    const auto index = static_cast<std::size_t>(member.component);
    const kinds::Joining joining = checked_.blueprints[index]->joining;
    return joining == kinds::Joining::steps && !parts_.has_signals_only[index] ? kinds::Joining::none : joining;
  };
  const auto is_signal = [&](int link) {
    return model_.connections[static_cast<std::size_t>(link)].coupling == Coupling::signal;
  };
  const bool has_layers = layers_of(model_, tree).has_value();
  const kinds::Joining first = own(tree.members.front());
  if (has_layers && first == kinds::Joining::steps) return kinds::Joining::none;
  const bool is_one = std::all_of(tree.members.begin(), tree.members.end(),
                                  [&](const GroupTree& member) { return own(member) == first; });
  return is_one && std::all_of(tree.links.begin(), tree.links.end(), is_signal) ? first : kinds::Joining::none;
}

engine::GluedMember GroupBuilder::build_joint(const GroupTree& tree) {
  const std::vector<int> members = tree.components();
  engine::GluedMember result;
  std::vector<std::unique_ptr<core::Component>> owned;
  for (const int member : members) {
    const auto index = static_cast<std::size_t>(member);
    add_held(parts_.component_plans[index], result);
    owned.push_back(std::move(parts_.built[index]));
  }
  const bool has_steps = joining_of(tree) == kinds::Joining::steps;
  if (has_steps) check_schedules(tree);
  auto links = joint_links(tree, members);
  JointSystem joint =
      has_steps ? join_steps(tree, owned, std::move(links)) : join_equations(tree, owned, std::move(links));
  if (joint.system != nullptr) owned = joint_members(*joint.system, members);
  for (std::size_t m = 0; m < members.size(); ++m) {
    assembly_.components[static_cast<std::size_t>(members[m])] = owned[m].get();
    for (core::Port& port : owned[m]->ports()) result.ports.push_back(&port);
  }
  assembly_.systems.push_back({name_of(model_, tree), members, has_steps});
  // Signals inside are no business of the ports.
  result.component = std::make_unique<JointGroup>(name_of(model_, tree), std::move(joint.whole), std::move(owned));
  return result;
}

GroupBuilder::JointSystem GroupBuilder::join_equations(const GroupTree& tree,
                                                       std::span<const std::unique_ptr<core::Component>> parts,
                                                       std::vector<fmi::SignalLink> links) const {
  std::vector<fmi::MeMember> fmus;
  components::SolverChoice choice;
  for (const auto& part : parts) {
    auto* const ode = dynamic_cast<components::OdeComponent*>(part.get());
    if (ode == nullptr) return {};  // another process has it
    // The most careful of them decides; a method is that of the first that states one.
    if (fmus.empty()) choice = ode->choice();
    const auto& own = dynamic_cast<fmi::MeModel&>(ode->model()).members();
    fmus.insert(fmus.end(), own.begin(), own.end());
    if (!choice.method) choice.method = ode->choice().method;
    choice.relative_tolerance = std::min(choice.relative_tolerance, ode->choice().relative_tolerance);
    choice.largest_step = std::min(choice.largest_step, ode->choice().largest_step);
    choice.controls_efforts = choice.controls_efforts || ode->choice().controls_efforts;
  }
  auto model = std::make_unique<fmi::MeModel>(std::move(fmus), std::move(links));
  fmi::FmuSystem* const system = model.get();
  return {std::make_unique<components::OdeComponent>(name_of(model_, tree), std::move(model), choice), system};
}

GroupBuilder::JointSystem GroupBuilder::join_steps(const GroupTree& tree,
                                                   std::span<const std::unique_ptr<core::Component>> parts,
                                                   std::vector<fmi::SignalLink> links) const {
  std::vector<fmi::CsPart> fmus;
  for (const auto& part : parts) {
    auto* const single = dynamic_cast<fmi::CsSystem*>(part.get());
    if (single == nullptr) return {};
    fmus.insert(fmus.end(), single->fmus().begin(), single->fmus().end());
  }
  auto made = std::make_unique<fmi::CsSystem>(name_of(model_, tree), std::move(fmus), std::move(links));
  fmi::FmuSystem* const system = made.get();
  return {std::move(made), system};
}

void GroupBuilder::check_schedules(const GroupTree& tree) {
  int first = -1;
  const auto schedule = [&](int member) -> const std::string& {
    return checked_.blueprints[static_cast<std::size_t>(member)]->schedule;
  };
  for (const int member : tree.components()) {
    if (schedule(member).empty()) continue;
    if (first < 0) {
      first = member;
    } else if (schedule(member) != schedule(first)) {
      diagnostics_.error(component(member).declaration.place(),
                         fmt::format("component '{}' has the schedule {} and '{}' has {}, but signals without delay "
                                     "connect them; expected the same schedule",
                                     component(member).name, schedule(member), component(first).name, schedule(first)));
    }
  }
}

std::vector<fmi::SignalLink> GroupBuilder::joint_links(const GroupTree& tree, const std::vector<int>& members) const {
  std::vector<fmi::SignalLink> links;
  for (const int i : tree.links) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(i)];
    struct Side {
      std::size_t part = 0, interface = 0, first = 0, count = 0;
    };
    const auto side = [&](const model::Endpoint& end) {
      const auto part = part_at(checked_, end);
      const auto& interfaces = checked_.blueprints[static_cast<std::size_t>(end.component)]->interfaces;
      Side result;
      result.part =
          static_cast<std::size_t>(std::find(members.begin(), members.end(), end.component) - members.begin());
      result.interface = static_cast<std::size_t>(part.interface - interfaces.data());
      result.first = static_cast<std::size_t>(part.first - 1);
      result.count = static_cast<std::size_t>(part.size);
      return result;
    };
    const Side from = side(connection.from), to = side(connection.to);
    for (std::size_t k = 0; k < from.count; ++k) {
      links.push_back({from.part, from.interface, from.first + k, to.part, to.interface, to.first + k,
                       core::relation_of(checked_.relations[static_cast<std::size_t>(i)], k)});
    }
  }
  return links;
}

std::vector<std::unique_ptr<core::Component>> GroupBuilder::joint_members(fmi::FmuSystem& system,
                                                                          const std::vector<int>& members) const {
  const std::vector<core::Column> columns = system.system_columns();
  core::InterfaceSet& set = system.interfaces();
  std::vector<std::unique_ptr<core::Component>> made;
  std::size_t next = 0, recorded = set.columns().size();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::size_t first = system.first_interface(m), last = system.first_interface(m + 1);
    const std::size_t begin = set.first_port(first);
    const std::size_t end = last < set.size() ? set.first_port(last) : set.ports().size();
    std::vector<core::SpatialInterface*> interfaces;
    std::vector<core::InterfaceShape> shapes;
    for (std::size_t i = first; i < last; ++i) {
      shapes.push_back(set.shape(i));
      if (set.spatial(i) != nullptr) interfaces.push_back(set.spatial(i));
    }
    std::vector<std::size_t> places;
    const std::size_t own = core::InterfaceSet(shapes).columns().size();
    for (std::size_t k = 0; k < own; ++k) places.push_back(next++);
    for (std::size_t k = 0; k < system.spec_of(m).recorded.size(); ++k) places.push_back(recorded++);
    const auto index = static_cast<std::size_t>(members[m]);
    made.push_back(std::make_unique<JointMember>(model_.components[index].name, set.ports().subspan(begin, end - begin),
                                                 std::move(interfaces), columns, std::move(places), &system, m));
    made.back()->plan_recording(parts_.component_plans[index]);
  }
  return made;
}

std::vector<components::JoinedSignal> GroupBuilder::joined_signals(const GroupTree& tree,
                                                                   const std::vector<int>& members) const {
  struct Place {
    std::size_t member = 0, port = 0, count = 0;
  };
  const auto place = [&](const model::Endpoint& end) {
    const std::span<core::Port> own = ports(end);
    const core::Port* const first = assembly_.components[static_cast<std::size_t>(end.component)]->ports().data();
    return Place{static_cast<std::size_t>(std::find(members.begin(), members.end(), end.component) - members.begin()),
                 static_cast<std::size_t>(own.data() - first), own.size()};
  };
  std::vector<components::JoinedSignal> signals;
  for (const int link : tree.links) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(link)];
    const Place from = place(connection.from), to = place(connection.to);
    for (std::size_t k = 0; k < from.count; ++k)
      signals.push_back({from.member, from.port + k, to.member, to.port + k, connection.name,
                         core::relation_of(checked_.relations[static_cast<std::size_t>(link)], k)});
  }
  return signals;
}

engine::GluedMember GroupBuilder::build_joined(const GroupTree& tree) {
  const std::vector<int> members = tree.components();
  engine::GluedMember result;
  const std::vector<components::JoinedSignal> signals = joined_signals(tree, members);
  std::vector<std::unique_ptr<components::OdeModel>> equations;
  std::optional<components::SolverChoice> choice;
  for (const int member : members) {
    const auto index = static_cast<std::size_t>(member);
    add_held(parts_.component_plans[index], result);
    auto& ode = dynamic_cast<components::OdeComponent&>(*parts_.built[index]);
    // The most careful of them decides; a method is that of the first that states one.
    if (!choice) choice = ode.choice();
    if (!choice->method) choice->method = ode.choice().method;
    choice->relative_tolerance = std::min(choice->relative_tolerance, ode.choice().relative_tolerance);
    choice->largest_step = std::min(choice->largest_step, ode.choice().largest_step);
    choice->controls_efforts = choice->controls_efforts || ode.choice().controls_efforts;
    equations.push_back(ode.take_model());
  }
  auto joined = std::make_unique<components::JoinedModel>(std::move(equations), signals);
  const std::vector<core::Column> columns = joined->columns();
  std::vector<std::unique_ptr<core::Component>> owned;
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::vector<std::size_t> places(joined->first_column(m + 1) - joined->first_column(m));
    std::iota(places.begin(), places.end(), joined->first_column(m));
    const auto index = static_cast<std::size_t>(members[m]);
    owned.push_back(std::make_unique<JointMember>(model_.components[index].name, joined->ports_of(m),
                                                  std::vector<core::SpatialInterface*>{}, columns, std::move(places),
                                                  nullptr, m));
    owned.back()->plan_recording(parts_.component_plans[index]);
    assembly_.components[index] = owned.back().get();
    for (core::Port& port : joined->ports_of(m)) result.ports.push_back(&port);
  }
  const std::string name = name_of(model_, tree);
  auto whole = std::make_unique<components::OdeComponent>(name, std::move(joined), *choice);
  result.component = std::make_unique<JointGroup>(name, std::move(whole), std::move(owned));
  return result;
}

engine::GluedMember GroupBuilder::build_sampled(const GroupTree& tree, bool is_outermost) {
  const auto member_index = [&](int c) {
    const auto holds = [&](const GroupTree& member) {
      const std::vector<int> own = member.components();
      return std::find(own.begin(), own.end(), c) != own.end();
    };
    return static_cast<int>(std::find_if(tree.members.begin(), tree.members.end(), holds) - tree.members.begin());
  };
  engine::GluedMember result;
  std::vector<std::unique_ptr<core::Component>> owned;
  std::vector<engine::LayeredMember> layered;
  for (const GroupTree& member : tree.members) {
    engine::GluedMember part = build(member, false);
    add_parts(part, result);
    layered.push_back({.step = own_step(member, *part.component), .ports = part.ports, .sinks = part.sinks});
    auto* const fmu = dynamic_cast<fmi::CsSystem*>(part.component.get());
    // What holds its inputs was asked to.
    if (fmu != nullptr && follows_inputs(tree, member)) fmu->follow_inputs();
    const auto* const equal = dynamic_cast<const core::EqualSteps*>(part.component.get());
    layered.back().can_cut = equal == nullptr || equal->equal_step() == 0.0;
    owned.push_back(std::move(part.component));
  }
  // Only now: what is joined has ports of its own.
  std::vector<engine::GroupLink> links;
  std::vector<int> connection_of;  // by link
  for (const int i : tree.links) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(i)];
    const core::RecordPlan& plan = parts_.connection_plans[static_cast<std::size_t>(i)];
    if (domain_of(checked_, connection) == core::Domain::mechanical3d) {
      core::SpatialInterface &from = *spatial_at(connection.from), &to = *spatial_at(connection.to);
      links.push_back({connection.name, member_index(connection.from.component), member_index(connection.to.component),
                       &from.axis(0), &to.axis(0), connection.sampled.extrapolation, plan});
      links.back().space_a = &from, links.back().space_b = &to;
      links.back().order = order_of(connection);
      connection_of.push_back(i);
      add_held(plan, result);
      continue;
    }
    const auto from = ports(connection.from);
    const auto to = ports(connection.to);
    for (std::size_t k = 0; k < from.size(); ++k) {
      links.push_back({connection.name, member_index(connection.from.component), member_index(connection.to.component),
                       &from[k], &to[k], connection.sampled.extrapolation, plan,
                       core::relation_of(checked_.relations[static_cast<std::size_t>(i)], k)});
      links.back().order = order_of(connection);
      connection_of.push_back(i);
    }
    add_held(plan, result);
  }
  engine::GroupOptions options = group_options(tree);
  if (core::has_own_steps(options.schedule)) {
    if (options.schedule == core::Schedule::layers) check_landing(tree, layered, links);
    options.members = std::move(layered);
    options.is_outermost = is_outermost;
  }
  auto made =
      std::make_unique<engine::Group>(name_of(model_, tree), std::move(owned), std::move(links), std::move(options));
  for (std::size_t k = 0; k < connection_of.size(); ++k) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(connection_of[k])];
    if (connection.coupling == Coupling::sampled) {
      assembly_.variables.add("connections." + connection.name, connection_columns(checked_, connection),
                              {.group_link = static_cast<int>(assembly_.group_links.size())});
    }
    assembly_.group_links.push_back({.group = made.get(), .link = k, .connection = connection_of[k]});
  }
  result.component = std::move(made);
  return result;
}

engine::GluedMember GroupBuilder::build_glued(const GroupTree& tree, bool is_outermost) {
  engine::GluedMember result;
  std::vector<engine::GluedMember> members;
  std::map<int, int> member_of;  // by component
  for (std::size_t m = 0; m < tree.members.size(); ++m) {
    for (const int c : tree.members[m].components()) member_of[c] = static_cast<int>(m);
    members.push_back(build(tree.members[m], false));
    add_parts(members.back(), result);
    const core::Capabilities can = members.back().component->capabilities();
    if (can.can_snapshot) continue;
    diagnostics_.error(model_.connections[static_cast<std::size_t>(tree.links.front())].declaration.place(),
                       fmt::format("'{}' cannot be glued, because its steps cannot be repeated: {}",
                                   members.back().component->name(), can.snapshot_obstacle));
  }
  std::vector<engine::GlueSocket> sockets;
  std::vector<engine::GlueSpec> links;
  for (const int i : tree.links) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(i)];
    engine::GlueSpec spec{.name = connection.name, .joint = connection.glue.joint, .axis = connection.glue.axis};
    spec.from = sockets_at(connection.from, member_of, sockets);
    spec.to = sockets_at(connection.to, member_of, sockets);
    spec.recording = parts_.connection_plans[static_cast<std::size_t>(i)];
    if (connection.declaration.has("leads")) {
      spec.leads = connection.declaration.get("leads") == "to" ? engine::GlueLead::to : engine::GlueLead::from;
    }
    add_held(spec.recording, result);
    links.push_back(std::move(spec));
  }
  refuse_glued_twice(tree, sockets, links);
  relate_sockets(tree, links, sockets);
  core::GluingSettings settings = gluing_of(model_, tree);
  if (!settings.step_tolerance) settings.step = glue_step(model_, tree);
  auto made = std::make_unique<engine::GluedGroup>(name_of(model_, tree), std::move(members), std::move(sockets),
                                                   std::move(links), settings);
  made->set_outermost(is_outermost);
  for (std::size_t k = 0; k < tree.links.size(); ++k) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(tree.links[k])];
    assembly_.variables.add("connections." + connection.name, connection_columns(checked_, connection),
                            {.group_link = static_cast<int>(assembly_.group_links.size())});
    assembly_.group_links.push_back({.glued = made.get(), .link = k, .connection = tree.links[k]});
  }
  assembly_.gluings.push_back(made.get());
  result.component = std::move(made);
  return result;
}

/// All that is glued along one axis is counted in common terms: those of a `to` end, to which the others are related.
/// There are no rings of connections, so that each end has one relation.
void GroupBuilder::relate_sockets(const GroupTree& tree, const std::vector<engine::GlueSpec>& links,
                                  std::vector<engine::GlueSocket>& sockets) const {
  std::vector<bool> is_known(sockets.size(), false);
  for (std::size_t root = 0; root < links.size(); ++root) {
    is_known[static_cast<std::size_t>(links[root].to.front())] = true;
    for (bool has_found = true; has_found;) {
      has_found = false;
      for (std::size_t k = 0; k < links.size(); ++k) {
        const auto from = static_cast<std::size_t>(links[k].from.front());
        const auto to = static_cast<std::size_t>(links[k].to.front());
        if (is_known[from] == is_known[to]) continue;
        const core::Relation own = core::relation_of(checked_.relations[static_cast<std::size_t>(tree.links[k])], 0);
        if (is_known[to]) sockets[from].relation = core::chain_of(own, sockets[to].relation);
        if (is_known[from]) sockets[to].relation = core::chain_of(core::reverse_of(own), sockets[from].relation);
        is_known[from] = is_known[to] = has_found = true;
      }
    }
  }
}

void GroupBuilder::refuse_glued_twice(const GroupTree& tree, const std::vector<engine::GlueSocket>& sockets,
                                      const std::vector<engine::GlueSpec>& links) {
  std::map<const void*, std::string> own;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(tree.links[k])];
    for (const auto& [side, end] :
         {std::pair{&links[k].from, &connection.from}, std::pair{&links[k].to, &connection.to}}) {
      for (const int index : *side) {
        const engine::GlueSocket& socket = sockets[static_cast<std::size_t>(index)];
        const void* place = socket.interface != nullptr ? static_cast<const void*>(socket.interface) : socket.port;
        own[place] = connection.name;
        const auto inside = glued_by_.find(place);
        if (inside == glued_by_.end()) continue;
        diagnostics_.error(
            connection.declaration.place(),
            fmt::format("'{}' is already glued inside its nested model, by connection '{}', and cannot be glued again "
                        "outside it; add a second interface at the same place to its component",
                        model_.describe(*end), inside->second));
      }
    }
  }
  glued_by_.insert(own.begin(), own.end());
}

std::vector<int> GroupBuilder::sockets_at(const model::Endpoint& end, const std::map<int, int>& member_of,
                                          std::vector<engine::GlueSocket>& sockets) const {
  std::vector<engine::GlueSocket> wanted;
  const int member = member_of.at(end.component);
  core::Component& owner = *assembly_.components[static_cast<std::size_t>(end.component)];
  for (core::SpatialInterface* interface : interfaces_at(checked_, end, owner)) {
    wanted.push_back({.member = member, .interface = interface});
  }
  if (wanted.empty()) wanted.push_back({.member = member, .port = ports(end).data()});
  std::vector<int> result;
  for (const engine::GlueSocket& socket : wanted) {
    const auto found = std::find_if(sockets.begin(), sockets.end(), [&](const engine::GlueSocket& known) {
      return known.interface == socket.interface && known.port == socket.port;
    });
    result.push_back(static_cast<int>(found - sockets.begin()));
    if (found == sockets.end()) sockets.push_back(socket);
  }
  return result;
}

engine::GroupOptions GroupBuilder::group_options(const GroupTree& tree) {
  engine::GroupOptions options;
  const Connection* first = nullptr;
  for (const int i : tree.links) {
    const Connection& connection = model_.connections[static_cast<std::size_t>(i)];
    if (connection.coupling != Coupling::sampled) continue;
    if (first == nullptr) {
      first = &connection;
      options.schedule = connection.sampled.schedule;
      options.macro_step = connection.sampled.step.value_or(0.0);
    } else if (connection.sampled.schedule != first->sampled.schedule ||
               connection.sampled.step != first->sampled.step) {
      diagnostics_.error(connection.declaration.place(),
                         fmt::format("connection '{}' has a different schedule or step from '{}', but both are in one "
                                     "group of components connected without delay; expected the same",
                                     connection.name, first->name));
    }
  }
  if (const auto layers = layers_of(model_, tree)) {
    options.schedule = layers->schedule;
    options.layers = *layers;
    // Below what members' own tolerances leave, a repeated step differs by chance.
    for (const int member : tree.components()) {
      const double own = component(member).settings.tolerance.value_or(0.0);
      if (!is_fixed_step(component(member)))
        options.layers.tolerance = std::max(options.layers.tolerance, kTolerancesOfMembers * own);
    }
    return options;
  }
  if (options.schedule != core::Schedule::furthest_behind && !(options.macro_step > 0.0)) {
    diagnostics_.error(first->declaration.place(), fmt::format("connection '{}': schedule {} needs a step", first->name,
                                                               core::name_of(options.schedule)));
  }
  return options;
}

bool GroupBuilder::follows_inputs(const GroupTree& tree, const GroupTree& member) const {
  const auto layers = layers_of(model_, tree);
  if (!layers || layers->schedule != core::Schedule::layers || member.kind != GroupTree::Kind::single) return false;
  return model::options_as<kinds::FmuOptions>(component(member.component)).inputs != "hold";
}

double GroupBuilder::own_step(const GroupTree& member, const core::Component& made) const {
  if (member.kind != GroupTree::Kind::single) return 0.0;
  if (const auto* const ode = dynamic_cast<const components::OdeComponent*>(&made))
    return ode->choice().method && solvers::has_fixed_step(*ode->choice().method) ? ode->choice().fixed_step : 0.0;
  return component(member.component).settings.step.value_or(made.capabilities().fixed_step);
}

void GroupBuilder::check_landing(const GroupTree& tree, const std::vector<engine::LayeredMember>& members,
                                 const std::vector<engine::GroupLink>& links) {
  std::vector<coupling::LayerMember> own;
  for (const engine::LayeredMember& member : members) own.push_back({member.step});
  const coupling::LayerPlan plan = coupling::plan_layers(own, engine::layer_edges(links));
  for (const coupling::LayerCluster& cluster : plan.clusters) {
    for (const coupling::LayerUnit& unit : cluster.units) {
      for (const int m : unit.members) {
        const engine::LayeredMember& member = members[static_cast<std::size_t>(m)];
        if (member.can_cut || member.step == 0.0 || cluster.control_step == 0.0) continue;
        const double steps = cluster.control_step / member.step;
        if (std::abs(steps - std::round(steps)) <= kSameLanding * steps) continue;
        const model::Component& place = component(tree.members[static_cast<std::size_t>(m)].component);
        diagnostics_.error(
            place.declaration.place_of("step"),
            fmt::format("component '{}': all its steps are {:g} s long, so that none ends with the control step of "
                        "{:g} s of the layer that it is in; expected a step of {:g} s, or another one that divides it",
                        place.name, member.step, cluster.control_step, cluster.control_step / std::ceil(steps)));
      }
    }
  }
}

}  // namespace tieline::assembly
