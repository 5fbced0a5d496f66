// The vehicle of the examples: what it weighs, how it swings, and when it runs straight, by the eigenvalues of its
// linearised equations.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "document/xml.hpp"
#include "railway/lateral_model.hpp"
#include "support/work_folder.hpp"

namespace tieline::railway {
namespace vehicle_test {

constexpr double kSpeed = 350.0 / 3.6;  // [m/s]

/// What a test changes of the vehicle on rigid rails.
struct Changes {
  double speed = kSpeed;
  rail::ConeAndFlange wheel{};
  bool has_yaw_dampers = true;
  /// The guidance of the boxes at their axles, in place of at the ends of their arms.
  bool is_guided_at_axle = false;
  /// Without dampers, on wheels that do not move.
  bool only_swings = false;
};

void replace(std::string& text, const std::string& what, const std::string& by) {
  EXPECT_NE(text.find(what), text.npos) << what;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// The vehicle on rigid rails, in the middle of the track.
components::MultibodySpec vehicle(const Changes& changes = {}) {
  const support::WorkFolder folder;
  const auto part = [&](const std::string& name, auto&& change) {
    std::string text = support::text_of(support::example("train-crosswind/" + name));
    change(text);
    folder.write(name, text);
    return text;
  };
  const std::string rigid = part("rigid.xml", [&](std::string& text) {
    std::string ties;
    for (const char* axle : {"front.leading", "front.trailing", "rear.leading", "rear.trailing"}) {
      ties += fmt::format(
          "<Tie name=\"hold_{1}\" from=\"ground\" to=\"vehicle.{0}.axle\" stiffness=\"1e11, 1e11\" "
          "relaxed=\"at_start\"/>",
          axle, ties.size());
    }
    const std::string end = "</Multibody>";
    text = text.substr(text.find("<Multibody"), text.find(end) - text.find("<Multibody"));
    text += (changes.only_swings ? ties : "") + end;
    replace(text, "position=\"0, 0.002, 0\"", "position=\"0, 0, 0\"");
    replace(text, "{yaw_damping}", changes.has_yaw_dampers ? "2.5e5" : "1");
    replace(text, "speed=\"{350/3.6}\" conicity=\"0.1\"",
            fmt::format("speed=\"{}\" conicity=\"{}\" contact_angle=\"{}\"", changes.speed, changes.wheel.conicity,
                        changes.wheel.contact_angle));
  });
  part("vehicle.xml", [&](std::string& text) {
    if (changes.only_swings) {
      replace(text, "{orifice}", "0"), replace(text, "damping=\"{lateral_damping}\"", "damping=\"1e-3\"");
    }
    // Without its valve a damper that is nearly nothing is nearly nothing at any speed.
    if (!changes.has_yaw_dampers) replace(text, "valve_force=\"{0.01*yaw_damping}\" open_damping=\"2e4\"", "");
  });
  part("bogie.xml", [&](std::string& text) {
    if (changes.only_swings)
      replace(text, "{primary_damping}", "0"), replace(text, "\"1e3, 1e3, 1e3, 0, 0, 0\"", "\"0, 0\"");
    if (!changes.is_guided_at_axle) return;
    replace(text, "\"0.7, ", "\"1.25, "), replace(text, "\"-0.7, ", "\"-1.25, ");
    // What holds the boxes' pitch is the arm's bushing otherwise.
    replace(text, "\"1.47e7, 6.5e6, 1.47e7, 0, 0, 0\"", "\"9.8e6, 6.5e6, 0, 0, 4e6, 0\"");
  });
  part("wheelset.xml", [&](std::string& text) {
    if (changes.is_guided_at_axle) replace(text, "{-0.55*inwards}", "0");
  });
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(rigid, folder.path("rigid.xml").string(), diagnostics);
  components::MultibodySpec spec = components::read_multibody(document->root(), document::Scope(), diagnostics);
  EXPECT_EQ(diagnostics.describe(), "");
  return spec;
}

std::vector<Mode> modes_of(const components::MultibodySpec& spec) {
  components::Multibody system(spec);
  const auto y = system.begin(0.0);
  EXPECT_TRUE(y);
  const auto n = static_cast<std::size_t>(system.size());
  std::vector<double> columns(n * n);
  EXPECT_TRUE(system.jacobian(0.0, *y, columns));
  return modes_of(Eigen::Map<const Eigen::MatrixXd>(columns.data(), system.size(), system.size()));
}

/// The mode that is nearest to a frequency and a damping ratio.
Mode nearest(const std::vector<Mode>& modes, double frequency, double damping) {
  const auto far = [&](const Mode& mode) {
    return std::hypot(std::log(mode.frequency / frequency), mode.damping - damping);
  };
  return *std::min_element(modes.begin(), modes.end(), [&](const Mode& a, const Mode& b) { return far(a) < far(b); });
}

void show(const std::string& what, const Mode& component, const Mode& model) {
  if (std::getenv("TIELINE_SHOW_VALUES") == nullptr) return;
  fmt::print("{}: component {:.2f} Hz ({:.4f}), lateral model {:.2f} Hz ({:.4f})\n", what, component.frequency,
             component.damping, model.frequency, model.damping);
}

TEST(Vehicle, has_the_weight_and_bodies_of_a_high_speed_car) {
  const components::MultibodySpec spec = vehicle();
  double mass = 0.0;
  for (const auto& body : spec.bodies) mass += body.mass;
  EXPECT_EQ(spec.bodies.size(), 15U + 1U);
  EXPECT_NEAR(mass, 42400.0 + 2.0 * 2400.0 + 4.0 * 1850.0 + 8.0 * 70.0 + 1.0, 1.0);
}

TEST(Vehicle, swings_on_its_springs) {
  const auto modes = modes_of(vehicle({.has_yaw_dampers = false, .only_swings = true}));
  // Figures of others for these parameters, the wheels being fixed.
  for (const auto& [what, frequency] : {std::pair{"car bounce", 0.72},
                                        {"car yaw", 0.93},
                                        {"car pitch", 0.99},
                                        {"bogie bounce", 7.40},
                                        {"bogie pitch", 11.9}}) {
    const double found = nearest(modes, frequency, 0.0).frequency;
    EXPECT_NEAR(found, frequency, 0.03 * frequency) << what;
    if (std::getenv("TIELINE_SHOW_VALUES") != nullptr) fmt::print("{}: {:.3f} Hz\n", what, found);
  }
}

/// A cone, whose contact angle is its conicity and stays what it is.
rail::ConeAndFlange cone(double conicity) { return {.conicity = conicity, .contact_angle = conicity}; }

rail::ConeAndFlange hollow(double conicity) { return {.conicity = conicity}; }

/// As in many lateral models: linear creep, contact angles that grow with the roll alone, and boxes that are guided at
/// their axles, without damping.
LateralVehicle simple_vehicle(double conicity) {
  LateralVehicle v{.arm = 0.0, .guide_along = 9.8e6, .guide_damping = 0.0};
  v.friction = std::numeric_limits<double>::infinity();
  v.contact.conicity = conicity;
  return v;
}

// Figures of another implementation of such a model, as rounded there.
TEST(LateralModel, HasTheModesThatOthersFound) {
  const auto modes = lateral_modes(simple_vehicle(0.1));
  EXPECT_NEAR(modes.front().frequency, 37.8, 0.2);
  EXPECT_NEAR(modes.front().damping, 0.053, 0.002);
  EXPECT_NEAR(nearest(modes, 20.4, 0.158).frequency, 20.4, 0.3);
  EXPECT_NEAR(nearest(modes, 20.4, 0.158).damping, 0.158, 0.004);
  LateralVehicle without = simple_vehicle(0.1);
  without.has_yaw_dampers = false;
  EXPECT_NEAR(lateral_modes(without).front().frequency, 5.0, 0.05);
  EXPECT_NEAR(lateral_modes(without).front().damping, -0.026, 0.002);
  EXPECT_NEAR(critical_speed(without, 120.0), 330.0 / 3.6, 2.0);
  EXPECT_NEAR(critical_speed(simple_vehicle(0.2), 160.0), 480.0 / 3.6, 3.0);
  EXPECT_NEAR(lateral_modes(simple_vehicle(0.3)).front().frequency, 8.6, 0.1);
  EXPECT_NEAR(lateral_modes(simple_vehicle(0.3)).front().damping, -0.013, 0.002);
}

TEST(Vehicle, hunts_as_the_lateral_model_does) {
  for (const bool is_guided_at_axle : {true, false}) {
    for (const rail::ConeAndFlange& wheel : {cone(0.05), hollow(0.1), hollow(0.2), hollow(0.3)}) {
      for (const bool has_yaw_dampers : {true, false}) {
        LateralVehicle model{.has_yaw_dampers = has_yaw_dampers};
        if (is_guided_at_axle) model.arm = 0.0, model.guide_along = 9.8e6;
        model.contact = linear_contact(wheel, model.wheel_load);
        const auto modes = modes_of(
            vehicle({.wheel = wheel, .has_yaw_dampers = has_yaw_dampers, .is_guided_at_axle = is_guided_at_axle}));
        for (const Mode& mode : lateral_modes(model)) {
          // Those in which wheels and bogies take part; the car sways below 2 Hz on springs that bear its weight.
          if (mode.frequency < 2.0 || mode.frequency > 45.0 || mode.damping > 0.25) continue;
          const Mode found = nearest(modes, mode.frequency, mode.damping);
          const std::string what = fmt::format("conicity {}, angle {}, dampers {}, at axle {}", wheel.conicity,
                                               wheel.contact_angle, has_yaw_dampers, is_guided_at_axle);
          show(what, found, mode);
          // The model leaves out what the preload of springs and the vertical motion do.
          EXPECT_NEAR(found.frequency, mode.frequency, 0.012 * mode.frequency) << what;
          EXPECT_NEAR(found.damping, mode.damping, 0.01) << what;
        }
      }
    }
  }
}

}  // namespace vehicle_test
}  // namespace tieline::railway
