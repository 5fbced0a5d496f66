#include "interchange/exporter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "interchange/lists.hpp"
#include "interchange/modelica_writer.hpp"
#include "interchange/ssp_export.hpp"
#include "interchange/tlm_writer.hpp"

namespace tieline::interchange {
namespace {

core::Result<void> write_own_format(const ExportRequest& request, document::Diagnostics&) {
  return write_text(request, request.model.document->source());
}

constexpr std::array<std::string_view, 1> kOwnEndings{".xml"};
constexpr std::array<std::string_view, 1> kSspEndings{".ssp"};
constexpr std::array<std::string_view, 1> kModelicaEndings{".mo"};

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
    Exporter{.name = "modelica",
             .description = "composite model in Modelica",
             .endings = kModelicaEndings,
             .wants_checked_model = true,
             .copies_companions = true,
             .write = write_modelica_model},
    // Files of these formats end as ours do, so that they are asked for by name.
    Exporter{.name = "omtlm",
             .description = "composite model of OMTLMSimulator",
             .needs_checked_model = true,
             .write = write_omtlm_model},
    Exporter{.name = "meta-model",
             .description = "meta-model of a TLM manager",
             .needs_checked_model = true,
             .write = write_meta_model},
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

const Exporter* find_named_exporter(std::string_view name, std::span<const Exporter> among) {
  const auto found = std::find_if(among.begin(), among.end(), [&](const Exporter& each) { return each.name == name; });
  return found != among.end() ? &*found : nullptr;
}

std::string list_exporters(std::span<const Exporter> among) {
  std::vector<std::string> descriptions;
  for (const Exporter& each : among) {
    descriptions.push_back(each.endings.empty()
                               ? fmt::format("{} (--format {})", each.description, each.name)
                               : fmt::format("{} ({})", each.description, fmt::join(each.endings, ", ")));
  }
  return either_of(descriptions);
}

}  // namespace tieline::interchange
