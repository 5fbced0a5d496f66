#pragma once

#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace tieline::report {

/// Bytes as letters and digits (RFC 4648, section 4).
void write_base64(std::ostream& out, std::span<const std::byte> bytes);
[[nodiscard]] std::string base64_of(std::string_view bytes);

}  // namespace tieline::report
