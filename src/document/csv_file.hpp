#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"

namespace tieline::document {

/// A column of a text file of rows.
struct CsvColumn {
  std::string heading{};  ///< as the file has it, without quotes and blanks around it; empty: the file names none
  std::string name{};     ///< the heading without its unit
  std::string unit{};     ///< "N m" of "torque [N m]", or of a row of units; empty: none
  int line = 0;           ///< of its heading; 0: the file has none
  int place = 0;          ///< where its heading begins in that line, from 1

  [[nodiscard]] bool is_called(std::string_view text) const { return heading == text || name == text; }
};

/// The column of a heading, or else of a name without unit; nothing: there is none, or several are equally called so.
[[nodiscard]] std::optional<std::size_t> find_column(std::span<const CsvColumn> columns, std::string_view name);

/// Rows of times and numbers in a text file, as tools that measure or simulate write them.
///
/// Cells are separated by commas, semicolons, tabs or blanks, whichever the first row has, and may be in double quotes.
/// A first row may name the columns, with units in brackets ("p [bar]", "p (bar)") or in the row below. Comments begin
/// with # or %. Empty lines, a byte order mark and any kind of line end are accepted, with semicolons and tabs also
/// decimal commas. The column "time" or "t", or else the first, has the times, in the unit that it states; they must
/// not decrease, and two rows at one time are a jump. An empty cell is no value of its column.
class CsvFile {
 public:
  struct Samples {
    std::vector<double> times{};   ///< [s]
    std::vector<double> values{};  ///< as many
  };
  /// The number that a word of a cell stands for; nothing: it stands for none.
  using WordValue = std::function<std::optional<double>(std::string_view word)>;

  /// Nothing, with every problem reported, where it cannot be read; `asked` is the place that names the file.
  [[nodiscard]] static std::optional<CsvFile> read(const std::filesystem::path& path, const Place& asked,
                                                   Diagnostics& diagnostics);
  /// The same for what the file contains.
  [[nodiscard]] static std::optional<CsvFile> parse(std::string_view text, const std::filesystem::path& path,
                                                    const Place& asked, Diagnostics& diagnostics);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool has_headings() const { return has_headings_; }
  [[nodiscard]] std::span<const CsvColumn> columns() const { return columns_; }
  [[nodiscard]] std::size_t time_column() const { return time_column_; }
  /// Columns of values, in the order of the file.
  [[nodiscard]] std::vector<std::size_t> value_columns() const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const { return find_column(columns_, name); }
  [[nodiscard]] Place place_of(std::size_t column) const;
  /// Where a sample of a column is in the file.
  [[nodiscard]] Place place_of_sample(std::size_t column, std::size_t sample) const;

  /// The values of a column; true and false are 1 and 0. Cells that are neither numbers nor words of `word_value` are
  /// reported, the first ones with their places. Nothing after such a report, and where there are no values.
  [[nodiscard]] std::optional<Samples> samples(std::size_t column, const WordValue& word_value,
                                               Diagnostics& diagnostics) const;

 private:
  class Reader;
  /// A cell that is no number.
  struct Word {
    std::size_t row = 0;
    int place = 0;  ///< in its line
    std::string text{};
  };
  struct Cells {
    std::vector<double> numbers{};  ///< by row; NaN: empty, or a word
    std::vector<Word> words{};      ///< in the order of rows
  };
  [[nodiscard]] int place_in(std::size_t row, std::size_t column) const;
  [[nodiscard]] std::optional<double> number_of(const Word& word, const WordValue& word_value) const;

  std::filesystem::path path_;
  bool has_headings_ = false;
  char separator_ = ',';  ///< of cells; ' ': any number of blanks
  std::size_t time_column_ = 0;
  std::vector<CsvColumn> columns_;
  std::vector<double> times_;  ///< by row [s]
  std::vector<int> lines_;     ///< by row
  std::vector<Cells> cells_;   ///< by column
};

}  // namespace tieline::document
