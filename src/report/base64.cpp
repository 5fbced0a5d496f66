#include "report/base64.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace tieline::report {

void write_base64(std::ostream& out, std::span<const std::byte> bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<char, 4> digits{};
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t rest = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | (j < rest ? std::to_integer<unsigned>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) digits[j] = j <= rest ? kDigits[bits >> (18 - 6 * j) & 63u] : '=';
    out.write(digits.data(), digits.size());
  }
}

std::string base64_of(std::string_view bytes) {
  std::ostringstream out;
  write_base64(out, std::as_bytes(std::span(bytes)));
  return std::move(out).str();
}

}  // namespace tieline::report
