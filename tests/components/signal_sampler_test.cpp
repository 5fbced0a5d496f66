#include "components/signal_sampler.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::components {
namespace signal_sampler_test {

constexpr double kTolerance = 1e-8;
constexpr double kTau = 2.0 * std::numbers::pi;

struct Curve {
  std::function<double(double)> value;
  std::function<double(double)> rate;
};

Curve sine(double frequency, double phase = 0.0) {
  return {[=](double t) { return std::sin(kTau * frequency * t + phase); },
          [=](double t) { return kTau * frequency * std::cos(kTau * frequency * t + phase); }};
}

/// Publishes curves at the ends of stretches, with what the sampler puts in between.
class Source {
 public:
  explicit Source(std::vector<Curve> curves) : curves_(std::move(curves)), ports(curves_.size()) {
    for (core::Port& port : ports) {
      port.domain = core::Domain::signal;
      port.causality = core::Causality::output;
      port.is_connected = true;
    }
    sampler.start(ports, kTolerance);
    outputs_.resize(ports.size());
    publish(0.0);
  }
  explicit Source(Curve curve) : Source(std::vector<Curve>{std::move(curve)}) {}

  void stretch_to(double t) {
    read(t, outputs_);
    sampler.sample(t, outputs_, ports, [this](double between, double disturbance, std::span<PortOutput> outputs) {
      ++looks;
      is_disturbed = disturbance > 0.0;
      read(between, outputs);
      is_disturbed = false;
    });
    publish(t);
  }
  /// Largest distance of a curve from the cubic pieces through its samples.
  [[nodiscard]] double error(std::size_t curve = 0) const {
    wave::Track track(wave::Interpolation::cubic);
    for (const wave::Sample& sample : ports[curve].outbox) track.push({sample.t, 0.0, sample.flow, sample.flow_rate});
    double largest = 0.0;
    for (int i = 0; i <= 100'000; ++i) {
      const double t = track.back().t * 1e-5 * i;
      largest = std::max(largest, std::abs(track.at(t, wave::Side::left).value - curves_[curve].value(t)));
    }
    return largest;
  }
  [[nodiscard]] std::size_t samples(std::size_t curve = 0) const { return ports[curve].outbox.size(); }

 private:
  void read(double t, std::span<PortOutput> outputs) {
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      outputs[i] = {.flow = curves_[i].value(t), .flow_rate = curves_[i].rate(t)};
    }
  }
  void publish(double t) {
    read(t, outputs_);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i].outbox.push_back({.t = t, .flow = outputs_[i].flow, .flow_rate = outputs_[i].flow_rate});
    }
    sampler.note(t, outputs_);
  }

  std::vector<Curve> curves_;
  std::vector<PortOutput> outputs_;

 public:
  std::vector<core::Port> ports;
  SignalSampler sampler;
  int looks = 0;
  bool is_disturbed = false;
};

TEST(SignalSampler, FollowsFastSignals) {
  for (const double periods : {0.3, 0.5, 1.0, 2.0, 2.5, 7.3, 16.0, 64.0, 100.0}) {
    for (const double phase : {0.0, 0.4, 0.5 * std::numbers::pi}) {
      Source source(sine(periods, phase));
      source.stretch_to(1.0);
      source.stretch_to(2.0);
      EXPECT_LE(source.error(), 10.0 * kTolerance) << periods << " periods, phase " << phase;
      EXPECT_EQ(source.ports[0].coarseness, 0.0);
    }
  }
}

// (omega h)^4 / 384 is the error of a piece; halving overshoots by at most a factor of two in h.
TEST(SignalSampler, PublishesNoMoreSamplesThanNeeded) {
  const double periods = 10.0;
  Source source(sine(periods));
  source.stretch_to(1.0);
  const double needed = kTau * periods / std::pow(384.0 * 4.0 * kTolerance, 0.25);
  EXPECT_LE(static_cast<double>(source.samples()), 2.1 * needed);
}

TEST(SignalSampler, LeavesSlowSignalsAlone) {
  Source cubic(Curve{[](double t) { return 1.0 + t * t * t; }, [](double t) { return 3.0 * t * t; }});
  Source constant(Curve{[](double) { return 7.0; }, [](double) { return 0.0; }});
  Source nothing(Curve{[](double) { return 0.0; }, [](double) { return 0.0; }});
  for (Source* source : {&cubic, &constant, &nothing}) {
    for (int i = 1; i <= 100; ++i) source->stretch_to(0.01 * i);
    EXPECT_EQ(source->samples(), 101U);
    EXPECT_LE(source->looks, 110);  // two for each of the first stretches, then one
  }
}

TEST(SignalSampler, NoticesWhenACalmSignalWakesUp) {
  const auto awake = [](double t) { return std::max(0.0, t - 30.0); };
  Source source(Curve{[=](double t) { return 1.0 + std::pow(awake(t), 3) * std::sin(kTau * t); },
                      [=](double t) {
                        return 3.0 * std::pow(awake(t), 2) * std::sin(kTau * t) +
                               kTau * std::pow(awake(t), 3) * std::cos(kTau * t);
                      }});
  for (int i = 1; i <= 40; ++i) source.stretch_to(i);
  EXPECT_LE(source.error(), 10.0 * kTolerance * 1001.0);
}

TEST(SignalSampler, PublishesOnlyTheFastSignalOften) {
  Source source({sine(0.01), sine(20.0)});
  source.stretch_to(1.0);
  EXPECT_LE(source.samples(0), 4U);
  EXPECT_GE(source.samples(1), 100U);
  EXPECT_LE(source.error(0), 10.0 * kTolerance);
  EXPECT_LE(source.error(1), 10.0 * kTolerance);
}

// A difference of large numbers that should be zero.
TEST(SignalSampler, LeavesRoundingAlone) {
  Source* self = nullptr;
  const auto noise = [&](double t) {
    const double large = 1e6 * (1.0 + t);
    const double other = large * (self != nullptr && self->is_disturbed ? 1.0 + 1e-15 : 1.0);
    return (large + std::sin(1e9 * t)) - other - std::sin(1e9 * t);
  };
  Source source(Curve{noise, [](double) { return 0.0; }});
  self = &source;
  for (int i = 1; i <= 100; ++i) source.stretch_to(0.01 * i);
  EXPECT_LE(source.looks, 300);
  EXPECT_EQ(source.samples(), 101U);
}

// Neither rounding of the states nor a signal that could be followed: noise that comes from elsewhere.
TEST(SignalSampler, GivesUpOnNoise) {
  Source source(
      Curve{[](double t) { return std::fmod(1e9 * std::abs(std::sin(1e5 * t)), 1.0); }, [](double) { return 0.0; }});
  for (int i = 1; i <= 20; ++i) source.stretch_to(0.05 * i);
  EXPECT_LE(source.looks, 20 * 100);
  EXPECT_GT(source.ports[0].coarseness, 0.1);
}

TEST(SignalSampler, SaysWhatItCouldNotFollow) {
  Source source(Curve{[](double t) { return t < 0.3 ? 0.0 : 1.0; }, [](double) { return 0.0; }});
  source.stretch_to(1.0);
  EXPECT_NEAR(source.ports[0].coarseness, 0.5, 0.5);
  EXPECT_GT(source.ports[0].coarseness, 0.1);
  EXPECT_LE(source.samples(), 20U);
}

// The parts of an orientation are joined by one reader, sample by sample.
TEST(SignalSampler, IgnoresBundledPorts) {
  Source source(sine(10.0));
  source.ports[0].is_bundled = true;
  source.sampler.start(source.ports, kTolerance);
  EXPECT_FALSE(source.sampler.has_signals());
}

TEST(SignalSampler, ContinuesFromASnapshot) {
  Source first(sine(3.3));
  first.stretch_to(0.7);
  core::ArchiveWriter writer;
  first.sampler.save(writer);
  Source second(sine(3.3));
  core::ArchiveReader reader(writer.bytes());
  second.sampler.restore(reader, second.ports);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(second.sampler.published_to(), 0.7);
  for (Source* source : {&first, &second}) {
    source->ports[0].outbox.clear();
    source->stretch_to(1.9);
  }
  ASSERT_EQ(first.samples(), second.samples());
  for (std::size_t i = 0; i < first.samples(); ++i) {
    EXPECT_EQ(first.ports[0].outbox[i].t, second.ports[0].outbox[i].t);
    EXPECT_EQ(first.ports[0].outbox[i].flow, second.ports[0].outbox[i].flow);
  }
}

}  // namespace signal_sampler_test
}  // namespace tieline::components
