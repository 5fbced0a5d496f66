#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "results/reader.hpp"
#include "results/writer.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::results {

struct SampleRow {
  double t = 0.0;
  std::vector<double> values{};
};

struct SampleTable {
  TableDeclaration declaration{};
  std::vector<SampleRow> rows{};
};

using Tables = std::vector<SampleTable>;

/// A small result file in a folder of its own.
class SampleResults {
 public:
  explicit SampleResults(const std::vector<SampleTable>& tables) {
    std::vector<TableDeclaration> declarations;
    for (const auto& table : tables) declarations.push_back(table.declaration);
    auto writer = ResultWriter::create(folder_.path() / kResultFileName, declarations);
    if (!writer) throw std::runtime_error(writer.error().describe());
    for (std::size_t i = 0; i < tables.size(); ++i)
      for (const auto& row : tables[i].rows) (*writer)->sink(i).row(row.t, row.values);
    if (auto closed = (*writer)->close(); !closed) throw std::runtime_error(closed.error().describe());
  }

  [[nodiscard]] ResultReader open() const {
    auto reader = ResultReader::open(folder_.path());
    if (!reader) throw std::runtime_error(reader.error().describe());
    return std::move(*reader);
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  support::TemporaryFolder folder_;
};

}  // namespace tieline::results
