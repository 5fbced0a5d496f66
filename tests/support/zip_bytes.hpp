#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::support {

/// One entry of an archive, with every way to write it wrongly.
struct ZipEntry {
  std::string name{};
  std::string content{};
  std::uint16_t method = 0;              ///< 0: stored; 8: deflated (as blocks that are stored)
  std::uint16_t flags = 0;               ///< 1: encrypted
  std::uint32_t unix_mode = 0100644;     ///< 0: made by MS-DOS
  std::optional<std::uint32_t> size{};   ///< instead of the true one [bytes]
  std::optional<std::uint32_t> check{};  ///< instead of the true CRC-32
};

inline std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

/// A zip archive byte by byte, by PKWARE's APPNOTE.
inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string bytes;
  const auto put = [](std::string& to, std::uint32_t value, int count) {
    for (int i = 0; i < count; ++i) to += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  std::string directory;
  for (const ZipEntry& entry : entries) {
    std::string packed = entry.content;
    if (entry.method == 8) {
      packed = "\x01";
      put(packed, static_cast<std::uint32_t>(entry.content.size()), 2);
      put(packed, ~static_cast<std::uint32_t>(entry.content.size()), 2);
      packed += entry.content;
    }
    const auto offset = static_cast<std::uint32_t>(bytes.size());
    const auto common = [&](std::string& to) {
      put(to, 20, 2);  // version needed
      put(to, entry.flags, 2);
      put(to, entry.method, 2);
      put(to, 0x00210000, 4);  // time and date
      put(to, entry.check.value_or(crc32_of(entry.content)), 4);
      put(to, static_cast<std::uint32_t>(packed.size()), 4);
      put(to, entry.size.value_or(static_cast<std::uint32_t>(entry.content.size())), 4);
      put(to, static_cast<std::uint32_t>(entry.name.size()), 2);
      put(to, 0, 2);  // extra field
    };
    put(bytes, 0x04034B50, 4);
    common(bytes);
    bytes += entry.name + packed;
    put(directory, 0x02014B50, 4);
    put(directory, entry.unix_mode != 0 ? 0x0314 : 0x0014, 2);  // made by
    common(directory);
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);  // internal attributes
    put(directory, entry.unix_mode << 16, 4);
    put(directory, offset, 4);
    directory += entry.name;
  }
  const auto start = static_cast<std::uint32_t>(bytes.size());
  bytes += directory;
  put(bytes, 0x06054B50, 4);
  put(bytes, 0, 4);  // disks
  put(bytes, static_cast<std::uint32_t>(entries.size()), 2);
  put(bytes, static_cast<std::uint32_t>(entries.size()), 2);
  put(bytes, static_cast<std::uint32_t>(directory.size()), 4);
  put(bytes, start, 4);
  put(bytes, 0, 2);  // comment
  return bytes;
}

inline std::filesystem::path write_file(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return file;
}

}  // namespace tieline::support
