#pragma once

#include "transport/stream_factory.hpp"

namespace tieline::transport {

/// "tcp": links and control connections are TCP connections, which also join processes of different machines.
[[nodiscard]] const StreamFactory& tcp_factory();

}  // namespace tieline::transport
