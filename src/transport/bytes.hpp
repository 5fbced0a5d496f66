#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tieline::transport {

/// Bytes that are appended to and emptied again and again: memory once grown is kept, and appended bytes are not
/// cleared before they are written.
class ByteBuffer {
 public:
  /// Room for so many more bytes at the end; the caller fills them at once.
  [[nodiscard]] std::byte* append(std::size_t count) {
    if (storage_.size() - size_ < count) grow(count);
    std::byte* const place = storage_.data() + size_;
    size_ += count;
    return place;
  }
  /// Forgets all bytes from this position on.
  void truncate(std::size_t size) { size_ = size < size_ ? size : size_; }
  /// Forgets the first bytes; those behind them move to the front.
  void drop_front(std::size_t count);
  void clear() { size_ = 0; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::byte* data() { return storage_.data(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {storage_.data(), size_}; }

 private:
  void grow(std::size_t count);

  std::vector<std::byte> storage_;  ///< all of it may be written
  std::size_t size_ = 0;            ///< bytes in use
};

/// The order of bytes on the wire is little-endian, whatever the machine's is.
inline constexpr bool kIsWireOrder = std::endian::native == std::endian::little;
static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);

/// The bytes of an unsigned number in the wire's order, or back: it is its own inverse.
template <class T>
[[nodiscard]] constexpr T in_wire_order(T value) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (kIsWireOrder || sizeof(T) == 1) {
    return value;
  } else {
    T swapped = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      swapped = static_cast<T>(swapped << 8 | (value & 0xff));
      value = static_cast<T>(value >> 8);
    }
    return swapped;
  }
}

/// Writes an unsigned number in the wire's order.
template <class T>
void store_wire(std::byte* place, T value) {
  const T wire = in_wire_order(value);
  std::memcpy(place, &wire, sizeof wire);
}

/// Reads an unsigned number in the wire's order.
template <class T>
[[nodiscard]] T load_wire(const std::byte* place) {
  T wire;
  std::memcpy(&wire, place, sizeof wire);
  return in_wire_order(wire);
}

/// Appends values to a buffer in the form that they have on the wire (docs/protocol.md): little-endian integers,
/// IEEE-754 binary64 numbers bit by bit, texts and byte strings behind their length.
///
/// Borrows the buffer, and may be copied. What each window calls is inline: the compiler then knows the sizes.
class Encoder {
 public:
  explicit Encoder(ByteBuffer& buffer) : buffer_(&buffer) {}

  void u8(std::uint8_t value) { put(value); }
  void u16(std::uint16_t value) { put(value); }
  void u32(std::uint32_t value) { put(value); }
  void u64(std::uint64_t value) { put(value); }
  void i64(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void f64(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void boolean(bool value) { put(static_cast<std::uint8_t>(value ? 1 : 0)); }
  /// A length (u32) and the text.
  void text(std::string_view value);
  /// A length (u32) and the bytes.
  void bytes(std::span<const std::byte> value);
  /// Bytes whose number both sides know.
  void raw(std::span<const std::byte> value) {
    if (!value.empty()) std::memcpy(buffer_->append(value.size()), value.data(), value.size());
  }
  /// A count (u32), and nothing else: what is counted follows.
  void count(std::size_t value) { put(static_cast<std::uint32_t>(value)); }
  /// Numbers whose count both sides know.
  void raw_doubles(std::span<const double> values) {
    if constexpr (kIsWireOrder) {
      raw(std::as_bytes(values));
    } else {
      for (const double value : values) f64(value);
    }
  }
  /// A count (u32) and the numbers.
  void doubles(std::span<const double> values) {
    count(values.size());
    raw_doubles(values);
  }

 private:
  template <class T>
  void put(T value) {
    store_wire(buffer_->append(sizeof value), value);
  }

  ByteBuffer* buffer_;
};

/// Reads what Encoder wrote, from bytes that a partner sent and that are not trusted: nothing is read beyond the end,
/// and no count is believed that the bytes left could not hold. After the first failure everything reads as zero or
/// empty, so that a message may be read whole and checked once, by `is_complete`.
///
/// Borrows the bytes; texts and byte strings point into them.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] std::uint8_t u8() { return get<std::uint8_t>(); }
  [[nodiscard]] std::uint16_t u16() { return get<std::uint16_t>(); }
  [[nodiscard]] std::uint32_t u32() { return get<std::uint32_t>(); }
  [[nodiscard]] std::uint64_t u64() { return get<std::uint64_t>(); }
  [[nodiscard]] std::int64_t i64() { return static_cast<std::int64_t>(get<std::uint64_t>()); }
  [[nodiscard]] double f64() { return std::bit_cast<double>(get<std::uint64_t>()); }
  /// Anything but 0 and 1 is a failure.
  [[nodiscard]] bool boolean();
  [[nodiscard]] std::string_view text();
  [[nodiscard]] std::span<const std::byte> bytes();
  /// So many bytes, or none after a failure.
  [[nodiscard]] std::span<const std::byte> raw(std::size_t size) {
    if (left() < size) {
      fail();
      return {};
    }
    const std::span<const std::byte> value(next_, size);
    next_ += size;
    return value;
  }
  /// A count of things that take at least so many bytes each; 0 and a failure where the bytes left are fewer.
  [[nodiscard]] std::size_t count(std::size_t least_bytes_each) {
    const std::size_t value = u32();
    if (value <= left() / (least_bytes_each > 0 ? least_bytes_each : 1)) return value;
    fail();
    return 0;
  }
  /// As many numbers as asked for; zeros after a failure.
  void raw_doubles(std::span<double> values) {
    const auto wire = raw(values.size_bytes());
    if (wire.size() != values.size_bytes()) {
      for (double& value : values) value = 0.0;
    } else if constexpr (kIsWireOrder) {
      if (!wire.empty()) std::memcpy(values.data(), wire.data(), wire.size());
    } else {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::bit_cast<double>(load_wire<std::uint64_t>(wire.data() + i * sizeof(double)));
      }
    }
  }
  /// A count and its numbers, in place of what the vector held.
  void doubles(std::vector<double>& values);

  /// Whether something could not be read.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Declares what has been read unusable.
  void fail() {
    failed_ = true;
    next_ = end_;
  }
  [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }
  /// Whether all was read, and nothing more than that was sent.
  [[nodiscard]] bool is_complete() const { return !failed_ && next_ == end_; }

 private:
  template <class T>
  T get() {
    if (left() < sizeof(T)) {
      fail();
      return 0;
    }
    const T value = load_wire<T>(next_);
    next_ += sizeof(T);
    return value;
  }

  const std::byte* next_;
  const std::byte* end_;
  bool failed_ = false;
};

}  // namespace tieline::transport
