#include "fmu_wrapper/guard.hpp"

#include <fmt/format.h>

namespace tieline::fmu_wrapper {
namespace {

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// A path, or a URI of the scheme "file" (RFC 3986) as a path.
std::filesystem::path path_of(std::string_view location) {
  if (!location.starts_with("file:")) return location;
  location.remove_prefix(5);
  if (location.starts_with("//")) {
    location.remove_prefix(2);
    location.remove_prefix(std::min(location.find('/'), location.size()));  // the host's name
  }
  std::string path;
  for (std::size_t i = 0; i < location.size(); ++i) {
    const int high = i + 2 < location.size() ? hexadecimal(location[i + 1]) : -1;
    const int low = i + 2 < location.size() ? hexadecimal(location[i + 2]) : -1;
    if (location[i] == '%' && high >= 0 && low >= 0) {
      path += static_cast<char>(16 * high + low);
      i += 2;
    } else {
      path += location[i];
    }
  }
  return path;
}

}  // namespace

std::unique_ptr<Instance> make_instance(const char* name, const char* token, const char* resources, int fmi_version,
                                        bool is_exchange, const Log& log) noexcept {
  try {
    try {
      if (resources == nullptr || *resources == '\0') throw CallError("the host states no folder of resources");
      const std::filesystem::path folder = path_of(resources);
      auto manifest = fmu_export::read_manifest(folder / fmu_export::kManifestFile);
      if (!manifest) throw CallError(manifest.error().describe());
      if (manifest->fmi_version != fmi_version)
        throw CallError(fmt::format("this FMU is for FMI {}.0", manifest->fmi_version));
      if (manifest->is_exchange != is_exchange)
        throw CallError(fmt::format("this FMU is for {}", manifest->is_exchange ? "model exchange" : "co-simulation"));
      if (token == nullptr || manifest->token != token)
        throw CallError(fmt::format("the host expects the FMU '{}'; this one is '{}'", token != nullptr ? token : "",
                                    manifest->token));
      return std::make_unique<Instance>(name != nullptr ? name : "", std::move(*manifest), folder, log);
    } catch (const std::exception& failure) {
      log(Severity::error, failure.what());
    }
  } catch (...) {
    // There is no memory for the message.
  }
  return nullptr;
}

}  // namespace tieline::fmu_wrapper
