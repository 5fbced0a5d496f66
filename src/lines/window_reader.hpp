#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lines/delivery_ring.hpp"
#include "lines/windows.hpp"
#include "transport/bytes.hpp"

namespace tieline::lines {

/// Knots that one connection may bring in one window; more is a mistake, or malice.
inline constexpr std::size_t kMostKnots = std::size_t{1} << 20;

/// Where a window lies, as the schedule has it.
struct WindowBounds {
  Tick end_tick = 0;
  double begin = 0.0;  ///< [s]
  double end = 0.0;    ///< [s]
};

/// Reads a frame that brings a window from another process into the queues of connections. Nothing that comes is
/// trusted: times must be of the window and ascend to its end, values must be finite.
///
/// Call order: `open` with the frame's payload, `expect`, `take` by every connection, `commit`: a window counts when
/// all of it is there. One thread; nothing is allocated once queues have grown.
class WindowReader {
 public:
  /// Returns the tick at which the window is said to end.
  [[nodiscard]] Tick open(std::span<const std::byte> payload);
  void expect(const WindowBounds& bounds) { bounds_ = bounds; }
  /// The knots of one queue, which are those of so many tracks in turn, in a free place of that queue; null if
  /// something is wrong with them, or was before. The rest of the delivery is up to the caller.
  Delivery* take(DeliveryRing& ring, std::size_t tracks);
  /// Appends the knots of so many tracks in turn; how many there were, or 0 if something is wrong with them, or was
  /// before.
  std::size_t take_knots(std::vector<wave::Knot>& knots, std::size_t tracks);
  /// The queue of a delivery that the caller fills by itself; null if it is full, or something was wrong before.
  template <class D>
  D* open_delivery(RingOf<D>& ring) {
    D* const delivery = problem_ == nullptr ? ring.begin_push() : nullptr;
    if (delivery != nullptr) {
      delivery->end_tick = bounds_.end_tick;
      delivery->end_time = bounds_.end;
      filled_.push_back(&ring);
    } else if (problem_ == nullptr) {
      problem_ = "sent a window before its turn";
    }
    return delivery;
  }
  [[nodiscard]] bool has_failed() const { return problem_ != nullptr; }
  [[nodiscard]] transport::Decoder& decoder() { return decoder_; }
  /// Hands everything to the receivers; what is wrong with the window otherwise, which then leaves no trace.
  [[nodiscard]] const char* commit();

 private:
  transport::Decoder decoder_{std::span<const std::byte>{}};
  WindowBounds bounds_{};
  const char* problem_ = nullptr;
  std::vector<RingPlaces*> filled_;
};

/// Knots and the account of an end, in a frame.
void put_knots(transport::Encoder& encoder, std::span<const wave::Knot> knots);
void put_account(transport::Encoder& encoder, const wave::EndAccount& account);
void take_account(transport::Decoder& decoder, wave::EndAccount& account);

/// Shows the oldest delivery of a queue, which then leaves it.
template <class D, class Put>
void drain(RingOf<D>& ring, Put&& put) {
  D* const delivery = ring.front();
  if (delivery == nullptr) return;
  put(*delivery);
  ring.pop();
}

}  // namespace tieline::lines
