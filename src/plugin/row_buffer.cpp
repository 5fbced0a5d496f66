#include "plugin/row_buffer.hpp"

#include <limits>

namespace tieline::plugin {
namespace {

// Sent as soon as so many numbers have gathered: a frame of a quarter of a megabyte.
constexpr std::size_t kMostNumbers = std::size_t{1} << 15;

}  // namespace

RowBuffer::RowBuffer(transport::Membership& membership, std::string table, std::vector<bool> is_let)
    : membership_(membership), is_let_(std::move(is_let)) {
  rows_.table = std::move(table);
  rows_.width = static_cast<std::uint32_t>(is_let_.size() + 1);
  rows_.numbers.reserve(kMostNumbers + rows_.width);
}

void RowBuffer::row(double t, std::span<const double> values) {
  const std::lock_guard lock(mutex_);
  rows_.numbers.push_back(t);
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows_.numbers.push_back(is_let_[i] ? values[i] : std::numeric_limits<double>::quiet_NaN());
  }
  if (rows_.numbers.size() >= kMostNumbers) send();
}

void RowBuffer::flush() {
  const std::lock_guard lock(mutex_);
  send();
}

void RowBuffer::try_flush() {
  // Somebody who holds the lock may wait for room, which only the thread that asks here makes.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) send();
}

void RowBuffer::send() {
  if (rows_.numbers.empty()) return;
  // A master that is gone is noticed where the tool waits for it.
  (void)membership_.send(transport::Message::rows, [&](transport::Encoder encoder) { encode(encoder, rows_); });
  rows_.numbers.clear();
}

}  // namespace tieline::plugin
