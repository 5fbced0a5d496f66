#pragma once

#include <span>
#include <string>
#include <vector>

namespace tieline::core {

/// A recorded quantity; the full name is "<owner>.<name>", the owner being a component or "connections.<connection>".
struct Column {
  std::string name{};
  std::string unit{};
};

/// Takes rows of a table. One writer at a time; times do not decrease (two rows at one time are the sides of a break).
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void row(double t, std::span<const double> values) = 0;
};

/// What a component is asked to record: which of its columns, where to, how densely.
struct RecordPlan {
  RowSink* sink = nullptr;      ///< not owned; null: record nothing
  std::vector<int> selected{};  ///< indices into the owner's columns, ascending
  double interval = 0.0;        ///< rows at start + j * interval [s]; 0: at every accepted step
};

}  // namespace tieline::core
