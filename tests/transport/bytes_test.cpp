#include "transport/bytes.hpp"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <string>

namespace tieline::transport {
namespace bytes_test {

std::vector<int> values_of(const ByteBuffer& buffer) {
  std::vector<int> values;
  for (const std::byte b : buffer.bytes()) values.push_back(std::to_integer<int>(b));
  return values;
}

TEST(Bytes, HaveTheWiresForm) {
  ByteBuffer buffer;
  Encoder encoder(buffer);
  encoder.u8(0x01);
  encoder.u16(0x0203);
  encoder.u32(0x04050607);
  encoder.i64(-2);
  encoder.boolean(true);
  encoder.text("ab");
  encoder.f64(-2.0);  // sign 1, exponent 1024, fraction 0: c0 00 00 00 00 00 00 00
  const std::vector<int> expected{1, 3, 2, 7, 6, 5,  4,  254, 255, 255, 255, 255, 255, 255, 255,
                                  1, 2, 0, 0, 0, 97, 98, 0,   0,   0,   0,   0,   0,   0,   192};
  EXPECT_EQ(values_of(buffer), expected);
}

TEST(Bytes, OrderIsSwappedByteByByte) {
  // What a machine of the other order would do to its numbers.
  const std::uint64_t value = 0x0102030405060708;
  std::array<std::byte, 8> wire{};
  store_wire(wire.data(), value);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(std::to_integer<int>(wire[static_cast<std::size_t>(i)]), 8 - i);
  EXPECT_EQ(load_wire<std::uint64_t>(wire.data()), value);
}

RC_GTEST_PROP(Bytes, ComeBackUnchanged,
              (std::uint8_t a, std::uint16_t b, std::uint32_t c, std::uint64_t d, std::int64_t e, bool f,
               const std::string& g, const std::vector<double>& h)) {
  ByteBuffer buffer;
  Encoder encoder(buffer);
  encoder.u8(a);
  encoder.u16(b);
  encoder.u32(c);
  encoder.u64(d);
  encoder.i64(e);
  encoder.boolean(f);
  encoder.text(g);
  encoder.doubles(h);
  Decoder decoder(buffer.bytes());
  RC_ASSERT(decoder.u8() == a);
  RC_ASSERT(decoder.u16() == b);
  RC_ASSERT(decoder.u32() == c);
  RC_ASSERT(decoder.u64() == d);
  RC_ASSERT(decoder.i64() == e);
  RC_ASSERT(decoder.boolean() == f);
  RC_ASSERT(decoder.text() == g);
  std::vector<double> numbers(3, 1.0);
  decoder.doubles(numbers);
  RC_ASSERT(numbers == h);
  RC_ASSERT(decoder.is_complete());
}

TEST(Bytes, NumbersKeepEveryBit) {
  const std::array<double, 5> values{-0.0, std::numeric_limits<double>::denorm_min(),
                                     std::numeric_limits<double>::infinity(),
                                     std::bit_cast<double>(0x7ff4000000000001U), 0.1};
  ByteBuffer buffer;
  Encoder(buffer).raw_doubles(values);
  Encoder(buffer).f64(values[3]);
  Decoder decoder(buffer.bytes());
  std::array<double, 5> back{};
  decoder.raw_doubles(back);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(values[i]));
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(decoder.f64()), 0x7ff4000000000001U);
}

TEST(Bytes, EveryCutOfAMessageIsAFailureAndNothingElse) {
  ByteBuffer buffer;
  Encoder encoder(buffer);
  encoder.text("rotor");
  encoder.doubles(std::vector<double>{1.0, 2.0});
  encoder.u16(7);
  for (std::size_t size = 0; size < buffer.size(); ++size) {
    Decoder decoder(buffer.bytes().first(size));
    std::vector<double> numbers;
    (void)decoder.text();
    decoder.doubles(numbers);
    const auto last = decoder.u16();
    EXPECT_TRUE(decoder.failed()) << size;
    EXPECT_EQ(last, 0) << size;
    EXPECT_FALSE(decoder.is_complete());
  }
}

TEST(Bytes, CountsAreNotBelievedBeyondWhatIsThere) {
  ByteBuffer buffer;
  Encoder encoder(buffer);
  encoder.u32(0xffffffff);
  encoder.f64(1.0);
  Decoder numbers(buffer.bytes());
  std::vector<double> values{1.0};
  numbers.doubles(values);
  EXPECT_TRUE(numbers.failed());
  EXPECT_TRUE(values.empty());
  EXPECT_LT(values.capacity(), 10U);
  Decoder text(buffer.bytes());
  EXPECT_EQ(text.text(), "");
  EXPECT_TRUE(text.failed());
  Decoder things(buffer.bytes());
  EXPECT_EQ(things.count(0), 0U);
}

TEST(Bytes, FailureSticks) {
  ByteBuffer buffer;
  Encoder(buffer).u8(2);
  Encoder(buffer).u64(5);
  Decoder decoder(buffer.bytes());
  EXPECT_FALSE(decoder.boolean()) << "2 is no truth";
  EXPECT_EQ(decoder.u64(), 0U);
  EXPECT_EQ(decoder.f64(), 0.0);
  EXPECT_TRUE(decoder.raw(0).empty());
  std::array<double, 2> zeros{1.0, 1.0};
  decoder.raw_doubles(zeros);
  EXPECT_EQ(zeros, (std::array<double, 2>{}));
  EXPECT_TRUE(decoder.failed());
}

TEST(Bytes, BufferKeepsItsMemory) {
  ByteBuffer buffer;
  Encoder encoder(buffer);
  for (int i = 0; i < 1000; ++i) encoder.u32(static_cast<std::uint32_t>(i));
  const std::byte* const place = buffer.data();
  buffer.clear();
  for (int i = 0; i < 1000; ++i) encoder.u32(static_cast<std::uint32_t>(i));
  EXPECT_EQ(buffer.data(), place);
  buffer.drop_front(3996);
  EXPECT_EQ(values_of(buffer), (std::vector<int>{231, 3, 0, 0}));
  buffer.truncate(1);
  EXPECT_EQ(values_of(buffer), (std::vector<int>{231}));
}

}  // namespace bytes_test
}  // namespace tieline::transport
