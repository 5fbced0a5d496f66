#include "model/validate_gluing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "model/number_check.hpp"

namespace tieline::model {
namespace {

using core::Causality;
using core::GlueJoint;
using document::Diagnostics;
using document::Element;

constexpr std::size_t kMostNames = 5;  ///< in one message

bool has_axis(GlueJoint joint) {
  return joint == GlueJoint::revolute || joint == GlueJoint::prismatic || joint == GlueJoint::cylindrical;
}

/// Whether the two points stay together, so that a ring of such connections says something twice.
bool joins_points(GlueJoint joint) { return joint != GlueJoint::prismatic && joint != GlueJoint::cylindrical; }

class GluingValidator {
 public:
  GluingValidator(const CompositeModel& model, std::span<const ComponentInterfaces> interfaces,
                  Diagnostics& diagnostics)
      : model_(model), interfaces_(interfaces), diagnostics_(diagnostics) {}

  void run() {
    for (const auto& gluing : model_.gluings) {
      check_settings(gluing);
      check_steps(gluing);
      check_update(gluing);
    }
    for (const auto& connection : model_.connections) {
      if (connection.coupling != Coupling::glue) continue;
      const auto from = part_at(connection.from);
      const auto to = part_at(connection.to);
      // What no connection may join has been reported.
      if (!from || !to || from.interface->domain != to.interface->domain || overlap(from, to)) continue;
      if (from.interface->domain == core::Domain::signal) continue;
      const bool is_in_space = from.interface->domain == core::Domain::mechanical3d;
      check_joint(connection, is_in_space);
      check_leads(connection, from, to);
      const Endpoint* moved = takes_motion(from) ? &connection.from : takes_motion(to) ? &connection.to : nullptr;
      check_meeting(connection, connection.from, from, "from", moved);
      check_meeting(connection, connection.to, to, "to", moved);
      check_is_new(connection, place_in_model(connection.from, from), place_in_model(connection.to, to));
    }
  }

 private:
  /// What is glued as one: an interface, a member of a set, or a whole set.
  using Glued = std::tuple<int, const InterfaceInfo*, int, int>;

  [[nodiscard]] InterfacePart part_at(const Endpoint& end) const {
    if (end.component < 0) return {};
    return find_interface(interfaces_[static_cast<std::size_t>(end.component)].interfaces, end.interface);
  }

  static Glued place_in_model(const Endpoint& end, const InterfacePart& part) {
    return {end.component, part.interface, part.first, part.size};
  }

  /// Glued connections that join one point.
  struct Meeting {
    const Connection* first = nullptr;
    const Endpoint* moved = nullptr;  ///< a side that takes motion, of any of them
  };

  static bool takes_motion(const InterfacePart& part) { return part.interface->causality == Causality::takes_motion; }

  void check_settings(const Gluing& gluing) {
    const Element& element = gluing.declaration;
    const core::GluingSettings& settings = gluing.settings;
    const auto check = [&](std::optional<double> value, std::string_view attribute, const Limits& limits) {
      if (element.has(attribute)) check_number(value, element, attribute, limits, diagnostics_);
    };
    check(settings.step, "step", {});
    check(settings.step_tolerance, "step_tolerance", {.most = 1.0});
    check(settings.smallest_step, "smallest_step", {});
    check(settings.largest_step, "largest_step", {});
    check(settings.tolerance, "tolerance", {.may_equal_least = settings.absolute_tolerance > 0.0, .most = 1.0});
    check(settings.absolute_tolerance, "absolute_tolerance", {.may_equal_least = true});
    check(settings.perturbation, "perturbation", {});
    check(settings.least_perturbation, "least_perturbation", {});
    check(settings.most_seconds, "most_seconds", {});
    if (settings.compatibility == core::Compatibility::displacement && settings.forces != core::ForceShape::automatic &&
        settings.forces != core::ForceShape::constant) {
      diagnostics_.error(element.place_of("forces"),
                         fmt::format("compatibility=\"displacement\" with forces=\"{}\" diverges: its velocity gaps "
                                     "grow from step to step; use compatibility=\"velocity\"",
                                     core::name_of(settings.forces)));
    }
  }

  void check_steps(const Gluing& gluing) {
    const Element& element = gluing.declaration;
    const core::GluingSettings& settings = gluing.settings;
    for (const auto attribute : {"smallest_step", "largest_step"}) {
      if (!element.has(attribute) || element.has("step_tolerance")) continue;
      diagnostics_.error(element.place_of(attribute),
                         fmt::format("'{}' is only valid with step_tolerance, which lets the step change", attribute));
    }
    const auto check_order = [&](std::optional<double> lower, std::string_view lower_name, std::optional<double> upper,
                                 std::string_view upper_name) {
      if (!lower || !upper || !(*lower > *upper)) return;
      diagnostics_.error(element.place_of(lower_name),
                         fmt::format("{} = {} must not exceed {} = {}", lower_name, *lower, upper_name, *upper));
    };
    check_order(settings.smallest_step, "smallest_step", settings.largest_step, "largest_step");
    check_order(settings.smallest_step, "smallest_step", settings.step, "step");
    check_order(settings.step, "step", settings.largest_step, "largest_step");
  }

  void check_leads(const Connection& connection, const InterfacePart& from, const InterfacePart& to) {
    const Element& element = connection.declaration;
    if (!element.has("leads")) return;
    if (!takes_motion(from) && !takes_motion(to)) {
      diagnostics_.error(element.place_of("leads"),
                         fmt::format("'{}' and '{}' both take force: none of them can be computed from what the other "
                                     "one has found; expected no 'leads', or causality=\"motion\" on one side",
                                     model_.describe(connection.from), model_.describe(connection.to)));
    }
    if (connection.glue.joint != GlueJoint::fixed) {
      diagnostics_.error(element.place_of("leads"),
                         fmt::format("joint=\"{}\" leaves motions free, which a side that leads does not determine: "
                                     "expected joint=\"fixed\", or no 'leads'",
                                     core::name_of(connection.glue.joint)));
    }
    const Gluing* const gluing = model_.find_gluing(connection.level);
    if (gluing == nullptr) return;
    const core::GluingSettings& settings = gluing->settings;
    const bool force_leads = !takes_motion(element.get("leads") == "to" ? to : from);
    if (force_leads && takes_motion(from) != takes_motion(to) &&
        (settings.compatibility == core::Compatibility::displacement ||
         settings.compatibility == core::Compatibility::acceleration)) {
      diagnostics_.error(gluing->declaration.place_of("compatibility"),
                         fmt::format("compatibility=\"{}\" cannot be reached where the side that takes force leads "
                                     "(connection {}): expected \"velocity\", or the side that takes motion to lead",
                                     core::name_of(settings.compatibility), whereabouts(connection, connection)));
    }
    const bool has_matrix =
        settings.update == core::MatrixUpdate::broyden || settings.update == core::MatrixUpdate::none;
    if (gluing->declaration.has("update") && has_matrix) {
      diagnostics_.error(
          gluing->declaration.place_of("update"),
          fmt::format("update=\"{}\" corrects a matrix that is probed with all sides at once, but a side "
                      "leads at connection {}: expected \"iqn_ils\" or \"aitken\"",
                      gluing->declaration.get("update"), whereabouts(connection, connection)));
    }
    if (gluing->declaration.has("step_tolerance")) {
      diagnostics_.error(gluing->declaration.place_of("step_tolerance"),
                         fmt::format("steps are controlled by the gluing matrix, which there is none of where a side "
                                     "leads (connection {}): expected a fixed step",
                                     whereabouts(connection, connection)));
    }
  }

  void check_update(const Gluing& gluing) {
    const Element& element = gluing.declaration;
    std::vector<std::string> unfit;
    std::size_t count = 0;
    for (const auto& connection : model_.connections) {
      if (connection.coupling != Coupling::glue || connection.level != gluing.level) continue;
      ++count;
      const auto from = part_at(connection.from);
      const auto to = part_at(connection.to);
      if (from && to && from.interface->causality == to.interface->causality) unfit.push_back(connection.name);
    }
    const auto& idle = model_.idle_gluings;
    if (count == 0 && std::find(idle.begin(), idle.end(), gluing.level) == idle.end())
      diagnostics_.warning(element.place(), "no connection of this model is glued, so this has no effect");
    if (gluing.settings.update != core::MatrixUpdate::aitken) return;
    for (const auto attribute : {"refresh", "perturbation", "least_perturbation"}) {
      if (!element.has(attribute)) continue;
      diagnostics_.warning(element.place_of(attribute),
                           fmt::format("'{}' has no effect with update=\"aitken\", which has no matrix", attribute));
    }
    for (const auto& connection : model_.connections) {
      if (connection.coupling != Coupling::glue || connection.level != gluing.level) continue;
      if (connection.glue.joint == GlueJoint::fixed) continue;
      diagnostics_.error(element.place_of("update"),
                         fmt::format("update=\"aitken\" needs connections that leave nothing free, but '{}' has "
                                     "joint=\"{}\"; use update=\"broyden\" or update=\"iqn_ils\"",
                                     connection.name, core::name_of(connection.glue.joint)));
    }
    if (unfit.empty()) return;
    const std::size_t named = std::min(unfit.size(), kMostNames);
    const std::string more = unfit.size() > named ? fmt::format(" and {} more", unfit.size() - named) : "";
    diagnostics_.error(
        element.place_of("update"),
        fmt::format("update=\"aitken\" needs at each connection a side that takes motion and one that takes force, "
                    "which is not the case at '{}'{}",
                    fmt::join(unfit.begin(), unfit.begin() + static_cast<std::ptrdiff_t>(named), "', '"), more));
  }

  void check_joint(const Connection& connection, bool is_in_space) {
    const Element& element = connection.declaration;
    if (!is_in_space) {
      for (const auto attribute : {"joint", "axis"}) {
        if (!element.has(attribute)) continue;
        diagnostics_.error(
            element.place_of(attribute),
            fmt::format("'{}' is only valid between interfaces in space (domain mechanical3d)", attribute));
      }
    } else if (element.has("axis") && !has_axis(connection.glue.joint)) {
      diagnostics_.error(element.place_of("axis"),
                         "'axis' is only valid with joint=\"revolute\", joint=\"prismatic\" or joint=\"cylindrical\"");
    }
  }

  /// Forces of several connections add up where they meet; a prescribed motion cannot.
  void check_meeting(const Connection& connection, const Endpoint& end, const InterfacePart& part,
                     std::string_view attribute, const Endpoint* moved) {
    const Connection* met = nullptr;
    for (int member = part.first; member < part.first + part.size; ++member) {
      Meeting& meeting = meetings_[{end.component, part.interface, member, 1}];
      if (meeting.moved == nullptr) meeting.moved = moved;
      if (meeting.first == nullptr) {
        meeting.first = &connection;
      } else if (met == nullptr && meeting.moved != nullptr) {
        met = meeting.first;
        moved = meeting.moved;
      }
    }
    if (met == nullptr) return;
    diagnostics_.error(connection.declaration.place_of(attribute),
                       fmt::format("'{}' is also glued by connection {}: where several meet, all sides must take "
                                   "force, but '{}' takes motion",
                                   model_.describe(end), whereabouts(*met, connection), model_.describe(*moved)));
  }

  /// What is glued twice, directly or in a ring, leaves the forces undetermined.
  void check_is_new(const Connection& connection, const Glued& from, const Glued& to) {
    const auto [twin, is_first] = pairs_.try_emplace(std::minmax(from, to), &connection);
    const bool is_closing = joins_points(connection.glue.joint) && root_of(from) == root_of(to);
    if (!is_first || is_closing) {
      const std::string through =
          is_first ? "through others" : "by connection " + whereabouts(*twin->second, connection);
      diagnostics_.error(
          connection.declaration.place(),
          fmt::format("'{}' and '{}' are already glued, {}: the forces between them would be "
                      "undetermined; remove connection '{}'",
                      model_.describe(connection.from), model_.describe(connection.to), through, connection.name));
    }
    if (joins_points(connection.glue.joint)) above_[root_of(from)] = root_of(to);
  }

  /// The one that stands for all points that are joined with this one.
  Glued root_of(const Glued& glued) {
    Glued root = glued;
    for (auto next = above_.find(root); next != above_.end() && next->second != root; next = above_.find(root))
      root = next->second;
    return above_[glued] = root;  // the next search is short
  }

  const CompositeModel& model_;
  std::span<const ComponentInterfaces> interfaces_;
  Diagnostics& diagnostics_;
  std::map<std::pair<Glued, Glued>, const Connection*> pairs_;
  std::map<Glued, Meeting> meetings_;  ///< by single points
  std::map<Glued, Glued> above_;       ///< towards the root, which is above itself, or missing
};

}  // namespace

std::string whereabouts(const Connection& connection, const Connection& seen_from) {
  const document::Place place = connection.declaration.place();
  const bool is_here = place.file == seen_from.declaration.place().file;
  return fmt::format("'{}' of line {}{}", connection.name, place.line, is_here ? "" : " of " + place.file);
}

void validate_gluing(const CompositeModel& model, std::span<const ComponentInterfaces> interfaces,
                     document::Diagnostics& diagnostics) {
  GluingValidator(model, interfaces, diagnostics).run();
}

}  // namespace tieline::model
