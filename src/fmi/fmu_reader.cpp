#include "fmi/fmu_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "core/name_list.hpp"
#include "core/name_pattern.hpp"
#include "fmi/binary_check.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/interface_finder.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {
namespace {

using document::Diagnostics;

/// "a[3]" of a scalarised array: its base and place; nothing for other names.
std::optional<std::pair<std::string, std::uint64_t>> member_of(const std::string& name) {
  if (name.empty() || name.back() != ']') return std::nullopt;
  const auto open = name.rfind('[');
  std::uint64_t place = 0;
  const char* const end = name.data() + name.size() - 1;
  const auto [at, error] = std::from_chars(name.data() + open + 1, end, place);
  if (open == std::string::npos || error != std::errc{} || at != end || place == 0) return std::nullopt;
  return std::pair(name.substr(0, open), place);
}

class Reader {
 public:
  Reader(const FmuRequest& request, FmuShelf::Fmu& known, Diagnostics& diagnostics)
      : request_(request), known_(known), diagnostics_(diagnostics) {}

  std::optional<FmuSpec> read() {
    auto archive = open_fmu(request_.file, diagnostics_);
    if (!archive) return std::nullopt;
    spec_.archive = std::make_shared<archive::Archive>(std::move(*archive));
    look_up_description();
    if (!spec_.description) return std::nullopt;
    if (!request_.starts.empty()) take_start_values();
    choose_mode();
    check_library();
    choose_scheme();
    warn_of_clocks();
    InterfaceFinder finder(*spec_.description, diagnostics_);
    for (const InterfaceRequest& interface : request_.interfaces) {
      if (auto found = finder.find(interface)) spec_.interfaces.push_back(std::move(*found));
    }
    add_signals(finder);
    choose_recorded();
    spec_.step = request_.step;
    spec_.tolerance = request_.tolerance ? request_.tolerance : spec_.description->experiment.tolerance;
    spec_.effective_mass = request_.effective_mass;
    spec_.is_logging = request_.is_logging;
    spec_.is_visible = request_.is_visible;
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(spec_);
  }

 private:
  void look_up_description() {
    if (!known_.is_read) {
      if (auto description = read_description(*spec_.archive, known_.found)) {
        known_.description = std::make_shared<const Description>(std::move(*description));
      }
      known_.is_read = true;
    }
    diagnostics_.take(known_.found, true);
    spec_.description = known_.description;
  }

  /// Structural parameters among them give the component a description of its own.
  void take_start_values() {
    auto own = std::make_shared<Description>(*spec_.description);
    spec_.starts = read_start_values(request_.starts, *own, diagnostics_);
    spec_.description = std::move(own);
  }

  void error(const document::Place& place, const std::string& text) { diagnostics_.error(place, text); }

  void choose_mode() {
    const Description& description = *spec_.description;
    const bool me = description.model_exchange.has_value(), cs = description.co_simulation.has_value();
    if (!me && !cs) {
      error(request_.place, fmt::format("the FMU '{}' offers scheduled execution only; expected co-simulation or model "
                                        "exchange",
                                        request_.file.string()));
      return;
    }
    spec_.is_model_exchange = request_.mode.empty() ? me : request_.mode == "model_exchange";
    if (spec_.is_model_exchange ? !me : !cs) {
      error(request_.place, fmt::format("the FMU '{}' offers {} only", request_.file.string(),
                                        me ? "model exchange" : "co-simulation"));
    }
  }

  /// What loading it would find.
  void check_library() {
    const auto type = spec_.is_model_exchange ? InterfaceType::model_exchange : InterfaceType::co_simulation;
    auto& report = known_.binaries[spec_.is_model_exchange];
    if (!report) report = check_binary(*spec_.archive, *spec_.description, type);
    const document::Place place{request_.file.string(), 0, 0};
    for (const std::string& problem : report->problems) error(place, problem);
    for (const std::string& warning : report->warnings) diagnostics_.warning(place, warning);
  }

  void choose_scheme() {
    static const std::map<std::string, StepScheme> names{{"", StepScheme::automatic},
                                                         {"auto", StepScheme::automatic},
                                                         {"intermediate", StepScheme::intermediate},
                                                         {"derivatives", StepScheme::derivatives},
                                                         {"substeps", StepScheme::substeps},
                                                         {"hold", StepScheme::hold}};
    if (const auto found = names.find(request_.scheme); found != names.end()) spec_.scheme = found->second;
    const auto& facts = spec_.description->co_simulation;
    if (spec_.is_model_exchange || !facts) return;
    if (spec_.scheme == StepScheme::intermediate && !facts->provides_intermediate_update) {
      error(request_.place,
            "the FMU does not call back within its steps (providesIntermediateUpdate); choose "
            "scheme=\"substeps\"");
    }
    if (spec_.scheme == StepScheme::derivatives && !facts->can_interpolate_inputs) {
      error(request_.place,
            "the FMU does not take derivatives of its inputs (canInterpolateInputs); choose "
            "scheme=\"substeps\"");
    }
  }

  /// No clock ticks without event mode. (Who connects the triggered ones sees whether something ticks them.)
  void warn_of_clocks() {
    const Description& description = *spec_.description;
    const auto& co_simulation = description.co_simulation;
    const bool has_events = spec_.is_model_exchange || (co_simulation && co_simulation->has_event_mode);
    for (const Variable& variable : description.variables) {
      if (variable.type != Type::clock || variable.causality != Causality::input || variable.clock == kNone) continue;
      if (has_events) continue;
      diagnostics_.warning(request_.place,
                           fmt::format("clock '{}' of the FMU is never activated, since its co-simulation has no event "
                                       "mode (hasEventMode): what it triggers is not computed",
                                       variable.name));
    }
  }

  /// Tunable parameters that the model connects or prescribes; all elements of an array that was taken apart.
  [[nodiscard]] std::set<std::uint32_t> driven_parameters(const std::set<std::string>& declared) const {
    const Description& description = *spec_.description;
    std::set<std::uint32_t> driven;
    for (const std::string& name : request_.used) {
      if (declared.contains(name)) continue;
      auto scalars = description.scalars_of(name);
      if (const auto member = member_of(name); member && scalars.size() == 1) {
        const auto all = description.scalars_of(member->first);
        const bool is_tunable = std::all_of(all.begin(), all.end(), [&](const Scalar& scalar) {
          return is_tunable_parameter(description.variables[scalar.variable]);
        });
        if (is_tunable && !all.empty()) scalars = all;
      }
      for (const Scalar& scalar : scalars) {
        if (is_tunable_parameter(description.variables[scalar.variable])) driven.insert(scalar.variable);
      }
    }
    return driven;
  }

  /// Inputs and outputs that no declared interface uses are signals under their own names; scalars "u[1]", "u[2]", ...
  /// are one signal.
  void add_signals(const InterfaceFinder& finder) {
    const Description& description = *spec_.description;
    std::set<std::string> taken;
    for (const InterfaceMap& map : spec_.interfaces) taken.insert(map.shape.name);
    const std::set<std::uint32_t> driven = driven_parameters(taken);
    for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
      const Variable& variable = description.variables[i];
      const bool is_input = variable.causality == Causality::input || driven.contains(i);
      if ((!is_input && variable.causality != Causality::output) || !is_signal(description, variable) ||
          finder.uses(i)) {
        continue;
      }
      std::string name = variable.name;
      std::vector<Scalar> values;
      if (const auto member = member_of(name); member && variable.dimensions.empty()) {
        const auto all = description.scalars_of(member->first);
        const bool is_whole = std::all_of(all.begin(), all.end(), [&](const Scalar& scalar) {
          const Variable& other = description.variables[scalar.variable];
          return other.causality == variable.causality && is_signal(description, other) &&
                 !finder.uses(scalar.variable) && driven.contains(scalar.variable) == driven.contains(i);
        });
        if (!all.empty() && is_whole) {
          name = member->first;
          values = all;
        }
      }
      if (values.empty()) values = description.scalars_of(variable.name);
      if (values.empty() || !taken.insert(name).second) continue;
      InterfaceMap map;
      map.shape = {.name = name,
                   .domain = core::Domain::signal,
                   .causality = is_input ? core::Causality::input : core::Causality::output,
                   .size = static_cast<int>(values.size())};
      map.values = std::move(values);
      spec_.interfaces.push_back(std::move(map));
    }
  }

  void choose_recorded() {
    if (request_.record == "none") return;
    const Description& description = *spec_.description;
    const bool is_choice = request_.record.empty() || request_.record == "outputs" || request_.record == "all";
    const auto patterns = is_choice ? std::vector<std::string>() : core::split_names(request_.record);
    std::set<std::uint32_t> chosen, mapped;
    for (const InterfaceMap& map : spec_.interfaces) {
      for (const Scalar& scalar : map.values) mapped.insert(scalar.variable);
    }
    for (const Unknown& unknown : description.structure.derivatives) {
      if (unknown.variable == kNone) continue;
      chosen.insert(description.variables[unknown.variable].derivative_of);
    }
    for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
      const Variable& variable = description.variables[i];
      if (mapped.contains(i) || !is_number(variable.type)) continue;
      const bool is_wanted = !patterns.empty()          ? matches_any(patterns, variable.name)
                             : request_.record == "all" ? variable.causality != Causality::independent
                                                        : variable.causality == Causality::output || chosen.contains(i);
      if (!is_wanted) continue;
      for (const Scalar& scalar : description.scalars_of(variable.name)) spec_.recorded.push_back(scalar);
    }
    for (const std::string& pattern : patterns) check_pattern(pattern);
    warn_of_silence();
  }

  static bool matches_any(const std::vector<std::string>& patterns, const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return core::matches_pattern(core::unquoted(pattern), name);
    });
  }

  /// A pattern that no variable fits is a mistake.
  void check_pattern(const std::string& pattern) {
    const Description& description = *spec_.description;
    const auto fits = [&](const Variable& variable) { return matches_any({pattern}, variable.name); };
    const auto& all = description.variables;
    const bool is_known = std::any_of(all.begin(), all.end(), fits);
    const bool has_numbers = std::any_of(
        all.begin(), all.end(), [&](const Variable& variable) { return fits(variable) && is_number(variable.type); });
    if (!is_known) {
      error(request_.place, fmt::format("record: no variable of the FMU is called '{}'{}", core::unquoted(pattern),
                                        description.suggestion(core::unquoted(pattern))));
    } else if (!has_numbers) {
      diagnostics_.warning(request_.place,
                           fmt::format("record: '{}' is not a number and is not recorded", core::unquoted(pattern)));
    }
  }

  void warn_of_silence() {
    const bool has_outputs = std::any_of(spec_.interfaces.begin(), spec_.interfaces.end(), [](const InterfaceMap& map) {
      return map.shape.causality != core::Causality::input;
    });
    if (has_outputs || !spec_.recorded.empty()) return;
    diagnostics_.warning(request_.place,
                         "nothing that the FMU computes will be recorded: it has no outputs and no states that it "
                         "describes; use record=\"all\" or patterns of variable names (for a single FMU: --record "
                         "all)");
  }

  const FmuRequest& request_;
  FmuShelf::Fmu& known_;
  Diagnostics& diagnostics_;
  FmuSpec spec_;
};

}  // namespace

std::optional<FmuSpec> read_fmu(const FmuRequest& request, FmuShelf& shelf, Diagnostics& diagnostics) {
  Diagnostics own;
  auto spec = Reader(request, shelf.at(request.file), own).read();
  diagnostics.take(own, true);
  return spec;
}

std::optional<FmuSpec> read_fmu(const FmuRequest& request, Diagnostics& diagnostics) {
  FmuShelf shelf;
  return read_fmu(request, shelf, diagnostics);
}

}  // namespace tieline::fmi
