#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fmi/cs_component.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/test_fmus.hpp"
#include "support/exact_pair.hpp"
#include "wave/line.hpp"

namespace tieline::fmi {

/// What is needed to run a test FMU by co-simulation; its interfaces are still to be mapped.
inline FmuSpec spec_of(const std::string& name, int version) {
  document::Diagnostics diagnostics;
  // FMUs of FMI 1.0 are for one of both ways.
  auto archive = open_fmu(folder_of(version == 1 ? name + "_cs" : name, version), diagnostics);
  if (!archive) throw std::runtime_error(diagnostics.describe());
  auto shared = std::make_shared<archive::Archive>(std::move(*archive));
  auto description = read_description(*shared, diagnostics);
  if (!description) throw std::runtime_error(diagnostics.describe());
  FmuSpec spec;
  spec.archive = shared;
  spec.description = std::make_shared<const Description>(std::move(*description));
  return spec;
}

inline void set_start(FmuSpec& spec, const std::string& variable, double value) {
  spec.starts.push_back({.variable = spec.description->index_of(variable), .values = std::vector<double>{value}});
}

/// A free mass of the FMU `mass` or one of its relatives; `flange` is its interface.
inline FmuSpec mass_spec(const std::string& fmu, int version, double mass, double velocity, StepScheme scheme) {
  FmuSpec spec = spec_of(fmu, version);
  const Description& description = *spec.description;
  InterfaceMap map;
  map.shape = {.name = "flange", .domain = core::Domain::translation};
  map.position = description.scalars_of("x");
  map.flow = description.scalars_of("v");
  map.effort = description.scalars_of("f");
  spec.interfaces.push_back(std::move(map));
  for (const auto& [name, value] : {std::pair{"m", mass}, {"k", 0.0}, {"c", 0.0}, {"x", 0.0}, {"v", velocity}}) {
    set_start(spec, name, value);
  }
  spec.scheme = scheme;
  return spec;
}

inline std::unique_ptr<CsComponent> make_component(const FmuSpec& spec, double window = 0.0) {
  return std::make_unique<CsComponent>(spec, core::Pose{}, RunFacts{.name = "fmu", .window = window});
}

/// Two components on a line, advanced as the engine does: window by window of half a delay.
class LinedPair {
 public:
  LinedPair(CsComponent& first, CsComponent& second, const support::Line& line) : parts_{&first, &second}, line_(line) {
    const wave::LineLaw law{line.impedance, line.delay, 0.0};
    for (core::Component* part : parts_) {
      core::Port& port = part->ports()[0];
      port.law = {1.0, line.impedance};
      port.is_connected = true;
    }
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < 2; ++i) {
        port(i).outbox.clear();
        expect_done(parts_[i]->start(0.0));
      }
      if (round > 0) break;
      for (std::size_t i = 0; i < 2; ++i) {
        senders_[i] = {law, port(i).preferred};
        receivers_[i] = {law, port(1 - i).preferred, {0.0, 0.5 * line.delay}};
        receivers_[i].start(port(i).incoming, 0.0, 0.0, port(i).outbox.back().flow, port(1 - i).outbox.back().flow);
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<wave::Knot> knots;
      senders_[i].start(port(i).outbox.back(), knots);
      receivers_[1 - i].accept(port(1 - i).incoming, knots, 0.0, line.delay, 0.0);
      last_[i] = port(i).outbox.back();
      port(i).outbox.clear();
    }
  }

  void advance(int windows) {
    for (int k = 0; k < windows; ++k) {
      const double begin = time(done_), end = time(done_ + 1);
      std::array<std::vector<wave::Knot>, 2> sent;
      for (std::size_t i = 0; i < 2; ++i) {
        expect_done(parts_[i]->advance({.begin = begin, .end = end, .horizon = end}));
        for (const wave::Sample& sample : port(i).outbox) senders_[i].emit(sample, sent[i]);
        last_[i] = port(i).outbox.back();
        port(i).outbox.clear();
        receivers_[i].settle(port(i).incoming, end);
      }
      for (std::size_t i = 0; i < 2; ++i) {
        receivers_[1 - i].accept(port(1 - i).incoming, sent[i], end, time(done_ + 3), senders_[i].emitted_energy());
      }
      ++done_;
    }
  }

  [[nodiscard]] double line_energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      sum += receivers_[i].initial_energy() + senders_[1 - i].emitted_energy() - receivers_[i].arrived_energy();
    }
    return sum;
  }
  /// Work on the line by the components' own account, less what the line has got: the audit's residual [J].
  [[nodiscard]] double residual() const {
    const double first = receivers_[0].initial_energy() + receivers_[1].initial_energy();
    return -(last_[0].work + last_[1].work) - (line_energy() - first);
  }
  [[nodiscard]] const wave::Sample& last(std::size_t i) const { return last_[i]; }
  [[nodiscard]] double energy(double mass1, double mass2) const {
    return line_energy() + 0.5 * mass1 * last_[0].flow * last_[0].flow + 0.5 * mass2 * last_[1].flow * last_[1].flow;
  }

 private:
  [[nodiscard]] core::Port& port(std::size_t i) { return parts_[i]->ports()[0]; }
  [[nodiscard]] double time(int windows) const { return windows * (0.5 * line_.delay); }

  std::array<CsComponent*, 2> parts_;
  support::Line line_;
  std::array<wave::LineSender, 2> senders_{};
  std::array<wave::LineReceiver, 2> receivers_{};
  std::array<wave::Sample, 2> last_{};
  int done_ = 0;
};

}  // namespace tieline::fmi
