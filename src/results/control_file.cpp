#include "results/control_file.hpp"

#include <array>
#include <fstream>
#include <string>

#include "core/atomic_file.hpp"
#include "core/named_values.hpp"

namespace tieline::results {
namespace {

constexpr std::array<std::string_view, 3> kRequests{"continue", "pause", "stop"};

}  // namespace

std::string_view name_of(RunRequest request) { return kRequests[static_cast<std::size_t>(request)]; }

std::optional<RunRequest> request_from_name(std::string_view name) {
  return core::value_named<RunRequest>(kRequests, name);
}

core::Result<void> write_request(RunRequest request, const std::filesystem::path& folder) {
  return core::replace_file(folder / kControlFileName, std::string(name_of(request)) + "\n");
}

std::optional<RunRequest> read_request(const std::filesystem::path& folder) {
  std::ifstream stream(folder / kControlFileName);
  std::string word;
  return stream >> word ? request_from_name(word) : std::nullopt;
}

void forget_requests(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / kControlFileName, ignored);
}

}  // namespace tieline::results
