#pragma once

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/frame.hpp"
#include "transport/shared_stream.hpp"
#include "transport/socket_stream.hpp"

namespace tieline::transport {

/// The two ends of a connection within a test.
using StreamPair = std::array<std::unique_ptr<Stream>, 2>;

inline StreamPair shared_pair(std::size_t capacity = kLeastRingCapacity) {
  auto ends = SharedStream::pair(capacity);
  EXPECT_TRUE(ends) << ends.error().message;
  return {std::move((*ends)[0]), std::move((*ends)[1])};
}

inline StreamPair socket_pair(SocketOptions options = {}) {
  auto ends = SocketStream::pair(options);
  EXPECT_TRUE(ends) << ends.error().message;
  return {std::move(ends->first), std::move(ends->second)};
}

/// A way to make both kinds of stream, for tests that hold for either.
struct StreamKind {
  const char* name = "";
  StreamPair (*make)() = nullptr;
};

inline const auto kStreamKinds = testing::Values(StreamKind{"shared", [] { return shared_pair(); }},
                                                 StreamKind{"socket", [] { return socket_pair(); }});

inline std::string kind_name(const testing::TestParamInfo<StreamKind>& info) { return info.param.name; }

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Puts a frame with this text as its payload.
inline void put_frame(FrameWriter& writer, std::uint16_t type, std::string_view payload) {
  writer.begin(type).raw(bytes_of(payload));
  const auto ended = writer.end();
  EXPECT_TRUE(ended);
}

/// Writes all of a text, which must fit.
inline void write_text(Stream& stream, std::string_view text) {
  const auto count = stream.write_some(bytes_of(text));
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, text.size());
}

/// Reads until nothing is left, or the stream ends.
inline std::string read_text(Stream& stream) {
  std::string text;
  std::array<std::byte, 1000> piece{};
  // A socket that gave less than was asked for says "nothing" once without asking the system.
  for (int empty = 0; empty < 2;) {
    const auto count = stream.read_some(piece);
    if (!count) break;
    empty = *count == 0 ? empty + 1 : 0;
    text += text_of(std::span(piece).first(*count));
  }
  return text;
}

/// Reads until there is an error, and returns its code; fails where there is none.
inline core::ErrorCode read_error(Stream& stream) {
  std::array<std::byte, 1000> piece{};
  for (int i = 0; i < 1000; ++i) {
    const auto count = stream.read_some(piece);
    if (!count) return count.error().code;
  }
  ADD_FAILURE() << "the stream goes on";
  return core::ErrorCode::bad_input;
}

}  // namespace tieline::transport
