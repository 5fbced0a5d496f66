#include "results/atomic_file.hpp"

#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace tieline::results {
namespace {

core::Error cannot_write(const std::filesystem::path& file, std::string_view reason) {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("cannot write '{}': {}", file.string(), reason)};
}

}  // namespace

core::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<core::Result<void>(const std::filesystem::path&)>& write) {
  std::error_code failure;
  // Follow a link to what it names; never put a file in the place of a device or a folder.
  const auto target = std::filesystem::exists(file, failure) ? std::filesystem::canonical(file, failure) : file;
  if (std::filesystem::exists(target, failure) && !std::filesystem::is_regular_file(target, failure)) {
    return cannot_write(file, "it is not a plain file");
  }
  std::filesystem::path temporary = target;
  temporary += fmt::format(".{}.tmp", ::getpid());
  auto outcome = write(temporary);
  if (outcome) {
    std::filesystem::rename(temporary, target, failure);
    if (failure) outcome = cannot_write(file, failure.message());
  }
  if (!outcome) std::filesystem::remove(temporary, failure);
  return outcome;
}

core::Result<void> replace_file(const std::filesystem::path& file, std::string_view text) {
  return replace_file(file, [&](const std::filesystem::path& temporary) -> core::Result<void> {
    std::ofstream out(temporary, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) return cannot_write(file, std::generic_category().message(errno));
    return {};
  });
}

}  // namespace tieline::results
