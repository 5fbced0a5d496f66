#include "lines/window_reader.hpp"

#include <cmath>

namespace tieline::lines {
namespace {

constexpr std::size_t kKnotNumbers = 4;
static_assert(sizeof(wave::Knot) == kKnotNumbers * sizeof(double));
constexpr std::size_t kAccountNumbers = 10;  // and the tick before them
static_assert(sizeof(wave::EndAccount) == sizeof(std::int64_t) + kAccountNumbers * sizeof(double));

}  // namespace

Tick WindowReader::open(std::span<const std::byte> payload) {
  decoder_ = transport::Decoder(payload);
  problem_ = nullptr;
  filled_.clear();
  return decoder_.i64();
}

Delivery* WindowReader::take(DeliveryRing& ring, std::size_t tracks) {
  Delivery* const delivery = open_delivery(ring);
  return delivery != nullptr && take_knots(delivery->knots, tracks) > 0 ? delivery : nullptr;
}

std::size_t WindowReader::take_knots(std::vector<wave::Knot>& knots, std::size_t tracks) {
  const auto refuse = [&](const char* problem) -> std::size_t {
    problem_ = problem;
    return 0;
  };
  if (problem_ != nullptr) return 0;
  const std::size_t count = decoder_.count(sizeof(wave::Knot)), before = knots.size();
  if (count > kMostKnots || count == 0 || (tracks > 1 && count % tracks != 0)) {
    return refuse("sent a wave without a sample, or with too many");
  }
  knots.resize(before + count);
  decoder_.raw_doubles({reinterpret_cast<double*>(knots.data() + before), kKnotNumbers * count});
  double last = bounds_.begin;
  for (const wave::Knot& knot : std::span(knots).subspan(before)) {
    if (!std::isfinite(knot.value) || std::isinf(knot.rate) || !std::isfinite(knot.integral)) {
      return refuse("sent a value that is not finite");
    }
    if (!(knot.t >= last && knot.t <= bounds_.end)) {
      return refuse("sent samples whose times are not in order, or not of the window");
    }
    last = knot.t;
  }
  if (last != bounds_.end) return refuse("sent a window without its end");
  return count;
}

const char* WindowReader::commit() {
  if (problem_ != nullptr) return problem_;
  if (!decoder_.is_complete()) return "sent a window that cannot be read";
  for (RingPlaces* const ring : filled_) ring->end_push();
  return nullptr;
}

void put_knots(transport::Encoder& encoder, std::span<const wave::Knot> knots) {
  encoder.count(knots.size());
  encoder.raw_doubles({reinterpret_cast<const double*>(knots.data()), kKnotNumbers * knots.size()});
}

void put_account(transport::Encoder& encoder, const wave::EndAccount& account) {
  encoder.i64(account.tick);
  encoder.raw_doubles({&account.t, kAccountNumbers});
}

void take_account(transport::Decoder& decoder, wave::EndAccount& account) {
  account.tick = decoder.i64();
  decoder.raw_doubles({&account.t, kAccountNumbers});
}

}  // namespace tieline::lines
