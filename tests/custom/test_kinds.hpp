#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "tieline/component.hpp"

/// Components in C++ for the tests of this folder; `register_test_kinds` makes them known, once a process.
namespace tieline::custom {

/// A mass on a spring and a damper to the ground, with one end that takes force.
class Oscillator : public Equations {
 public:
  explicit Oscillator(const KindParameters& given, bool sets_acceleration = true)
      : mass_(given.number("mass")),
        stiffness_(given.number("stiffness")),
        damping_(given.number("damping")),
        position_(given.number("position")),
        velocity_(given.number("velocity")),
        sets_acceleration_(sets_acceleration) {}

  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override { return {{.name = "end"}}; }
  [[nodiscard]] std::vector<StateDeclaration> states() const override {
    return {{"x", position_, "m"}, {"v", velocity_, "m/s"}};
  }
  [[nodiscard]] std::vector<OutputDeclaration> outputs() const override { return {{"spring_force", "N"}}; }
  void motion(double, std::span<const double> x, Interfaces& at) override { at.set_motion(0, x[0], x[1]); }
  void derivatives(double, std::span<const double> x, Interfaces& at, std::span<double> dx) override {
    dx[0] = x[1];
    dx[1] = (at.force(0) - stiffness_ * x[0] - damping_ * x[1]) / mass_;
    if (sets_acceleration_) at.set_acceleration(0, dx[1]);
  }
  void record(double, std::span<const double> x, const Interfaces&, std::span<double> outputs) override {
    outputs[0] = -stiffness_ * x[0];
  }
  [[nodiscard]] std::optional<StoredEnergy> energy(double, std::span<const double> x) const override {
    return StoredEnergy{0.5 * mass_ * x[1] * x[1], 0.5 * stiffness_ * x[0] * x[0]};
  }
  [[nodiscard]] InnerPowers powers(double, std::span<const double> x, const Interfaces&) const override {
    return {.dissipated = damping_ * x[1] * x[1]};
  }

 private:
  double mass_, stiffness_, damping_, position_, velocity_;
  bool sets_acceleration_;
};

/// A mass that hangs on a spring and a damper, whose other end takes motion.
class Shank : public Equations {
 public:
  explicit Shank(const KindParameters& given)
      : mass_(given.number("mass")), stiffness_(given.number("stiffness")), damping_(given.number("damping")) {}

  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override {
    return {{.name = "root", .causality = Causality::motion_in}};
  }
  [[nodiscard]] std::vector<StateDeclaration> states() const override {
    return {{"root_position", 0.0, "m"}, {"x", 0.0, "m"}, {"v", 0.0, "m/s"}};
  }
  void forces(double, std::span<const double> x, Interfaces& at) override {
    at.set_force(0, x[0], pull(x, at.velocity(0)));
  }
  void derivatives(double, std::span<const double> x, Interfaces& at, std::span<double> dx) override {
    dx[0] = at.velocity(0);
    dx[1] = x[2];
    dx[2] = pull(x, at.velocity(0)) / mass_;
  }

 private:
  [[nodiscard]] double pull(std::span<const double> x, double root_velocity) const {
    return stiffness_ * (x[0] - x[1]) + damping_ * (root_velocity - x[2]);
  }
  double mass_, stiffness_, damping_;
};

/// A ball above a floor that it bounces off; it counts how often.
class Ball : public Equations {
 public:
  explicit Ball(const KindParameters& given)
      : restitution_(given.number("restitution")), height_(given.number("height")) {}

  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override {
    return {{.name = "count", .domain = Domain::signal, .causality = Causality::output}};
  }
  [[nodiscard]] std::vector<StateDeclaration> states() const override {
    return {{"height", height_, "m"}, {"speed", 0.0, "m/s"}};
  }
  [[nodiscard]] std::vector<EventDeclaration> events() const override { return {{.name = "floor"}}; }
  void derivatives(double, std::span<const double> x, Interfaces&, std::span<double> dx) override {
    dx[0] = x[1];
    dx[1] = -kGravity;
  }
  void signals(double, std::span<const double>, Interfaces& at) override { at.set_signal_value(0, bounces_); }
  void event_functions(double, std::span<const double> x, const Interfaces&, std::span<double> values) override {
    values[0] = x[0];
  }
  void on_event(int, double, std::span<double> x) override {
    x[1] *= -restitution_;
    bounces_ += 1.0;
  }
  [[nodiscard]] std::vector<double> save() const override { return {bounces_}; }
  void restore(std::span<const double> saved) override { bounces_ = saved[0]; }

  static constexpr double kGravity = 9.81;  // [m/s^2]

 private:
  double restitution_, height_, bounces_ = 0.0;
};

/// Two numbers in, their sum and a clock's count of tenths of seconds out.
class Adder : public Equations {
 public:
  explicit Adder(const KindParameters&) {}
  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override {
    return {{.name = "u", .domain = Domain::signal, .causality = Causality::input, .size = 2, .start = {5.0, 7.0}},
            {.name = "y", .domain = Domain::signal, .causality = Causality::output, .size = 2, .unit = "N"}};
  }
  void signals(double, std::span<const double>, Interfaces& at) override {
    const std::array<double, 2> values{at.signal(0)[0] + at.signal(0)[1], tenths_};
    at.set_signal(1, values);
  }
  [[nodiscard]] double next_time_event(double t) const override { return 0.1 * (std::floor(t * 10.0 + 1e-9) + 1.0); }
  void on_time_event(double, std::span<double>) override { tenths_ += 1.0; }
  [[nodiscard]] std::vector<double> save() const override { return {tenths_}; }
  void restore(std::span<const double> saved) override { tenths_ = saved[0]; }

 private:
  double tenths_ = 0.0;
};

/// A plate that moves in its x-y plane and turns about z, with a point at an offset along its x axis.
class Plate : public Equations {
 public:
  explicit Plate(const KindParameters& given)
      : mass_(given.number("mass")),
        inertia_(given.number("inertia")),
        offset_(given.number("offset")),
        rate_(given.number("rate")) {}
  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override {
    return {{.name = "point", .domain = Domain::mechanical3d}};
  }
  [[nodiscard]] std::vector<StateDeclaration> states() const override {
    return {{"x", 0.0, "m"},   {"y", 0.0, "m"},   {"z", 0.0, "m"},   {"angle", 0.0, "rad"},
            {"u", 0.0, "m/s"}, {"v", 0.0, "m/s"}, {"w", 0.0, "m/s"}, {"rate", rate_, "rad/s"}};
  }
  void motion(double, std::span<const double> x, Interfaces& at) override {
    const double c = std::cos(x[3]), s = std::sin(x[3]);
    Motion3d m;
    m.position = {x[0] + offset_ * c, x[1] + offset_ * s, x[2]};
    m.orientation = {c, -s, 0, s, c, 0, 0, 0, 1};
    m.velocity = {x[4] - offset_ * s * x[7], x[5] + offset_ * c * x[7], x[6]};
    m.angular_velocity = {0.0, 0.0, x[7]};
    at.set_motion(0, m);
  }
  void derivatives(double, std::span<const double> x, Interfaces& at, std::span<double> dx) override {
    const Load3d load = at.load(0);
    const double c = std::cos(x[3]), s = std::sin(x[3]);
    for (std::size_t i = 0; i < 4; ++i) dx[i] = x[4 + i];
    for (std::size_t i = 0; i < 3; ++i) dx[4 + i] = load.force[i] / mass_;
    dx[7] = (load.torque[2] + offset_ * (c * load.force[1] - s * load.force[0])) / inertia_;
  }

 private:
  double mass_, inertia_, offset_, rate_;
};

inline const std::vector<ParameterDeclaration> kOscillatorParameters{
    {.name = "mass", .unit = "kg", .description = "Its mass", .least = 1e-6},
    {.name = "stiffness", .unit = "N/m", .description = "Of its spring", .value = 0.0},
    {.name = "damping", .unit = "N s/m", .description = "Of its damper", .value = 0.0},
    {.name = "position", .unit = "m", .description = "At the start", .value = 0.0},
    {.name = "velocity", .unit = "m/s", .description = "At the start", .value = 0.0}};

inline void register_test_kinds() {
  static const bool done = [] {
    register_kind({.name = "oscillator", .description = "A mass on a spring.", .parameters = kOscillatorParameters},
                  [](const KindParameters& given) { return std::make_unique<Oscillator>(given); });
    register_kind({.name = "plain-oscillator", .parameters = kOscillatorParameters},
                  [](const KindParameters& given) { return std::make_unique<Oscillator>(given, false); });
    register_kind({.name = "shank", .parameters = {{.name = "mass"}, {.name = "stiffness"}, {.name = "damping"}}},
                  [](const KindParameters& given) { return std::make_unique<Shank>(given); });
    register_kind({.name = "ball",
                   .parameters = {{.name = "restitution", .value = 0.8, .least = 0.0, .most = 1.0},
                                  {.name = "height", .unit = "m", .value = 1.0}}},
                  [](const KindParameters& given) { return std::make_unique<Ball>(given); });
    register_kind("adder", [](const KindParameters& given) { return std::make_unique<Adder>(given); });
    register_kind(
        {.name = "plate", .parameters = {{.name = "mass"}, {.name = "inertia"}, {.name = "offset"}, {.name = "rate"}}},
        [](const KindParameters& given) { return std::make_unique<Plate>(given); });
    return true;
  }();
  (void)done;
}

}  // namespace tieline::custom
