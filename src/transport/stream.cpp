#include "transport/stream.hpp"

namespace tieline::transport {

core::Result<std::size_t> Stream::write_with(std::span<const std::byte> bytes,
                                             std::span<const Attachment> attachments) {
  if (attachments.empty()) return write_some(bytes);
  return core::Error{.code = core::ErrorCode::unsupported, .message = "this connection carries bytes only"};
}

}  // namespace tieline::transport
