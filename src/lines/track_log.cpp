#include "lines/track_log.hpp"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system_reason.hpp"
#include "transport/bytes.hpp"
#include "transport/frame.hpp"

namespace tieline::lines {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr char kMagic[] = "TLTRACK1";
constexpr std::size_t kMagicSize = sizeof kMagic - 1;
constexpr std::size_t kHeaderSize = 8;

}  // namespace

Error TrackLog::failure(const char* what) const {
  return {.code = ErrorCode::input_output,
          .message = std::string(what) + " '" + file_.string() + "': " + core::system_reason(errno)};
}

Result<TrackLog> TrackLog::create(const std::filesystem::path& file, std::span<const std::byte> begin) {
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  TrackLog log(file, core::Descriptor(::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644)));
  if (!log.descriptor_) return log.failure("cannot create");
  const auto* const magic = reinterpret_cast<const std::byte*>(kMagic);
  log.waiting_.assign(magic, magic + kMagicSize);
  log.append(kBeginRecord, begin);
  if (auto flushed = log.flush(); !flushed) return flushed.error();
  return log;
}

void TrackLog::append(std::uint32_t link, std::span<const std::byte> payload) {
  std::byte header[kHeaderSize];
  transport::store_wire(header, link);
  transport::store_wire(header + sizeof link, static_cast<std::uint32_t>(payload.size()));
  waiting_.insert(waiting_.end(), header, header + kHeaderSize);
  waiting_.insert(waiting_.end(), payload.begin(), payload.end());
  // At once: a program that crashes on what it was given is to be given it again.
  if (!flush()) has_failed_ = true;
}

Result<void> TrackLog::flush() {
  std::size_t written = 0;
  while (written < waiting_.size() && !has_failed_) {
    const ssize_t count = ::write(descriptor_.get(), waiting_.data() + written, waiting_.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) has_failed_ = true;
    if (count > 0) written += static_cast<std::size_t>(count);
  }
  waiting_.clear();
  if (has_failed_) return failure("cannot write");
  return {};
}

Result<TrackLogContent> read_track_log(const std::filesystem::path& file) {
  const auto wrong = [&](const std::string& what) {
    return Error{.code = ErrorCode::input_output, .message = "'" + file.string() + "' " + what};
  };
  const core::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!opened || ::fstat(opened.get(), &facts) != 0)
    return wrong(std::string("cannot be read: ") + core::system_reason(errno));
  std::vector<std::byte> bytes(static_cast<std::size_t>(facts.st_size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = ::read(opened.get(), bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  if (have < kMagicSize || std::memcmp(bytes.data(), kMagic, kMagicSize) != 0) {
    return wrong("is not a record of tracks");
  }
  TrackLogContent content;
  bool has_begin = false;
  for (std::size_t at = kMagicSize; have - at >= kHeaderSize;) {
    const auto link = transport::load_wire<std::uint32_t>(bytes.data() + at);
    const std::size_t size = transport::load_wire<std::uint32_t>(bytes.data() + at + sizeof link);
    if (size > transport::kLargestPayload) return wrong("is damaged");
    if (size > have - at - kHeaderSize) break;
    const auto* const first = bytes.data() + at + kHeaderSize;
    if ((link == kBeginRecord) == has_begin) return wrong("is damaged");
    if (link == kBeginRecord) {
      content.begin.assign(first, first + size);
      has_begin = true;
    } else {
      content.records.push_back({link, {first, first + size}});
    }
    at += kHeaderSize + size;
  }
  if (!has_begin) return wrong("is truncated");
  return content;
}

}  // namespace tieline::lines
