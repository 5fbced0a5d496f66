#include "interchange/ssp_pack.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

#include "core/command_line.hpp"
#include "document/editor.hpp"
#include "interchange/ssp_xml.hpp"
#include "model/names.hpp"

namespace tieline::interchange::ssp {
namespace {

namespace fs = std::filesystem;
using document::ElementRule;
using document::Place;

bool is_below(const fs::path& path) { return !path.empty() && !path.is_absolute() && *path.begin() != ".."; }

bool has_braces(std::string_view text) { return text.find('{') != text.npos; }

fs::path absolute_path(const fs::path& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path, failure).lexically_normal();
  return failure ? path.lexically_normal() : whole;
}

/// FNV-1a, 64 bits.
void mix(std::uint64_t& hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  hash = (hash ^ 0xFF) * 0x100000001b3ULL;
}

void mix(std::uint64_t& hash, const document::Element& element) {
  mix(hash, local_name(element));
  auto attributes = element.attributes();
  std::sort(attributes.begin(), attributes.end());
  for (const std::string& name : attributes) {
    if (name.starts_with("xmlns") || name.find(':') != name.npos) continue;
    mix(hash, name);
    mix(hash, element.get(name));
  }
  for (const auto& child : element.children()) {
    if (local_name(child) != "Annotations") mix(hash, child);
  }
  mix(hash, "/");
}

}  // namespace

bool names_file(const ElementRule& rule, std::string_view attribute) {
  return std::any_of(rule.attributes.begin(), rule.attributes.end(), [&](const document::AttributeRule& known) {
    return known.name == attribute && known.type == document::AttributeType::file;
  });
}

std::string digest_of(const document::Element& description) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  mix(hash, description);
  return fmt::format("{:016x}", hash);
}

Pack::Pack(fs::path folder, std::span<const Companion> companions, const document::Grammar& grammar,
           archive::ZipWriter& zip, document::Diagnostics& diagnostics)
    : folder_(absolute_path(folder.empty() ? fs::path(".") : folder)),
      grammar_(grammar),
      zip_(zip),
      diagnostics_(diagnostics) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();
  for (const Companion& companion : companions) {
    companions_.emplace((folder_ / companion.to).lexically_normal(), companion.from);
  }
}

void Pack::report(const core::Result<void>& added, const Place& place) {
  if (!added) diagnostics_.error(place, added.error().message);
}

fs::path Pack::source_of(const fs::path& file) const {
  const auto found = companions_.find(file);
  return found != companions_.end() ? found->second : file;
}

/// Below the model's folder a file stays where it is; others come into a folder of their own.
std::string Pack::target_of(const fs::path& file) {
  const fs::path below = file.lexically_relative(folder_);
  if (is_below(below) && used_targets_.insert(below.generic_string()).second) return below.generic_string();
  std::string target = "from-elsewhere/" + file.filename().string();
  for (int k = 2; !used_targets_.insert(target).second; ++k) {
    target = fmt::format("from-elsewhere/{}-{}{}", file.stem().string(), k, file.extension().string());
  }
  return target;
}

std::string Pack::path_of(const fs::path& file) const {
  const auto found = targets_.find(absolute_path(file));
  return found != targets_.end() ? fmt::format("{}/{}", kResources, found->second) : "";
}

std::string Pack::take(const fs::path& file, const Place& place, bool is_content) {
  if (const auto known = targets_.find(file); known != targets_.end()) return known->second;
  const fs::path source = source_of(file);
  std::error_code failure;
  bool is_folder = fs::is_directory(source, failure);
  // A folder of companions is there as its files only.
  std::vector<std::pair<fs::path, fs::path>> inner;
  if (!fs::exists(source, failure)) {
    for (const auto& [to, from] : companions_) {
      if (is_below(to.lexically_relative(file))) inner.emplace_back(to.lexically_relative(file), from);
    }
    if (inner.empty()) {
      diagnostics_.error(place, model::missing_file(file));
      return "";
    }
    is_folder = true;
  }
  const std::string target = target_of(file);
  targets_.emplace(file, target);
  const std::string path = fmt::format("{}/{}", kResources, target);
  if (!inner.empty()) {
    for (const auto& [to, from] : inner) report(zip_.add_file(path + "/" + to.generic_string(), from), place);
    return target;
  }
  if (is_folder) {
    report(zip_.add_folder(path, source), place);
    return target;
  }
  if (is_content && source.extension() == ".xml") {
    document::Diagnostics unheard;
    const auto document = document::Document::load(source, unheard);
    if (document && grammar_.find(document->root().name()) != nullptr) {
      report(zip_.add(path, rewritten(document, file.parent_path(), target)), place);
      return target;
    }
  }
  report(zip_.add_file(path, source), place);
  return target;
}

/// The text of a document, in which files that are put elsewhere have their new names.
std::string Pack::rewritten(const std::shared_ptr<const document::Document>& document, const fs::path& folder,
                            const std::string& target) {
  document::Editor editor(document);
  const fs::path home = fs::path(target).parent_path();
  const auto walk = [&](const auto& self, const document::Element& element, const ElementRule& rule) -> void {
    for (const std::string& attribute : element.attributes()) {
      const std::string text = element.get(attribute);
      if (text.empty() || has_braces(text) || !names_file(rule, attribute)) continue;
      const bool may_be_ours = attribute == "file" || element.name() == "Uses";
      const std::string taken = take((folder / text).lexically_normal(), element.place_of(attribute), may_be_ours);
      if (taken.empty()) continue;
      const std::string now = fs::path(taken).lexically_relative(home.empty() ? fs::path(".") : home).generic_string();
      if (fs::path(now).lexically_normal() != fs::path(text).lexically_normal()) {
        editor.set_attribute(element, attribute, now);
      }
    }
    take_programs(element, folder);
    for (const auto& child : element.children()) {
      if (const auto* inner = grammar_.find_child(rule, child.name())) self(self, child, *inner);
    }
  };
  if (const ElementRule* const rule = grammar_.find(document->root().name())) walk(walk, document->root(), *rule);
  return editor.text();
}

/// Programs, and files that their commands name, in the folder in which they are started.
void Pack::take_programs(const document::Element& element, const fs::path& folder) {
  const std::string command = element.get("command");
  if (command.empty() || (element.name() != "Component" && element.name() != "Type")) return;
  const fs::path home = (folder / element.get("folder")).lexically_normal();
  const auto words = core::split_command(command);
  for (std::size_t k = 0; words && k < words->size(); ++k) {
    const std::string& word = (*words)[k];
    // A program is looked for beside the file that states it, what it is given in the folder where it works.
    const fs::path file = ((k == 0 ? folder : home) / word).lexically_normal();
    if (word.empty() || has_braces(word) || !is_below(word)) continue;
    std::error_code failure;
    if (fs::is_regular_file(source_of(file), failure)) (void)take(file, element.place_of("command"), false);
  }
}

void Pack::take_named(const document::Element& element, const ElementRule& rule, const fs::path& folder) {
  for (const std::string& attribute : element.attributes()) {
    const std::string text = element.get(attribute);
    if (text.empty() || has_braces(text) || !names_file(rule, attribute)) continue;
    (void)take((folder / text).lexically_normal(), element.place_of(attribute),
               attribute == "file" || element.name() == "Uses");
  }
  take_programs(element, folder);
  for (const auto& child : element.children()) {
    if (const auto* inner = grammar_.find_child(rule, child.name())) take_named(child, *inner, folder);
  }
}

void Pack::take_model(const document::Element& root, const model::CompositeModel& checked) {
  if (const ElementRule* const rule = grammar_.find(root.name())) take_named(root, *rule, folder_);
  // What expressions name, and libraries that were found by their names.
  const auto take_known = [&](const fs::path& file, const Place& place, bool is_content) {
    const fs::path whole = absolute_path(file);
    std::error_code failure;
    const bool is_needed = !file.empty() && !targets_.contains(whole) &&
                           whole != absolute_path(root.document()->file()) && fs::exists(whole, failure);
    if (is_needed) (void)take(whole, place, is_content);
  };
  for (const model::Component& component : checked.components) {
    const Place place = component.declaration.place();
    if (component.has_own_file) take_known(component.content_file, place, true);
    for (const fs::path& file : component.input_files) take_known(file, place, false);
    take_known(component.icon, place, false);
    take_known(component.geometry, place, false);
    for (std::size_t k = 1; k < component.statements.size(); ++k) {
      const fs::path library = absolute_path(component.statements[k].file);
      take_known(library, place, true);
      const auto taken = targets_.find(library);
      if (taken != targets_.end()) libraries_.insert(taken->second);
    }
  }
  for (const model::OpenEnd& open : checked.open_ends) take_known(open.record, open.declaration.place(), false);
  for (const fs::path& file : checked.files) take_known(file, root.place(), true);
}

std::string Pack::named(std::string_view text, const Place& place) {
  const fs::path written(text);
  const fs::path file = (folder_ / written).lexically_normal();
  if (has_braces(text)) {
    if (!is_below(file.lexically_relative(folder_))) {
      diagnostics_.error(place, fmt::format("'{}' names a file outside of the model's folder by an expression, and "
                                            "cannot be put into an archive",
                                            text));
    }
    return std::string(text);
  }
  const auto found = targets_.find(file);
  return found != targets_.end() ? found->second : std::string(text);
}

}  // namespace tieline::interchange::ssp
