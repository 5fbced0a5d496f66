#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "interchange/input_file.hpp"
#include "model/composite_model.hpp"
#include "model/interfaces.hpp"
#include "wave/track.hpp"

/// What open ends get from rows that were recorded: in files, or in results of earlier runs.
namespace tieline::assembly {

/// What is between two rows.
enum class RowJoin {
  hold,    ///< the value of the earlier row
  linear,  ///< a straight line
  cubic    ///< a cubic, with slopes from the parabola through three neighbours (second order)
};

/// Rows as a track; two rows at one time are a break. With `has_kinks` the bends of straight pieces are breaks, too, so
/// that their slopes are known at the rows themselves.
[[nodiscard]] wave::Track track_of_rows(std::span<const double> times, std::span<const double> values, RowJoin join,
                                        bool has_kinks);

/// One number that gets a record.
struct RecordedNumber {
  std::size_t member = 0;                       ///< of its end, from 0
  const model::SignalNumber* signal = nullptr;  ///< what is known of it; null: nothing
  std::string unit{};                           ///< that it has; empty: none is known
  std::string name{};                           ///< for messages
  std::string variable{};                       ///< its variable or column; empty: as the open end lists them
};

/// Reads the records of a model's open ends, each file once. What is wrong is reported with its place.
class RecordReader {
 public:
  explicit RecordReader(document::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Nothing, with a report, where it cannot be used.
  [[nodiscard]] std::optional<wave::Track> read(const model::OpenEnd& open, const RecordedNumber& number);
  /// The rows as they are, in the unit of the number.
  [[nodiscard]] std::optional<interchange::InputFile::Samples> read_samples(const model::OpenEnd& open,
                                                                            const RecordedNumber& number);
  /// How many columns of values the file of an open end has; 0 where it cannot be read.
  [[nodiscard]] std::size_t value_columns(const model::OpenEnd& open);

 private:
  [[nodiscard]] std::optional<interchange::InputFile::Samples> read_file(const model::OpenEnd& open,
                                                                         const RecordedNumber& number);
  [[nodiscard]] std::optional<interchange::InputFile::Samples> read_results(const model::OpenEnd& open,
                                                                            const RecordedNumber& number);
  [[nodiscard]] const interchange::InputFile* file_of(const model::OpenEnd& open);
  [[nodiscard]] std::optional<std::size_t> column_of(const interchange::InputFile& file, const model::OpenEnd& open,
                                                     const RecordedNumber& number);
  [[nodiscard]] std::optional<RowJoin> join_of(const model::OpenEnd& open, const RecordedNumber& number);
  /// From the unit of a column to that of the number.
  bool convert(const document::CsvColumn& column, const document::Place& place, const RecordedNumber& number,
               interchange::InputFile::Samples& samples);
  bool fits(const interchange::InputFile* file, std::size_t column, const model::OpenEnd& open,
            const RecordedNumber& number, const interchange::InputFile::Samples& samples);

  document::Diagnostics& diagnostics_;
  std::map<std::filesystem::path, std::optional<interchange::InputFile>> files_;
};

/// One of several entries of an attribute that lists names, or the only one; empty if there is none.
[[nodiscard]] std::string listed_name(const document::Element& element, std::string_view attribute, std::size_t member);

}  // namespace tieline::assembly
