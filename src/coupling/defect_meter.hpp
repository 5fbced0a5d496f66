#pragma once

#include <cmath>
#include <cstdint>

#include "coupling/carried.hpp"
#include "wave/sample.hpp"
#include "wave/track.hpp"

namespace tieline::coupling {

/// What one direction of a sampled connection has got wrong: the receiver's input as it was used, against what the
/// sender turned out to have had at the same times.
///
/// A receiver that is ahead of its sender extrapolates; one that is behind interpolates, by the rule of the track. Both
/// leave a defect d(t). Its signed integral over a few exchanges is what moves the receiver: ripples with a mean of
/// zero do not add up, a lag or a growth does. `bias` is the sum of the sizes of these integrals over the run.
///
/// Call order, by whoever delivers: `look` before the new samples of a delivery are pushed onto the receiver's track,
/// `note` after each of them. One thread. Trivially copyable, for snapshots.
class DefectMeter {
 public:
  /// The receiver has reached `reader_time` with the track as it is: what it has extrapolated is kept for comparison.
  void look(const wave::Track& incoming, double reader_time);
  /// The last knot of the track is new.
  void note(const wave::Track& incoming);
  /// The same where it is known what the receiver has used in its place.
  void note(const wave::Track& incoming, const wave::TrackValue& used);
  /// The receiver has made a step: defects up to here are summed with their signs.
  void end_exchange();

  [[nodiscard]] double value_bias() const { return value_bias_ + std::abs(value_block_); }     ///< [value s]
  [[nodiscard]] double motion_bias() const { return motion_bias_ + std::abs(motion_block_); }  ///< of the integral
  [[nodiscard]] double value_ripple() const { return value_ripple_; }  ///< integral of the defect's size [value s]
  [[nodiscard]] const Carried& carried() const { return carried_; }    ///< the values that were delivered

 private:
  [[nodiscard]] wave::TrackValue predicted(double t) const;
  void add(double length, double value0, double value1, double motion0, double motion1);

  wave::Knot from_{}, to_{};                    ///< what the receiver extrapolated from
  std::uint64_t interpolation_ = 0;             ///< of the track; a whole word, so that snapshots have no gaps
  double predicted_to_ = -wave::Track::kNever;  ///< how far the receiver has extrapolated [s]
  double reader_time_ = -wave::Track::kNever;
  double value_defect_ = 0.0, motion_defect_ = 0.0;  ///< at the last knot
  double value_block_ = 0.0, motion_block_ = 0.0;
  double value_bias_ = 0.0, motion_bias_ = 0.0, value_ripple_ = 0.0;
  Carried carried_{};
  std::uint64_t exchanges_ = 0;
};

/// How a side that takes motion answers it: effort = stiffness * position + damping * flow + ..., fitted to the changes
/// from sample to sample. Trivially copyable.
class ResponseFit {
 public:
  void note(const wave::Sample& sample);
  /// Effort that a defect of the motion is worth: sizes of the fitted stiffness and damping.
  struct Response {
    double stiffness = 0.0;  ///< [N/m]
    double damping = 0.0;    ///< [N s/m]
  };
  [[nodiscard]] Response response() const;
  [[nodiscard]] const Carried& effort() const { return effort_carried_; }

 private:
  double t_ = 0.0, position_ = 0.0, flow_ = 0.0, effort_ = 0.0;
  double xx_ = 0.0, xv_ = 0.0, vv_ = 0.0, xe_ = 0.0, ve_ = 0.0;
  Carried effort_carried_{};
  std::uint64_t samples_ = 0;
};

}  // namespace tieline::coupling
