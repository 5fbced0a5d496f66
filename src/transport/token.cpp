#include "transport/token.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/random.h>

#include "transport/descriptor.hpp"

namespace tieline::transport {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

core::Result<Token> Token::random() {
  Token token;
  std::size_t filled = 0;
  while (filled < kSize) {
    const ssize_t count = ::getrandom(token.bytes_.data() + filled, kSize - filled, 0);
    if (count > 0) filled += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) return system_error("drawing a random token");
  }
  return token;
}

std::optional<Token> Token::parse(std::string_view text) {
  if (text.size() != 2 * kSize) return std::nullopt;
  Token token;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    token.bytes_[i / 2] = (token.bytes_[i / 2] << 4) | static_cast<std::byte>(digit);
  }
  return token;
}

std::string Token::text() const {
  std::string text;
  for (const std::byte value : bytes_) {
    text += kDigits[std::to_integer<std::size_t>(value >> 4)];
    text += kDigits[std::to_integer<std::size_t>(value & std::byte{15})];
  }
  return text;
}

bool Token::equals(const Token& other) const {
  // Volatile, so that the compiler does not leave the loop early.
  volatile std::uint8_t difference = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    difference = static_cast<std::uint8_t>(difference | std::to_integer<std::uint8_t>(bytes_[i] ^ other.bytes_[i]));
  }
  return difference == 0;
}

}  // namespace tieline::transport
