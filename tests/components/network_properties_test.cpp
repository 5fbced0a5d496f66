// Properties of random networks: the law of every port, derivatives against differences, the balance of energy.

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <rapidcheck/gtest.h>

#include "components/model_driver.hpp"
#include "components/network/network.hpp"
#include "components/network_builder.hpp"

namespace tieline::components {
namespace network_properties_test {

/// A random network of masses and massless nodes around a ground, with all kinds of elements; every massless node is
/// damped, driven by a port, or on a line. `random` is local and seeded, so that a failing case can be repeated.
class RandomNetwork {
 public:
  explicit RandomNetwork(unsigned seed) : random_(seed) {
    ground_ = builder_.ground();
    const int count = pick(1, 5);
    for (int i = 0; i < count; ++i) add_node(i);
    const int extra = pick(0, 6);
    for (int i = 0; i < extra; ++i) add_element();
    network = std::make_unique<Network>(builder_.spec);
    for (std::size_t p = 0; p < network->ports().size(); ++p) {
      core::Port& port = network->ports()[p];
      port.law = laws_[p];
      fill_sine(port.incoming, number(-20.0, 20.0), number(1.0, 8.0), number(0.0, 6.0), 0.0, 2.0, 400);
    }
  }

  [[nodiscard]] double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  [[nodiscard]] int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  std::unique_ptr<Network> network;

 private:
  void add_node(int i) {
    const std::string name = "n" + std::to_string(i);
    if (pick(0, 1) == 0) {
      const int node = builder_.mass(name, number(0.5, 3.0), number(-0.1, 0.1), number(-1.0, 1.0));
      if (pick(0, 1) == 0) add_port(name, node, {number(0.5, 2.0), number(0.0, 5.0)});
      builder_.spring(ground_, node, number(10.0, 200.0), number(-0.1, 0.1));
      return;
    }
    const int node = builder_.node(name, number(-0.1, 0.1));
    const int choice = pick(0, 2);
    if (choice == 0) builder_.damper(ground_, node, number(1.0, 10.0));
    if (choice == 1) add_port(name, node, {number(0.5, 2.0), number(1.0, 10.0)});
    if (choice == 2) add_port(name, node, {0.0, number(50.0, 100.0)});
    if (pick(0, 1) == 0) add_port(name + "b", node, {1.0, number(0.0, 3.0)});
  }

  void add_port(const std::string& name, int node, core::PortLaw law) {
    builder_.interface("port_" + name, node);
    laws_.push_back(law);
  }

  void add_element() {
    const int last = static_cast<int>(builder_.spec.nodes.size()) - 1;
    const int from = pick(0, last);
    const int to = pick(0, last);
    if (from == to) return;
    switch (pick(0, 3)) {
      case 0:
        builder_.spring(from, to, number(10.0, 200.0));
        break;
      case 1:
        builder_.damper(from, to, number(0.5, 5.0));
        break;
      case 2:
        builder_.stops(from, to, number(100.0, 300.0), number(0.0, 4.0), -0.05, 0.05);
        break;
      default:
        builder_.hertz(from, to, number(100.0, 500.0), number(0.0, 0.5), 0.02);
        break;
    }
  }

  std::mt19937 random_;
  NetworkBuilder builder_;
  std::vector<core::PortLaw> laws_;
  int ground_ = 0;
};

RC_GTEST_PROP(NetworkProperties, LawHoldsAtEveryPort, (unsigned seed)) {
  RandomNetwork random(seed);
  Network& network = *random.network;
  ModelDriver driver(network, 0.0);
  driver.run_to(0.05, 1e-2);
  const auto outputs = driver.outputs();
  for (std::size_t p = 0; p < outputs.size(); ++p) {
    const core::Port& port = network.ports()[p];
    const wave::TrackValue w = port.w(driver.t(), wave::Side::left);
    const auto& [a, impedance] = port.law;
    const double scale = 1.0 + std::abs(w.value) + std::abs(outputs[p].effort) + impedance * std::abs(outputs[p].flow);
    RC_ASSERT(std::abs(a * outputs[p].effort + impedance * outputs[p].flow - w.value) < 1e-12 * scale);
    const double rate_scale =
        1.0 + std::abs(w.rate) + std::abs(outputs[p].effort_rate) + impedance * std::abs(outputs[p].flow_rate);
    RC_ASSERT(std::abs(a * outputs[p].effort_rate + impedance * outputs[p].flow_rate - w.rate) < 1e-12 * rate_scale);
  }
}

RC_GTEST_PROP(NetworkProperties, JacobianAgreesWithDifferences, (unsigned seed)) {
  RandomNetwork random(seed);
  Network& network = *random.network;
  auto y = *network.begin(0.0);
  for (double& value : y) value += random.number(-0.05, 0.05);
  network.on_break(0.0, y);  // modes that fit the new state
  const std::size_t n = y.size();
  std::vector<double> columns(n * n), up(n), down(n);
  RC_ASSERT(network.jacobian(0.3, y, columns));
  for (std::size_t c = 0; c < n; ++c) {
    const double h = 1e-6;
    auto shifted = y;
    shifted[c] = y[c] + h;
    RC_ASSERT(network.rhs(0.3, wave::Side::left, shifted, up));
    shifted[c] = y[c] - h;
    RC_ASSERT(network.rhs(0.3, wave::Side::left, shifted, down));
    for (std::size_t r = 0; r < n; ++r) {
      const double expected = (up[r] - down[r]) / (2.0 * h);
      RC_ASSERT(std::abs(columns[c * n + r] - expected) < 1e-4 * (1.0 + std::abs(expected)));
    }
  }
}

RC_GTEST_PROP(NetworkProperties, RatesAreThoseOfTheTrajectory, (unsigned seed)) {
  RandomNetwork random(seed);
  Network& network = *random.network;
  ModelDriver driver(network, 0.0);
  driver.run_to(0.1, 1e-2);
  const double h = 1e-5;
  const int events = driver.events;
  const auto before = driver.outputs();
  driver.run_to(0.1 + h, h);
  const auto middle = driver.outputs();
  driver.run_to(0.1 + 2.0 * h, h);
  const auto after = driver.outputs();
  RC_PRE(driver.events == events);  // an event between has its own one-sided rates
  for (std::size_t p = 0; p < middle.size(); ++p) {
    const auto check = [&](double PortOutput::*value, double PortOutput::*rate) {
      const double expected = (after[p].*value - before[p].*value) / (2.0 * h);
      const double scale = 1.0 + std::abs(expected) + std::abs(after[p].*rate - before[p].*rate) / h * 1e-2;
      RC_ASSERT(std::abs(middle[p].*rate - expected) < 1e-5 * scale);
    };
    check(&PortOutput::position, &PortOutput::flow);
    check(&PortOutput::flow, &PortOutput::flow_rate);
    check(&PortOutput::effort, &PortOutput::effort_rate);
  }
}

RC_GTEST_PROP(NetworkProperties, EnergyBalances, (unsigned seed)) {
  RandomNetwork random(seed);
  Network& network = *random.network;
  ModelDriver driver(network, 0.0);
  const auto start = network.energy(0.0, driver.y());
  driver.run_to(0.5, 5e-4);
  const auto end = network.energy(driver.t(), driver.y());
  double work = driver.supplied;
  double scale = 1.0 + start->kinetic + start->potential + driver.dissipated;
  for (std::size_t p = 0; p < network.ports().size(); ++p) {
    work += driver.work(p);
    scale += std::abs(driver.work(p));
  }
  const double gained = end->kinetic + end->potential - start->kinetic - start->potential;
  RC_ASSERT(driver.dissipated >= -1e-12);
  RC_ASSERT(std::abs(gained + driver.dissipated - work) < 2e-5 * scale);
}

RC_GTEST_PROP(NetworkProperties, RestoredModesContinueAlike, (unsigned seed)) {
  RandomNetwork one(seed), other(seed);
  ModelDriver driver(*one.network, 0.0);
  driver.run_to(0.2, 5e-3);
  core::ArchiveWriter writer;
  one.network->save_modes(writer);
  core::ArchiveReader reader(writer.bytes());
  other.network->restore_modes(reader);
  RC_ASSERT(reader.at_end());
  std::vector<double> expected(driver.y().size()), found(driver.y().size());
  RC_ASSERT(one.network->rhs(0.2, wave::Side::right, driver.y(), expected));
  RC_ASSERT(other.network->rhs(0.2, wave::Side::right, driver.y(), found));
  RC_ASSERT(expected == found);
}

}  // namespace network_properties_test
}  // namespace tieline::components
