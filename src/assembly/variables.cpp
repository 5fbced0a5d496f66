#include "assembly/variables.hpp"

#include <algorithm>

namespace tieline::assembly {

void VariableIndex::add(const std::string& owner, std::span<const core::Column> columns, VariablePlace first) {
  Columns names;
  for (const core::Column& column : columns) names.push_back(column.name);
  owners_[owner] = {&*lists_.insert(std::move(names)).first, first};
}

std::optional<VariablePlace> VariableIndex::find(std::string_view name) const {
  // Names of owners and of columns may contain dots: each may be the one between them.
  for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const auto owner = owners_.find(name.substr(0, dot));
    if (owner == owners_.end()) continue;
    const Columns& columns = *owner->second.columns;
    const auto column = std::find(columns.begin(), columns.end(), name.substr(dot + 1));
    if (column == columns.end()) continue;
    VariablePlace place = owner->second.first;
    place.column = static_cast<int>(column - columns.begin());
    return place;
  }
  return std::nullopt;
}

std::vector<std::string> VariableIndex::names() const {
  std::vector<std::string> names;
  for (const auto& [owner, owned] : owners_) {
    for (const std::string& column : *owned.columns) names.push_back(owner + "." + column);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tieline::assembly
