#pragma once

#include <utility>

#include "transport/attachment.hpp"
#include "transport/descriptor.hpp"

namespace tieline::transport {

/// What is in an attachment: for the streams that carry it and the factories that make it, and for nobody else.
struct AttachmentAccess {
  [[nodiscard]] static Attachment make(Descriptor descriptor) { return Attachment(std::move(descriptor)); }
  [[nodiscard]] static int number(const Attachment& attachment) { return attachment.descriptor_.get(); }
  [[nodiscard]] static Descriptor take(Attachment attachment) { return std::move(attachment.descriptor_); }
};

}  // namespace tieline::transport
