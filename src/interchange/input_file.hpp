#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "document/csv_file.hpp"
#include "document/diagnostics.hpp"
#include "results/mat_table.hpp"
#include "results/reader.hpp"

namespace tieline::interchange {

/// Columns of numbers over time in a file of any kind that is read: text (CSV), MAT, or the results of a run (a result
/// folder, or its file). Which one it is follows from its content. One thread at a time.
class InputFile {
 public:
  using Samples = document::CsvFile::Samples;

  /// Nothing, with every problem reported, where it cannot be read; `asked` is the place that names the file.
  [[nodiscard]] static std::optional<InputFile> read(const std::filesystem::path& path, const document::Place& asked,
                                                     document::Diagnostics& diagnostics);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool has_headings() const { return text_ ? text_->has_headings() : has_headings_; }
  [[nodiscard]] std::span<const document::CsvColumn> columns() const {
    return text_ ? text_->columns() : std::span<const document::CsvColumn>(columns_);
  }
  /// Columns of values, in the order of the file.
  [[nodiscard]] std::vector<std::size_t> value_columns() const;
  /// By heading, or else by name without unit; nothing: there is none, or several are equally called so.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] document::Place place_of(std::size_t column) const;
  [[nodiscard]] document::Place place_of_sample(std::size_t column, std::size_t sample) const;
  /// As those of a text file (document::CsvFile); words are in text files only.
  [[nodiscard]] std::optional<Samples> samples(std::size_t column, const document::CsvFile::WordValue& word_value,
                                               document::Diagnostics& diagnostics) const;

 private:
  InputFile() = default;
  [[nodiscard]] bool read_mat(const document::Place& asked, document::Diagnostics& diagnostics);
  [[nodiscard]] bool read_results(const document::Place& asked, document::Diagnostics& diagnostics);

  std::filesystem::path path_;
  // One of these.
  std::optional<document::CsvFile> text_;
  std::optional<results::MatTable> mat_;
  std::optional<results::ResultReader> results_;
  // Not of text.
  bool has_headings_ = false;
  std::vector<document::CsvColumn> columns_;
};

}  // namespace tieline::interchange
