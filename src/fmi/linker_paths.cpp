#include "fmi/linker_paths.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <utility>

namespace tieline::fmi {
namespace {

#if defined(__x86_64__)
constexpr const char* kTriplet = "x86_64-linux-gnu";
#else
constexpr const char* kTriplet = "aarch64-linux-gnu";
#endif

// The cache of glibc since 2.2: a header, its entries, and a table of texts, all from the header on.
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kCacheHeader = 48, kCacheEntry = 24;
constexpr std::uint32_t kMostCached = 1'000'000;

std::uint32_t word_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  if (offset <= bytes.size() && sizeof value <= bytes.size() - offset) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

std::string_view text_at(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  const auto end = rest.find('\0');
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

std::string replace_token(std::string text, std::string_view name, const std::string& value) {
  for (const std::string& token : {fmt::format("${{{}}}", name), fmt::format("${}", name)}) {
    for (auto at = text.find(token); at != text.npos; at = text.find(token, at + value.size())) {
      text.replace(at, token.size(), value);
    }
  }
  return text;
}

/// Packages of Debian 12, by the names that their libraries have.
constexpr std::array<std::pair<std::string_view, std::string_view>, 34> kPackages{{
    {"libgfortran.so.5", "libgfortran5"},
    {"libquadmath.so.0", "libquadmath0"},
    {"libgomp.so.1", "libgomp1"},
    {"libstdc++.so.6", "libstdc++6"},
    {"libgcc_s.so.1", "libgcc-s1"},
    {"libatomic.so.1", "libatomic1"},
    {"libblas.so.3", "libblas3"},
    {"liblapack.so.3", "liblapack3"},
    {"libopenblas.so.0", "libopenblas0-pthread"},
    {"libz.so.1", "zlib1g"},
    {"libexpat.so.1", "libexpat1"},
    {"libxml2.so.2", "libxml2"},
    {"libcurl.so.4", "libcurl4"},
    {"libssl.so.3", "libssl3"},
    {"libcrypto.so.3", "libssl3"},
    {"libuuid.so.1", "libuuid1"},
    {"libffi.so.8", "libffi8"},
    {"libzip.so.4", "libzip4"},
    {"libhdf5_serial.so.103", "libhdf5-103-1"},
    {"libmatio.so.11", "libmatio11"},
    {"libgsl.so.27", "libgsl27"},
    {"libzmq.so.5", "libzmq5"},
    {"libprotobuf.so.32", "libprotobuf32"},
    {"libjsoncpp.so.25", "libjsoncpp25"},
    {"libyaml-cpp.so.0.7", "libyaml-cpp0.7"},
    {"libsqlite3.so.0", "libsqlite3-0"},
    {"libglib-2.0.so.0", "libglib2.0-0"},
    {"libX11.so.6", "libx11-6"},
    {"libGL.so.1", "libgl1"},
    {"libmpi.so.40", "libopenmpi3"},
    {"libklu.so.1", "libklu1"},
    {"libtinfo.so.6", "libtinfo6"},
    {"libncurses.so.6", "libncurses6"},
    {"libusb-1.0.so.0", "libusb-1.0-0"},
}};

}  // namespace

std::multimap<std::string, std::filesystem::path> read_linker_cache(std::string_view bytes) {
  std::multimap<std::string, std::filesystem::path> cache;
  // An older format may stand before it.
  const auto begin = bytes.find(kCacheMagic);
  if (begin == bytes.npos) return cache;
  const std::string_view own = bytes.substr(begin);
  const std::uint32_t count = std::min(word_at(own, kCacheMagic.size()), kMostCached);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = kCacheHeader + i * kCacheEntry;
    if (entry + kCacheEntry > own.size()) break;
    const std::string_view name = text_at(own, word_at(own, entry + 4));
    const std::string_view place = text_at(own, word_at(own, entry + 8));
    if (!name.empty() && !place.empty()) cache.emplace(name, std::filesystem::path(place));
  }
  return cache;
}

std::string file_content(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  const std::uintmax_t size = std::filesystem::file_size(file, ignored);
  if (ignored) return {};
  // In one piece: libraries of the system have megabytes.
  std::string content(static_cast<std::size_t>(size), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(in.gcount()));
  return content;
}

std::vector<StatedFolder> stated_folders(std::string_view list, const std::filesystem::path& origin) {
  std::vector<StatedFolder> folders;
  while (!list.empty()) {
    const auto end = std::min(list.find(':'), list.size());
    const std::string stated(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    const bool is_relative = stated.find("ORIGIN") != stated.npos;
    std::string folder = replace_token(stated, "ORIGIN", origin.string());
    folder = replace_token(replace_token(std::move(folder), "LIB", "lib"), "PLATFORM", "x86_64");
    if (!folder.empty()) folders.push_back({std::filesystem::path(folder), is_relative});
  }
  return folders;
}

std::vector<std::filesystem::path> LinkerPaths::of_environment() {
  std::vector<std::filesystem::path> folders;
  const char* const stated = std::getenv("LD_LIBRARY_PATH");
  std::string_view rest = stated == nullptr ? "" : stated;
  while (!rest.empty()) {
    const auto end = std::min(rest.find_first_of(":;"), rest.size());
    if (end > 0) folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

LinkerPaths LinkerPaths::own() {
  LinkerPaths paths{.environment = of_environment()};
  paths.cache = read_linker_cache(file_content("/etc/ld.so.cache"));
  for (const char* const root : {"/lib", "/usr/lib"}) {
    paths.standard.push_back(std::filesystem::path(root) / kTriplet);
    paths.standard.emplace_back(root);
    paths.standard.emplace_back(std::string(root) + "64");
  }
  return paths;
}

std::string advice_on_library(std::string_view name) {
  for (const auto& [library, package] : kPackages) {
    if (name == library) return fmt::format("install the package {}", package);
  }
  if (name.starts_with("libpython")) {
    const std::string_view version = name.substr(9, name.find(".so") == name.npos ? 0 : name.find(".so") - 9);
    return fmt::format(
        "the FMU was made from Python code and needs Python {} itself: install the package libpython{}, or set "
        "LD_LIBRARY_PATH to the folder of that library",
        version, version);
  }
  if (name.starts_with("libsundials_")) return "install the package libsundials-dev";
  if (name.starts_with("libboost_")) {
    const auto so = name.find(".so.");
    if (so != name.npos) {
      std::string part(name.substr(9, so - 9));
      for (char& c : part) c = c == '_' ? '-' : c;
      return fmt::format("install the package libboost-{}{}", part, name.substr(so + 4));
    }
  }
  if (name == "libjvm.so") return "it needs Java: set LD_LIBRARY_PATH to the folder of libjvm.so";
  if (name.starts_with("libmwmclmcrrt") || name == "libmx.so" || name == "libmex.so" || name == "libeng.so") {
    return "it needs MATLAB or its runtime: set LD_LIBRARY_PATH to its folder of libraries";
  }
  if (name.starts_with("libOpenModelica") || name.starts_with("libSimulationRuntime")) {
    return "it needs OpenModelica: set LD_LIBRARY_PATH to its folder of libraries, or export it with static linking";
  }
  return "set LD_LIBRARY_PATH to its folder, or pack it into the FMU beside its library";
}

}  // namespace tieline::fmi
