#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "core/spatial.hpp"
#include "support/model_run.hpp"

namespace tieline::support {

/// Two bodies that turn and fly through space, joined off their centres by a soft bushing: in one component, or cut
/// between the bushing and the first body, where the second component takes the first one's motion.
struct SpinningPair {
  core::Pose world{};                              ///< moves all of it
  Eigen::Vector3d drift{5.0, -3.0, 2.0};           ///< velocity of both [m/s]
  std::string coupling = "coupling=\"sampled\"";   ///< attributes of the connection
  std::string gluing{};                            ///< <Gluing>
  std::string simulation = "tolerance=\"1e-12\"";  ///< attributes of the run
  std::string component{};                         ///< attributes of both components
  bool is_swapped = false;                         ///< the second component is at `from`
  bool has_two_bushings = false;                   ///< both components take motion, each with a bushing of its own
  double stop = 0.2;                               ///< [s]

  static std::string numbers(const Eigen::Vector3d& v) {
    return fmt::format("{:.17g}, {:.17g}, {:.17g}", v.x(), v.y(), v.z());
  }
  [[nodiscard]] std::string placement() const {
    return fmt::format("<Placement position=\"{}\" angles=\"{}\"/>", numbers(world.position),
                       numbers(core::angles_of(world.orientation)));
  }
  [[nodiscard]] std::string first() const {
    return fmt::format(
        "<Body name=\"a\" mass=\"2\" inertia=\"0.3, 0.5, 0.6\" velocity=\"{}\" angular_velocity=\"1, 2, "
        "3\"><Frame name=\"tip\" position=\"0.3, 0.1, -0.2\"/></Body>",
        numbers(drift));
  }
  [[nodiscard]] std::string second() const {
    return fmt::format(
        "<Body name=\"b\" mass=\"1\" inertia=\"0.1, 0.2, 0.15\" position=\"0.7, 0.2, -0.1\" "
        "velocity=\"{}\" angular_velocity=\"0.5, 0, -0.7\"><Frame name=\"tip\" position=\"-0.4, -0.1, "
        "-0.1\"/></Body>",
        numbers(drift + Eigen::Vector3d(0.4, -0.2, 0.1)));
  }
  static std::string bushing(const std::string& from, const std::string& to, const std::string& name = "k") {
    return fmt::format(
        "<Tie name=\"{}\" from=\"{}\" to=\"{}\" stiffness=\"400, 500, 600, 30, 40, 50\" damping=\"1, 2, "
        "3, 0.1, 0.2, 0.3\"/>",
        name, from, to);
  }
  [[nodiscard]] std::string model(const std::string& components, const std::string& rest) const {
    return fmt::format(
        "<CompositeModel name=\"pair\"><Components>{}</Components>{}<Simulation stop=\"{}\" "
        "write_interval=\"0.01\" {}/></CompositeModel>",
        components, rest, stop, simulation);
  }
  [[nodiscard]] std::string part(const std::string& name, const std::string& content) const {
    return fmt::format("<Component name=\"{}\" kind=\"multibody\" {}>{}<Multibody>{}</Multibody></Component>", name,
                       component, placement(), content);
  }
  [[nodiscard]] std::string apart() const {
    const std::string free = "<Frame name=\"n\" position=\"0.3, 0.1, -0.2\"/>";
    const std::string led = "<Interface name=\"end\" frame=\"n\" causality=\"motion\"/>";
    const std::string a = has_two_bushings ? free + first() + bushing("a.tip", "n") + led
                                           : first() + "<Interface name=\"end\" frame=\"a.tip\"/>";
    return model(part("a", a) + part("b", free + second() + bushing("n", "b.tip") + led),
                 fmt::format("<Connections><Connection name=\"j\" from=\"{}.end\" to=\"{}.end\" {}/></Connections>{}",
                             is_swapped ? "b" : "a", is_swapped ? "a" : "b", coupling, gluing));
  }
  /// Both bodies take force at their ends, which a line may join.
  [[nodiscard]] std::string on_line() const {
    const std::string a = first() + "<Interface name=\"end\" frame=\"a.tip\"/>";
    const std::string b = second() + "<Interface name=\"end\" frame=\"b.tip\"/>";
    return model(part("a", a) + part("b", b),
                 fmt::format("<Connections><Connection name=\"j\" from=\"{}.end\" to=\"{}.end\" {}/></Connections>",
                             is_swapped ? "b" : "a", is_swapped ? "a" : "b", coupling));
  }
  /// In one piece; two bushings in a row join a body that has next to no mass.
  [[nodiscard]] std::string whole() const {
    SpinningPair exact = *this;
    exact.simulation = has_two_bushings ? "tolerance=\"1e-11\"" : "tolerance=\"1e-13\"";
    exact.component = has_two_bushings ? "solver=\"radau5\"" : "";
    const std::string light = fmt::format(
        "<Body name=\"n\" mass=\"1e-7\" inertia=\"1e-9, 1e-9, 1e-9\" position=\"0.3, 0.1, -0.2\" velocity=\"{}\"/>",
        numbers(drift));
    const std::string between =
        has_two_bushings ? light + bushing("a.tip", "n") + bushing("n", "b.tip", "l") : bushing("a.tip", "b.tip");
    return exact.model(exact.part("w", first() + second() + between), "");
  }
};

/// Where a body is at a row of the results, seen from the pair's own coordinate system.
inline core::Pose pose_in(const SpinningPair& pair, const RunRecord& run, const std::string& body, std::size_t row) {
  const auto value = [&](const char* quantity) { return run.values(body + quantity)[row]; };
  const core::Pose there{{value(".position.x"), value(".position.y"), value(".position.z")},
                         Eigen::Quaterniond(value(".orientation.w"), value(".orientation.x"), value(".orientation.y"),
                                            value(".orientation.z"))};
  return core::compose(core::inverse(pair.world), there);
}

/// Largest distance of either body from where it is in one piece, and angle [m], [rad].
inline double error_of(const SpinningPair& pair, const RunRecord& run, const RunRecord& whole) {
  double error = 0.0;
  for (const auto& [own, there] : {std::pair{"a.a", "w.a"}, std::pair{"b.b", "w.b"}}) {
    for (std::size_t row = 0; row < whole.times("w.a.position.x").size(); ++row) {
      const core::PoseDifference off = core::difference(pose_in(pair, run, own, row), pose_in(pair, whole, there, row));
      error = std::max({error, off.distance, off.angle});
    }
  }
  return error;
}

/// How far the bodies of another run of the pair, moved as it says, are from where a reference has them [m], [rad].
inline double differs(const SpinningPair& pair, const RunRecord& reference, const SpinningPair& moved,
                      const RunRecord& run) {
  double worst = 0.0;
  for (const char* body : {"a.a", "b.b"}) {
    for (std::size_t row = 0; row < run.times("a.a.position.x").size(); ++row) {
      core::Pose there = pose_in(moved, run, body, row);
      there.position -= run.times("a.a.position.x")[row] * moved.drift;
      core::Pose here = pose_in(pair, reference, body, row);
      here.position -= run.times("a.a.position.x")[row] * pair.drift;
      const core::PoseDifference off = core::difference(here, there);
      worst = std::max({worst, off.distance, off.angle});
    }
  }
  return worst;
}

}  // namespace tieline::support
