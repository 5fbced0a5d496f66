#include "model/site.hpp"

#include <algorithm>
#include <cstdlib>

#include "model/grammar.hpp"
#include "model/names.hpp"

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;

namespace fs = std::filesystem;

constexpr std::string_view kFileName = "tieline/site.xml";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path user_folder() {
  const std::string stated = environment("XDG_CONFIG_HOME");
  return stated.empty() ? fs::path(environment("HOME")) / ".config" : fs::path(stated);
}

bool is_there(const fs::path& file) {
  std::error_code failure;
  return fs::exists(file, failure);
}

}  // namespace

const Tool* Site::find(std::string_view name) const {
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

const Tool* Site::find(std::string_view name, const Host* host) const {
  const Tool* const own = host == nullptr ? nullptr : host->find(name);
  return own != nullptr ? own : find(name);
}

const Host* Site::find_host(std::string_view name) const {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

std::vector<fs::path> site_files(const fs::path& stated) {
  std::vector<fs::path> files;
  if (!stated.empty()) files.push_back(stated);
  if (const std::string named = environment("TIELINE_SITE"); !named.empty()) files.emplace_back(named);
  files.push_back(user_folder() / kFileName);
  files.push_back(fs::path("/etc") / kFileName);
  return files;
}

Site read_site(const fs::path& file, Diagnostics& diagnostics) {
  Site site{.file = file};
  const auto document = document::Document::load(file, diagnostics);
  if (!document) return site;
  const Element root = document->root();
  document::check_against(grammar({}).rooted_at("Site"), root, diagnostics);
  if (root.name() != "Site") return site;
  site.tools = read_tools(root, false, diagnostics);
  site.hosts = read_hosts(root, diagnostics);
  site.batch = read_batch(root, diagnostics);
  if (const double stated = read_site_number(root, "break_deadline", diagnostics); stated > 0.0) {
    site.break_deadline = stated;
  }
  return site;
}

Site load_site(const fs::path& stated, Diagnostics& diagnostics) {
  const std::string named = environment("TIELINE_SITE");
  if (!stated.empty()) return read_site(stated, diagnostics);
  if (!named.empty() && !is_there(named)) {
    diagnostics.error({"TIELINE_SITE", 0, 0}, missing_file(named));
    return {};
  }
  for (const fs::path& file : site_files()) {
    if (is_there(file)) return read_site(file, diagnostics);
  }
  return {};
}

}  // namespace tieline::model
