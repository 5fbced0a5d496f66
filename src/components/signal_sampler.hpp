#pragma once

#include <functional>
#include <span>
#include <vector>

#include "components/ode_model.hpp"
#include "core/archive.hpp"
#include "core/port.hpp"

namespace tieline::components {

/// Decides where within a step the signals of a component are published, so that the cubic pieces which receivers draw
/// between samples follow them.
///
/// A solver's steps follow the states, but a signal may be faster than these: a source has no states at all. Before a
/// sample is published, the piece between the last one and it is compared with the signal, in the middle and at a point
/// that has no period in common with it. Where they differ by more than a few tolerances of the signal's size, the
/// middle is published too, and both halves are looked at alike. That follows about 150 periods within one step; what
/// lies wholly between the points looked at is not seen. A signal that is but rounding is left alone, and one that has
/// been much slower than the steps for a while is looked at in one point only.
///
/// Owned by a component, and used by its thread alone. `start` once the ports are connected; `note` after each sample;
/// `sample` before the next, unless a break lies between. Nothing is allocated after `start` but in outboxes.
class SignalSampler {
 public:
  /// The outputs of the ports at a time of the last accepted step, with every state off by up to the given share of
  /// itself.
  using Look = std::function<void(double t, double disturbance, std::span<PortOutput> outputs)>;

  void start(std::span<core::Port> ports, double relative_tolerance);
  /// Whether there is any signal to publish.
  [[nodiscard]] bool has_signals() const { return !port_of_.empty(); }
  /// When signals were published last [s].
  [[nodiscard]] double published_to() const { return published_.t; }
  void note(double t, std::span<const PortOutput> outputs);
  /// Puts the samples that are needed between the last one and that at `t`, which publishes `outputs`, into the
  /// outboxes.
  void sample(double t, std::span<const PortOutput> outputs, std::span<core::Port> ports, const Look& look);

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive, std::span<core::Port> ports);

 private:
  struct Value {
    double value = 0.0;
    double rate = 0.0;
  };
  /// All signals at one time.
  struct Instant {
    double t = 0.0;
    std::vector<Value> signals{};
    [[nodiscard]] wave::Knot knot(std::size_t s) const { return {t, 0.0, signals[s].value, signals[s].rate}; }
  };
  /// A stretch that is being looked at; its parts are one level deeper.
  struct Level {
    Instant middle{};
    std::vector<double> deviation{};  ///< of the cubic piece, by signal
    std::vector<char> is_off{};       ///< whether that is too much
  };

  void look_at(double t, double disturbance, Instant& instant);
  void refine(const Instant& from, const Instant& to, std::size_t depth);
  /// Whether a single look, after many stretches in which all signals stayed close to their pieces, finds them so
  /// again.
  bool is_calm();
  /// Compares the pieces of one stretch with the signals; true if one of them is off.
  bool compare(const Instant& from, const Instant& to, std::size_t depth);
  void measure_noise(const Instant& undisturbed);
  void report_coarseness(std::span<core::Port> ports) const;
  /// How far the piece between two instants is from what was seen; notes the signal's size.
  double deviation(std::size_t signal, const Instant& from, const Instant& to, const Instant& seen);
  [[nodiscard]] bool is_stubborn(std::size_t signal, std::size_t depth) const;
  [[nodiscard]] double allowed(std::size_t signal, double length) const;

  double relative_tolerance_ = 0.0;
  std::vector<std::size_t> port_of_;
  Instant published_{};
  std::vector<double> size_;        ///< largest |value| so far, by signal
  std::vector<double> unfollowed_;  ///< largest deviation that was left as it is, by signal
  int calm_stretches_ = 0;          ///< in a row

  // Of the stretch at hand.
  std::span<core::Port> ports_{};
  const Look* look_ = nullptr;
  std::vector<Level> levels_;
  Instant end_{}, aside_{}, disturbed_{};
  std::vector<PortOutput> outputs_;
  std::vector<Value> noise_;     ///< what rounding of the states makes of each signal
  std::vector<int> times_left_;  ///< parts of the stretch in which a signal could not be followed
  bool is_noise_known_ = false;
};

}  // namespace tieline::components
