#pragma once

#include "core/port.hpp"
#include "lines/delivery_ring.hpp"
#include "lines/windows.hpp"
#include "wave/line.hpp"

namespace tieline::lines {

/// One end of a line along one axis: what it sends and what it receives.
///
/// Call order: `join`, `receive_start`; `send_first`; then `emit` for each sample of a window, `settle` and
/// `fill_account` at its end, and what the other end sends to `receiver`. Owned by a line, used by the thread of its
/// end.
struct LineEnd {
  /// Each direction is joined as suits the solver that sends it.
  void join(const wave::LineLaw& law, wave::Interpolation own, wave::Interpolation other,
            const wave::TimePoints& points) {
    sender = {law, own};
    receiver = {law, other, points};
  }
  /// The knot of the sample at the start, from which positions count.
  void send_first(wave::Sample first, std::vector<wave::Knot>& out);
  /// The knot of a sample that the port has published.
  [[nodiscard]] wave::Knot emit(const core::Port& own, wave::Sample sample) {
    sample.position = displacement(own, sample);
    return sender.emit(sample);
  }
  void fill_account(Tick tick, const wave::Sample& last, wave::EndAccount& account) const;

  /// Calls the archive on everything that makes up the state; the port's own track is saved by its component.
  template <class Archive>
  void visit(const wave::LineLaw& law, const wave::TimePoints& points, Archive& archive);

  wave::LineSender sender{};  ///< whose positions are counted from the end's start
  double start_position = 0.0;
  double last_sample_time = 0.0;  ///< time of the last sample [s]
  double largest_wave = 0.0;      ///< that was sent [N]
  wave::LineReceiver receiver{};
  Traffic traffic{};

  /// The rounding of a position shows where it makes up more than this share of what the largest wave brings about
  /// between two samples.
  static constexpr double kIntegralShare = 1e-11;

 private:
  /// How far the end had moved from its start when it published a sample.
  [[nodiscard]] double displacement(const core::Port& own, const wave::Sample& sample) {
    const double by_position = sample.position - start_position;
    if (!own.has_position) {
      const bool is_by_quadrature = sender.interpolation() == wave::Interpolation::motion;
      return is_by_quadrature ? displacement_by_wave(own, sample) : by_position;
    }
    const double Z = sender.law().impedance;
    const double length = sample.t - last_sample_time;
    last_sample_time = sample.t;
    largest_wave = std::max(largest_wave, std::abs(Z * sample.flow - sample.effort));
    const double rounding =
        std::numeric_limits<double>::epsilon() * (std::abs(sample.position) + std::abs(start_position));
    if (length == 0.0 || Z * rounding <= kIntegralShare * length * largest_wave) return by_position;
    return finest_displacement(own, sample, by_position, rounding);
  }
  /// By what its component has integrated: the flow's integral is (integral of w - impulse) / Z, the track's integral
  /// being counted from the start.
  [[nodiscard]] double displacement_by_wave(const core::Port& own, const wave::Sample& sample) const {
    return (own.incoming.at(sample.t, wave::Side::left).integral - sample.impulse) / sender.law().impedance;
  }
  [[nodiscard]] double finest_displacement(const core::Port& own, const wave::Sample& sample, double by_position,
                                           double rounding) const;
};

/// What another process sends may be nonsense.
[[nodiscard]] inline wave::Interpolation interpolation_of(std::uint64_t word) {
  return word <= static_cast<std::uint64_t>(wave::Interpolation::quintic) ? static_cast<wave::Interpolation>(word)
                                                                          : wave::Interpolation::cubic;
}

template <class Archive>
void LineEnd::visit(const wave::LineLaw& law, const wave::TimePoints& points, Archive& archive) {
  std::uint64_t sent = static_cast<std::uint64_t>(sender.interpolation());
  std::uint64_t received = static_cast<std::uint64_t>(receiver.interpolation());
  archive(sent), archive(received);
  if constexpr (Archive::is_reading) join(law, interpolation_of(sent), interpolation_of(received), points);
  archive(start_position), archive(last_sample_time), archive(largest_wave);
  sender.visit_state(archive);
  receiver.visit_state(archive);
  archive(receiver.raw_track());
  archive(receiver.milestones());
  archive(traffic);
}

}  // namespace tieline::lines
