#include "transport/descriptor.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>

#include "core/system_reason.hpp"

namespace tieline::transport {

core::Error system_error(const char* what, core::ErrorCode code) {
  const int reason = errno;
  return {.code = code, .message = std::string(what) + ": " + core::system_reason(reason)};
}

core::Result<void> make_nonblocking(const Descriptor& descriptor) {
  const int flags = ::fcntl(descriptor.get(), F_GETFL);
  if (flags < 0 || ::fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) < 0 ||
      ::fcntl(descriptor.get(), F_SETFD, FD_CLOEXEC) < 0) {
    return system_error("setting up a descriptor");
  }
  return {};
}

}  // namespace tieline::transport
