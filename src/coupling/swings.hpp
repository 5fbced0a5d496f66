#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tieline::coupling {

/// Whether a signal swings ever wider, each swing by about the same factor, as it does in a loop whose delay is too
/// long for its gain. A build-up that slows down, as in resonance, does not count. Trivially copyable.
class Swings {
 public:
  void note(double value) {
    if (notes_++ == 0) end_ = turn_ = value;
    if ((value - end_) * (end_ - turn_) >= 0.0) {
      end_ = value;
      return;
    }
    // Back by a share of the last swing: that one is over, and had its end where it turned.
    if (std::abs(value - end_) <= kNotable * std::abs(end_ - turn_)) return;
    close(std::abs(end_ - turn_));
    turn_ = end_, end_ = value;
  }
  /// By how much the swings have grown in the longest such row; 1 where they have not.
  [[nodiscard]] double growth() const { return grown_ >= kNotable * largest_ ? growth_ : 1.0; }

 private:
  static constexpr double kNotable =
      0.1;  ///< share of a swing by which a signal has turned, or of the widest that counts
  static constexpr double kLeastFactor = 1.05;      ///< from swing to swing
  static constexpr double kSteadiness = 0.5;        ///< least share of one factor in a row and the next
  static constexpr std::uint64_t kLeastSwings = 4;  ///< of a row

  void close(double swing) {
    const double factor = last_ > 0.0 ? swing / last_ : 0.0;
    const bool is_growing = factor >= kLeastFactor;
    const bool is_steady = factor - 1.0 >= kSteadiness * (factor_ - 1.0) && factor <= factor_ / kSteadiness;
    if (!is_growing || !is_steady) in_row_ = 0;
    if (is_growing && in_row_++ == 0) first_ = last_, factor_ = factor;
    last_ = swing;
    largest_ = std::max(largest_, swing);
    if (in_row_ < kLeastSwings || swing < growth_ * first_) return;
    growth_ = swing / first_;
    grown_ = swing;
  }

  double turn_ = 0.0, end_ = 0.0;
  double last_ = 0.0, first_ = 0.0, factor_ = 0.0, largest_ = 0.0;
  double growth_ = 1.0, grown_ = 0.0;  ///< the most, and the swing that it ended with
  std::uint64_t in_row_ = 0, notes_ = 0;
};

}  // namespace tieline::coupling
