#include "fmu_export/open_interfaces.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "assembly/connection_figures.hpp"
#include "assembly/live_input.hpp"
#include "core/name_pattern.hpp"

namespace tieline::fmu_export {
namespace {

using core::Causality;
using model::Endpoint;
using model::InterfaceInfo;

/// Unit of effort per flow.
std::string_view impedance_unit(core::Domain domain) {
  switch (domain) {
    case core::Domain::translation:
      return "N s/m";
    case core::Domain::rotation:
      return "N m s/rad";
    case core::Domain::hydraulic:
      return "m^3/s/Pa";
    case core::Domain::electrical:
      return "A/V";
    case core::Domain::thermal:
      return "W/K";
    default:
      return "";
  }
}

class Showing {
 public:
  Showing(const assembly::CheckedModel& checked, const Request& request, Manifest& manifest,
          document::Diagnostics& diagnostics)
      : checked_(checked), request_(request), manifest_(manifest), diagnostics_(diagnostics) {}

  void show() {
    add({.name = "time", .role = Role::time, .unit = "s"});
    show_parameters();
    for (std::size_t c = 0; c < checked_.blueprints.size(); ++c) {
      for (const InterfaceInfo& interface : checked_.blueprints[c]->interfaces) show_interface(c, interface);
    }
    rename_parameters();
    report_patterns("parameter", request_.parameters, known_parameters_, used_parameters_);
    report_patterns("open interface", request_.waves, known_ends_, used_ends_);
  }

 private:
  void add(ExportedVariable variable) {
    variable.reference = static_cast<std::uint32_t>(manifest_.variables.size());
    manifest_.variables.push_back(std::move(variable));
  }

  /// A name means one variable in an FMU: a parameter that is called like a variable of an interface gets another one.
  void rename_parameters() {
    std::set<std::string> others;
    for (const ExportedVariable& variable : manifest_.variables) {
      if (variable.role != Role::parameter) others.insert(variable.name);
    }
    for (ExportedVariable& variable : manifest_.variables) {
      if (variable.role != Role::parameter || !others.contains(variable.name)) continue;
      const std::string name = "parameter." + variable.name;
      note(fmt::format("parameter '{}' is '{}' in the FMU, since an interface has the same name", variable.name, name));
      variable.name = name;
    }
  }

  void report_patterns(std::string_view what, const std::vector<std::string>& patterns,
                       const std::vector<std::string>& known, const std::set<std::string>& used) {
    for (const std::string& pattern : patterns) {
      if (used.contains(pattern)) continue;
      diagnostics_.error({request_.model.string(), 0, 0},
                         known.empty()
                             ? fmt::format("no {} fits '{}': there is none", what, pattern)
                             : fmt::format("no {} fits '{}'{}", what, pattern, document::suggestion(pattern, known)));
    }
  }

  [[nodiscard]] static bool note_use(const std::vector<std::string>& patterns, const std::string& name,
                                     std::set<std::string>& used) {
    bool is_meant = false;
    for (const std::string& pattern : patterns) {
      if (!core::matches_pattern(pattern, name)) continue;
      used.insert(pattern);
      is_meant = true;
    }
    return is_meant;
  }

  void show_parameter(const std::string& name, const std::string& target, double value, const std::string& unit,
                      const std::string& description) {
    known_parameters_.push_back(name);
    const bool is_meant = request_.parameters.empty() || note_use(request_.parameters, name, used_parameters_);
    if (!request_.has_parameters || !is_meant) return;
    add({.name = name,
         .role = Role::parameter,
         .targets = {target},
         .start = {value},
         .unit = unit,
         .description = description});
  }

  void show_parameters() {
    for (const model::Parameter& parameter : checked_.model.parameters)
      show_parameter(parameter.name, parameter.name, parameter.value, parameter.unit, parameter.description);
    if (request_.component.empty()) return;
    const model::Component& component = checked_.model.components.front();
    std::set<std::string> shown;
    const auto show = [&](const std::string& name, std::optional<double> value, const std::string& unit,
                          const std::string& description) {
      if (!value || !std::isfinite(*value) || !shown.insert(name).second) return;
      show_parameter(name, component.name + "." + name, *value, unit, description);
    };
    document::Diagnostics own;
    const std::vector<std::string> visible = component.scope.visible_names();
    const auto value_of = [&](const document::Element& parameter) {
      const std::string name = parameter.get("name");
      const bool is_visible = std::find(visible.begin(), visible.end(), name) != visible.end();
      return is_visible ? component.scope.value_of(name, {}, own)
                        : component.scope.evaluate(parameter.get("value"), {}, own);
    };
    for (const document::Element& from : {component.declaration, component.content.child("Parameters")}) {
      for (const document::Element& parameter : from.children("Parameter"))
        show(parameter.get("name"), value_of(parameter), parameter.get("unit"), parameter.get("description"));
    }
    for (const std::string& name : visible) show(name, component.scope.value_of(name, {}, own), "", "");
  }

  /// What the FMU calls an interface.
  [[nodiscard]] std::string name_of(const Endpoint& end) const {
    for (const model::ExportedInterface& exported : checked_.model.interfaces) {
      if (exported.of.component == end.component && exported.of.interface == end.interface) return exported.name;
    }
    return request_.component.empty() ? checked_.model.describe(end) : end.interface;
  }

  [[nodiscard]] bool is_stated(const Endpoint& end) const {
    return std::any_of(checked_.model.open_ends.begin(), checked_.model.open_ends.end(),
                       [&](const model::OpenEnd& open) {
                         return open.of.component == end.component && open.of.interface == end.interface &&
                                open.declaration.get("as") != "free";
                       });
  }

  [[nodiscard]] bool is_open(const Endpoint& end) const {
    const auto part = part_at(checked_, end);
    for (const model::Connection& connection : checked_.model.connections) {
      for (const Endpoint* other : {&connection.from, &connection.to}) {
        if (other->component == end.component && model::overlap(part_at(checked_, *other), part)) return false;
      }
    }
    return !is_stated(end);
  }

  void note(const std::string& text) { diagnostics_.note({request_.model.string(), 0, 0}, text); }

  void show_interface(std::size_t component, const InterfaceInfo& interface) {
    const Endpoint whole{static_cast<int>(component), interface.name};
    if (interface.domain == core::Domain::signal) return show_signal(whole, interface);
    if (!is_open(whole)) return;
    const std::string name = name_of(whole);
    known_ends_.push_back(name);
    const bool is_wave = note_use(request_.waves, name, used_ends_);
    if (interface.domain == core::Domain::mechanical3d) {
      if (is_wave && !request_.is_exchange && request_.fmi_version == 3) warn_of_two_laws(component, interface, name);
      if (interface.size == 1) return show_space(whole, name, is_wave);
      return note(
          fmt::format("'{}' is a set of points, which has no terminal in this version; nothing acts on it", name));
    }
    if (interface.causality == Causality::takes_motion && !is_wave) {
      note(
          fmt::format("'{}' takes a motion, which has no terminal in this version; it is free. With --wave {} it is an "
                      "end of a line",
                      name, name));
      return;
    }
    show_terminal(whole, name, interface, is_wave);
  }

  /// Two ends of lines in space at one part.
  void warn_of_two_laws(std::size_t component, const InterfaceInfo& interface, const std::string& name) {
    const auto [first, is_new] = laws_.try_emplace({component, interface.part}, name);
    if (is_new) return;
    diagnostics_.warning(
        {request_.model.string(), 0, 0},
        fmt::format(
            "'{}' and '{}' are ends of lines in space at '{}': with both laws inside, an FMU of FMI 3.0 asks "
            "for waves so often that a run may make almost no progress. Export it with --fmi 2.0, without --wave, or "
            "for model exchange",
            first->second, name, interface.part));
  }

  void show_terminal(const Endpoint& end, const std::string& name, const InterfaceInfo& interface, bool is_wave) {
    const core::DomainNames& names = core::names_of(interface.domain);
    const std::string target = checked_.model.describe(end);
    ExportedTerminal terminal{.name = name, .domain = interface.domain};
    const auto member = [&](std::string_view what, Role role, Quantity quantity, std::string_view unit,
                            const std::string& description) {
      const std::string own = fmt::format("{}.{}", name, what);
      const bool is_output = role == Role::output;
      add({.name = own,
           .role = role,
           .targets = {is_output ? fmt::format("{}.{}", target, what) : target},
           .start = is_output ? std::vector<double>{} : std::vector<double>{0.0},
           .end = is_wave ? target : "",
           .quantity = is_wave ? quantity : Quantity::none,
           .unit = std::string(unit),
           .description = description});
      terminal.members.push_back({own, std::string(what), role == Role::input});
    };
    if (!names.position.empty())
      member(names.position, Role::output, Quantity::position, names.position_unit, fmt::format("of '{}'", target));
    member(names.flow, Role::output, Quantity::flow, names.flow_unit, fmt::format("of '{}'", target));
    if (is_wave) {
      member("wave", Role::wave, Quantity::none, names.effort_unit, "incoming wave of the line that ends here");
      member("impedance", Role::impedance, Quantity::none, impedance_unit(interface.domain), "of that line");
      if (const auto known = request_.line_starts.find(end.interface); known != request_.line_starts.end()) {
        ExportedVariable& impedance = manifest_.variables.back();
        impedance.start = {known->second.impedance};
        impedance.is_parameter = true;
        (&impedance)[-1].start = {known->second.wave};
      }
      if (!manifest_.is_exchange) {
        // Not of the terminal: for hosts that know signals alone.
        add({.name = fmt::format("{}.leaving_wave", name),
             .role = Role::leaving,
             .targets = {target},
             .end = target,
             .unit = std::string(names.effort_unit),
             .description = "wave that leaves into the line, its mean over the last step"});
      }
    } else {
      member(names.effort, Role::input, Quantity::none, names.effort_unit, fmt::format("on '{}'", target));
    }
    manifest_.terminals.push_back(std::move(terminal));
  }

  /// Three numbers, or another count of them: one array, or scalars with numbers in FMI 2.0.
  void add_vector(ExportedTerminal& terminal, const std::string& what, ExportedVariable variable) {
    const std::string name = fmt::format("{}.{}", terminal.name, what);
    variable.name = name;
    variable.is_array = true;
    if (manifest_.fmi_version == 3) {
      terminal.members.push_back({name, what, variable.role == Role::input});
      return add(std::move(variable));
    }
    for (std::size_t k = 0; k < variable.targets.size(); ++k) {
      ExportedVariable one = variable;
      one.is_array = false;
      one.name = fmt::format("{}[{}]", name, k + 1);
      one.targets = {variable.targets[k]};
      if (!one.start.empty()) one.start = {0.0};
      if (one.axis >= 0) one.axis += static_cast<int>(k);
      add(std::move(one));
    }
  }

  void show_space(const Endpoint& end, const std::string& name, bool is_wave) {
    const std::string target = checked_.model.describe(end);
    ExportedTerminal terminal{.name = name, .domain = core::Domain::mechanical3d};
    const auto read = [&](const std::string& what, const char* column, std::vector<const char*> parts,
                          const char* unit) {
      ExportedVariable variable{.role = Role::output, .unit = unit, .description = fmt::format("of '{}'", target)};
      for (const char* const part : parts) variable.targets.push_back(fmt::format("{}.{}.{}", target, column, part));
      if (is_wave) variable.end = target;
      add_vector(terminal, what, std::move(variable));
    };
    read("position", "position", {"x", "y", "z"}, "m");
    read("quaternion", "orientation", {"w", "x", "y", "z"}, "");
    read("velocity", "velocity", {"x", "y", "z"}, "m/s");
    read("angular_velocity", "angular_velocity", {"x", "y", "z"}, "rad/s");
    const auto load = [&](const std::string& what, Role role, std::size_t count, int axis, const char* unit,
                          const std::string& description) {
      add_vector(terminal, what,
                 {.role = role,
                  .targets = std::vector<std::string>(count, target),
                  .start = std::vector<double>(count, 0.0),
                  .end = target,
                  .axis = axis,
                  .unit = unit,
                  .description = description});
    };
    if (is_wave) {
      load("wave", Role::wave, 6, 0, "",
           "incoming waves of the line that ends here, along and about world axes [N], [N m]");
      load("impedance", Role::impedance, 2, 0, "", "of that line, along [N s/m] and about [N m s/rad] its axes");
    } else {
      load("force", Role::input, 3, 0, "N", fmt::format("on '{}', in world axes", target));
      load("torque", Role::input, 3, 3, "N m", fmt::format("on '{}', in world axes", target));
    }
    manifest_.terminals.push_back(std::move(terminal));
  }

  [[nodiscard]] static double start_of(const InterfaceInfo& interface, int member) {
    const auto k = static_cast<std::size_t>(member - 1);
    return k < interface.starts.size() && std::isfinite(interface.starts[k]) ? interface.starts[k] : 0.0;
  }

  void show_signal(const Endpoint& whole, const InterfaceInfo& interface) {
    const bool is_input = interface.causality == Causality::input;
    const std::string target = checked_.model.describe(whole);
    const auto add_numbers = [&](const std::string& name, const std::vector<int>& members, bool is_array) {
      ExportedVariable variable{.name = name, .role = is_input ? Role::input : Role::output, .is_array = is_array};
      for (const int k : members) {
        const std::string number = interface.size == 1 ? target : fmt::format("{}[{}]", target, k);
        variable.targets.push_back(is_input ? number : number + ".value");
        if (is_input) variable.start.push_back(start_of(interface, k));
        const auto at = static_cast<std::size_t>(k - 1);
        if (at >= interface.numbers.size()) continue;
        variable.is_discrete = variable.is_discrete || interface.numbers[at].is_held;
        variable.unit = interface.numbers[at].unit;
      }
      add(std::move(variable));
    };
    std::vector<int> open;
    for (int k = 1; k <= interface.size; ++k) {
      Endpoint one = whole;
      if (interface.size > 1) one.interface += fmt::format("[{}]", k);
      if (is_open(one) && !is_stated(whole)) open.push_back(k);
    }
    const std::string name = name_of(whole);
    const bool is_whole = static_cast<int>(open.size()) == interface.size;
    if (interface.size == 1 || (is_whole && manifest_.fmi_version == 3)) {
      if (!open.empty()) add_numbers(name, open, interface.size > 1);
      return;
    }
    for (const int k : open) add_numbers(fmt::format("{}[{}]", name, k), {k}, false);
  }

  const assembly::CheckedModel& checked_;
  const Request& request_;
  Manifest& manifest_;
  document::Diagnostics& diagnostics_;
  std::map<std::pair<std::size_t, std::string>, std::string> laws_{};  ///< first end at each part
  std::vector<std::string> known_parameters_, known_ends_;
  std::set<std::string> used_parameters_, used_ends_;  ///< patterns
};

}  // namespace

void show_model(const assembly::CheckedModel& checked, const Request& request, Manifest& manifest,
                document::Diagnostics& diagnostics) {
  Showing(checked, request, manifest, diagnostics).show();
}

void add_outputs(const std::vector<std::string>& variables, const Request& request, Manifest& manifest,
                 document::Diagnostics& diagnostics) {
  // A signal is known by its own name, not as its value.
  const auto name_of = [](const std::string& variable) {
    constexpr std::string_view kValue = ".value";
    return variable.ends_with(kValue) ? variable.substr(0, variable.size() - kValue.size()) : variable;
  };
  const auto fits_one = [&](const std::string& pattern, const std::string& variable) {
    return core::matches_pattern(pattern, variable) || core::matches_pattern(pattern, name_of(variable));
  };
  std::set<std::string> known;
  for (const ExportedVariable& variable : manifest.variables) known.insert(variable.name);
  for (const std::string& pattern : request.outputs) {
    if (std::any_of(variables.begin(), variables.end(), [&](const std::string& v) { return fits_one(pattern, v); }))
      continue;
    diagnostics.error({request.model.string(), 0, 0},
                      fmt::format("no variable fits '{}'{}", pattern, document::suggestion(pattern, variables)));
  }
  for (const std::string& variable : variables) {
    const bool is_wanted = std::any_of(request.outputs.begin(), request.outputs.end(),
                                       [&](const std::string& pattern) { return fits_one(pattern, variable); });
    if (!is_wanted || !known.insert(name_of(variable)).second) continue;
    manifest.variables.push_back({.reference = static_cast<std::uint32_t>(manifest.variables.size()),
                                  .name = name_of(variable),
                                  .role = Role::output,
                                  .targets = {variable}});
  }
}

}  // namespace tieline::fmu_export
