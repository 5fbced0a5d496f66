#include "interchange/input_file.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

namespace tieline::interchange {
namespace {

using document::CsvColumn;
using document::CsvFile;
using document::Diagnostics;
using document::Place;

enum class InputKind { text, mat, results };

InputKind kind_of_input(const std::filesystem::path& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return InputKind::results;
  std::array<char, 128> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  const std::string_view bytes(head.data(), head.size());
  if (bytes.starts_with("\x89HDF\r\n\x1a\n")) return InputKind::results;
  // Version 5 and later have a head with a mark of the order of bytes; version 4 has none.
  const std::string_view order = bytes.substr(126);
  if (bytes.starts_with("MATLAB") && (order == "IM" || order == "MI")) return InputKind::mat;
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".mat" ? InputKind::mat : InputKind::text;
}

}  // namespace

std::optional<InputFile> InputFile::read(const std::filesystem::path& path, const Place& asked,
                                         Diagnostics& diagnostics) {
  InputFile file;
  file.path_ = path;
  switch (kind_of_input(path)) {
    case InputKind::text:
      file.text_ = CsvFile::read(path, asked, diagnostics);
      if (!file.text_) return std::nullopt;
      break;
    case InputKind::mat:
      if (!file.read_mat(asked, diagnostics)) return std::nullopt;
      break;
    case InputKind::results:
      if (!file.read_results(asked, diagnostics)) return std::nullopt;
      break;
  }
  return file;
}

bool InputFile::read_mat(const Place& asked, Diagnostics& diagnostics) {
  auto table = results::MatTable::read(path_);
  if (!table) {
    diagnostics.error(asked, table.error().message);
    return false;
  }
  diagnostics.reads(path_);
  for (const results::MatColumn& column : table->columns) {
    columns_.push_back({.heading = column.name, .name = column.name, .unit = column.unit});
    has_headings_ = has_headings_ || !column.name.empty();
  }
  mat_ = std::move(*table);
  return true;
}

bool InputFile::read_results(const Place& asked, Diagnostics& diagnostics) {
  auto reader = results::ResultReader::open(path_);
  if (!reader) {
    diagnostics.error(asked, reader.error().describe());
    return false;
  }
  diagnostics.reads(reader->path());
  for (const results::Variable& variable : reader->variables()) {
    columns_.push_back({.heading = variable.name, .name = variable.name, .unit = variable.unit});
  }
  has_headings_ = true;
  results_ = std::move(*reader);
  return true;
}

std::vector<std::size_t> InputFile::value_columns() const {
  if (text_) return text_->value_columns();
  std::vector<std::size_t> columns(columns_.size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return columns;
}

std::optional<std::size_t> InputFile::find(std::string_view name) const {
  return document::find_column(columns(), name);
}

Place InputFile::place_of(std::size_t column) const {
  return text_ ? text_->place_of(column) : Place{path_.string(), 0, 0};
}

Place InputFile::place_of_sample(std::size_t column, std::size_t sample) const {
  return text_ ? text_->place_of_sample(column, sample) : Place{path_.string(), 0, 0};
}

std::optional<InputFile::Samples> InputFile::samples(std::size_t column, const CsvFile::WordValue& word_value,
                                                     Diagnostics& diagnostics) const {
  if (text_) return text_->samples(column, word_value, diagnostics);
  Samples all;
  if (mat_) {
    const results::MatColumn& own = mat_->columns[column];
    all = {mat_->axes[own.axis], own.values};
  } else {
    auto series = results_->read(columns_[column].name);
    if (!series) {
      diagnostics.error(place_of(column), series.error().describe());
      return std::nullopt;
    }
    all = {std::move(series->times), std::move(series->values)};
  }
  // As an empty cell, NaN is no value.
  Samples samples;
  for (std::size_t k = 0; k < all.times.size() && k < all.values.size(); ++k) {
    if (std::isnan(all.values[k])) continue;
    if (!std::isfinite(all.values[k])) {
      diagnostics.error(place_of(column), fmt::format("'{}' is {} at {:g} s; expected numbers that are finite",
                                                      columns_[column].name, all.values[k], all.times[k]));
      return std::nullopt;
    }
    samples.times.push_back(all.times[k]);
    samples.values.push_back(all.values[k]);
  }
  if (!samples.times.empty()) return samples;
  diagnostics.error(place_of(column),
                    fmt::format("'{}' contains no numbers of '{}'", path_.string(), columns_[column].name));
  return std::nullopt;
}

}  // namespace tieline::interchange
