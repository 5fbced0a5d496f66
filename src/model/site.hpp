#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "model/composite_model.hpp"
#include "model/host.hpp"
#include "model/process.hpp"

/// The site file: the machines that a run may use, and how the tools that models name are started there, described once
/// and apart from all models.
namespace tieline::model {

struct Site {
  std::filesystem::path file{};  ///< empty: none was found
  std::vector<Tool> tools{};
  std::vector<Host> hosts{};
  Batch batch{};
  double break_deadline = 30.0;  ///< that a broken connection between hosts may take to be made again [s]

  [[nodiscard]] const Tool* find(std::string_view name) const;  ///< null: unknown
  /// As it is on a host: what that states of the tool, or else the site. Null: unknown.
  [[nodiscard]] const Tool* find(std::string_view name, const Host* host) const;
  [[nodiscard]] const Host* find_host(std::string_view name) const;  ///< null: unknown
};

/// Where a site file is looked for, in this order: `stated` (an option of the command line; may be empty),
/// TIELINE_SITE, the user's site.xml, that of the machine. The first that exists counts, alone.
[[nodiscard]] std::vector<std::filesystem::path> site_files(const std::filesystem::path& stated = {});

/// Reads one site file; all problems go to `diagnostics`.
[[nodiscard]] Site read_site(const std::filesystem::path& file, document::Diagnostics& diagnostics);

/// Reads the site file that counts. None at all is a site without tools; one that was stated, by the command line or by
/// TIELINE_SITE, must exist.
[[nodiscard]] Site load_site(const std::filesystem::path& stated, document::Diagnostics& diagnostics);

}  // namespace tieline::model
