#pragma once

#include <utility>

#include "core/descriptor.hpp"

namespace tieline::transport {

/// Something that travels beside the bytes of a message, because bytes cannot say it: a piece of an end of a stream.
/// Whoever holds it can only pass it on; factories and streams look into it (transport/attachment_access.hpp).
class Attachment {
 public:
  /// None.
  Attachment() = default;
  explicit operator bool() const { return static_cast<bool>(descriptor_); }

 private:
  friend struct AttachmentAccess;
  explicit Attachment(core::Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  core::Descriptor descriptor_{};
};

}  // namespace tieline::transport
