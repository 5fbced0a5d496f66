#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/recording.hpp"
#include "transport/membership.hpp"

namespace tieline::plugin {

/// Rows of one table on their way to the master, many in one message.
///
/// `row` is the tool's thread's, `flush` anybody's. Whoever sends holds the lock, so that rows keep their order; a
/// thread that must not wait uses `try_flush`.
class RowBuffer final : public core::RowSink {
 public:
  /// `is_let` contains for each number of a row whether it may leave; what may not is sent as not known.
  RowBuffer(transport::Membership& membership, std::string table, std::vector<bool> is_let);

  void row(double t, std::span<const double> values) override;
  void flush();
  void try_flush();

 private:
  void send();

  transport::Membership& membership_;
  std::vector<bool> is_let_;
  std::mutex mutex_;
  transport::Rows rows_{};
};

}  // namespace tieline::plugin
