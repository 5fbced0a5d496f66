#include "transport/bytes.hpp"

#include <algorithm>

namespace tieline::transport {
namespace {

constexpr std::size_t kFirstCapacity = 256;  // bytes

}  // namespace

void ByteBuffer::grow(std::size_t count) {
  storage_.resize(std::max({size_ + count, 2 * storage_.size(), kFirstCapacity}));
}

void ByteBuffer::drop_front(std::size_t count) {
  const std::size_t dropped = std::min(count, size_);
  if (dropped == 0) return;
  std::memmove(storage_.data(), storage_.data() + dropped, size_ - dropped);
  size_ -= dropped;
}

void Encoder::raw(std::span<const std::byte> value) {
  if (!value.empty()) std::memcpy(buffer_->append(value.size()), value.data(), value.size());
}

void Encoder::bytes(std::span<const std::byte> value) {
  count(value.size());
  raw(value);
}

void Encoder::text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }

void Encoder::raw_doubles(std::span<const double> values) {
  if constexpr (kIsWireOrder) {
    raw(std::as_bytes(values));
  } else {
    for (const double value : values) f64(value);
  }
}

bool Decoder::boolean() {
  const std::uint8_t value = u8();
  if (value > 1) fail();
  return value == 1;
}

std::span<const std::byte> Decoder::raw(std::size_t size) {
  if (left() < size) {
    fail();
    return {};
  }
  const std::span<const std::byte> value(next_, size);
  next_ += size;
  return value;
}

std::span<const std::byte> Decoder::bytes() { return raw(count(1)); }

std::string_view Decoder::text() {
  const auto value = bytes();
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

std::size_t Decoder::count(std::size_t least_bytes_each) {
  const std::size_t value = u32();
  if (value > left() / std::max<std::size_t>(least_bytes_each, 1)) {
    fail();
    return 0;
  }
  return value;
}

void Decoder::raw_doubles(std::span<double> values) {
  // Never by a product that could overflow: the span exists, so its size in bytes does.
  const auto wire = raw(values.size_bytes());
  if (wire.size() != values.size_bytes()) {
    std::fill(values.begin(), values.end(), 0.0);
    return;
  }
  if constexpr (kIsWireOrder) {
    if (!wire.empty()) std::memcpy(values.data(), wire.data(), wire.size());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::bit_cast<double>(load_wire<std::uint64_t>(wire.data() + i * sizeof(double)));
    }
  }
}

void Decoder::doubles(std::vector<double>& values) {
  values.resize(count(sizeof(double)));
  raw_doubles(values);
}

}  // namespace tieline::transport
