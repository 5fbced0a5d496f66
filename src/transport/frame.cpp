#include "transport/frame.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace tieline::transport {
namespace {

/// Enough for the frames of usual windows, several at a time [bytes].
constexpr std::size_t kFirstFrameCapacity = std::size_t{16} << 10;

}  // namespace

core::Error FrameReader::fail(FrameFault fault, std::size_t announced) {
  fault_ = fault;
  core::Error error{.code = core::ErrorCode::protocol};
  switch (fault) {
    case FrameFault::oversized:
      error.message = "the partner announced a message of " + std::to_string(announced) + " bytes; the limit is " +
                      std::to_string(largest_payload_);
      break;
    case FrameFault::reserved_bits:
      error.message =
          "the partner sent bytes that are not a message of Tieline's protocol (reserved bits are not zero)";
      break;
    default:
      error.message = "the connection ended inside a message";
  }
  return error;
}

std::optional<Frame> FrameReader::take_frame() {
  const std::byte* const header = buffer_.data() + begin_;
  const Frame frame{load_wire<std::uint16_t>(header + 4), {header + kFrameHeaderSize, payload_size_}};
  begin_ += kFrameHeaderSize + payload_size_;
  return frame;
}

void FrameReader::make_room(std::size_t needed) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ + needed > buffer_.size()) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  // An announced size is believed only as far as bytes have come.
  if (end_ == buffer_.size()) buffer_.resize(std::max(kFirstFrameCapacity, std::min(needed, 2 * buffer_.size())));
}

core::Result<bool> FrameReader::pull(Stream& stream) {
  const std::size_t most = std::max(kFirstFrameCapacity, kFrameHeaderSize + largest_payload_);
  while (end_ - begin_ < most) {
    make_room(most);
    auto count = stream.read_some(std::span(buffer_).subspan(end_));
    // An end is reported by `next`, behind the frames that came before it.
    if (!count && count.error().code != core::ErrorCode::peer_lost) return std::move(count.error());
    if (!count || *count == 0) return true;
    end_ += *count;
    received_ += *count;
  }
  return false;
}

core::Result<std::optional<Frame>> FrameReader::next(Stream& stream) {
  if (fault_ != FrameFault::none) return fail(fault_, payload_size_);
  for (;;) {
    const std::size_t have = end_ - begin_;
    if (have >= kFrameHeaderSize) {
      const std::byte* const header = buffer_.data() + begin_;
      payload_size_ = load_wire<std::uint32_t>(header);
      if (load_wire<std::uint16_t>(header + 6) != 0) return fail(FrameFault::reserved_bits);
      if (payload_size_ > largest_payload_) return fail(FrameFault::oversized, payload_size_);
      if (have >= kFrameHeaderSize + payload_size_) return take_frame();
    }
    make_room(have < kFrameHeaderSize ? kFrameHeaderSize : kFrameHeaderSize + payload_size_);
    auto count = stream.read_some(std::span(buffer_).subspan(end_));
    if (!count) {
      if (count.error().code == core::ErrorCode::peer_lost && is_inside_frame()) return fail(FrameFault::truncated);
      return std::move(count.error());
    }
    if (*count == 0) return std::optional<Frame>{};
    end_ += *count;
    received_ += *count;
  }
}

Encoder FrameWriter::begin(std::uint16_t type) {
  open_ = buffer_.size();
  open_attachments_ = attachments_.size();
  std::byte* const header = buffer_.append(kFrameHeaderSize);
  store_wire<std::uint32_t>(header, 0);
  store_wire(header + 4, type);
  store_wire<std::uint16_t>(header + 6, 0);
  return Encoder(buffer_);
}

core::Result<void> FrameWriter::end() {
  const std::size_t payload = buffer_.size() - open_ - kFrameHeaderSize;
  if (payload > std::numeric_limits<std::uint32_t>::max() || pending() > most_pending_) {
    core::Error error{
        .code = core::ErrorCode::protocol,
        .message = "a message of " + std::to_string(payload) + " bytes, with " + std::to_string(open_ - written_) +
                   " that the partner has not read yet, is more than " + std::to_string(most_pending_) + " bytes"};
    buffer_.truncate(open_);
    attachments_.resize(open_attachments_);
    return error;
  }
  store_wire(buffer_.data() + open_, static_cast<std::uint32_t>(payload));
  return {};
}

core::Result<void> FrameWriter::attach(Attachment attachment) {
  if (attachments_.size() >= kMostWaitingAttachments) {
    return core::Error{
        .code = core::ErrorCode::protocol,
        .message = "more than " + std::to_string(kMostWaitingAttachments) + " attachments wait to be sent"};
  }
  attachments_.push_back(std::move(attachment));
  return {};
}

core::Result<bool> FrameWriter::flush(Stream& stream) {
  while (has_pending()) {
    const auto rest = buffer_.bytes().subspan(written_);
    core::Result<std::size_t> count = std::size_t{0};
    if (attachments_.empty()) {
      count = stream.write_some(rest);
    } else {
      // So many at a time, beside a byte each; the last ones with all that is left.
      const std::size_t now = std::min(attachments_.size(), kMostAttachments);
      count = stream.write_with(now < attachments_.size() ? rest.first(1) : rest, std::span(attachments_).first(now));
      if (count && *count > 0) {
        attachments_.erase(attachments_.begin(), attachments_.begin() + static_cast<std::ptrdiff_t>(now));
      }
    }
    if (!count) return std::move(count.error());
    if (*count == 0) {
      // What is gone already need not be kept in front of what will be added.
      if (written_ > buffer_.size() / 2) {
        buffer_.drop_front(written_);
        written_ = 0;
      }
      return false;
    }
    written_ += *count;
  }
  buffer_.clear();
  written_ = 0;
  return true;
}

void FrameWriter::clear() {
  buffer_.clear();
  written_ = 0;
  attachments_.clear();
}

}  // namespace tieline::transport
