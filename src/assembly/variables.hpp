#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording.hpp"

namespace tieline::assembly {

/// Where a variable's value is to be found between windows.
struct VariablePlace {
  int component = -1;   ///< index into Assembly::components, or -1
  int connection = -1;  ///< of the engine, or -1
  int group_link = -1;  ///< index into Assembly::group_links, or -1
  int column = 0;
};

/// The variables of a run, `owner.column`. Large models have many owners with the same columns: each list of columns is
/// kept once, and names are put together when they are asked for.
class VariableIndex {
 public:
  /// Makes the columns of an owner known, the first of them standing at `first`. An owner has one list.
  void add(const std::string& owner, std::span<const core::Column> columns, VariablePlace first);
  [[nodiscard]] std::optional<VariablePlace> find(std::string_view name) const;
  /// All names, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  using Columns = std::vector<std::string>;
  struct Owned {
    const Columns* columns = nullptr;
    VariablePlace first{};
  };
  std::set<Columns> lists_;
  std::map<std::string, Owned, std::less<>> owners_;
};

}  // namespace tieline::assembly
