#include "fmi/interface_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/name_list.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {
namespace {

using core::Domain;

/// A quantity of an interface, and the names by which it goes.
struct Quantity {
  std::string_view name;
  std::vector<std::string_view> short_forms;
};

/// Those of a domain. The first is the position, where there is one, then flow and effort of the port law.
const std::vector<Quantity>& quantities_of(Domain domain) {
  static const std::vector<Quantity> translation{
      {"position", {"x", "s", "r"}}, {"velocity", {"v"}}, {"force", {"f", "F"}},
      {"acceleration", {"a"}},       {"wave", {"c"}},     {"impedance", {"Z", "Zc"}}};
  static const std::vector<Quantity> rotation{{"angle", {"phi"}},
                                              {"angular_velocity", {"w", "omega"}},
                                              {"torque", {"tau", "t", "M"}},
                                              {"angular_acceleration", {"alpha", "a"}},
                                              {"wave", {"c"}},
                                              {"impedance", {"Z", "Zc"}}};
  static const std::vector<Quantity> hydraulic{
      {"", {}}, {"pressure", {"p"}}, {"flow", {"q", "Q", "V_flow"}}, {"wave", {"c"}}, {"impedance", {"Z", "Zc"}}};
  static const std::vector<Quantity> electrical{
      {"", {}}, {"voltage", {"v", "u", "U"}}, {"current", {"i", "I"}}, {"wave", {"c"}}, {"impedance", {"Z", "Zc"}}};
  static const std::vector<Quantity> thermal{
      {"", {}}, {"temperature", {"T"}}, {"heat_flow", {"Q_flow", "Q"}}, {"wave", {"c"}}, {"impedance", {"Z", "Zc"}}};
  static const std::vector<Quantity> space{{"position", {"r", "r_0", "x"}},
                                           {"velocity", {"v"}},
                                           {"force", {"f", "F"}},
                                           {"acceleration", {"a"}},
                                           {"orientation", {"rotation", "R", "A"}},
                                           {"orientation_transposed", {"R.T", "T"}},
                                           {"quaternion", {"q", "Q"}},
                                           {"angles", {"phi"}},
                                           {"angular_velocity", {"w", "omega"}},
                                           {"angular_acceleration", {"alpha", "z"}},
                                           {"torque", {"t", "tau", "M"}},
                                           {"wave", {"c"}},
                                           {"impedance", {"Z", "Zc"}}};
  static const std::vector<Quantity> signal{{"value", {}}};
  switch (domain) {
    case Domain::translation:
      return translation;
    case Domain::rotation:
      return rotation;
    case Domain::hydraulic:
      return hydraulic;
    case Domain::electrical:
      return electrical;
    case Domain::thermal:
      return thermal;
    case Domain::mechanical3d:
      return space;
    case Domain::signal:
      return signal;
  }
  return signal;
}

/// Whether it can be set during a run.
bool is_taken(const Variable& variable) {
  return variable.causality == Causality::input || is_tunable_parameter(variable);
}

const Terminal* find_terminal(const std::vector<Terminal>& terminals, std::string_view name) {
  for (const Terminal& terminal : terminals) {
    if (terminal.name == name) return &terminal;
    if (name.size() > terminal.name.size() && name.starts_with(terminal.name) && name[terminal.name.size()] == '.') {
      if (const Terminal* const inner = find_terminal(terminal.terminals, name.substr(terminal.name.size() + 1))) {
        return inner;
      }
    }
  }
  return nullptr;
}

/// A quantity that a member of a terminal is, by its name: "f", "force", "f[1]", "force.x".
std::optional<std::string> quantity_named(Domain domain, std::string_view member) {
  const std::string_view base = member.substr(0, member.find('['));
  for (const Quantity& quantity : quantities_of(domain)) {
    if (quantity.name.empty()) continue;
    const bool is_it = base == quantity.name || std::find(quantity.short_forms.begin(), quantity.short_forms.end(),
                                                          base) != quantity.short_forms.end();
    if (is_it) return std::string(quantity.name);
  }
  return std::nullopt;
}

/// Attributes of a map that name no variables.
bool is_setting(std::string_view attribute) {
  return attribute == "axes" || attribute == "sign" || attribute == "offset";
}

/// Whether both are units of one quantity. Radians may be left out: FMUs state "1/s" of angular velocities.
bool is_of_one_quantity(const document::Unit& a, const document::Unit& b) {
  return std::equal(a.powers.begin(), a.powers.end() - 1, b.powers.begin());
}

}  // namespace

void InterfaceFinder::complain(const InterfaceRequest& request, const std::string& text) {
  diagnostics_.error(request.place, fmt::format("interface '{}': {}", request.name, text));
}

std::vector<Scalar> InterfaceFinder::scalars(const std::string& names, const InterfaceRequest& request,
                                             std::string_view quantity) {
  // A name may have commas, or quotes of its own.
  std::vector<Scalar> all = description_.scalars_of(names);
  if (!all.empty()) return all;
  for (const std::string& listed : core::split_names(names)) {
    const bool is_whole = !description_.scalars_of(listed).empty();
    const std::string name = is_whole ? listed : core::unquoted(listed);
    const auto some = description_.scalars_of(name);
    if (some.empty()) {
      complain(request,
               fmt::format("the FMU has no variable '{}' for {}{}", name, quantity, description_.suggestion(name)));
    }
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

InterfaceFinder::Found InterfaceFinder::by_map(const InterfaceRequest& request) {
  Found found;
  const auto& known = quantities_of(request.domain);
  for (const auto& [quantity, names] : request.map) {
    if (is_setting(quantity)) continue;
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&own = quantity](const Quantity& each) { return each.name == own; });
    if (is_known) {
      if (auto some = scalars(names, request, quantity); !some.empty()) found[quantity] = std::move(some);
      continue;
    }
    std::vector<std::string_view> expected;
    for (const Quantity& each : known) {
      if (!each.name.empty()) expected.push_back(each.name);
    }
    complain(request, fmt::format("'{}' is not a quantity of domain {}; expected {}", quantity,
                                  core::names_of(request.domain).domain, fmt::join(expected, ", ")));
  }
  return found;
}

InterfaceFinder::Found InterfaceFinder::by_terminal(const InterfaceRequest& request, const Terminal& terminal) const {
  Found found;
  for (const TerminalMember& member : terminal.members) {
    if (member.variable == kNone) continue;
    const auto quantity = quantity_named(request.domain, member.name);
    if (!quantity) continue;
    for (const Scalar& scalar : description_.scalars_of(description_.variables[member.variable].name)) {
      found[*quantity].push_back(scalar);
    }
  }
  return found;
}

InterfaceFinder::Found InterfaceFinder::by_names(const InterfaceRequest& request) const {
  Found found;
  if (request.domain == Domain::signal) {
    if (auto values = description_.scalars_of(request.name); !values.empty()) found["value"] = std::move(values);
    return found;
  }
  static constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
  for (const char separator : {'.', '_'}) {
    for (const Quantity& quantity : quantities_of(request.domain)) {
      if (quantity.name.empty() || found.contains(quantity.name)) continue;
      std::vector<std::string_view> names{quantity.name};
      names.insert(names.end(), quantity.short_forms.begin(), quantity.short_forms.end());
      for (const std::string_view name : names) {
        const std::string full = fmt::format("{}{}{}", request.name, separator, name);
        std::vector<Scalar> some = description_.scalars_of(full);
        if (some.empty() && request.domain == Domain::mechanical3d) {
          for (const std::string_view axis : kAxes) {
            for (const char between : {'.', '_'}) {
              const auto one = description_.scalars_of(fmt::format("{}{}{}", full, between, axis));
              if (one.size() == 1) some.push_back(one.front());
            }
          }
          if (some.size() != kAxes.size()) some.clear();
        }
        if (some.empty()) continue;
        found[std::string(quantity.name)] = std::move(some);
        break;
      }
    }
  }
  return found;
}

std::optional<InterfaceMap> InterfaceFinder::find(const InterfaceRequest& request) {
  const std::size_t errors = diagnostics_.error_count();
  Found found;
  const bool names_variables =
      std::any_of(request.map.begin(), request.map.end(), [](const auto& entry) { return !is_setting(entry.first); });
  if (names_variables) {
    found = by_map(request);
  } else if (const Terminal* const terminal = find_terminal(description_.terminals, request.name)) {
    found = by_terminal(request, *terminal);
  } else {
    found = by_names(request);
  }
  if (diagnostics_.error_count() > errors) return std::nullopt;
  auto map = request.domain == Domain::signal ? signal(request, found) : assembled(request, std::move(found));
  if (!map || !check(request, *map) || !relate(request, *map)) return std::nullopt;
  for (const auto* list :
       {&map->position, &map->orientation, &map->flow, &map->angular_velocity, &map->flow_rate,
        &map->angular_acceleration, &map->effort, &map->torque, &map->wave, &map->impedance, &map->values}) {
    for (const Scalar& scalar : *list) used_.insert(scalar.variable);
  }
  return map;
}

std::optional<InterfaceMap> InterfaceFinder::signal(const InterfaceRequest& request, const Found& found) {
  const auto values = found.find("value");
  if (values == found.end()) {
    complain(request, fmt::format("the FMU has no variable '{}'{}; name one in <Map value=\"...\"/>", request.name,
                                  description_.suggestion(request.name)));
    return std::nullopt;
  }
  InterfaceMap map;
  const bool is_input = is_taken(description_.variables[values->second.front().variable]);
  map.shape = {.name = request.name,
               .domain = Domain::signal,
               .causality = is_input ? core::Causality::input : core::Causality::output,
               .size = static_cast<int>(values->second.size())};
  map.values = values->second;
  return map;
}

std::optional<InterfaceMap> InterfaceFinder::assembled(const InterfaceRequest& request, Found found) {
  const bool is_space = request.domain == Domain::mechanical3d;
  const auto& known = quantities_of(request.domain);
  const auto take = [&](std::string_view name) {
    const auto at = found.find(name);
    return at == found.end() ? std::vector<Scalar>{} : at->second;
  };
  InterfaceMap map;
  map.shape = {.name = request.name, .domain = request.domain};
  map.pose = request.pose;
  map.position = take(known[0].name);
  map.flow = take(known[1].name);
  map.effort = take(known[2].name);
  map.flow_rate = take(request.domain == Domain::rotation ? "angular_acceleration" : "acceleration");
  map.wave = take("wave");
  map.impedance = take("impedance");
  if (is_space) {
    map.angular_velocity = take("angular_velocity");
    map.angular_acceleration = take("angular_acceleration");
    map.torque = take("torque");
    static const std::array<std::pair<std::string_view, OrientationForm>, 4> kForms{
        {{"orientation", OrientationForm::matrix},
         {"orientation_transposed", OrientationForm::transposed},
         {"quaternion", OrientationForm::quaternion},
         {"angles", OrientationForm::angles}}};
    for (const auto& [name, form] : kForms) {
      if (!map.orientation.empty() || !found.contains(name)) continue;
      map.orientation = take(name);
      map.orientation_form = form;
    }
    const auto axes = request.map.find("axes");
    map.turns_in_body_axes = axes != request.map.end() && axes->second == "body";
  }
  if (map.takes_wave()) map.effort.clear(), map.torque.clear();
  const auto is_input = [&](const std::vector<Scalar>& list) {
    return !list.empty() && description_.variables[list.front().variable].causality == Causality::input;
  };
  if (is_input(map.flow) && !map.effort.empty() && !is_input(map.effort)) {
    map.shape.causality = core::Causality::takes_motion;
  }
  return map;
}

bool InterfaceFinder::check(const InterfaceRequest& request, const InterfaceMap& map) {
  if (map.shape.domain == Domain::signal) {
    const bool goes_in = is_taken(description_.variables[map.values.front().variable]);
    for (const Scalar& scalar : map.values) {
      const Variable& variable = description_.variables[scalar.variable];
      if (!is_signal(description_, variable)) {
        complain(request, fmt::format("variable '{}' is of type {}, which is not a number", variable.name,
                                      name_of(variable.type)));
        return false;
      }
      if (is_taken(variable) == goes_in) continue;
      complain(request, "some of its variables are inputs and others are outputs");
      return false;
    }
    return true;
  }
  const std::size_t errors = diagnostics_.error_count();
  const bool is_space = map.shape.domain == Domain::mechanical3d;
  const bool takes_motion = map.shape.causality == core::Causality::takes_motion;
  const auto& known = quantities_of(map.shape.domain);
  const std::size_t axes = is_space ? 3 : 1;
  const auto expect = [&](const std::vector<Scalar>& list, std::string_view name, std::size_t count, bool is_needed,
                          bool goes_in) {
    if (list.empty()) {
      if (is_needed) {
        complain(request, fmt::format("no variable is found for its {}; name one in <Map {}=\"...\"/>", name, name));
      }
      return;
    }
    if (list.size() != count) {
      complain(request, fmt::format("its {} has {} numbers; expected {}", name, list.size(), count));
    }
    for (const Scalar& scalar : list) {
      const Variable& variable = description_.variables[scalar.variable];
      if (!is_number(variable.type)) {
        complain(request,
                 fmt::format("variable '{}' of its {} is of type {}", variable.name, name, name_of(variable.type)));
        return;
      }
      const bool is_input = variable.causality == Causality::input;
      const bool may_be_parameter = name == "impedance" && (variable.causality == Causality::parameter ||
                                                            variable.variability == Variability::tunable);
      if (is_input == goes_in || may_be_parameter) continue;
      complain(request, fmt::format("variable '{}' of its {} must be {}; it is of causality {}", variable.name, name,
                                    goes_in ? "an input" : "computed by the FMU", name_of(variable.causality)));
      return;
    }
  };
  const bool needs_position = core::is_mechanical(map.shape.domain);
  const bool is_led = is_space && takes_motion;
  expect(map.position, known[0].name, axes, needs_position && !takes_motion, is_led);
  expect(map.flow, known[1].name, axes, true, takes_motion);
  expect(map.flow_rate, "acceleration", axes, false, is_led);
  if (map.takes_wave()) {
    expect(map.wave, "wave", is_space && map.wave.size() > 3 ? 6 : axes, true, true);
    expect(map.impedance, "impedance", map.wave.size() > 3 ? 2 : 1, true, true);
  } else {
    expect(map.effort, known[2].name, axes, true, !takes_motion);
  }
  if (is_space) {
    const bool turns = !map.orientation.empty();
    const std::size_t count = map.orientation_form == OrientationForm::quaternion ? 4
                              : map.orientation_form == OrientationForm::angles   ? 3
                                                                                  : 9;
    expect(map.orientation, "orientation", count, false, is_led);
    expect(map.angular_velocity, "angular_velocity", 3, turns && !is_led, is_led);
    expect(map.angular_acceleration, "angular_acceleration", 3, false, is_led);
    if (!map.takes_wave()) expect(map.torque, "torque", 3, turns, !is_led);
  }
  return diagnostics_.error_count() == errors;
}

std::optional<document::Unit> InterfaceFinder::unit_of(const Variable& variable) const {
  const Unit* const stated = description_.unit_named(variable.unit);
  if (stated == nullptr || !stated->base) return document::unit_called(variable.unit);
  const BaseUnit& base = *stated->base;
  if (base.mol != 0 || base.cd != 0) return std::nullopt;
  // A number in base units is factor * x + offset there.
  return document::Unit{.factor = base.factor,
                        .offset = base.offset / base.factor,
                        .powers = {base.m, base.kg, base.s, base.A, base.K, base.rad}};
}

bool InterfaceFinder::relate(const InterfaceRequest& request, InterfaceMap& map) {
  if (map.shape.domain == Domain::signal) return true;
  const std::size_t errors = diagnostics_.error_count();
  const bool is_space = map.shape.domain == Domain::mechanical3d;
  const auto setting = [&](const char* name) {
    const auto found = request.map.find(name);
    return found == request.map.end() ? std::string{} : found->second;
  };
  const std::string sign_text = setting("sign"), offset_text = setting("offset");
  if (is_space && !(sign_text.empty() && offset_text.empty())) {
    complain(request,
             "a sign or an offset is for one axis; in space, state the position and the angles of the component");
  }
  const double sign = sign_text == "-1" ? -1.0 : 1.0;
  double offset = 0.0;
  if (!offset_text.empty()) {
    char* end = nullptr;
    offset = std::strtod(offset_text.c_str(), &end);
    if (*end != '\0' || !std::isfinite(offset)) {
      complain(request, fmt::format("offset=\"{}\" is not a number", offset_text));
    } else if (map.position.empty()) {
      complain(request, "its offset is added to a position, but it has none");
    }
  }
  const core::DomainNames& names = core::names_of(map.shape.domain);
  const auto relate_list = [&](const std::vector<Scalar>& list, std::string_view name, std::string_view wanted,
                               bool may_turn, double shift) {
    const auto expected = document::unit_called(std::string(wanted));
    for (const Scalar& scalar : list) {
      const Variable& variable = description_.variables[scalar.variable];
      core::Relation relation{may_turn ? sign : 1.0, shift};
      const auto own = variable.unit.empty() ? expected : unit_of(variable);
      if (!own) {
        diagnostics_.warning(
            request.place, fmt::format("interface '{}': variable '{}' of its {} has the unit '{}', which is not known; "
                                       "its numbers are taken as {}",
                                       request.name, variable.name, name, variable.unit, wanted));
      }
      if (own && expected && !is_of_one_quantity(*own, *expected)) {
        complain(request, fmt::format("variable '{}' of its {} is measured in '{}' ({}); expected a unit of the same "
                                      "quantity as {}",
                                      variable.name, name, variable.unit, document::describe_si(*own), wanted));
        return;
      }
      if (own && expected) {
        const double factor = own->factor / expected->factor;
        const double zero = variable.is_relative_quantity ? 0.0 : own->offset * factor;
        relation = {relation.factor * factor, relation.factor * zero + shift};
      }
      if (!relation.is_identity()) map.relations.emplace_back(scalar, relation);
    }
  };
  const bool turns = map.shape.domain == Domain::rotation;
  relate_list(map.position, turns ? "angle" : "position", is_space ? "m" : turns ? "rad" : "m", true, offset);
  relate_list(map.flow, is_space ? "velocity" : names.flow, is_space ? "m/s" : names.flow_unit, true, 0.0);
  relate_list(map.effort, is_space ? "force" : names.effort, is_space ? "N" : names.effort_unit, true, 0.0);
  relate_list(map.flow_rate, "acceleration", turns ? "rad/s^2" : "m/s^2", true, 0.0);
  relate_list(map.angular_velocity, "angular velocity", "rad/s", false, 0.0);
  relate_list(map.angular_acceleration, "angular acceleration", "rad/s^2", false, 0.0);
  relate_list(map.torque, "torque", "N m", false, 0.0);
  if (map.orientation_form == OrientationForm::angles) relate_list(map.orientation, "angles", "rad", false, 0.0);
  if (!is_space) relate_list(map.wave, "wave", names.effort_unit, true, 0.0);
  return diagnostics_.error_count() == errors;
}

}  // namespace tieline::fmi
