#include "assembly/assembly.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assembly/connection_figures.hpp"
#include "assembly/group_builder.hpp"
#include "assembly/hosted_node.hpp"
#include "assembly/live_input.hpp"
#include "assembly/open_ends.hpp"
#include "core/spatial.hpp"
#include "results/glob.hpp"
#include "solvers/stepper.hpp"

namespace tieline::assembly {
namespace {

using model::CompositeModel;
using model::Connection;
using model::Coupling;

// A component without delayed connections needs no windows; these serve progress and cancellation.
constexpr double kFreeWindows = 200.0;
// Knots of a given function that a window of such a component may hold, so that memory does not follow the run's
// length.
constexpr std::size_t kGivenKnots = 1024;
// More windows than a run can ever compute: a delay is mistyped.
constexpr double kMostWindows = 1e14;
// Rows of a result table where the model states no interval.
constexpr double kDefaultRows = 1000.0;

/// Collects what is needed while an assembly is put together.
class Assembler {
 public:
  Assembler(const CheckedModel& checked, const AssemblyOptions& options, document::Diagnostics& diagnostics)
      : checked_(checked), model_(checked.model), options_(options), diagnostics_(diagnostics) {}

  std::optional<Assembly> run() {
    trees_ = form_groups(model_);
    hosted_ = hosted_nodes(model_, trees_);
    node_of_.assign(model_.components.size(), -1);
    for (std::size_t g = 0; g < trees_.size(); ++g) {
      groups_.push_back(trees_[g].components());
      for (const int member : groups_[g]) node_of_[static_cast<std::size_t>(member)] = static_cast<int>(g);
    }
    refuse_twins();
    find_links();
    read_given_ends();
    find_signals_only();
    derive_lines();
    check_glue_steps();
    if (diagnostics_.has_errors()) return std::nullopt;
    choose_windows();
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
    return !options_.only_node || node_of_[component] == *options_.only_node;
  }
  /// Whether another process computes a node from the very start.
  [[nodiscard]] bool is_hosted(std::size_t node) const { return !options_.only_node && hosted_[node]; }
  [[nodiscard]] double duration() const { return model_.simulation.stop - model_.simulation.start; }

  /// What another process starts cannot be put at rest from here.
  void refuse_equilibrium(core::Component& node, std::size_t group) {
    for (core::Component* part : node.parts()) {
      if (part->equilibrium() == nullptr) continue;
      const int index = *std::find_if(groups_[group].begin(), groups_[group].end(), [&](int i) {
        return model_.components[static_cast<std::size_t>(i)].name == part->name();
      });
      diagnostics_.error(
          component(index).declaration.place(),
          fmt::format("component '{}' is to start in equilibrium, which is not possible in one group with "
                      "an FMU that has a process of its own; state isolate=\"false\" there",
                      part->name()));
    }
  }

  /// Files of which a process can have one only, and components that would share one.
  void refuse_twins() {
    std::map<std::pair<int, std::filesystem::path>, std::string> users;
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!checked_.blueprints[i] || checked_.blueprints[i]->once_per_process.empty()) continue;
      const auto node = static_cast<std::size_t>(node_of_[i]);
      const int process = hosted_[node] ? node_of_[i] : -1;  // of its own, or this one
      const auto [other, is_first] =
          users.try_emplace({process, checked_.blueprints[i]->once_per_process}, model_.components[i].name);
      if (is_first) continue;
      diagnostics_.error(
          model_.components[i].declaration.place(),
          fmt::format(
              "'{}' and '{}' are of one FMU that can be instantiated only once per process, but would share one; "
              "give them processes of their own (isolate, and a delay between them)",
              other->second, model_.components[i].name));
    }
  }

  void derive_lines() {
    figures_.resize(model_.connections.size());
    spatial_figures_.resize(model_.connections.size());
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const Connection& connection = model_.connections[i];
      if (connection.coupling != Coupling::line) continue;
      std::string problem;
      if (is_in_space(connection)) {
        spatial_figures_[i] = spatial_figures(connection, problem);
        if (spatial_figures_[i]) {
          figures_[i] = spatial_figures_[i]->translation;
          continue;
        }
      }
      const auto figures = is_in_space(connection) ? std::nullopt : line_figures(checked_, connection, problem);
      if (!figures) {
        diagnostics_.error(connection.declaration.place(),
                           fmt::format("connection '{}': {}", connection.name, problem));
        continue;
      }
      figures_[i] = *figures;
    }
  }

  [[nodiscard]] bool is_in_space(const Connection& connection) const {
    return domain_of(checked_, connection) == core::Domain::mechanical3d;
  }

  [[nodiscard]] double delay_of(std::size_t connection) const {
    const Connection& c = model_.connections[connection];
    return c.coupling == Coupling::line ? figures_[connection].law.delay : c.delay.value_or(0.0);
  }

  void read_given_ends() {
    const auto interfaces_of = [&](int index) -> model::ComponentInterfaces {
      return {.interfaces = checked_.blueprints[static_cast<std::size_t>(index)]->interfaces};
    };
    given_ends_ = given_ends(model_, interfaces_of, diagnostics_);
    add_unstated_ends(checked_, options_.live, given_ends_);
    for (const GivenEnd& end : given_ends_) {
      const model::Component& c = component(end.of.component);
      if (c.kind != model::kProcessKind) continue;
      diagnostics_.error(
          c.declaration.place(),
          fmt::format("'{}' is given what acts there, which cannot be passed on to a program; expected a "
                      "connection to a component that gives it, or a free end",
                      model_.describe(end.of)));
    }
  }

  void find_signals_only() {
    has_signals_only_.assign(model_.components.size(), true);
    const auto note = [&](const model::Endpoint& end) {
      if (part_at(checked_, end).interface->domain == core::Domain::signal) return;
      has_signals_only_[static_cast<std::size_t>(end.component)] = false;
    };
    for (const Connection& connection : model_.connections) note(connection.from), note(connection.to);
    for (const GivenEnd& end : given_ends_) note(end.of);
  }

  /// How long the functions that a node is given last with kGivenKnots knots.
  [[nodiscard]] double given_stretch(std::size_t group) const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const GivenEnd& end : given_ends_) {
      if (node_of_[static_cast<std::size_t>(end.of.component)] != static_cast<int>(group)) continue;
      for (const GivenEnd::Source& source : end.sources) {
        if (source.function) shortest = std::min(shortest, source.function->stretch_of(kGivenKnots));
      }
    }
    return shortest;
  }

  /// Half the shortest delay of each node by default, never more than one delay.
  void choose_windows() {
    shortest_delay_.assign(groups_.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const Connection& connection = model_.connections[i];
      if (is_undelayed(connection)) continue;
      for (const int end : {connection.from.component, connection.to.component}) {
        double& shortest = shortest_delay_[static_cast<std::size_t>(node_of_[static_cast<std::size_t>(end)])];
        shortest = std::min(shortest, delay_of(i));
      }
    }
    windows_.resize(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const bool is_free = std::isinf(shortest_delay_[g]);
      double window = is_free ? std::min(duration() / kFreeWindows, given_stretch(g)) : 0.5 * shortest_delay_[g];
      // Whole steps, where these are stated, so that windows do not cut them.
      const auto hold_whole = [&](std::optional<double> step) {
        if (is_free && step && *step > 0.0) window = *step * std::max(1.0, std::floor(window / *step * (1.0 + 1e-12)));
      };
      for (const int link : links_[g]) hold_whole(model_.connections[static_cast<std::size_t>(link)].sampled.step);
      if (trees_[g].kind == GroupTree::Kind::glued) hold_whole(glue_step(model_, trees_[g]));
      if (trees_[g].kind == GroupTree::Kind::single) hold_whole(component(trees_[g].component).settings.step);
      double stated = std::numeric_limits<double>::infinity();
      for (const int member : groups_[g]) stated = std::min(stated, component(member).settings.window.value_or(stated));
      if (!std::isinf(stated)) {
        if (stated > shortest_delay_[g] * (1.0 + 1e-12)) {
          const model::Component& first = component(groups_[g].front());
          diagnostics_.error(
              first.declaration.place_of("window"),
              fmt::format("component '{}': the window of {:g} s is longer than the shortest delay of its "
                          "connections, {:g} s; expected at most that",
                          first.name, stated, shortest_delay_[g]));
        }
        window = stated;
      }
      if (duration() / window > kMostWindows) {
        const model::Component& first = component(groups_[g].front());
        diagnostics_.error(
            first.declaration.place(),
            fmt::format("component '{}': {:g} s of simulated time would take {:.2g} windows of {:g} s, half "
                        "the shortest delay of its connections; expected at most {:g} windows",
                        first.name, duration(), duration() / window, window, kMostWindows));
      }
      windows_[g] = window;
    }
  }

  /// A gluing that nobody drives must know its step.
  void check_glue_steps() {
    for (const GroupTree& tree : trees_) {
      if (tree.kind != GroupTree::Kind::glued || glue_step(model_, tree) || gluing_of(model_, tree).step_tolerance)
        continue;
      const Connection& first = model_.connections[static_cast<std::size_t>(tree.links.front())];
      diagnostics_.error(
          first.declaration.place(),
          fmt::format("connection '{}' is glued, but no step is stated, nor do all glued components state "
                      "the same; expected <Gluing step=\"...\"/> or <Gluing step_tolerance=\"...\"/>",
                      first.name));
    }
  }

  [[nodiscard]] components::SolverChoice solver_choice(const model::Component& c, double window) {
    components::SolverChoice choice;
    const std::string solver = c.settings.solver.value_or("auto");
    if (solver != "auto") choice.method = solvers::method_from_name(solver);
    if (solver != "auto" && !choice.method) {
      const auto names = solvers::all_method_names();
      diagnostics_.error(c.declaration.place_of("solver"),
                         fmt::format("unknown solver '{}'; expected auto, {}", solver, fmt::join(names, ", ")));
    }
    choice.relative_tolerance = c.settings.tolerance.value_or(choice.relative_tolerance);
    choice.largest_step = c.settings.largest_step.value_or(choice.largest_step);
    choice.fixed_step = c.settings.step.value_or(0.0);
    if (choice.method == solvers::Method::rk4 && !(choice.fixed_step > 0.0)) {
      diagnostics_.error(c.declaration.place(), fmt::format("component '{}': solver rk4 needs a step", c.name));
    }
    choice.window_hint = window;
    return choice;
  }

  /// A multistep method takes its history for smooth; among partners whose values are guessed from step to step it is
  /// not.
  void refuse_multistep_in_group(const model::Component& c, int group) {
    const std::string solver = c.settings.solver.value_or("auto");
    const auto method = solvers::method_from_name(solver);
    if (links_[static_cast<std::size_t>(group)].empty() || !method || !solvers::is_multistep(*method)) return;
    diagnostics_.error(
        c.declaration.place_of("solver"),
        fmt::format("component '{}' is joined to others without delay, where its solver {} cannot be used; "
                    "expected auto, dopri5, radau5 or rk4, or a delay in its connections",
                    c.name, solver));
  }

  void build_components() {
    std::vector<double> windows, wishes;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!std::isinf(shortest_delay_[g])) windows.push_back(windows_[g]);
    }
    if (windows.empty()) windows = windows_;
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      if (!is_undelayed(model_.connections[i])) wishes.push_back(delay_of(i));
    }
    const std::optional<double> save = model_.simulation.save_interval;
    if (save) wishes.push_back(*save);
    const auto grid = core::TimeGrid::covering(model_.simulation.start, model_.simulation.stop, windows, wishes);
    core::Tick save_ticks = 0;
    if (save) save_ticks = std::max<core::Tick>(1, static_cast<core::Tick>(std::round(*save / grid.tick_length())));
    assembly_.engine = std::make_unique<engine::Engine>(grid, save_ticks);
    built_.resize(model_.components.size());
    assembly_.components.resize(model_.components.size());
    assembly_.told.resize(model_.components.size());
    assembly_.facts.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!is_here(i)) continue;
      const model::Component& c = model_.components[i];
      refuse_multistep_in_group(c, node_of_[i]);
      const auto node = static_cast<std::size_t>(node_of_[i]);
      const double step = trees_[node].kind == GroupTree::Kind::glued
                              ? glue_step(model_, trees_[node]).value_or(windows_[node])
                              : windows_[node];
      const kinds::Blueprint& blueprint = *checked_.blueprints[i];
      built_[i] = is_hosted(node) && blueprint.build_far
                      ? blueprint.build_far(c.name)
                      : blueprint.build({.name = c.name,
                                         .choice = solver_choice(c, std::min(step, windows_[node])),
                                         .placement = c.placement,
                                         .stop = model_.simulation.stop,
                                         .has_signals_only = has_signals_only_[i],
                                         .on_message = options_.on_message});
      assembly_.components[i] = built_[i].get();
    }
    assembly_.node_of_component = node_of_;
  }

  /// An open end is a port with a law and a track of its own, which nobody else touches.
  void give_open_ends() {
    for (GivenEnd& end : given_ends_) {
      if (!is_here(static_cast<std::size_t>(end.of.component))) continue;
      const auto open = ports(end.of);
      if (open.empty()) continue;
      if (end.gives_motion) open.front().law = {0.0, 1.0};
      const int node = node_of_[static_cast<std::size_t>(end.of.component)];
      for (std::size_t k = 0; k < open.size(); ++k) {
        GivenEnd::Source& source = end.sources[k];
        if (give_live_input(number_name(checked_, end.of, k), node, open[k], source)) continue;
        open[k].incoming = std::move(source.track);
        if (source.function) assembly_.engine->add_feed(node, open[k], std::move(source.function));
      }
    }
  }

  /// Whether the number is one that may be set while the run goes on.
  bool give_live_input(const std::string& name, int node, core::Port& port, GivenEnd::Source& source) {
    if (std::find(options_.live.begin(), options_.live.end(), name) == options_.live.end()) return false;
    port.incoming.clear();
    auto live = std::make_unique<LiveInput>(std::move(source), model_.simulation.start);
    assembly_.live_inputs[name] = live.get();
    assembly_.engine->add_feed(node, port, std::move(live));
    return true;
  }

  /// What is recorded of one owner: columns by the model's rules, at the densest interval that one of them asks for.
  core::RecordPlan plan_for(const std::string& owner, std::span<const core::Column> columns,
                            std::optional<double> own_interval) const {
    core::RecordPlan plan;
    const auto& rules = model_.simulation.record;
    const bool has_records =
        std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return !rule.is_exclusion; });
    const double base =
        own_interval.value_or(model_.simulation.defaults.write_interval.value_or(duration() / kDefaultRows));
    double densest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::string full = owner + "." + columns[k].name;
      bool is_recorded = !has_records;
      bool is_excluded = false;
      double interval = base;
      for (const model::RecordRule& rule : rules) {
        if (!results::matches_any(rule.patterns, full)) continue;
        (rule.is_exclusion ? is_excluded : is_recorded) = true;
        if (!rule.is_exclusion) interval = rule.interval.value_or(interval);
      }
      if (!is_recorded || is_excluded) continue;
      plan.selected.push_back(static_cast<int>(k));
      densest = std::min(densest, interval);
    }
    plan.interval = std::isinf(densest) ? base : densest;
    return plan;
  }

  void add_table(const std::string& owner, std::span<const core::Column> columns, core::RecordPlan& plan) {
    if (plan.selected.empty()) return;
    results::TableDeclaration table{owner, {}};
    for (const int k : plan.selected) table.columns.push_back(columns[static_cast<std::size_t>(k)]);
    tables_.push_back(std::move(table));
  }

  void plan_tables() {
    component_plans_.resize(model_.components.size());
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!is_here(i)) continue;
      const auto columns = built_[i]->columns();
      component_plans_[i] = plan_for(model_.components[i].name, columns, model_.components[i].settings.write_interval);
      add_table(model_.components[i].name, columns, component_plans_[i]);
      add_variables(assembly_, model_.components[i].name, columns, {.component = static_cast<int>(i)});
    }
    connection_plans_.resize(model_.connections.size());
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const Connection& connection = model_.connections[i];
      if (connection.coupling == Coupling::signal) continue;
      const auto columns = connection_columns(checked_, connection);
      const std::string owner = "connections." + connection.name;
      connection_plans_[i] = plan_for(owner, columns, std::nullopt);
      add_table(owner, columns, connection_plans_[i]);
    }
  }

  bool open_writer(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      diagnostics_.error({folder.string(), 0, 0}, "cannot create the result folder: " + error.message());
      return false;
    }
    auto writer = results::ResultWriter::create(folder / results::kResultFileName, tables_);
    if (!writer) {
      diagnostics_.error({folder.string(), 0, 0}, writer.error().describe());
      return false;
    }
    assembly_.writer = std::move(*writer);
    give_sinks([&](const std::string& owner, const core::RecordPlan&) { return assembly_.writer->find_sink(owner); });
    return true;
  }

  /// Tells everybody where its rows go. Those of a connection are written by who has its `to` end.
  template <class SinkOf>
  void give_sinks(SinkOf&& sink_of) {
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      if (!is_here(i)) continue;
      component_plans_[i].sink = sink_of(model_.components[i].name, component_plans_[i]);
      if (trees_[static_cast<std::size_t>(node_of_[i])].has_glue()) hold_back(component_plans_[i]);
      built_[i]->plan_recording(component_plans_[i]);
    }
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      if (!is_here(static_cast<std::size_t>(model_.connections[i].to.component))) continue;
      connection_plans_[i].sink = sink_of("connections." + model_.connections[i].name, connection_plans_[i]);
    }
    for (const GroupTree& tree : trees_) {
      if (!tree.has_glue()) continue;
      for (const GroupTree& member : tree.members) hold_back_links(member);
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
    const model::InterfaceInfo& interface = *part_at(checked_, end).interface;
    auto made = std::make_unique<StandIn>();
    if (interface.domain == core::Domain::mechanical3d) {
      made->ports = core::SpatialInterface::make_ports(interface.name);
      made->interfaces.emplace_back(interface.name, std::span<core::Port, core::SpatialInterface::kPorts>(made->ports));
    } else {
      made->ports.resize(static_cast<std::size_t>(std::max(1, interface.size)));
      for (core::Port& port : made->ports) port.domain = interface.domain;
    }
    assembly_.stand_ins.push_back(std::move(made));
    return *assembly_.stand_ins.back();
  }

  [[nodiscard]] core::SpatialInterface* spatial_end(const model::Endpoint& end) {
    if (!is_here(static_cast<std::size_t>(end.component))) return &stand_in(end).interfaces.front();
    return interfaces_at(checked_, end, *assembly_.components[static_cast<std::size_t>(end.component)]).front();
  }

  void add_spatial_line(std::size_t index, int from_node, int to_node) {
    const Connection& connection = model_.connections[index];
    const auto place = static_cast<int>(assembly_.engine->spatial_lines().size());
    assembly_.engine->add_spatial_line({.name = connection.name,
                                        .from_node = from_node,
                                        .to_node = to_node,
                                        .from = spatial_end(connection.from),
                                        .to = spatial_end(connection.to),
                                        .figures = *spatial_figures_[index],
                                        .recording = connection_plans_[index]});
    add_variables(assembly_, "connections." + connection.name, connection_columns(checked_, connection),
                  {.spatial_line = place});
    assembly_.spatial_line_of_connection[index] = place;
  }

  void wire() {
    assembly_.line_of_connection.assign(model_.connections.size(), -1);
    assembly_.spatial_line_of_connection.assign(model_.connections.size(), -1);
    GroupBuilder builder(checked_, assembly_, diagnostics_,
                         {std::move(built_), component_plans_, connection_plans_, has_signals_only_});
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (options_.only_node && *options_.only_node != static_cast<int>(g)) {
        assembly_.engine->add_remote_node({.name = name_of(model_, trees_[g]), .window = windows_[g]});
      } else {
        auto node = builder.build(trees_[g]);
        if (is_hosted(g)) refuse_equilibrium(*node, g);
        if (is_hosted(g)) node = std::make_unique<HostedNode>(std::move(node));
        assembly_.engine->add_node(std::move(node), windows_[g]);
      }
    }
    give_open_ends();
    int line_count = 0;
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const Connection& connection = model_.connections[i];
      if (is_undelayed(connection)) continue;
      const int from_node = node_of_[static_cast<std::size_t>(connection.from.component)];
      const int to_node = node_of_[static_cast<std::size_t>(connection.to.component)];
      if (connection.coupling == Coupling::line && is_in_space(connection)) {
        add_spatial_line(i, from_node, to_node);
      } else if (connection.coupling == Coupling::line) {
        assembly_.engine->add_line({connection.name, from_node, to_node, port(connection.from), port(connection.to),
                                    figures_[i], connection.line.initial_force, connection_plans_[i]});
        add_variables(assembly_, "connections." + connection.name, connection_columns(checked_, connection),
                      {.line = line_count});
        assembly_.line_of_connection[i] = line_count++;
      } else {
        add_signal(i, from_node, to_node);
      }
    }
  }

  /// A signal of several numbers is as many signals for the engine, with one delay.
  void add_signal(std::size_t index, int from_node, int to_node) {
    const Connection& connection = model_.connections[index];
    const auto from = ports(connection.from);
    const auto to = ports(connection.to);
    for (std::size_t k = 0; k < from.size(); ++k) {
      assembly_.engine->add_signal(
          {connection.name, from_node, to_node, &from[k], &to[k], delay_of(index), static_cast<int>(index)});
    }
  }

  void find_links() {
    links_.assign(groups_.size(), {});
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const Connection& connection = model_.connections[i];
      if (!is_undelayed(connection)) continue;
      links_[static_cast<std::size_t>(node_of_[static_cast<std::size_t>(connection.from.component)])].push_back(
          static_cast<int>(i));
    }
    // By name, so that the order in the file does not matter.
    for (auto& links : links_) {
      std::sort(links.begin(), links.end(), [&](int a, int b) {
        return model_.connections[static_cast<std::size_t>(a)].name <
               model_.connections[static_cast<std::size_t>(b)].name;
      });
    }
  }

  /// Members of a group are joined without lines, and so without springs to be at rest on.
  void check_equilibria() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const bool is_sampled = std::any_of(links_[g].begin(), links_[g].end(), [&](int link) {
        return model_.connections[static_cast<std::size_t>(link)].coupling != Coupling::glue;
      });
      if (!is_sampled) continue;
      for (const int member : groups_[g]) {
        const auto& component_here = built_[static_cast<std::size_t>(member)];
        if (component_here == nullptr || component_here->equilibrium() == nullptr) continue;
        diagnostics_.error(component(member).declaration.place(),
                           fmt::format("component '{}' cannot start in equilibrium: it is joined without a delay; let "
                                       "it start as placed, or join it by lines or glue",
                                       component(member).name));
      }
    }
  }

  const CheckedModel& checked_;
  const CompositeModel& model_;
  const AssemblyOptions& options_;
  document::Diagnostics& diagnostics_;
  Assembly assembly_;
  std::vector<GroupTree> trees_;          ///< of each node
  std::vector<bool> hosted_;              ///< of each node: another process computes it from the start on
  std::vector<std::vector<int>> groups_;  ///< components of each node
  std::vector<int> node_of_;
  std::vector<std::vector<int>> links_;                                   ///< undelayed connections inside each node
  std::vector<coupling::LineFigures> figures_;                            ///< of each connection that is a line
  std::vector<std::optional<coupling::SpatialFigures>> spatial_figures_;  ///< of those in space
  std::vector<double> shortest_delay_, windows_;
  std::vector<bool> has_signals_only_;  ///< by component: nothing else is joined to it, or given
  std::vector<GivenEnd> given_ends_;
  std::vector<std::unique_ptr<core::Component>> built_;
  std::vector<core::RecordPlan> component_plans_, connection_plans_;
  std::vector<results::TableDeclaration> tables_;
};

}  // namespace

void add_variables(Assembly& assembly, const std::string& owner, std::span<const core::Column> columns,
                   VariablePlace place) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    place.column = static_cast<int>(k);
    assembly.variables[owner + "." + columns[k].name] = place;
  }
}

std::optional<Assembly> assemble(const CheckedModel& checked, const AssemblyOptions& options,
                                 document::Diagnostics& diagnostics) {
  return Assembler(checked, options, diagnostics).run();
}

std::vector<core::Fact> facts_of(const Assembly& assembly, std::size_t component) {
  std::vector<core::Fact> facts = assembly.facts[component];
  if (const auto& told = assembly.told[component]) facts.insert(facts.end(), told->facts.begin(), told->facts.end());
  if (const auto* const telling = dynamic_cast<const core::Telling*>(assembly.components[component])) {
    const auto own = telling->facts();
    facts.insert(facts.end(), own.begin(), own.end());
  }
  return facts;
}

core::Statistics statistics_of(const Assembly& assembly, std::size_t component) {
  core::Statistics result = assembly.components[component]->statistics();
  if (assembly.told[component]) result.add(assembly.told[component]->statistics);
  return result;
}

std::optional<core::Energy> energy_of(const Assembly& assembly, std::size_t component) {
  const auto& told = assembly.told[component];
  return told ? told->energy : assembly.components[component]->energy();
}

std::vector<double> values_of(const Assembly& assembly, std::size_t component) {
  if (const auto& told = assembly.told[component]) return told->values;
  std::vector<double> values(assembly.components[component]->columns().size());
  assembly.components[component]->current_values(values);
  return values;
}

}  // namespace tieline::assembly
