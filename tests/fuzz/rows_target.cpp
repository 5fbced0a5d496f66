#include "core/name_list.hpp"
#include "document/csv_file.hpp"
#include "fuzz/targets.hpp"

namespace tieline::fuzz {

void read_rows(std::string_view input) {
  for (const std::string& name : core::split_names(input)) (void)core::unquoted(name);
  document::Diagnostics diagnostics;
  const auto file = document::CsvFile::parse(input, "/nowhere/rows.csv", {"model.xml", 1, 1}, diagnostics);
  if (!file) return;
  for (const std::size_t column : file->value_columns()) {
    const auto samples = file->samples(column, {}, diagnostics);
    (void)file->find(file->columns()[column].heading);
    if (samples) (void)file->place_of_sample(column, samples->times.size() - 1);
  }
}

}  // namespace tieline::fuzz
