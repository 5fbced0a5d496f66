#include "core/descriptor.hpp"

#include <unistd.h>

namespace tieline::core {

void Descriptor::reset() {
  // Not repeated after EINTR: on Linux the descriptor is gone by then, and may be another thread's already.
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

}  // namespace tieline::core
