#include "assembly/recorded_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/name_list.hpp"
#include "document/units.hpp"
#include "results/reader.hpp"

namespace tieline::assembly {
namespace {

using document::CsvColumn;
using document::Element;
using interchange::InputFile;
using model::OpenEnd;
using wave::Track;

/// The slope at point i of a stretch [first, last] without breaks.
double slope_at(std::span<const double> times, std::span<const double> values, std::size_t i, std::size_t first,
                std::size_t last) {
  const auto secant = [&](std::size_t k) { return (values[k + 1] - values[k]) / (times[k + 1] - times[k]); };
  if (last == first) return 0.0;
  if (last == first + 1) return secant(first);
  // The parabola through three neighbours.
  const std::size_t middle = std::clamp(i, first + 1, last - 1);
  const double left = secant(middle - 1);
  const double right = secant(middle);
  const double h_left = times[middle] - times[middle - 1];
  const double h_right = times[middle + 1] - times[middle];
  const double curvature = (right - left) / (h_left + h_right);
  return left + curvature * h_left + 2.0 * curvature * (times[i] - times[middle]);
}

Track held(std::span<const double> times, std::span<const double> values) {
  Track track(wave::Interpolation::linear);
  track.push({times[0], 0.0, values[0], 0.0});
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (values[i] == track.back().value && i + 1 < times.size()) continue;
    track.push({times[i], 0.0, track.back().value, 0.0});
    if (values[i] != track.back().value) track.push({times[i], 0.0, values[i], 0.0});
  }
  return track;
}

/// Straight pieces between rows, written as cubics so that they have slopes at the rows.
Track kinked(std::span<const double> times, std::span<const double> values) {
  Track track(wave::Interpolation::cubic);
  const std::size_t count = times.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto slope = [&](std::size_t k) { return (values[k + 1] - values[k]) / (times[k + 1] - times[k]); };
    const bool has_left = i > 0 && times[i] > times[i - 1], has_right = i + 1 < count && times[i + 1] > times[i];
    const double left = has_left ? slope(i - 1) : 0.0, right = has_right ? slope(i) : 0.0;
    if (has_left) track.push({times[i], 0.0, values[i], left});
    if (!has_left || (has_right && right != left)) track.push({times[i], 0.0, values[i], right});
  }
  return track;
}

Track cubic(std::span<const double> times, std::span<const double> values) {
  Track track(wave::Interpolation::cubic);
  const std::size_t count = times.size();
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    while (last + 1 < count && times[last + 1] > times[last]) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      track.push({times[i], 0.0, values[i], slope_at(times, values, i, first, last)});
    }
    first = last + 1;
  }
  return track;
}

/// What the record of a number is called.
std::string variable_of(const OpenEnd& open, const RecordedNumber& number) {
  return number.variable.empty() ? listed_name(open.declaration, "variable", number.member) : number.variable;
}

}  // namespace

Track track_of_rows(std::span<const double> times, std::span<const double> values, RowJoin join, bool has_kinks) {
  if (join == RowJoin::hold) return held(times, values);
  if (join == RowJoin::cubic) return cubic(times, values);
  if (has_kinks) return kinked(times, values);
  Track track(wave::Interpolation::linear);
  for (std::size_t i = 0; i < times.size(); ++i) track.push({times[i], 0.0, values[i], 0.0});
  return track;
}

std::string listed_name(const Element& element, std::string_view attribute, std::size_t member) {
  const auto entries = core::split_names(element.get(attribute));
  return entries.empty() ? "" : core::unquoted(entries[entries.size() == 1 ? 0 : member]);
}

const InputFile* RecordReader::file_of(const OpenEnd& open) {
  const auto [found, is_new] = files_.try_emplace(open.record);
  if (is_new) found->second = InputFile::read(open.record, open.declaration.place_of("file"), diagnostics_);
  return found->second ? &*found->second : nullptr;
}

std::optional<std::size_t> RecordReader::column_of(const InputFile& file, const OpenEnd& open,
                                                   const RecordedNumber& number) {
  const Element& element = open.declaration;
  const std::size_t member = number.member;
  const std::string wanted = variable_of(open, number);
  const auto values = file.value_columns();
  if (wanted.empty() || !file.has_headings()) {
    if (member < values.size()) return values[member];
    diagnostics_.error(element.place_of("file"), fmt::format("'{}' has {} columns of values; number {} is needed",
                                                             file.path().string(), values.size(), member + 1));
    return std::nullopt;
  }
  if (const auto found = file.find(wanted)) return found;
  std::vector<std::string> names;
  for (const std::size_t column : values) names.push_back(file.columns()[column].name);
  const bool is_twice = std::count(names.begin(), names.end(), wanted) > 1;
  diagnostics_.error(element.place_of("variable"),
                     is_twice ? fmt::format("'{}' has several columns '{}'", file.path().string(), wanted)
                              : fmt::format("'{}' has no column '{}'{}", file.path().string(), wanted,
                                            document::suggestion(wanted, names)));
  return std::nullopt;
}

bool RecordReader::convert(const CsvColumn& column, const document::Place& place, const RecordedNumber& number,
                           InputFile::Samples& samples) {
  const std::string& from = column.unit;
  if (from.empty() || number.unit.empty() || from == number.unit) return true;
  const auto own = document::unit_called(from), wanted = document::unit_called(number.unit);
  if (!own || !wanted) {
    diagnostics_.warning(place,
                         fmt::format("column '{}' has the unit '{}', and '{}' has '{}'; one of them is not known, so "
                                     "the values are taken as they are",
                                     column.name, from, number.name, number.unit));
    return true;
  }
  if (!own->measures_the_same(*wanted)) {
    diagnostics_.error(place, fmt::format("column '{}' has the unit '{}', but '{}' is measured in '{}'", column.name,
                                          from, number.name, number.unit));
    return false;
  }
  if (own->factor == wanted->factor && own->offset == wanted->offset) return true;
  for (double& value : samples.values) value = own->to_si(value) / wanted->factor - wanted->offset;
  return true;
}

/// Whether the type of the number has all these values.
bool RecordReader::fits(const InputFile* file, std::size_t column, const OpenEnd& open, const RecordedNumber& number,
                        const InputFile::Samples& samples) {
  if (number.signal == nullptr || !number.signal->is_whole) return true;
  const model::SignalNumber& signal = *number.signal;
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const double value = samples.values[i];
    const bool is_item =
        std::any_of(signal.words.begin(), signal.words.end(), [&](const auto& word) { return word.second == value; });
    if (std::rint(value) == value && value >= signal.least && value <= signal.most &&
        (signal.words.empty() || is_item)) {
      continue;
    }
    const std::string expected = !signal.words.empty() ? "one of the items of its enumeration"
                                 : signal.most == 1.0 && signal.least == 0.0
                                     ? "true or false"
                                     : fmt::format("a whole number from {:.0f} to {:.0f}", signal.least, signal.most);
    const auto place = file != nullptr ? file->place_of_sample(column, i) : open.declaration.place_of("variable");
    const bool has_rows = file != nullptr && place.line > 0;
    diagnostics_.error(place, fmt::format("{:g} is not a value of '{}'{}; expected {}", value, number.name,
                                          has_rows ? "" : fmt::format(" (at {:g} s)", samples.times[i]), expected));
    return false;
  }
  return true;
}

std::optional<InputFile::Samples> RecordReader::read_file(const OpenEnd& open, const RecordedNumber& number) {
  const InputFile* const file = file_of(open);
  if (file == nullptr) return std::nullopt;
  const auto column = column_of(*file, open, number);
  if (!column) return std::nullopt;
  document::CsvFile::WordValue word_value;
  if (number.signal != nullptr && !number.signal->words.empty()) {
    word_value = [&words = number.signal->words](std::string_view text) -> std::optional<double> {
      const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == text; });
      return found == words.end() ? std::nullopt : std::optional(found->second);
    };
  }
  auto samples = file->samples(*column, word_value, diagnostics_);
  if (!samples || !convert(file->columns()[*column], file->place_of(*column), number, *samples) ||
      !fits(file, *column, open, number, *samples)) {
    return std::nullopt;
  }
  return samples;
}

std::optional<InputFile::Samples> RecordReader::read_results(const OpenEnd& open, const RecordedNumber& number) {
  const Element& element = open.declaration;
  const auto reader = results::ResultReader::open(open.record);
  if (!reader) {
    diagnostics_.error(element.place_of("results"), reader.error().describe());
    return std::nullopt;
  }
  diagnostics_.reads(open.record);
  auto series = reader->read(variable_of(open, number));
  if (!series || series->times.empty()) {
    diagnostics_.error(element.place_of("variable"),
                       series ? "the run recorded no rows of this variable" : series.error().describe());
    return std::nullopt;
  }
  InputFile::Samples samples{std::move(series->times), std::move(series->values)};
  const CsvColumn column{.name = series->name, .unit = series->unit};
  if (!convert(column, element.place_of("variable"), number, samples)) return std::nullopt;
  if (!fits(nullptr, 0, open, number, samples)) return std::nullopt;
  return samples;
}

std::optional<RowJoin> RecordReader::join_of(const OpenEnd& open, const RecordedNumber& number) {
  const Element& element = open.declaration;
  const std::string stated = element.get("join");
  if (number.signal != nullptr && number.signal->is_held) {
    if (stated.empty() || stated == "hold") return RowJoin::hold;
    diagnostics_.error(element.place_of("join"),
                       fmt::format("'{}' changes in steps only, so that its rows are held; expected join=\"hold\", or "
                                   "no join",
                                   number.name));
    return std::nullopt;
  }
  if (stated == "hold") return RowJoin::hold;
  if (stated == "cubic" || (stated.empty() && !element.has("file"))) return RowJoin::cubic;
  return RowJoin::linear;
}

std::optional<InputFile::Samples> RecordReader::read_samples(const OpenEnd& open, const RecordedNumber& number) {
  return open.declaration.has("file") ? read_file(open, number) : read_results(open, number);
}

std::size_t RecordReader::value_columns(const OpenEnd& open) {
  const InputFile* const file = file_of(open);
  return file == nullptr ? 0 : file->value_columns().size();
}

std::optional<Track> RecordReader::read(const OpenEnd& open, const RecordedNumber& number) {
  const auto join = join_of(open, number);
  if (!join) return std::nullopt;
  const auto samples = read_samples(open, number);
  if (!samples) return std::nullopt;
  // The receivers of signals ask for values; forces and motions have rates.
  const bool is_signal = open.declaration.get("as") == "signal";
  return track_of_rows(samples->times, samples->values, *join, !is_signal);
}

}  // namespace tieline::assembly
