#pragma once

#include "transport/stream_factory.hpp"

namespace tieline::transport {

/// "shared_memory": links are memory that two processes of one machine share, and travel as attachments; control
/// connections are Unix-domain sockets, which carry these.
[[nodiscard]] const StreamFactory& shared_memory_factory();

}  // namespace tieline::transport
