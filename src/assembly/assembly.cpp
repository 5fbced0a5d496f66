#include "assembly/assembly.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assembly/connection_figures.hpp"
#include "assembly/group_builder.hpp"
#include "assembly/hosted_node.hpp"
#include "assembly/live_input.hpp"
#include "assembly/outer_end.hpp"
#include "assembly/prescribed_function.hpp"
#include "assembly/prescribed_motion.hpp"
#include "assembly/recording.hpp"
#include "assembly/rules.hpp"
#include "assembly/window_choice.hpp"
#include "core/spatial.hpp"
#include "lines/line.hpp"
#include "lines/signal.hpp"
#include "lines/spatial_line.hpp"
#include "solvers/stepper.hpp"

namespace tieline::assembly {
namespace {

using model::CompositeModel;
using model::Connection;
using model::Coupling;

/// Collects what is needed while an assembly is put together.
class Assembler {
 public:
  Assembler(const CheckedModel& checked, const AssemblyOptions& options, document::Diagnostics& diagnostics)
      : checked_(checked), model_(checked.model), options_(options), diagnostics_(diagnostics) {}

  std::optional<Assembly> run() {
    check_rules(checked_, diagnostics_);
    find_prescribed_ends();
    find_signals_only();
    if (diagnostics_.has_errors()) return std::nullopt;
    windows_ = choose_windows(checked_, diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    build_components();
    check_equilibria();
    if (diagnostics_.has_errors()) return std::nullopt;
    plan_tables();
    if (options_.folder && !open_writer(*options_.folder)) return std::nullopt;
    if (options_.sink_of) {
      give_sinks([&](const std::string& owner, const core::RecordPlan& plan) {
        return plan.selected.empty() ? nullptr : options_.sink_of(owner, plan.selected.size());
      });
    }
    assembly_.component_plans = component_plans_;
    assembly_.connection_plans = connection_plans_;
    wire();
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(assembly_);
  }

 private:
  [[nodiscard]] const model::Component& component(int index) const {
    return model_.components[static_cast<std::size_t>(index)];
  }
  /// Whether the component is built in this process.
  [[nodiscard]] bool is_here(std::size_t component) const {
    return !options_.only_node || node_of(component) == *options_.only_node;
  }
  /// Whether another process computes a node from the very start.
  [[nodiscard]] bool is_hosted(std::size_t node) const { return !options_.only_node && checked_.nodes[node].is_hosted; }
  /// Index of the node that a component is in.
  [[nodiscard]] int node_of(std::size_t component) const { return checked_.node_of_component[component]; }
  [[nodiscard]] int node_of(const model::Endpoint& end) const {
    return node_of(static_cast<std::size_t>(end.component));
  }

  /// What another process starts cannot be put at rest from here.
  void refuse_equilibrium(core::Component& node, std::size_t group) {
    for (core::Component* part : node.parts()) {
      if (part->equilibrium() == nullptr) continue;
      const std::vector<int>& own = checked_.nodes[group].components;
      const int index = *std::find_if(own.begin(), own.end(), [&](int i) { return component(i).name == part->name(); });
      diagnostics_.error(component(index).declaration.place(),
                         fmt::format("component '{}' cannot start in equilibrium: it is in one group with an FMU that "
                                     "runs in its own process; set isolate=\"false\" on that FMU",
                                     part->name()));
    }
  }

  [[nodiscard]] bool is_in_space(const Connection& connection) const {
    return domain_of(checked_, connection) == core::Domain::mechanical3d;
  }

  void find_prescribed_ends() {
    std::vector<std::string> live = options_.live;
    for (const OuterPlace& place : options_.outer) live.push_back(place.name);
    unstated_ = unstated_ends(checked_, live);
    for (const PrescribedEnd& end : checked_.prescribed_ends) prescribed_.push_back(&end);
    for (const PrescribedEnd& end : unstated_) prescribed_.push_back(&end);
    for (const PrescribedEnd& end : unstated_) refuse_live_program(checked_, end, diagnostics_);
  }

  void find_signals_only() {
    has_signals_only_.assign(model_.components.size(), true);
    const auto note = [&](const model::Endpoint& end) {
      if (part_at(checked_, end).interface->domain == core::Domain::signal) return;
      has_signals_only_[static_cast<std::size_t>(end.component)] = false;
    };
    for (const Connection& connection : model_.connections) note(connection.from), note(connection.to);
    for (const PrescribedEnd* end : prescribed_) note(end->of);
  }

  [[nodiscard]] components::SolverChoice solver_choice(const model::Component& c, double window) {
    components::SolverChoice choice;
    const std::string solver = c.settings.solver.value_or("auto");
    if (solver != "auto") choice.method = solvers::method_from_name(solver);
    choice.relative_tolerance = c.settings.tolerance.value_or(choice.relative_tolerance);
    choice.largest_step = c.settings.largest_step.value_or(choice.largest_step);
    choice.controls_efforts = c.settings.controls_efforts.value_or(choice.controls_efforts);
    choice.fixed_step = c.settings.step.value_or(0.0);
    choice.window_hint = window;
    return choice;
  }

  void build_components() {
    std::vector<double> windows, refinements;
    for (std::size_t g = 0; g < checked_.nodes.size(); ++g) {
      if (!std::isinf(windows_.shortest_delays[g])) windows.push_back(windows_.windows[g]);
    }
    if (windows.empty()) windows = windows_.windows;
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      if (!is_undelayed(model_.connections[i])) refinements.push_back(delay_of(checked_, i));
    }
    const std::optional<double> save = model_.simulation.save_interval;
    if (save) refinements.push_back(*save);
    const auto covering =
        core::TimeGrid::covering(model_.simulation.start, model_.simulation.stop, windows, refinements);
    core::Tick save_ticks = 0;
    if (save) save_ticks = std::max<core::Tick>(1, static_cast<core::Tick>(std::round(*save / covering.tick_length())));
    const core::TimeGrid grid = ending_on_save_point(covering, save_ticks);
    assembly_.engine = std::make_unique<engine::Engine>(grid, save_ticks);
    built_.resize(model_.components.size());
    assembly_.components.resize(model_.components.size());
    assembly_.reported.resize(model_.components.size());
    assembly_.facts.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!is_here(i)) continue;
      const model::Component& c = model_.components[i];
      const auto node = static_cast<std::size_t>(node_of(i));
      const GroupTree& tree = checked_.nodes[node].tree;
      const double window = windows_.windows[node];
      const double step = tree.kind == GroupTree::Kind::glued ? glue_step(model_, tree).value_or(window) : window;
      const kinds::Blueprint& blueprint = *checked_.blueprints[i];
      kinds::BuildRequest request{.name = c.name,
                                  .choice = solver_choice(c, std::min(step, window)),
                                  .placement = c.placement,
                                  .start = grid.start(),
                                  .stop = grid.stop(),
                                  .has_signals_only = has_signals_only_[i],
                                  .on_message = options_.on_message,
                                  .motions = given_motions(prescribed_, static_cast<int>(i)),
                                  .end_frames = blueprint.end_frames};
      if (!request.motions.empty() && !motions_fit(i, request)) continue;
      built_[i] = is_hosted(node) && blueprint.build_far ? blueprint.build_far(c.name) : blueprint.build(request);
      assembly_.components[i] = built_[i].get();
    }
  }

  /// Whether the motions that open ends give a component start where it is.
  bool motions_fit(std::size_t component, const kinds::BuildRequest& request) {
    const auto& problem_of = checked_.blueprints[component]->motion_problem;
    const std::string problem = problem_of ? problem_of(request) : "";
    if (problem.empty()) return true;
    const auto first = std::find_if(prescribed_.begin(), prescribed_.end(), [&](const PrescribedEnd* end) {
      return end->of.component == static_cast<int>(component) && end->is_in_space && end->gives_motion &&
             !end->takes_motion;
    });
    diagnostics_.error((*first)->place, problem);
    return false;
  }

  /// Forces and torques at an interface in space, in world axes.
  void give_wrench(const PrescribedEnd& end, double start, double stop) {
    core::SpatialInterface& space = *spatial_end(end.of);
    space.couple_in_world_axes();
    for (std::size_t k = 0; k < end.sources.size(); ++k) {
      const PrescribedEnd::Source& source = end.sources[k];
      core::Port& axis = space.axis(k);
      axis.incoming = source.function || source.track.empty() ? wave::Track() : extended(source.track, start, stop);
      if (source.function) {
        assembly_.engine->add_feed(node_of(end.of), axis,
                                   std::make_unique<PrescribedFunction>(*source.function, start, stop));
      }
    }
  }

  /// The motion of an interface in space that takes one.
  void give_motion(const PrescribedEnd& end, double start, double stop) {
    core::SpatialInterface& space = *spatial_end(end.of);
    MotionKnots knots(end, start, stop);
    if (space.start()) {
      const auto first = MotionKnots(knots).next();
      if (const auto apart = core::describe_mismatch(*space.start(), first->state.pose)) {
        diagnostics_.error(end.place, fmt::format("the motion given at '{}' does not start where it is placed: {}",
                                                  model_.describe(end.of), *apart));
        return;
      }
    }
    const int node = node_of(end.of);
    assembly_.engine->add_feed(node, space.axis(0), std::make_unique<PrescribedMotion>(std::move(knots), space));
    for (std::size_t k = 1; k < core::SpatialInterface::kPorts; ++k) {
      core::Port& port =
          k < core::SpatialInterface::kAxes ? space.axis(k) : space.turn(k - core::SpatialInterface::kAxes);
      assembly_.engine->add_feed(node, port, std::make_unique<DrawnByOther>());
    }
  }

  /// An open end is a port with a law and a track of its own, which nobody else touches.
  void give_open_ends() {
    const double start = model_.simulation.start;
    // Beyond the stop the last value holds.
    const double stop = std::max(assembly_.engine->windows().grid.stop(), start);
    for (const PrescribedEnd* prescribed : prescribed_) {
      const PrescribedEnd& end = *prescribed;
      if (!is_here(static_cast<std::size_t>(end.of.component))) continue;
      if (end.is_in_space) {
        if (!end.gives_motion) give_wrench(end, start, stop);
        if (end.takes_motion) give_motion(end, start, stop);
        continue;
      }
      const auto open = ports(end.of);
      if (open.empty()) continue;
      if (end.gives_motion) open.front().law = {0.0, 1.0};
      for (std::size_t k = 0; k < open.size(); ++k) {
        const PrescribedEnd::Source& source = end.sources[k];
        std::unique_ptr<core::PortFeed> function;
        if (source.function) function = std::make_unique<PrescribedFunction>(*source.function, start, stop);
        wave::Track track =
            source.function || source.track.empty() ? wave::Track() : extended(source.track, start, stop);
        const std::string name = number_name(checked_, end.of, k);
        const auto outer = std::find_if(options_.outer.begin(), options_.outer.end(),
                                        [&](const OuterPlace& place) { return place.name == name; });
        if (outer != options_.outer.end()) {
          if (outer->impedance) open[k].law = {1.0, *outer->impedance};
          open[k].is_connected = outer->impedance.has_value();
          assembly_.engine->add_feed(node_of(end.of), open[k], std::make_unique<OuterFeed>(*outer->end, start));
          continue;
        }
        if (std::find(options_.live.begin(), options_.live.end(), name) != options_.live.end()) {
          open[k].incoming = wave::Track(track.interpolation());
          auto live = std::make_unique<LiveInput>(LiveInput::Stated{std::move(function), std::move(track)}, start);
          assembly_.live_inputs[name] = live.get();
          assembly_.engine->add_feed(node_of(end.of), open[k], std::move(live));
          continue;
        }
        open[k].incoming = std::move(track);
        if (function) assembly_.engine->add_feed(node_of(end.of), open[k], std::move(function));
      }
    }
  }

  void give_outer_spaces() {
    for (const OuterSpace& space : options_.outer_spaces) {
      const auto end = space_named(checked_, space.name);
      if (!end) continue;
      core::Component& component = *assembly_.components[static_cast<std::size_t>(end->component)];
      core::SpatialInterface& interface = *interfaces_at(checked_, *end, component).front();
      interface.couple_in_world_axes();
      for (std::size_t k = 0; k < core::SpatialInterface::kAxes; ++k) {
        core::Port& axis = interface.axis(k);
        axis.law = {1.0, k < 3 ? space.impedance.value_or(0.0) : space.turning_impedance};
        axis.is_connected = space.impedance.has_value();
        assembly_.engine->add_feed(node_of(*end), axis,
                                   std::make_unique<OuterFeed>(*space.ends[k], model_.simulation.start));
      }
    }
  }

  void add_table(const std::string& owner, std::span<const core::Column> columns, core::RecordPlan& plan) {
    if (plan.selected.empty()) return;
    results::TableDeclaration table{owner, {}};
    for (const int k : plan.selected) table.columns.push_back(columns[static_cast<std::size_t>(k)]);
    const model::SimulationSettings& simulation = model_.simulation;
    const double duration = simulation.stop - simulation.start;
    // How many rows a run has that records each step is not known before.
    if (plan.interval > 0.0)
      expected_bytes_ += duration / plan.interval * static_cast<double>((table.columns.size() + 1) * sizeof(double));
    tables_.push_back(std::move(table));
  }

  void plan_tables() {
    component_plans_.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!is_here(i)) continue;
      const auto columns = built_[i]->columns();
      component_plans_[i] = record_plan(model_.simulation, model_.components[i].name, columns,
                                        model_.components[i].settings.write_interval);
      add_table(model_.components[i].name, columns, component_plans_[i]);
      assembly_.variables.add(model_.components[i].name, columns, {.component = static_cast<int>(i)});
    }
    connection_plans_.resize(model_.connections.size());
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const Connection& connection = model_.connections[i];
      if (connection.coupling == Coupling::signal) continue;
      const auto columns = connection_columns(checked_, connection);
      const std::string owner = "connections." + connection.name;
      connection_plans_[i] = record_plan(model_.simulation, owner, columns, std::nullopt);
      add_table(owner, columns, connection_plans_[i]);
    }
  }

  /// A disk that would be full before the end of the run.
  void warn_of_room(const std::filesystem::path& folder) {
    std::error_code failure;
    const auto room = std::filesystem::space(folder, failure);
    if (failure || !options_.on_message || expected_bytes_ < static_cast<double>(room.available)) return;
    constexpr double kGigabyte = 1e9;
    options_.on_message(
        fmt::format("warning: the results will take about {:.3g} GB, and the disk of '{}' has {:.3g} GB left; record "
                    "fewer variables (<Record>, <Exclude>) or use a longer write_interval",
                    expected_bytes_ / kGigabyte, folder.string(), static_cast<double>(room.available) / kGigabyte));
  }

  bool open_writer(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      diagnostics_.error({folder.string(), 0, 0}, "cannot create the result folder: " + error.message());
      return false;
    }
    warn_of_room(folder);
    auto writer = results::ResultWriter::create(folder / results::kResultFileName, tables_);
    if (!writer) {
      diagnostics_.error({folder.string(), 0, 0}, writer.error().describe());
      return false;
    }
    assembly_.writer = std::move(*writer);
    give_sinks([&](const std::string& owner, const core::RecordPlan&) { return assembly_.writer->find_sink(owner); });
    return true;
  }

  /// Gives everybody the place where its rows go. Those of a connection are written by who has its `to` end.
  template <class SinkOf>
  void give_sinks(SinkOf&& sink_of) {
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!is_here(i)) continue;
      component_plans_[i].sink = sink_of(model_.components[i].name, component_plans_[i]);
      if (checked_.nodes[static_cast<std::size_t>(node_of(i))].tree.repeats_steps(model_))
        hold_back(component_plans_[i]);
      built_[i]->plan_recording(component_plans_[i]);
    }
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      if (!is_here(static_cast<std::size_t>(model_.connections[i].to.component))) continue;
      connection_plans_[i].sink = sink_of("connections." + model_.connections[i].name, connection_plans_[i]);
    }
    for (const Node& node : checked_.nodes) {
      if (!node.tree.has_glue()) continue;
      for (const GroupTree& member : node.tree.members) hold_back_links(member);
    }
  }

  /// Rows of what may have to repeat its steps wait until these are accepted.
  void hold_back(core::RecordPlan& plan) {
    if (plan.sink == nullptr) return;
    assembly_.held_sinks.push_back(std::make_unique<engine::HeldSink>(*plan.sink));
    plan.sink = assembly_.held_sinks.back().get();
  }
  void hold_back_links(const GroupTree& tree) {
    for (const int link : tree.links) hold_back(connection_plans_[static_cast<std::size_t>(link)]);
    for (const GroupTree& member : tree.members) hold_back_links(member);
  }

  [[nodiscard]] std::span<core::Port> ports(const model::Endpoint& end) {
    if (!is_here(static_cast<std::size_t>(end.component))) return stand_in(end).ports;
    return ports_at(checked_, end, *assembly_.components[static_cast<std::size_t>(end.component)]);
  }
  [[nodiscard]] core::Port* port(const model::Endpoint& end) { return ports(end).data(); }

  /// What stands for an end in another process: ports that nobody reads or writes.
  StandIn& stand_in(const model::Endpoint& end) {
    const model::InterfacePart part = part_at(checked_, end);
    const model::InterfaceInfo& interface = *part.interface;
    auto made = std::make_unique<StandIn>();
    if (interface.domain == core::Domain::mechanical3d) {
      made->ports = core::SpatialInterface::make_ports(interface.name);
      made->interfaces.emplace_back(interface.name, std::span<core::Port, core::SpatialInterface::kPorts>(made->ports));
    } else {
      // As many as the connection has, which may join one member of a signal.
      made->ports.resize(static_cast<std::size_t>(std::max(1, part.size)));
      for (core::Port& port : made->ports) port.domain = interface.domain;
    }
    assembly_.stand_ins.push_back(std::move(made));
    return *assembly_.stand_ins.back();
  }

  [[nodiscard]] core::SpatialInterface* spatial_end(const model::Endpoint& end) {
    if (!is_here(static_cast<std::size_t>(end.component))) return &stand_in(end).interfaces.front();
    return interfaces_at(checked_, end, *assembly_.components[static_cast<std::size_t>(end.component)]).front();
  }

  /// What a signal input is until a delayed signal has arrived, by number of the part that is connected.
  [[nodiscard]] std::vector<double> starts_at(const model::Endpoint& end) const {
    const model::InterfacePart part = part_at(checked_, end);
    const std::vector<double>& all = part.interface->starts;
    const auto first = static_cast<std::size_t>(part.first - 1), count = static_cast<std::size_t>(part.size);
    if (all.size() < first + count) return {};
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + count)};
  }

  [[nodiscard]] std::unique_ptr<lines::Connection> make_connection(std::size_t index) {
    const Connection& connection = model_.connections[index];
    const core::TimeGrid& grid = assembly_.engine->windows().grid;
    const int from_node = node_of(connection.from);
    const int to_node = node_of(connection.to);
    if (connection.coupling != Coupling::line) {
      return std::make_unique<lines::Signal>(
          lines::SignalSpec{connection.name, from_node, to_node, ports(connection.from), ports(connection.to),
                            delay_of(checked_, index), starts_at(connection.to), checked_.relations[index]},
          grid);
    }
    if (is_in_space(connection)) {
      const StartLoad load = start_load(checked_, connection);
      return std::make_unique<lines::SpatialLine>(lines::SpatialLineSpec{.name = connection.name,
                                                                         .from_node = from_node,
                                                                         .to_node = to_node,
                                                                         .from = spatial_end(connection.from),
                                                                         .to = spatial_end(connection.to),
                                                                         .figures = *checked_.figures[index].spatial,
                                                                         .initial_force = load.force,
                                                                         .initial_torque = load.torque,
                                                                         .recording = connection_plans_[index]},
                                                  grid);
    }
    return std::make_unique<lines::Line>(
        lines::LineSpec{connection.name, from_node, to_node, port(connection.from), port(connection.to),
                        *checked_.figures[index].line, connection.line.initial_force, connection_plans_[index],
                        core::relation_of(checked_.relations[index], 0)},
        grid);
  }

  void wire() {
    assembly_.connection_index.assign(model_.connections.size(), -1);
    GroupBuilder builder(checked_, assembly_, diagnostics_,
                         {std::move(built_), component_plans_, connection_plans_, has_signals_only_});
    for (std::size_t g = 0; g < checked_.nodes.size(); ++g) {
      if (options_.only_node && *options_.only_node != static_cast<int>(g)) {
        assembly_.engine->add_remote_node({.name = checked_.nodes[g].name, .window = windows_.windows[g]});
      } else {
        auto node = builder.build(checked_.nodes[g].tree);
        if (is_hosted(g)) refuse_equilibrium(*node, g);
        if (is_hosted(g)) node = std::make_unique<HostedNode>(std::move(node));
        assembly_.engine->add_node(std::move(node), windows_.windows[g]);
      }
    }
    give_open_ends();
    give_outer_spaces();
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      if (is_undelayed(model_.connections[i])) continue;
      const int index = assembly_.engine->add_connection(make_connection(i));
      assembly_.connection_index[i] = index;
      assembly_.variables.add("connections." + model_.connections[i].name,
                              assembly_.engine->connection(index).columns(), {.connection = index});
    }
  }

  /// Names what cannot move to a common place of rest and is joined to something that does.
  void note_bystanders() {
    for (const Connection& connection : model_.connections) {
      if (connection.coupling != Coupling::line) continue;
      const std::pair there{&connection.from, &connection.to}, back{&connection.to, &connection.from};
      for (const auto& [end, other] : {there, back}) {
        const auto own = static_cast<std::size_t>(end->component), partner = static_cast<std::size_t>(other->component);
        if (built_[own] == nullptr || built_[own]->equilibrium() == nullptr) continue;
        const kinds::Blueprint& of = *checked_.blueprints[partner];
        if (of.equilibrium_obstacle.empty()) continue;
        diagnostics_.note(
            connection.declaration.place(),
            fmt::format("component '{}' starts in equilibrium with '{}' as it stands at its own start: {}",
                        component(end->component).name, component(other->component).name, of.equilibrium_obstacle));
      }
    }
  }

  /// What another process starts cannot be moved from here.
  void refuse_hosted_equilibria() {
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!checked_.blueprints[i]->starts_in_equilibrium || !is_hosted(static_cast<std::size_t>(node_of(i)))) continue;
      diagnostics_.error(
          component(static_cast<int>(i)).declaration.place(),
          fmt::format("component '{}' cannot start in equilibrium: its FMU runs in a process of its own, "
                      "where it cannot be moved; set isolate=\"false\" on the component",
                      component(static_cast<int>(i)).name));
    }
  }

  /// What a motion is given to has no place of its own to be found, and of what slides none is known.
  void refuse_glued_equilibria() {
    if (std::none_of(built_.begin(), built_.end(),
                     [](const auto& built) { return built != nullptr && built->equilibrium() != nullptr; }))
      return;
    for (const Node& node : checked_.nodes) {
      if (node.is_hosted) continue;
      for (const int link : node.links) {
        const Connection& connection = model_.connections[static_cast<std::size_t>(link)];
        if (connection.coupling != Coupling::glue) continue;
        const bool has_motion_side =
            part_at(checked_, connection.from).interface->causality == core::Causality::takes_motion ||
            part_at(checked_, connection.to).interface->causality == core::Causality::takes_motion;
        const core::GlueJoint joint = connection.glue.joint;
        const bool slides = joint == core::GlueJoint::prismatic || joint == core::GlueJoint::cylindrical;
        if (!has_motion_side && !slides) continue;
        diagnostics_.error(
            connection.declaration.place(),
            fmt::format("what connection '{}' glues cannot start in equilibrium: {}; connect it by a line, or let all "
                        "components start as placed",
                        connection.name, slides ? "its joint slides" : "a side of it takes motion"));
      }
    }
  }

  /// Members of a group are joined without lines, and so without springs to be at rest on.
  void check_equilibria() {
    note_bystanders();
    refuse_hosted_equilibria();
    refuse_glued_equilibria();
    for (const Node& node : checked_.nodes) {
      const bool is_sampled = std::any_of(node.links.begin(), node.links.end(), [&](int link) {
        return model_.connections[static_cast<std::size_t>(link)].coupling != Coupling::glue;
      });
      if (!is_sampled) continue;
      for (const int member : node.components) {
        const auto& component_here = built_[static_cast<std::size_t>(member)];
        if (component_here == nullptr || component_here->equilibrium() == nullptr) continue;
        diagnostics_.error(component(member).declaration.place(),
                           fmt::format("component '{}' cannot start in equilibrium: it is connected without a delay; "
                                       "let it start as placed, or connect it by lines or glue",
                                       component(member).name));
      }
    }
  }

  const CheckedModel& checked_;
  const CompositeModel& model_;
  const AssemblyOptions& options_;
  document::Diagnostics& diagnostics_;
  Assembly assembly_;
  WindowChoice windows_;
  std::vector<PrescribedEnd> unstated_;           ///< live inputs for which the model states nothing
  std::vector<const PrescribedEnd*> prescribed_;  ///< those of the model, and these
  std::vector<bool> has_signals_only_;            ///< by component: nothing else is joined to it, or prescribed
  std::vector<std::unique_ptr<core::Component>> built_;
  std::vector<core::RecordPlan> component_plans_, connection_plans_;
  std::vector<results::TableDeclaration> tables_;
  double expected_bytes_ = 0.0;  ///< of all rows at fixed intervals
};

}  // namespace

std::optional<Assembly> assemble(const CheckedModel& checked, const AssemblyOptions& options,
                                 document::Diagnostics& diagnostics) {
  return Assembler(checked, options, diagnostics).run();
}

std::vector<core::Fact> facts_of(const Assembly& assembly, std::size_t component) {
  std::vector<core::Fact> facts = assembly.facts[component];
  if (const auto& reported = assembly.reported[component])
    facts.insert(facts.end(), reported->facts.begin(), reported->facts.end());
  if (const auto* const reporting = dynamic_cast<const core::FactSource*>(assembly.components[component])) {
    const auto own = reporting->facts();
    facts.insert(facts.end(), own.begin(), own.end());
  }
  return facts;
}

core::Statistics statistics_of(const Assembly& assembly, std::size_t component) {
  core::Statistics result = assembly.components[component]->statistics();
  if (assembly.reported[component]) result.add(assembly.reported[component]->statistics);
  return result;
}

core::StepErrors step_errors_of(const Assembly& assembly, std::size_t component) {
  if (const auto& reported = assembly.reported[component]) return reported->step_errors;
  const auto* const checking = dynamic_cast<const core::SelfChecking*>(assembly.components[component]);
  return checking != nullptr ? checking->step_errors() : core::StepErrors{};
}

std::optional<core::Energy> energy_of(const Assembly& assembly, std::size_t component) {
  const auto& reported = assembly.reported[component];
  return reported ? reported->energy : assembly.components[component]->energy();
}

std::vector<double> values_of(const Assembly& assembly, std::size_t component) {
  if (const auto& reported = assembly.reported[component]) return reported->values;
  std::vector<double> values(assembly.components[component]->columns().size());
  assembly.components[component]->current_values(values);
  return values;
}

}  // namespace tieline::assembly
