#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/descriptor.hpp"
#include "core/result.hpp"

/// What came to a component over its links, as a file from which it can be computed again alone.
///
/// The file: the eight bytes "TLTRACK1"; then records, each a link's index (u32), a size (u32) and so many bytes. The
/// first record has the index kBeginRecord and holds the message Begin as it came; the others hold the payloads of
/// frames, in the order in which they came over that link. Numbers are little-endian.
namespace tieline::lines {

inline constexpr std::uint32_t kBeginRecord = 0xffffffff;

/// Appends to a file as frames come. One thread.
class TrackLog {
 public:
  /// Writes a new file; what had its name before is replaced.
  [[nodiscard]] static core::Result<TrackLog> create(const std::filesystem::path& file,
                                                     std::span<const std::byte> begin);
  /// Errors show in `flush`, since this is on the way of every window.
  void append(std::uint32_t link, std::span<const std::byte> payload);
  [[nodiscard]] core::Result<void> flush();

 private:
  TrackLog(std::filesystem::path file, core::Descriptor descriptor)
      : file_(std::move(file)), descriptor_(std::move(descriptor)) {}
  [[nodiscard]] core::Error failure(const char* what) const;

  std::filesystem::path file_;
  core::Descriptor descriptor_;
  std::vector<std::byte> waiting_{};
  bool has_failed_ = false;
};

/// A record of such a file.
struct TrackRecord {
  std::uint32_t link = 0;
  std::vector<std::byte> payload{};
};

/// The whole file, checked: it begins as it must, every record is complete, and links are below the given number. A
/// record that a killed program has left unfinished at the end is left out.
struct TrackLogContent {
  std::vector<std::byte> begin{};
  std::vector<TrackRecord> records{};
};
[[nodiscard]] core::Result<TrackLogContent> read_track_log(const std::filesystem::path& file);

}  // namespace tieline::lines
