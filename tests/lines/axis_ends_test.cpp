// A line in space computes its axes together; a line of one axis computes it alone. Both must have the same bits.

#include "lines/axis_ends.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "lines/line.hpp"
#include "lines/spatial_line.hpp"

namespace tieline::lines {
namespace axis_ends_test {

constexpr double kTick = 1e-3;
constexpr Tick kDelay = 2, kWindows = 12;
constexpr std::size_t kAxes = core::SpatialInterface::kAxes;
using Interpolation = wave::Interpolation;

/// What the ends of a case are like.
struct Case {
  double damping = 0.0;
  core::FreeAxes free{};
  Interpolation along = Interpolation::quintic, about = Interpolation::cubic;
  double offset = 0.0;  ///< of all positions [m]
};

/// A line in space between made-up samples, and a line of one axis for each of its axes with the same samples.
class Twins {
 public:
  explicit Twins(const Case& of) : of_(of) {
    coupling::LineFigures figures;
    figures.law = {.impedance = 10.0, .delay = kDelay * kTick, .damping = of.damping};
    figures.stiffness = 1e3;
    for (std::size_t e = 0; e < 2; ++e) {
      ports_[e] = core::SpatialInterface::make_ports("flange");
      alone_[e] = core::SpatialInterface::make_ports("flange");
      space_[e].emplace("flange", std::span<core::Port, core::SpatialInterface::kPorts>(ports_[e]));
      for (auto* ports : {&ports_[e], &alone_[e]}) {
        for (std::size_t i = 0; i < kAxes; ++i) (*ports)[i].preferred = i < 3 ? of.along : of.about;
      }
    }
    SpatialLineSpec spec{.name = "j", .from_node = 0, .to_node = 1, .from = &*space_[0], .to = &*space_[1]};
    spec.figures.translation = spec.figures.rotation = figures;
    spec.figures.free_rotation = of.free;
    together_ = std::make_unique<SpatialLine>(spec, grid_);
    together_->set_capacities(8, 8);
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (i >= 3 && of.free[i - 3]) continue;
      LineSpec single{.name = "l", .from_node = 0, .to_node = 1, .from_port = &alone_[0][i], .to_port = &alone_[1][i]};
      single.figures = figures;
      lines_.push_back({i, std::make_unique<Line>(single, grid_)});
      lines_.back().line->set_capacities(8, 8);
    }
  }

  void start() {
    publish_both();
    // Orientations are known first, and the ends published again, as a run does it.
    if (together_->prepare(grid_)) publish_both();
    together_->start(grid_);
    for (auto& each : lines_) each.line->start(grid_);
    publish_both();
    together_->send_first(grid_);
    for (auto& each : lines_) each.line->send_first(grid_);
    for (const bool is_to : {false, true}) clear(is_to);
  }

  /// One window of one end, with samples at these shares of it, of which the last is 1; two alike are a break.
  void run_window(bool is_to, Tick begin, const std::vector<double>& shares) {
    const core::Window window{.begin = grid_.time(begin), .end = grid_.time(begin + 1)};
    receive(is_to);
    double before = 0.0;
    for (const double share : shares) {
      const double t = share == 1.0 ? window.end : window.begin + share * (window.end - window.begin);
      if (share == before) kick_[is_to] += 1.0;
      publish(is_to, t);
      before = share;
    }
    ASSERT_TRUE(together_->send(is_to, begin + 1, window));
    for (auto& each : lines_) ASSERT_TRUE(each.line->send(is_to, begin + 1, window));
    clear(is_to);
  }
  void receive(bool is_to) {
    together_->receive(is_to, grid_);
    for (auto& each : lines_) each.line->receive(is_to, grid_);
  }

  void expect_the_same() const {
    for (std::size_t e = 0; e < 2; ++e) {
      for (const auto& each : lines_) {
        const wave::Track &both = ports_[e][each.axis].incoming, &alone = alone_[e][each.axis].incoming;
        ASSERT_EQ(both.size(), alone.size()) << each.axis;
        for (std::size_t k = 0; k < both.size(); ++k) {
          EXPECT_EQ(both.knot(k).t, alone.knot(k).t);
          EXPECT_EQ(both.knot(k).integral, alone.knot(k).integral) << each.axis;
          EXPECT_EQ(both.knot(k).value, alone.knot(k).value);
          EXPECT_EQ(both.knot(k).rate, alone.knot(k).rate);
        }
      }
    }
    const ConnectionOutcome outcome = together_->outcome();
    ASSERT_EQ(outcome.balance->energies.size(), lines_.size());
    double energy = 0.0, residual = 0.0;
    for (std::size_t a = 0; a < lines_.size(); ++a) {
      const ConnectionOutcome alone = lines_[a].line->outcome();
      EXPECT_EQ(outcome.balance->energies[a], alone.balance->largest_energy);
      const coupling::LineDefects &both = outcome.balance->defects[a], &one = alone.balance->defects[0];
      EXPECT_EQ(both.momentum_variation(), one.momentum_variation());
      EXPECT_EQ(both.impulse(), one.impulse());
      const std::vector<double> values = lines_[a].line->values();
      energy += values[0], residual += values[1];
    }
    EXPECT_EQ(together_->values()[0], energy);
    EXPECT_EQ(together_->values()[1], residual);
  }
  [[nodiscard]] SpatialLine& together() { return *together_; }

 private:
  struct Single {
    std::size_t axis = 0;
    std::unique_ptr<Line> line;
  };
  void publish_both() {
    for (const bool is_to : {false, true}) clear(is_to), publish(is_to, 0.0);
  }
  void clear(bool is_to) {
    for (auto* ports : {&ports_[is_to], &alone_[is_to]}) {
      for (core::Port& port : *ports) port.outbox.clear();
    }
  }
  void publish(bool is_to, double t) {
    for (std::size_t i = 0; i < core::SpatialInterface::kPorts; ++i) {
      const double rate = is_to ? 300.0 : 200.0, phase = 0.1 * static_cast<double>(i);
      wave::Sample sample{.t = t};
      sample.position = of_.offset + 1e-2 * std::sin(rate * t + phase);
      sample.flow = 1e-2 * rate * std::cos(rate * t + phase) + kick_[is_to];
      sample.flow_rate = -1e-2 * rate * rate * std::sin(rate * t + phase);
      sample.effort = 3.0 * std::sin(0.7 * rate * t), sample.effort_rate = 2.1 * rate * std::cos(0.7 * rate * t);
      sample.impulse = 3.0 / (0.7 * rate) * (1.0 - std::cos(0.7 * rate * t));
      sample.work = 0.1 * t;
      if (i == 6) sample.position = std::cos(t), sample.flow = -std::sin(t), sample.flow_rate = -std::cos(t);
      if (i == 7) sample.position = std::sin(t), sample.flow = std::cos(t), sample.flow_rate = -std::sin(t);
      if (i > 7) sample.position = sample.flow = sample.flow_rate = 0.0;
      if (ports_[is_to][i].is_connected) ports_[is_to][i].outbox.push_back(sample);
      if (alone_[is_to][i].is_connected) alone_[is_to][i].outbox.push_back(sample);
    }
  }

  Case of_;
  core::TimeGrid grid_{0.0, 1.0, kTick};
  std::array<std::vector<core::Port>, 2> ports_{}, alone_{};
  std::array<std::optional<core::SpatialInterface>, 2> space_{};
  std::unique_ptr<SpatialLine> together_{};
  std::vector<Single> lines_{};
  std::array<double, 2> kick_{};
};

void expect_the_bits_of_single_lines(const Case& of, const std::vector<std::vector<double>>& windows) {
  Twins twins(of);
  twins.start();
  for (Tick k = 0; k < kWindows; ++k) {
    for (const bool is_to : {false, true}) {
      twins.run_window(is_to, k, windows[static_cast<std::size_t>(k) % windows.size()]);
    }
  }
  for (const bool is_to : {false, true}) twins.receive(is_to);
  twins.expect_the_same();
}

TEST(AxisEnds, HaveTheBitsOfSingleLines) {
  const std::vector<std::vector<double>> one{{1.0}}, some{{0.3, 1.0}, {1.0}, {0.2, 0.6, 1.0}};
  for (const auto& windows : {one, some}) {
    expect_the_bits_of_single_lines({}, windows);
    expect_the_bits_of_single_lines({.free = {false, true, false}}, windows);
    expect_the_bits_of_single_lines({.free = {true, true, true}}, windows);
    // What is not usual goes axis by axis: filters, other pieces, and positions that have lost digits.
    expect_the_bits_of_single_lines({.damping = 0.2}, windows);
    expect_the_bits_of_single_lines({.along = Interpolation::motion, .about = Interpolation::motion}, windows);
    expect_the_bits_of_single_lines({.along = Interpolation::cubic}, windows);
    expect_the_bits_of_single_lines({.offset = 1e9}, windows);
  }
}

TEST(AxisEnds, HaveTheBitsOfSingleLinesAtBreaks) {
  expect_the_bits_of_single_lines({}, {{1.0}, {0.5, 0.5, 1.0}, {1.0}, {1.0}, {1.0}, {1.0}});
  expect_the_bits_of_single_lines({}, {{0.5, 1.0}, {1.0, 1.0}, {1.0}});
}

RC_GTEST_PROP(AxisEnds, HaveTheBitsOfSingleLinesWhateverTheSamples, ()) {
  std::vector<std::vector<double>> windows(kWindows);
  for (auto& shares : windows) {
    double share = 0.0;
    while (share < 0.7 && *rc::gen::arbitrary<bool>()) {
      share += 0.01 * *rc::gen::inRange(1, 30);
      shares.push_back(share);
      if (*rc::gen::inRange(0, 6) == 0) shares.push_back(share);
    }
    shares.push_back(1.0);
  }
  expect_the_bits_of_single_lines({.free = {*rc::gen::arbitrary<bool>(), false, false}}, windows);
}

}  // namespace axis_ends_test
}  // namespace tieline::lines
