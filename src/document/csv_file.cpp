#include "document/csv_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>

#include "core/name_list.hpp"
#include "document/expression.hpp"
#include "document/units.hpp"

namespace tieline::document {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
// Problems of one kind that are listed; the others are counted.
constexpr std::size_t kMostListed = 5;
// More than a memory is likely to have room for, and than anybody measures [bytes].
constexpr std::uintmax_t kLargestFile = std::uintmax_t{4} << 30;
constexpr std::size_t kMostShown = 40;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// A cell as a message shows it: the file may be anything.
std::string shown_cell(std::string_view text) {
  std::string result(text.substr(0, kMostShown));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return result;
}

struct Cell {
  std::string_view text{};  ///< trimmed; quotes stay
  int place = 1;            ///< in its line
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Cells between separators that are not in quotes; ' ' stands for any number of blanks.
void split_cells(std::string_view line, char separator, std::vector<Cell>& cells) {
  cells.clear();
  bool is_quoted = false;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view whole = line.substr(begin, end - begin);
    const std::string_view text = trimmed(whole);
    if (separator == ' ' && text.empty()) return;
    const auto before = text.empty() ? 0 : static_cast<std::size_t>(text.data() - whole.data());
    cells.push_back({text, static_cast<int>(begin + before) + 1});
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    const bool is_separator = separator == ' ' ? is_blank(line[i]) : line[i] == separator;
    if (is_quoted || !is_separator) continue;
    add(i);
    begin = i + 1;
  }
  add(line.size());
}

char separator_of(std::string_view line) {
  for (const char candidate : {';', '\t', ','}) {
    bool is_quoted = false;
    for (const char c : line) {
      if (c == '"') is_quoted = !is_quoted;
      if (c == candidate && !is_quoted) return candidate;
    }
  }
  return ' ';
}

std::optional<double> number_in(std::string_view text, char separator) {
  if (const auto number = parse_number(text)) return number;
  if (separator == ',' || text.find(',') == std::string_view::npos) return std::nullopt;
  std::string pointed(text);
  std::replace(pointed.begin(), pointed.end(), ',', '.');
  return parse_number(pointed);
}

/// Takes "name [unit]" or "name (unit)" apart; "u[2]" and "der(x)" are names.
void take_unit(CsvColumn& column) {
  column.name = column.heading;
  const std::string_view text = column.heading;
  if (text.empty() || (text.back() != ']' && text.back() != ')')) return;
  const std::size_t open = text.rfind(text.back() == ']' ? '[' : '(');
  if (open == std::string_view::npos || open == 0) return;
  const std::string_view unit = trimmed(text.substr(open + 1, text.size() - open - 2));
  const bool is_index = unit.find_first_not_of("0123456789, :") == std::string_view::npos;
  if (is_index || (!is_blank(text[open - 1]) && !parse_unit(unit))) return;
  column.name = std::string(trimmed(text.substr(0, open)));
  column.unit = std::string(unit);
}

/// A unit in a row of units: "bar", "[bar]", "(bar)".
std::string_view bare_unit(std::string_view text) {
  if (text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
    text = trimmed(text.substr(1, text.size() - 2));
  return text;
}

bool is_time(const Unit& unit) { return unit.powers == std::array<int, 6>{0, 0, 1, 0, 0, 0}; }

/// Lines of any kind of end, counted from 1, without a byte order mark.
template <class Take>
void for_each_line(std::string_view text, Take&& take) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    take(text.substr(0, end), number);
    const bool is_pair = text.substr(end).starts_with("\r\n");
    text.remove_prefix(std::min(text.size(), end + (is_pair ? 2 : 1)));
  }
}

std::string content_of(const std::filesystem::path& path) {
  std::error_code failure;
  std::ifstream stream(path, std::ios::binary);
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  std::string text(failure ? 0 : static_cast<std::size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::optional<double> truth_of(std::string_view text) {
  const std::string word = lower(text);
  if (word == "true") return 1.0;
  if (word == "false") return 0.0;
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> find_column(std::span<const CsvColumn> columns, std::string_view name) {
  std::optional<std::size_t> found;
  for (const bool with_unit : {true, false}) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if ((with_unit ? columns[i].heading : columns[i].name) != name) continue;
      if (found) return std::nullopt;
      found = i;
    }
    if (found) return found;
  }
  return std::nullopt;
}

/// Reads a file once, row by row.
class CsvFile::Reader {
 public:
  Reader(CsvFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  void read(std::string_view text) {
    for_each_line(text, [&](std::string_view line, int number) {
      line_ = number;
      take_line(line);
    });
    file_.separator_ = separator_;
    if (further_ > 0)
      diagnostics_.error({file_.path_.string(), 0, 0}, fmt::format("{} further rows cannot be read", further_));
  }

 private:
  Place at(int place) const { return {file_.path_.string(), line_, place}; }
  void complain(int place, std::string message) {
    if (++problems_ > kMostListed) {
      ++further_;
      return;
    }
    diagnostics_.error(at(place), std::move(message));
  }

  void take_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.empty()) return;
    if (content.front() == '#' || content.front() == '%') {
      comment_ = content.substr(content.find_first_not_of("#% \t") == std::string_view::npos
                                    ? content.size()
                                    : content.find_first_not_of("#% \t"));
      comment_line_ = line_;
      return;
    }
    if (separator_ == 0) {
      // What Excel reads and writes.
      if (content.size() == 5 && lower(content).starts_with("sep=")) {
        separator_ = content.back();
        return;
      }
      separator_ = separator_of(content);
    }
    split_cells(line, separator_, cells_);
    if (file_.columns_.empty()) {
      if (take_headings()) return;
    } else if (file_.times_.empty() && file_.has_headings_ && take_units()) {
      return;
    }
    take_row();
  }

  /// The first row, or the comment above it; whether the row itself has the headings.
  bool take_headings() {
    const bool is_heading = !number_in(core::unquoted(cells_.front().text), separator_);
    std::vector<Cell> named = cells_;
    int line = line_;
    if (!is_heading) {
      named.clear();
      if (!comment_.empty()) split_cells(comment_, separator_, named);
      line = comment_line_;
    }
    const bool has_names =
        is_heading || (named.size() == cells_.size() && !named.empty() && !number_in(named.front().text, separator_));
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      CsvColumn& column = file_.columns_.emplace_back();
      if (!has_names) continue;
      column.heading = std::string(trimmed(core::unquoted(named[i].text)));
      column.line = line;
      column.place = is_heading ? named[i].place : 1;
      take_unit(column);
    }
    file_.has_headings_ = has_names;
    file_.cells_.resize(file_.columns_.size());
    find_time();
    return is_heading;
  }

  void find_time() {
    for (const std::string_view name : {"time", "t"}) {
      for (std::size_t i = 0; i < file_.columns_.size(); ++i) {
        if (lower(file_.columns_[i].name) != name) continue;
        file_.time_column_ = i;
        set_time_unit();
        return;
      }
    }
    set_time_unit();
  }

  void set_time_unit() {
    const CsvColumn& column = file_.columns_[file_.time_column_];
    if (column.unit.empty()) return;
    const auto unit = parse_unit(column.unit);
    if (unit && is_time(*unit)) {
      seconds_ = unit->factor;
    } else {
      diagnostics_.warning(file_.place_of(file_.time_column_),
                           fmt::format("the times have the unit '{}', which is not a known unit of time; they are "
                                       "read as seconds",
                                       column.unit));
    }
  }

  /// A row of units below the headings is known by the unit of the times.
  bool take_units() {
    if (cells_.size() <= file_.time_column_) return false;
    const auto of_time = parse_unit(bare_unit(core::unquoted(cells_[file_.time_column_].text)));
    if (!of_time || !is_time(*of_time)) return false;
    for (std::size_t i = 0; i < std::min(cells_.size(), file_.columns_.size()); ++i) {
      const std::string text = core::unquoted(cells_[i].text);
      file_.columns_[i].unit = std::string(bare_unit(trimmed(text)));
    }
    set_time_unit();
    return true;
  }

  void take_row() {
    const std::size_t count = file_.columns_.size();
    while (cells_.size() > count && cells_.back().text.empty()) cells_.pop_back();
    if (cells_.size() != count) {
      const int place = cells_.size() > count ? cells_[count].place : cells_.back().place;
      complain(place, fmt::format("this row has {} cells; expected {}, as in the first row", cells_.size(), count));
      return;
    }
    const Cell& time = cells_[file_.time_column_];
    const auto t = number_in(core::unquoted(time.text), separator_);
    if (!t) {
      complain(time.place, fmt::format("'{}' is not a time; expected a number", shown_cell(time.text)));
      return;
    }
    const double seconds = *t * seconds_;
    if (!file_.times_.empty() && seconds < file_.times_.back()) {
      complain(time.place, fmt::format("the time {:g} s is before that of the row above, {:g} s; expected ascending "
                                       "times",
                                       seconds, file_.times_.back()));
      return;
    }
    const std::size_t row = file_.times_.size();
    file_.times_.push_back(seconds);
    file_.lines_.push_back(line_);
    for (std::size_t i = 0; i < count; ++i) {
      Cells& cells = file_.cells_[i];
      const std::string_view text = cells_[i].text;
      auto number = number_in(text, separator_);
      if (!number && text.starts_with('"')) number = number_in(core::unquoted(text), separator_);
      cells.numbers.push_back(number.value_or(kNoValue));
      if (!number && !text.empty()) cells.words.push_back({row, cells_[i].place, core::unquoted(text)});
    }
  }

  CsvFile& file_;
  Diagnostics& diagnostics_;
  char separator_ = 0;
  int line_ = 0;
  double seconds_ = 1.0;  ///< of the unit of the times
  std::string_view comment_{};
  int comment_line_ = 0;
  std::vector<Cell> cells_;
  std::size_t problems_ = 0, further_ = 0;
};

std::optional<CsvFile> CsvFile::read(const std::filesystem::path& path, const Place& asked, Diagnostics& diagnostics) {
  std::error_code failure;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || !std::filesystem::is_regular_file(path, failure)) {
    const bool exists = std::filesystem::exists(path, failure);
    diagnostics.error(asked, fmt::format("'{}' cannot be read{}", path.string(), exists ? "" : ": it does not exist"));
    return std::nullopt;
  }
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure || size > kLargestFile) {
    diagnostics.error(asked, fmt::format("'{}' is too large: more than {} GiB", path.string(), kLargestFile >> 30));
    return std::nullopt;
  }
  diagnostics.reads(path);
  return parse(content_of(path), path, asked, diagnostics);
}

std::optional<CsvFile> CsvFile::parse(std::string_view text, const std::filesystem::path& path, const Place& asked,
                                      Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  CsvFile file;
  file.path_ = path;
  Reader(file, diagnostics).read(text);
  if (diagnostics.error_count() > errors) return std::nullopt;
  if (!file.times_.empty()) return file;
  diagnostics.error(asked, fmt::format("'{}' contains no rows of numbers", path.string()));
  return std::nullopt;
}

std::vector<std::size_t> CsvFile::value_columns() const {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i != time_column_) columns.push_back(i);
  }
  return columns;
}

Place CsvFile::place_of(std::size_t column) const {
  return {path_.string(), columns_[column].line, columns_[column].place};
}

Place CsvFile::place_of_sample(std::size_t column, std::size_t sample) const {
  const Cells& cells = cells_[column];
  std::size_t word = 0;
  for (std::size_t row = 0; row < lines_.size(); ++row) {
    const bool is_word = word < cells.words.size() && cells.words[word].row == row;
    if (std::isnan(cells.numbers[row]) && !is_word) continue;
    if (sample-- == 0) return {path_.string(), lines_[row], is_word ? cells.words[word].place : place_in(row, column)};
    word += is_word ? 1 : 0;
  }
  return {path_.string(), 0, 0};
}

/// Where a cell begins in its line. Not kept: only messages need it.
int CsvFile::place_in(std::size_t row, std::size_t column) const {
  std::vector<Cell> cells;
  const std::string text = content_of(path_);
  for_each_line(text, [&](std::string_view line, int number) {
    if (number == lines_[row]) split_cells(line, separator_, cells);
  });
  return column < cells.size() ? cells[column].place : 1;
}

std::optional<double> CsvFile::number_of(const Word& word, const WordValue& word_value) const {
  if (word_value) {
    if (const auto number = word_value(word.text)) return number;
  }
  return truth_of(word.text);
}

std::optional<CsvFile::Samples> CsvFile::samples(std::size_t column, const WordValue& word_value,
                                                 Diagnostics& diagnostics) const {
  const Cells& cells = cells_[column];
  Samples samples;
  std::size_t word = 0, unknown = 0;
  for (std::size_t row = 0; row < times_.size(); ++row) {
    double value = cells.numbers[row];
    if (word < cells.words.size() && cells.words[word].row == row) {
      const Word& text = cells.words[word++];
      const auto number = number_of(text, word_value);
      if (!number && ++unknown <= kMostListed) {
        diagnostics.error(
            {path_.string(), lines_[row], text.place},
            fmt::format("'{}' is not a number; leave the cell empty where there is no value", shown_cell(text.text)));
      }
      value = number.value_or(kNoValue);
    }
    if (std::isnan(value)) continue;
    samples.times.push_back(times_[row]);
    samples.values.push_back(value);
  }
  const std::string name =
      columns_[column].heading.empty() ? fmt::format("{}", column + 1) : fmt::format("'{}'", columns_[column].heading);
  if (unknown > kMostListed) {
    diagnostics.error({path_.string(), 0, 0},
                      fmt::format("column {} has {} further cells that are not numbers", name, unknown - kMostListed));
  }
  if (unknown > 0) return std::nullopt;
  if (!samples.times.empty()) return samples;
  diagnostics.error(place_of(column), fmt::format("column {} of '{}' contains no numbers", name, path_.string()));
  return std::nullopt;
}

}  // namespace tieline::document
