#include "model/validate.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <span>
#include <unordered_map>

#include "core/signal_members.hpp"
#include "document/expression.hpp"
#include "model/names.hpp"
#include "model/number_check.hpp"
#include "model/validate_gluing.hpp"
#include "model/validate_relation.hpp"

namespace tieline::model {
namespace {

using core::Causality;
using core::Domain;
using document::Diagnostics;
using document::Element;
using document::Place;

std::string describe(const InterfaceInfo& interface) {
  const std::string_view domain = core::names_of(interface.domain).domain;
  const std::string_view causality = core::name_of(interface.causality);
  const std::string size = interface.size > 1 ? fmt::format(" of size {}", interface.size) : "";
  if (interface.domain == Domain::signal) return fmt::format("a signal {}{}", causality, size);
  if (interface.size == 1) return fmt::format("{} that takes {}", domain, causality);
  return fmt::format("a set of {} points of domain {} that take {}", interface.size, domain, causality);
}

class Validator {
 public:
  Validator(const CompositeModel& model, const InterfaceSource& interfaces_of, Diagnostics& diagnostics)
      : model_(model), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < model.components.size(); ++i) {
      interfaces_.push_back(interfaces_of(static_cast<int>(i)));
      auto& uses = uses_.emplace_back();
      for (const auto& interface : interfaces_.back().interfaces)
        uses.emplace_back(static_cast<std::size_t>(interface.size));
    }
  }

  void run(Extent extent) {
    if (extent == Extent::whole) check_simulation();
    check_components();
    check_connections();
    validate_gluing(model_, interfaces_, diagnostics_);
    if (extent == Extent::whole) check_layers();
    for (const auto& exported : model_.interfaces) {
      const auto part = find(exported.of, exported.declaration, "of");
      for (Use& use : uses_of(exported.of, part)) use.is_exported = true;
    }
    check_open_ends();
    note_free_ends();
  }

 private:
  /// The connections of an interface, or of one member of a signal or a set, and whether the model around this one may
  /// use it.
  struct Use {
    std::vector<std::size_t> connections{};
    bool is_exported = false;
    bool is_open = false;  ///< <Open> says what it gets
  };

  void check_number(std::optional<double> value, const Element& element, std::string_view attribute,
                    const Limits& limits) {
    model::check_number(value, element, attribute, limits, diagnostics_);
  }

  void check_settings(const Settings& settings, const Statements& statements) {
    const auto check = [&](std::optional<double> value, std::string_view attribute, const Limits& limits) {
      if (const auto* statement = stating(statements, attribute))
        check_number(value, statement->element, attribute, limits);
    };
    check(settings.tolerance, "tolerance", {.most = 1.0});
    check(settings.step, "step", {});
    check(settings.largest_step, "largest_step", {});
    check(settings.window, "window", {});
    check(settings.write_interval, "write_interval", {.may_equal_least = true});
    if (const auto* statement = stating(statements, "write_interval"))
      check_rows(settings.write_interval, statement->element, "write_interval");
  }

  void check_rows(std::optional<double> interval, const Element& element, std::string_view attribute) {
    const double duration = model_.simulation.stop - model_.simulation.start;
    if (const auto why = too_many_rows(interval.value_or(0.0), duration))
      diagnostics_.error(element.place_of(attribute), fmt::format("{} {}", attribute, *why));
  }

  void check_simulation() {
    const auto& simulation = model_.simulation;
    const Element& element = simulation.declaration;
    if (!element.exists()) {
      diagnostics_.error({model_.file.string(), 0, 0}, "the model has no <Simulation>, which gives the stop time");
      return;
    }
    if (!(simulation.stop > simulation.start)) {
      diagnostics_.error(element.place_of("stop"),
                         fmt::format("stop = {} must be greater than start = {}", simulation.stop, simulation.start));
    }
    check_settings(simulation.defaults, {{element, model_.file}});
    check_number(simulation.save_interval, element, "save_interval", {});
    check_processes(simulation.processes);
    std::size_t rule = 0;
    for (const auto& child : element.children()) {
      if (child.name() != "Record" && child.name() != "Exclude") continue;
      if (rule < simulation.record.size()) {
        check_number(simulation.record[rule].interval, child, "interval", {.may_equal_least = true});
        check_rows(simulation.record[rule].interval, child, "interval");
      }
      ++rule;
    }
  }

  void check_processes(const ProcessSettings& processes) {
    const Element& element = processes.declaration;
    if (!element.exists()) return;
    check_number(processes.start_deadline, element, "start_deadline", {});
    check_number(processes.silence_deadline, element, "silence_deadline", {});
    check_number(processes.stall_deadline, element, "stall_deadline", {});
    check_number(processes.shutdown_deadline, element, "shutdown_deadline", {});
  }

  // ---- components

  void check_components() {
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < model_.components.size(); ++i) {
      const auto& component = model_.components[i];
      const Element& element = component.declaration;
      if (!seen.try_emplace(component.name, i).second) {
        diagnostics_.error(element.place_of("name"), duplicate_component(component.name));
      }
      check_settings(component.settings, component.statements);
      const std::string solver = component.settings.solver.value_or("");
      const bool is_fixed_step = solver == "rk4" || solver == "zhai";
      if (is_fixed_step && !component.settings.step && stating(component.statements, "step") == nullptr) {
        diagnostics_.error(element.place_of("solver"),
                           fmt::format("component '{}' is solved by {}, which needs a step", component.name, solver));
      }
      if (component.has_own_file) check_file(component.content_file, component, "file");
      check_process(component);
      check_file(component.icon, component, "icon");
      check_file(component.geometry, component, "geometry");
      std::size_t input = 0;
      for (const auto& statement : component.statements) {
        for (const auto& child : statement.element.children("InputFile")) {
          if (input < component.input_files.size()) check_file(component.input_files[input++], child, "path");
        }
      }
    }
  }

  void check_process(const Component& component) {
    if (const auto* statement = stating(component.statements, "start_deadline"))
      check_number(component.process.start_deadline, statement->element, "start_deadline", {});
  }

  void check_file(const std::filesystem::path& file, const Component& component, std::string_view attribute) {
    const auto* statement = stating(component.statements, attribute);
    if (statement != nullptr) check_file(file, statement->element, attribute);
  }

  void check_file(const std::filesystem::path& file, const Element& element, std::string_view attribute) {
    std::error_code failure;
    if (file.empty() || std::filesystem::exists(file, failure)) return;
    diagnostics_.error(element.place_of(attribute), missing_file(file));
  }

  // ---- connections

  /// What stands at an end; nothing, with a report where none was made yet, if it is unknown.
  InterfacePart find(const Endpoint& end, const Element& element, std::string_view attribute) {
    if (end.component < 0) return {};
    const auto& known = interfaces_[static_cast<std::size_t>(end.component)];
    const auto part = find_interface(known.interfaces, end.interface);
    if (!part && known.is_known) {
      diagnostics_.error(element.place_of(attribute),
                         describe_missing(known.interfaces, end.interface,
                                          model_.components[static_cast<std::size_t>(end.component)].name));
    }
    return part;
  }

  /// The uses of all members at an end; none if nothing stands there.
  std::span<Use> uses_of(const Endpoint& end, const InterfacePart& part) {
    if (!part) return {};
    const auto component = static_cast<std::size_t>(end.component);
    const auto index = static_cast<std::size_t>(part.interface - interfaces_[component].interfaces.data());
    return std::span(uses_[component][index])
        .subspan(static_cast<std::size_t>(part.first - 1), static_cast<std::size_t>(part.size));
  }

  void check_connections() {
    std::unordered_map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < model_.connections.size(); ++i) {
      const auto& connection = model_.connections[i];
      const Element& element = connection.declaration;
      if (!connection.name.empty() && !names.try_emplace(connection.name, i).second && element.has("name")) {
        diagnostics_.error(
            element.place_of("name"),
            fmt::format("another connection already has the name '{}' (in a <Repeat>, use the index in the name)",
                        connection.name));
      }
      check_numbers(connection);
      const auto from = find(connection.from, element, "from");
      const auto to = find(connection.to, element, "to");
      occupy(i, connection.from, from, "from");
      if (from && overlap(from, to)) {
        diagnostics_.error(element.place_of("to"),
                           fmt::format("'{}' is connected to itself", model_.describe(connection.to)));
        continue;
      }
      occupy(i, connection.to, to, "to");
      // One end that is known says whether the line is in space.
      if (connection.coupling == Coupling::line && (from || to) && (!from || !to || same_domain(from, to))) {
        check_space(connection, (from ? from : to).interface->domain == Domain::mechanical3d);
      }
      if (connection.coupling != Coupling::line && from && from.interface->domain != Domain::mechanical3d)
        refuse_in_space(connection.declaration, kEndFrames);
      if (from && to) check_pair(connection, from, to);
    }
  }

  /// A physical interface has one connection, or several that glue it; a signal input has one source.
  void occupy(std::size_t connection, const Endpoint& end, const InterfacePart& part, std::string_view attribute) {
    const auto& joined = model_.connections[connection];
    const Connection* first = nullptr;
    for (Use& use : uses_of(end, part)) {
      if (first == nullptr && !use.connections.empty()) {
        const auto& other = model_.connections[use.connections.front()];
        // In a choice that is not taken, terms of a sum still lead to the input itself.
        const auto adds = [](const Connection& one) { return one.declaration.get("adds") == "true"; };
        if (attribute == "to" && adds(joined) && adds(other)) continue;
        if (joined.coupling != Coupling::glue || other.coupling != Coupling::glue) first = &other;
      }
      use.connections.push_back(connection);
    }
    if (first == nullptr || part.interface->causality == Causality::output) return;
    diagnostics_.error(joined.declaration.place_of(attribute),
                       describe_clash(model_.describe(end), part.interface->causality, *first, joined));
  }

  static std::string describe_clash(const std::string& end, Causality causality, const Connection& first,
                                    const Connection& second) {
    const std::string where = whereabouts(first, second);
    if (causality == Causality::input)
      return fmt::format(
          "signal input '{}' already has a source: connection {}; state adds=\"true\" on all of them for a sum", end,
          where);
    if (second.coupling == Coupling::glue)
      return fmt::format("interface '{}' cannot be glued: connection {} joins it with coupling=\"{}\"", end, where,
                         name_of(first.coupling));
    if (first.coupling == Coupling::glue)
      return fmt::format(
          "interface '{}' is glued by connection {}; more glued connections may join it, but none with "
          "coupling=\"{}\"",
          end, where, name_of(second.coupling));
    return fmt::format("interface '{}' is already used by connection {}", end, where);
  }

  void check_pair(const Connection& connection, const InterfacePart& from_part, const InterfacePart& to_part) {
    const Element& element = connection.declaration;
    const InterfaceInfo& from = *from_part.interface;
    const InterfaceInfo& to = *to_part.interface;
    if (from.domain != to.domain) {
      diagnostics_.error(element.place_of("to"),
                         fmt::format("'{}' is {}, but '{}' is {}", model_.describe(connection.from), describe(from),
                                     model_.describe(connection.to), describe(to)));
      return;
    }
    const bool is_signal = from.domain == Domain::signal;
    if (!is_signal) refuse_ratio(connection, from.domain, diagnostics_);
    if (!is_signal && connection.coupling != Coupling::glue) {
      check_is_single(connection, connection.from, from_part, "from");
      check_is_single(connection, connection.to, to_part, "to");
    }
    if (from.domain == Domain::mechanical3d && connection.coupling == Coupling::line) {
      refuse_line_on_motion(connection, connection.from, from, "from");
      refuse_line_on_motion(connection, connection.to, to, "to");
    }
    if (is_signal) {
      if (element.has("coupling")) {
        diagnostics_.error(element.place_of("coupling"),
                           "signals are connected without a coupling; remove this attribute");
      }
      check_signal_directions(connection, from, to);
      if (from_part.size != to_part.size) {
        diagnostics_.error(
            element.place_of("to"),
            fmt::format("'{}' is a signal of size {}, but '{}' is one of size {}; connect equal sizes, "
                        "or members such as '{}[1]'",
                        model_.describe(connection.from), from_part.size, model_.describe(connection.to), to_part.size,
                        model_.describe(from_part.size > 1 ? connection.from : connection.to)));
      }
    } else if (!element.has("coupling")) {
      diagnostics_.error(
          element.place(),
          fmt::format("'{}' and '{}' are not signals: coupling=\"line\", \"sampled\" or \"glue\" is needed",
                      model_.describe(connection.from), model_.describe(connection.to)));
    } else if (connection.coupling == Coupling::sampled && from.causality == Causality::takes_force &&
               to.causality == Causality::takes_force) {
      diagnostics_.error(
          element.place_of("coupling"),
          "a sampled coupling needs a side that takes motion, but both take force; use a line or glue, or "
          "causality=\"motion\" on one side");
    } else if (connection.coupling == Coupling::sampled && from.domain == Domain::mechanical3d &&
               from.causality == Causality::takes_motion && to.causality == Causality::takes_motion) {
      diagnostics_.error(
          element.place_of("coupling"),
          fmt::format("'{}' and '{}' both take motion in space, and none of them determines one: expected a side that "
                      "takes force, or coupling=\"glue\", which finds the motion",
                      model_.describe(connection.from), model_.describe(connection.to)));
    }
  }

  /// A line answers to a velocity with a force. A frame in space without mass has a velocity only where all forces on
  /// it balance, which its component does not solve for.
  void refuse_line_on_motion(const Connection& connection, const Endpoint& end, const InterfaceInfo& interface,
                             std::string_view attribute) {
    if (interface.causality != Causality::takes_motion) return;
    diagnostics_.error(connection.declaration.place_of(attribute),
                       fmt::format("'{}' takes motion in space, and a line gives force: expected "
                                   "coupling=\"sampled\", coupling=\"glue\", or an interface on a body, which takes "
                                   "force",
                                   model_.describe(end)));
  }

  /// Sets of points are joined whole by glue alone.
  void check_is_single(const Connection& connection, const Endpoint& end, const InterfacePart& part,
                       std::string_view attribute) {
    if (part.size == 1 || !connection.declaration.has("coupling")) return;
    diagnostics_.error(connection.declaration.place_of(attribute),
                       fmt::format("'{0}' is a set of {1} points: coupling=\"{2}\" joins single ones, such as "
                                   "'{0}[1]'; whole sets can be glued",
                                   model_.describe(end), part.size, name_of(connection.coupling)));
  }

  static bool same_domain(const InterfacePart& a, const InterfacePart& b) {
    return a.interface->domain == b.interface->domain;
  }

  static constexpr std::array<std::string_view, 4> kEndFrames{"from_position", "from_angles", "to_position",
                                                              "to_angles"};

  void refuse_in_space(const Element& element, std::span<const std::string_view> attributes) {
    for (const std::string_view attribute : attributes) {
      if (!element.has(attribute)) continue;
      diagnostics_.error(
          element.place_of(attribute),
          fmt::format("'{}' is only valid between interfaces in space (domain mechanical3d)", attribute));
    }
  }

  /// What has a meaning for lines in space only, and what has none for them.
  void check_space(const Connection& connection, bool is_in_space) {
    const Element& element = connection.declaration;
    const auto refuse_here = [&](std::string_view attribute, std::string_view why) {
      if (!element.has(attribute)) return;
      diagnostics_.error(element.place_of(attribute), fmt::format("'{}' {}", attribute, why));
    };
    if (is_in_space) {
      if (document::split_list(element.get("initial_force")).size() == 1)
        refuse_here("initial_force", "has no direction: expected three numbers, in the axes of the 'from' interface");
      refuse_here("initial_flow", "is not valid between interfaces in space; expected initial_force");
      check_initial_torque(connection);
      check_rotation(connection);
      return;
    }
    if (document::split_list(element.get("initial_force")).size() > 1)
      refuse_here("initial_force", "must be one number: three are for interfaces in space (domain mechanical3d)");
    constexpr std::array<std::string_view, 5> kOfLines{"stiffness_rotation", "impedance_rotation", "damping_rotation",
                                                       "free_axes", "initial_torque"};
    refuse_in_space(element, kOfLines);
    refuse_in_space(element, kEndFrames);
  }

  /// About a free axis there is no torque, at the start neither.
  void check_initial_torque(const Connection& connection) {
    constexpr std::array kAxes{"rx", "ry", "rz"};
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const double torque = connection.line.initial_torque[i];
      if (!connection.line.free_rotation[i] || torque == 0.0) continue;
      diagnostics_.error(connection.declaration.place_of("initial_torque"),
                         fmt::format("initial_torque has {:g} N m about {}, which is a free axis; expected 0 there",
                                     torque, kAxes[i]));
    }
  }

  /// A line in space carries torques about the axes that are not free.
  void check_rotation(const Connection& connection) {
    const Element& element = connection.declaration;
    const auto& free = connection.line.free_rotation;
    const auto is_free = [](bool axis) { return axis; };
    if (element.has("free_axes") && std::none_of(free.begin(), free.end(), is_free)) return;  // malformed, and reported
    if (std::all_of(free.begin(), free.end(), is_free)) return;
    for (const auto attribute : {"stiffness_rotation", "impedance_rotation", "youngs_modulus"}) {
      if (element.has(attribute)) return;
    }
    diagnostics_.error(element.place(),
                       fmt::format("connection '{}': the line's rotation is missing: expected stiffness_rotation or "
                                   "impedance_rotation, or all rotation axes free (free_axes=\"rx, ry, rz\")",
                                   connection.name));
  }

  void check_signal_directions(const Connection& connection, const InterfaceInfo& from, const InterfaceInfo& to) {
    const Element& element = connection.declaration;
    if (from.causality != Causality::output) {
      const bool is_reversed = to.causality == Causality::output;
      diagnostics_.error(element.place_of("from"),
                         fmt::format("'{}' is a signal input; 'from' must be an output{}",
                                     model_.describe(connection.from), is_reversed ? " (swap 'from' and 'to')" : ""));
      if (is_reversed) return;
    }
    if (to.causality != Causality::input) {
      diagnostics_.error(element.place_of("to"),
                         fmt::format("'{}' is a signal output; 'to' must be an input", model_.describe(connection.to)));
    }
  }

  // ---- numbers of a connection

  void check_numbers(const Connection& connection) {
    const Element& element = connection.declaration;
    const bool is_line = connection.coupling == Coupling::line;
    const bool is_sampled = connection.coupling == Coupling::sampled;
    const bool is_glue = connection.coupling == Coupling::glue;
    if (!is_line)
      refuse(element,
             {"stiffness",
              "impedance",
              "youngs_modulus",
              "bulk_modulus",
              "density",
              "inductance",
              "capacitance",
              "heat_capacity",
              "resistance",
              "area",
              "length",
              "sound_speed",
              "damping",
              "initial_force",
              "initial_torque",
              "initial_flow",
              "stiffness_rotation",
              "impedance_rotation",
              "damping_rotation",
              "free_axes"},
             connection.coupling);
    if (connection.coupling == Coupling::signal)
      refuse(element, {"from_position", "from_angles", "to_position", "to_angles"}, connection.coupling);
    const bool is_layered_signal = connection.coupling == Coupling::signal && model_.layers.has_value();
    if (!is_sampled) refuse(element, {"schedule", "step"}, connection.coupling);
    if (!is_sampled && !is_layered_signal) refuse(element, {"extrapolation", "first"}, connection.coupling);
    if (is_sampled || is_glue) refuse(element, {"delay"}, connection.coupling);
    if (!is_glue) refuse(element, {"joint", "axis", "leads"}, connection.coupling);
    validate_relation(connection, diagnostics_);
    const auto& line = connection.line;
    if (is_glue) return;
    check_number(connection.delay, element, "delay", {.may_equal_least = !is_line});
    check_number(line.stiffness, element, "stiffness", {});
    check_number(line.impedance, element, "impedance", {});
    check_number(line.youngs_modulus, element, "youngs_modulus", {});
    check_number(line.bulk_modulus, element, "bulk_modulus", {});
    check_number(line.density, element, "density", {});
    check_number(line.inductance, element, "inductance", {});
    check_number(line.capacitance, element, "capacitance", {});
    check_number(line.heat_capacity, element, "heat_capacity", {});
    check_number(line.resistance, element, "resistance", {});
    check_number(line.area, element, "area", {});
    check_number(line.length, element, "length", {});
    check_number(line.sound_speed, element, "sound_speed", {});
    check_number(line.damping, element, "damping", {.may_equal_least = true, .most = 1.0});
    check_number(line.stiffness_rotation, element, "stiffness_rotation", {});
    check_number(line.impedance_rotation, element, "impedance_rotation", {});
    check_number(line.damping_rotation, element, "damping_rotation", {.may_equal_least = true, .most = 1.0});
    check_number(connection.sampled.step, element, "step", {});
    if (is_line) check_line_is_determined(element);
    if (is_sampled) check_schedule(connection);
  }

  void check_schedule(const Connection& connection) {
    const Element& element = connection.declaration;
    const core::Schedule schedule = connection.sampled.schedule;
    const bool has_macro_step = schedule == core::Schedule::jacobi || schedule == core::Schedule::gauss_seidel;
    if (has_macro_step && !element.has("step")) {
      diagnostics_.error(element.place_of("schedule"),
                         fmt::format("schedule=\"{}\" needs a step", core::name_of(schedule)));
    } else if (schedule == core::Schedule::furthest_behind && element.has("step")) {
      diagnostics_.error(element.place_of("schedule"),
                         "'step' is only valid with schedule=\"jacobi\" or \"gauss_seidel\", \"layers\" or "
                         "\"spatiotemporal\"");
    }
    if (model_.layers && schedule != model_.layers->settings.schedule) {
      diagnostics_.error(
          element.place_of("schedule"),
          fmt::format("connection '{}' states schedule=\"{}\", but <Layers> states \"{}\" for all; remove "
                      "one of them",
                      connection.name, core::name_of(schedule), core::name_of(model_.layers->settings.schedule)));
    }
    if (!element.has("first")) return;
    if (schedule != core::Schedule::gauss_seidel && schedule != core::Schedule::layers) {
      diagnostics_.error(element.place_of("first"),
                         "'first' is only valid with schedule=\"gauss_seidel\" or \"layers\"");
    } else if (connection.sampled.first == SampledSettings::First::neither && schedule != core::Schedule::layers) {
      diagnostics_.error(element.place_of("first"), "first=\"neither\" is only valid with schedule=\"layers\"");
    }
  }

  void check_layers() {
    if (!model_.layers) return;
    const Element& element = model_.layers->declaration;
    const core::LayerSettings& settings = model_.layers->settings;
    check_number(settings.step, element, "step", {});
    check_number(settings.tolerance, element, "tolerance", {.most = 1.0});
    const bool is_used =
        std::any_of(model_.connections.begin(), model_.connections.end(), [](const Connection& connection) {
          return connection.coupling == Coupling::sampled ||
                 (connection.coupling == Coupling::signal && connection.delay.value_or(0.0) == 0.0);
        });
    if (!is_used) {
      diagnostics_.error(element.place(),
                         "<Layers> has nothing to do: no sampled connection and no signal without delay joins "
                         "components; expected at least one, or no <Layers>");
    }
    for (const std::string_view attribute : {"tolerance", "corrections"}) {
      if (settings.schedule != core::Schedule::spatiotemporal || !element.has(attribute)) continue;
      diagnostics_.error(
          element.place_of(attribute),
          fmt::format("'{}' is only valid with schedule=\"layers\": \"spatiotemporal\" repeats no step", attribute));
    }
  }

  void refuse(const Element& element, std::initializer_list<std::string_view> attributes, Coupling coupling) {
    for (const auto attribute : attributes) {
      if (!element.has(attribute)) continue;
      const std::string what = coupling == Coupling::signal ? "a connection without coupling"
                                                            : fmt::format("coupling=\"{}\"", name_of(coupling));
      diagnostics_.error(element.place_of(attribute), fmt::format("'{}' does not apply to {}", attribute, what));
    }
  }

  /// Effort and flow of a physical connection have one ratio: what changes it is a component, such as a lever.
  void check_line_is_determined(const Element& element) {
    constexpr std::string_view kWays =
        "a line is given by exactly one of (stiffness, delay), (impedance, delay), (youngs_modulus, area, length, "
        "sound_speed) or, for a cube, (youngs_modulus, length, sound_speed); a hydraulic one by (impedance, delay) or "
        "(bulk_modulus, density, area, length), an electrical one by (impedance, delay) or (inductance, capacitance, "
        "length), a thermal one by (impedance, delay) or (heat_capacity, resistance)";
    std::vector<std::string> stated;
    for (const auto attribute :
         {"stiffness", "impedance", "delay", "youngs_modulus", "bulk_modulus", "density", "inductance", "capacitance",
          "heat_capacity", "resistance", "area", "length", "sound_speed"}) {
      if (element.has(attribute)) stated.emplace_back(attribute);
    }
    using Set = std::vector<std::string>;
    const std::vector<Set> ways{{"stiffness", "delay"},
                                {"impedance", "delay"},
                                {"youngs_modulus", "area", "length", "sound_speed"},
                                {"youngs_modulus", "length", "sound_speed"},
                                {"bulk_modulus", "density", "area", "length"},
                                {"inductance", "capacitance", "length"},
                                {"heat_capacity", "resistance"}};
    if (element.has("initial_force") && element.has("initial_flow")) {
      diagnostics_.error(element.place_of("initial_flow"),
                         "initial_force is for mechanical lines, initial_flow for the others: state one of them");
    }
    if (std::find(ways.begin(), ways.end(), stated) != ways.end()) return;
    diagnostics_.error(
        element.place(),
        fmt::format("{}; stated: {}", kWays, stated.empty() ? "nothing" : fmt::format("{}", fmt::join(stated, ", "))));
  }

  void check_open_ends() {
    for (const auto& open : model_.open_ends) {
      const auto uses = uses_of(open.of, find(open.of, open.declaration, "interface"));
      const auto taken = std::find_if(uses.begin(), uses.end(),
                                      [](const Use& use) { return use.is_open || !use.connections.empty(); });
      if (taken != uses.end()) {
        diagnostics_.error(open.declaration.place_of("interface"),
                           taken->is_open
                               ? fmt::format("<Open> appears twice for '{}'", model_.describe(open.of))
                               : fmt::format("'{}' is not open: connection '{}' joins it", model_.describe(open.of),
                                             model_.connections[taken->connections.front()].name));
      }
      for (Use& use : uses) use.is_open = true;
    }
  }

  void note_free_ends() {
    for (std::size_t i = 0; i < interfaces_.size(); ++i) {
      const auto& component = model_.components[i];
      for (const auto& interface : interfaces_[i].interfaces) {
        if (interface.causality == Causality::output) continue;
        const auto uses = uses_of({static_cast<int>(i), interface.name}, {&interface, 1, interface.size});
        std::vector<std::string> free;
        for (std::size_t k = 0; k < uses.size(); ++k) {
          if (!uses[k].connections.empty() || uses[k].is_exported || uses[k].is_open) continue;
          free.push_back(core::member_name(interface.name, interface.size, static_cast<int>(k) + 1));
        }
        if (free.size() == uses.size()) free = {interface.name};
        for (const auto& name : free) {
          diagnostics_.note(
              component.declaration.place(),
              fmt::format("'{}.{}' is not connected: {}", component.name, name,
                          interface.causality == Causality::input ? "it keeps its start value" : "a free end"));
        }
      }
    }
  }

  const CompositeModel& model_;
  Diagnostics& diagnostics_;
  std::vector<ComponentInterfaces> interfaces_;
  std::vector<std::vector<std::vector<Use>>> uses_;  ///< by component, interface and member
};

}  // namespace

void validate(const CompositeModel& model, const InterfaceSource& interfaces_of, Diagnostics& diagnostics,
              Extent extent) {
  Validator(model, interfaces_of, diagnostics).run(extent);
}

void compare_choices(const Alternative& alternative, std::span<const ComponentInterfaces> interfaces,
                     Diagnostics& diagnostics) {
  const auto find = [](const ComponentInterfaces& among, const std::string& name) {
    const auto found = std::find_if(among.interfaces.begin(), among.interfaces.end(),
                                    [&](const auto& interface) { return interface.name == name; });
    return found == among.interfaces.end() ? nullptr : &*found;
  };
  const auto& first = interfaces.front();
  const auto& first_name = alternative.choices.front().name;
  for (std::size_t i = 1; i < interfaces.size(); ++i) {
    if (!first.is_known || !interfaces[i].is_known) continue;
    const auto& choice = alternative.choices[i];
    const auto report = [&](const std::string& difference) {
      diagnostics.error(
          choice.declaration.place(),
          fmt::format("the choices of '{}' must have the same interfaces, but {}", alternative.name, difference));
    };
    for (const auto& interface : first.interfaces) {
      const auto* twin = find(interfaces[i], interface.name);
      if (twin == nullptr) {
        if (interface.is_undeclared) continue;
        report(fmt::format("'{}' has no interface '{}', which '{}' has", choice.name, interface.name, first_name));
      } else if (twin->domain != interface.domain || twin->causality != interface.causality ||
                 twin->size != interface.size) {
        report(fmt::format("'{}' is {} in '{}' and {} in '{}'", interface.name, describe(*twin), choice.name,
                           describe(interface), first_name));
      }
    }
    for (const auto& interface : interfaces[i].interfaces) {
      if (find(first, interface.name) == nullptr && !interface.is_undeclared) {
        report(fmt::format("'{}' has an interface '{}', which '{}' does not have", choice.name, interface.name,
                           first_name));
      }
    }
  }
}

}  // namespace tieline::model
