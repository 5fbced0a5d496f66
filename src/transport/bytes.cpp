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

void Encoder::bytes(std::span<const std::byte> value) {
  count(value.size());
  raw(value);
}

void Encoder::text(std::string_view value) { bytes(std::as_bytes(std::span(value))); }

bool Decoder::boolean() {
  const std::uint8_t value = u8();
  if (value > 1) fail();
  return value == 1;
}

std::span<const std::byte> Decoder::bytes() { return raw(count(1)); }

std::string_view Decoder::text() {
  const auto value = bytes();
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

void Decoder::doubles(std::vector<double>& values) {
  values.resize(count(sizeof(double)));
  raw_doubles(values);
}

}  // namespace tieline::transport
