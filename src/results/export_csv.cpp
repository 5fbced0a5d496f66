#include "results/export_csv.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/atomic_file.hpp"
#include "results/merged_rows.hpp"

namespace tieline::results {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

bool write_line(std::string& line, std::ostream& out) {
  line += '\n';
  return static_cast<bool>(out.write(line.data(), static_cast<std::streamsize>(line.size())));
}

}  // namespace

core::Result<void> export_csv(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, std::ostream& out) {
  auto rows = MergedRows::open(reader, patterns);
  if (!rows) return rows.error();
  std::string line = "time";
  for (const auto& variable : rows->variables()) line.append(",").append(quoted(variable.name));
  write_line(line, out);
  auto written = rows->walk(step, [&](double t, std::span<const std::optional<double>> values) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{:.17g}", t);
    for (const auto& value : values) {
      line += ',';
      if (value) fmt::format_to(std::back_inserter(line), "{:.17g}", *value);
    }
    return write_line(line, out);
  });
  if (written && !out.flush())
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = "cannot write: " + std::generic_category().message(errno)};
  return written;
}

core::Result<void> export_csv(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, const std::filesystem::path& file) {
  return core::replace_file(file, [&](const std::filesystem::path& temporary) -> core::Result<void> {
    std::ofstream out(temporary, std::ios::binary);
    auto exported = export_csv(reader, patterns, step, out);
    if (!exported && exported.error().code == core::ErrorCode::input_output)
      exported.error().message = fmt::format("'{}': {}", file.string(), exported.error().message);
    return exported;
  });
}

}  // namespace tieline::results
