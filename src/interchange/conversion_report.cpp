#include "interchange/conversion_report.hpp"

#include <algorithm>

namespace tieline::interchange {

ConversionReport::Row& ConversionReport::row(std::string_view what) {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return each.what == what; });
  if (found != rows_.end()) return *found;
  return rows_.emplace_back(Row{.what = std::string(what)});
}

void ConversionReport::add_name(Row& row, std::string_view name) {
  if (name.empty() || row.names.size() >= kMostNames) return;
  if (std::find(row.names.begin(), row.names.end(), name) == row.names.end()) row.names.emplace_back(name);
}

void ConversionReport::kept(std::string_view what, std::string_view name) {
  Row& of_it = row(what);
  ++of_it.kept;
  add_name(of_it, name);
}

void ConversionReport::lost(std::string_view what, std::string_view name) {
  Row& of_it = row(what);
  ++of_it.lost;
  add_name(of_it, name);
}

}  // namespace tieline::interchange
