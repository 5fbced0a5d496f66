#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tieline::plugin {

/// What the owner of a tool lets leave its process, from the file that TIELINE_RELEASE names: lines `result GLOB`,
/// `parameter GLOB`, `log note|warning|serious|none` and `snapshot`; `#` begins a comment. Without such a file
/// everything may. Motions and forces at connected interfaces are what a run is about, and always leave.
class ReleaseList {
 public:
  /// Everything may leave.
  ReleaseList() = default;
  [[nodiscard]] static core::Result<ReleaseList> read(const std::string& file);

  [[nodiscard]] bool is_restricted() const { return is_restricted_; }
  /// "interface.quantity".
  [[nodiscard]] bool lets_result(std::string_view name) const { return !is_restricted_ || matches(results_, name); }
  /// Also of counters.
  [[nodiscard]] bool lets_parameter(std::string_view name) const {
    return !is_restricted_ || matches(parameters_, name);
  }
  [[nodiscard]] bool lets_log(int level) const { return !is_restricted_ || level >= least_level_; }
  [[nodiscard]] bool lets_snapshot() const { return !is_restricted_ || has_snapshot_; }

 private:
  static constexpr int kNoLevel = 3;
  [[nodiscard]] static bool matches(const std::vector<std::string>& patterns, std::string_view name);

  bool is_restricted_ = false;
  bool has_snapshot_ = false;
  std::vector<std::string> results_, parameters_;
  int least_level_ = kNoLevel;
};

/// Whether a name is of a pattern in which `*` stands for any characters and `?` for one.
[[nodiscard]] bool is_of_pattern(std::string_view name, std::string_view pattern);

}  // namespace tieline::plugin
