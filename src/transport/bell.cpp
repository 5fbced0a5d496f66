#include "transport/bell.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tieline::transport {

Bell::Bell() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), failure_(event_ ? 0 : errno) {}

void Bell::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof one);
}

void Bell::silence() const {
  std::uint64_t rings = 0;
  [[maybe_unused]] const auto read = ::read(event_.get(), &rings, sizeof rings);
}

}  // namespace tieline::transport
