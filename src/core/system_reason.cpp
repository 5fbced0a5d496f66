#include "core/system_reason.hpp"

#include <cerrno>
#include <system_error>

namespace tieline::core {

std::string system_reason(int error) {
  switch (error) {
    case EMFILE:
      return "too many open files; raise the limit with `ulimit -n`";
    case ENFILE:
      return "too many open files on this machine; end other programs, or raise the limit with `sysctl fs.file-max`";
    case ENOMEM:
      return "out of memory; end other programs, or raise the limit with `ulimit -v`";
    default:
      return std::generic_category().message(error);
  }
}

std::string reason_of_no_process(int error) {
  if (error != EAGAIN) return system_reason(error);
  return "too many processes and threads; end some, or raise the limit with `ulimit -u`";
}

}  // namespace tieline::core
