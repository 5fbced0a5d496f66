#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tieline::transport {

/// A secret of 128 random bits. Each participant of a run has one of its own to join, and so has each link.
class Token {
 public:
  static constexpr std::size_t kSize = 16;  // bytes

  /// All zeros, which no run gives.
  Token() = default;
  explicit Token(const std::array<std::byte, kSize>& bytes) : bytes_(bytes) {}
  /// From the system's source of randomness.
  [[nodiscard]] static core::Result<Token> random();
  /// 32 hexadecimal digits.
  [[nodiscard]] static std::optional<Token> parse(std::string_view text);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::array<std::byte, kSize>& bytes() const { return bytes_; }
  /// In a time that does not depend on where they differ, so that nobody learns a token by its pieces.
  [[nodiscard]] bool equals(const Token& other) const;

 private:
  std::array<std::byte, kSize> bytes_{};
};

}  // namespace tieline::transport
