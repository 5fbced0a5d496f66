// A bearing written in C++, used in a model that is built in code, and in one that is read from a file.
//
// Build:  cmake -S . -B build && cmake --build build     (add -DCMAKE_PREFIX_PATH=... where Tieline is installed)
// Run:    build/own_component                            (prints two positions beside their closed forms)

#include <cmath>
#include <cstdio>
#include <exception>
#include <tieline/component.hpp>
#include <tieline/model.hpp>
#include <tieline/simulation.hpp>

// 1. The component: a housing on a spring and a damper, which a shaft pushes at.
//
//      m v' = F - k x - c v,    F: force of whatever is connected to "shaft"
class Bearing : public tieline::Equations {
 public:
  explicit Bearing(const tieline::KindParameters& given)
      : mass_(given.number("mass")), stiffness_(given.number("stiffness")), damping_(given.number("damping")) {}

  std::vector<tieline::InterfaceDeclaration> interfaces() const override { return {{.name = "shaft"}}; }
  std::vector<tieline::StateDeclaration> states() const override { return {{"x", 0.0, "m"}, {"v", 0.0, "m/s"}}; }
  std::vector<tieline::OutputDeclaration> outputs() const override { return {{"spring_force", "N"}}; }

  // How the interface moves; the force that goes with it is then known.
  void motion(double, std::span<const double> x, tieline::Interfaces& at) override { at.set_motion(0, x[0], x[1]); }
  void derivatives(double, std::span<const double> x, tieline::Interfaces& at, std::span<double> dx) override {
    dx[0] = x[1];
    dx[1] = (at.force(0) - stiffness_ * x[0] - damping_ * x[1]) / mass_;
    at.set_acceleration(0, dx[1]);
  }
  void record(double, std::span<const double> x, const tieline::Interfaces&, std::span<double> outputs) override {
    outputs[0] = -stiffness_ * x[0];
  }

  // For the energy balance of the run.
  std::optional<tieline::StoredEnergy> energy(double, std::span<const double> x) const override {
    return tieline::StoredEnergy{0.5 * mass_ * x[1] * x[1], 0.5 * stiffness_ * x[0] * x[0]};
  }
  tieline::InnerPowers powers(double, std::span<const double> x, const tieline::Interfaces&) const override {
    return {.dissipated = damping_ * x[1] * x[1]};
  }

 private:
  double mass_, stiffness_, damping_;
};

// 2. Its kind: a name, and parameters that models are checked against.
void register_bearing() {
  tieline::register_kind({.name = "my_bearing",
                          .description = "A housing on a spring and a damper.",
                          .parameters = {{.name = "mass", .unit = "kg", .least = 1e-9},
                                         {.name = "stiffness", .unit = "N/m", .least = 0.0},
                                         {.name = "damping", .unit = "N s/m", .value = 0.0, .least = 0.0}}},
                         [](const tieline::KindParameters& given) { return std::make_unique<Bearing>(given); });
}

constexpr double kForce = 1000.0;  // [N]
constexpr double kBearing = 1e5;   // [N/m]
constexpr double kShaft = 1e6;     // [N/m]

// 3. A model that uses it: the bearing, a shaft as a line, and a rotor that a force pulls at.
tieline::Model rotor_model() {
  tieline::Model model("rotor-in-bearing");
  model.add_parameter("F", kForce, "N", "force on the rotor");
  model.add_component("bearing", "my_bearing")
      .add("MyBearing")
      .set("mass", 2.0)
      .set("stiffness", kBearing)
      .set("damping", 400.0);
  auto& rotor = model.add_component("rotor", "network").add("Network");
  rotor.add("Mass").set("name", "body").set("mass", 10.0);
  rotor.add("Load").set("name", "pull").set("node", "body").set("force", "{F}");
  rotor.add("Interface").set("name", "shaft").set("node", "body");
  model.add_line("shaft", "bearing.shaft", "rotor.shaft", {.delay = 1e-4, .stiffness = kShaft, .damping = 0.2});
  model.set_simulation({.stop = 2.0, .tolerance = 1e-9});
  return model;
}

// 4. Run it. When everything has come to rest, springs hold the force: x = F/k, and the rotor is F/K further.
bool run(tieline::Simulation simulation) {
  simulation.advance_to(simulation.stop_time());
  const double bearing = simulation.get("bearing.x"), rotor = simulation.get("rotor.body.position");
  const double exact_bearing = kForce / kBearing, exact_rotor = exact_bearing + kForce / kShaft;
  std::printf("bearing %.4f mm, closed form %.4f mm\n", 1e3 * bearing, 1e3 * exact_bearing);
  std::printf("rotor %.4f mm, closed form %.4f mm\n", 1e3 * rotor, 1e3 * exact_rotor);
  return std::abs(bearing - exact_bearing) < 1e-8 && std::abs(rotor - exact_rotor) < 1e-8;
}

int main(int count, char** arguments) {
  try {
    register_bearing();
    const tieline::Model model = rotor_model();
    bool is_right = run(tieline::Simulation::from(model));
    // The same from a file: this folder's model.xml, or what `write` makes.
    if (count > 1) is_right = run(tieline::Simulation::load(arguments[1])) && is_right;
    return is_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
