#pragma once

#include <cmath>
#include <string>

#include "components/network/spec.hpp"
#include "wave/track.hpp"

namespace tieline::components {

/// Short ways to write networks in tests; each function returns the index of what it added.
struct NetworkBuilder {
  NetworkSpec spec{};

  int mass(std::string name, double inertia, double position = 0.0, double velocity = 0.0) {
    spec.nodes.push_back({.name = std::move(name), .inertia = inertia, .position = position, .velocity = velocity});
    return static_cast<int>(spec.nodes.size()) - 1;
  }
  int node(std::string name, double position = 0.0) {
    spec.nodes.push_back({.name = std::move(name), .kind = NetworkNode::Kind::massless, .position = position});
    return static_cast<int>(spec.nodes.size()) - 1;
  }
  int ground(double position = 0.0) {
    spec.nodes.push_back({.name = "ground", .kind = NetworkNode::Kind::ground, .position = position});
    return static_cast<int>(spec.nodes.size()) - 1;
  }
  int element(NetworkElement element) {
    spec.elements.push_back(std::move(element));
    return static_cast<int>(spec.elements.size()) - 1;
  }
  int spring(int from, int to, double stiffness, double free_length = 0.0) {
    return element({.name = "spring" + std::to_string(spec.elements.size()),
                    .from = from,
                    .to = to,
                    .stiffness = stiffness,
                    .free_length = free_length});
  }
  int damper(int from, int to, double damping) {
    return element({.name = "damper" + std::to_string(spec.elements.size()),
                    .kind = NetworkElement::Kind::damper,
                    .from = from,
                    .to = to,
                    .damping = damping});
  }
  int stops(int from, int to, double stiffness, double damping, double lower, double upper) {
    return element({.name = "stops" + std::to_string(spec.elements.size()),
                    .kind = NetworkElement::Kind::stops,
                    .from = from,
                    .to = to,
                    .stiffness = stiffness,
                    .damping = damping,
                    .lower = lower,
                    .upper = upper});
  }
  int hertz(int from, int to, double stiffness, double damping, double gap = 0.0, double exponent = 1.5) {
    return element({.name = "contact" + std::to_string(spec.elements.size()),
                    .kind = NetworkElement::Kind::hertz,
                    .from = from,
                    .to = to,
                    .stiffness = stiffness,
                    .damping = damping,
                    .lower = gap,
                    .exponent = exponent});
  }
  int interface(std::string name, int node, std::optional<int> reported_node = {}) {
    const bool is_mass = spec.nodes[node].kind == NetworkNode::Kind::mass;
    spec.interfaces.push_back({.name = std::move(name),
                               .node = node,
                               .causality = is_mass ? core::Causality::takes_force : core::Causality::takes_motion,
                               .reported_node = reported_node});
    return static_cast<int>(spec.interfaces.size()) - 1;
  }
};

/// A track that follows amplitude * sin(omega t + phase) with exact knots.
inline void fill_sine(wave::Track& track, double amplitude, double omega, double phase, double from, double to,
                      int pieces) {
  track.set_interpolation(wave::Interpolation::quintic);
  for (int i = 0; i <= pieces; ++i) {
    const double t = from + (to - from) * i / pieces;
    const double angle = omega * t + phase;
    track.push({.t = t,
                .integral = amplitude / omega * (std::cos(omega * from + phase) - std::cos(angle)),
                .value = amplitude * std::sin(angle),
                .rate = amplitude * omega * std::cos(angle)});
  }
}

}  // namespace tieline::components
