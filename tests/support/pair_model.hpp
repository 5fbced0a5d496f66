#pragma once

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "support/exact_pair.hpp"
#include "support/model_run.hpp"

namespace tieline::support {

/// A pair on a line as a composite model: components `body1` and `body2`, joined at their interface `end` by the
/// connection `rod`. Times of the loads count from the start of the run.
struct PairModel {
  Pair pair{};
  Line line{};
  double damping = 0.0;  ///< alpha of the line
  std::string solver = "auto";
  double tolerance = 1e-8;
  double step = 0.0;  ///< [s] of rk4
  double start = 0.0;
  double stop = 0.0;
  double write_interval = 0.0;
  std::string body1_settings{};  ///< further attributes
  std::string body2_settings{};
  std::string simulation_settings{};

  [[nodiscard]] std::string text() const {
    const double stiffness = (1.0 - damping) * line.impedance / line.delay;
    return fmt::format(
        "<CompositeModel name=\"pair\"><Components>{}{}</Components><Connections>"
        "<Connection name=\"rod\" from=\"body1.end\" to=\"body2.end\" coupling=\"line\" stiffness=\"{:.17g}\" "
        "delay=\"{:.17g}\" damping=\"{:.17g}\" initial_force=\"{:.17g}\"/></Connections>"
        "<Simulation start=\"{:.17g}\" stop=\"{:.17g}\" tolerance=\"{:.17g}\" solver=\"{}\" "
        "write_interval=\"{:.17g}\" {}/></CompositeModel>",
        body("body1", pair.mass1, pair.position1, pair.velocity1, pair.load1, body1_settings),
        body("body2", pair.mass2, pair.position2, pair.velocity2, pair.load2, body2_settings), stiffness, line.delay,
        damping, -line.initial_force, start, stop, tolerance, solver, write_interval, simulation_settings);
  }

 private:
  [[nodiscard]] std::string body(const std::string& name, double mass, double position, double velocity, Load load,
                                 const std::string& settings) const {
    load.begin += start;
    load.end += start;
    const bool is_held = name == "body1" && (pair.ground_stiffness != 0.0 || pair.ground_damping != 0.0);
    std::string ground;
    if (is_held) {
      ground = fmt::format(
          "<Ground name=\"ground\"/><Spring name=\"spring\" from=\"ground\" to=\"body\" stiffness=\"{:.17g}\" "
          "free_length=\"0\"/><Damper name=\"damper\" from=\"ground\" to=\"body\" damping=\"{:.17g}\"/>",
          pair.ground_stiffness, pair.ground_damping);
    }
    const std::string push = load.shape == Load::Shape::none
                                 ? ""
                                 : "<Load name=\"push\" node=\"body\" force=\"" + load.expression() + "\"/>";
    const std::string fixed_step = step > 0.0 ? fmt::format("step=\"{:.17g}\"", step) : "";
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\" {} {}><Network>{}<Mass name=\"body\" mass=\"{:.17g}\" "
        "position=\"{:.17g}\" velocity=\"{:.17g}\"/>{}<Interface name=\"end\" node=\"body\"/></Network></Component>",
        name, fixed_step, settings, ground, mass, position, velocity, push);
  }
};

/// How far a recorded run of a pair is from a reference.
struct PairErrors {
  double displacement = 0.0;          ///< largest error over the largest displacement
  double force = 0.0;                 ///< largest error over the largest force
  double mean_displacement = 0.0;     ///< root of the mean square error over the largest displacement
  double largest_displacement = 0.0;  ///< [m]
  double largest_force = 0.0;         ///< [N]
};

inline PairErrors errors_of(const RunRecord& run, const Pair& pair, const PairSolution& exact, double start = 0.0) {
  PairErrors errors;
  double squares = 0.0;
  const auto compare = [&](const std::string& variable, double origin, auto value, double& error, double& largest) {
    const results::Series& series = run.of(variable);
    squares = 0.0;
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      const double reference = value(exact.at(std::max(0.0, series.times[i] - start)));
      error = std::max(error, std::abs(series.values[i] - reference));
      squares += std::pow(series.values[i] - reference, 2) / static_cast<double>(series.times.size());
      largest = std::max(largest, std::abs(reference - origin));
    }
  };
  double& x = errors.displacement;
  double& f = errors.force;
  compare(
      "body1.body.position", pair.position1, [](const PairState& s) { return s.x1; }, x, errors.largest_displacement);
  compare(
      "body2.body.position", pair.position2, [](const PairState& s) { return s.x2; }, x, errors.largest_displacement);
  errors.mean_displacement = std::sqrt(squares) / errors.largest_displacement;
  compare(
      "body1.end.force", 0.0, [](const PairState& s) { return s.force1; }, f, errors.largest_force);
  compare(
      "body2.end.force", 0.0, [](const PairState& s) { return s.force2; }, f, errors.largest_force);
  x /= errors.largest_displacement;
  f /= errors.largest_force;
  return errors;
}

}  // namespace tieline::support
