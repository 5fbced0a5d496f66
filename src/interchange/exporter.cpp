#include "interchange/exporter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#include "interchange/lists.hpp"
#include "interchange/ssp_export.hpp"

namespace tieline::interchange {
namespace {

core::Result<void> write_own_format(const ExportRequest& request, document::Diagnostics&) {
  const std::string& text = request.model.document->source();
  std::ofstream stream(request.temporary, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (stream) return {};
  return core::Error{
      .code = core::ErrorCode::input_output,
      .message = fmt::format("cannot write '{}': {}", request.file.string(), std::generic_category().message(errno))};
}

constexpr std::array<std::string_view, 1> kOwnEndings{".xml"};
constexpr std::array<std::string_view, 1> kSspEndings{".ssp"};

/// The table.
constexpr std::array kExporters{
    Exporter{.name = "tieline",
             .description = "composite model of Tieline",
             .endings = kOwnEndings,
             .is_own_format = true,
             .copies_companions = true,
             .write = write_own_format},
    Exporter{.name = "ssp",
             .description = "archive of SSP",
             .endings = kSspEndings,
             .needs_checked_model = true,
             .write = write_ssp},
};

}  // namespace

std::span<const Exporter> exporters() { return kExporters; }

const Exporter* find_exporter(const std::filesystem::path& file, std::span<const Exporter> among) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::find_if(among.begin(), among.end(), [&](const Exporter& each) {
    if (ending.empty()) return each.is_own_format;
    return std::find(each.endings.begin(), each.endings.end(), ending) != each.endings.end();
  });
  return found != among.end() ? &*found : nullptr;
}

std::string list_exporters(std::span<const Exporter> among) {
  std::vector<std::string> descriptions;
  for (const Exporter& each : among) {
    descriptions.push_back(fmt::format("{} ({})", each.description, fmt::join(each.endings, ", ")));
  }
  return either_of(descriptions);
}

}  // namespace tieline::interchange
