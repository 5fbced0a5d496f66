#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "model/process.hpp"
#include "model/reader.hpp"
#include "model/validate.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::model::test {

/// A kind of component for tests: <Network> with interfaces that say all about themselves.
inline std::vector<ComponentKind> kinds() {
  using document::AttributeType;
  ComponentKind network{.name = "network", .description = "A network."};
  network.grammar.rules = {
      {.name = "Network",
       .description = "Parts of a network.",
       .children = {"Parameters", "Mass", "Interface@Network"},
       .once = {"Parameters"}},
      {.name = "Mass",
       .description = "A mass.",
       .attributes = {{"name", AttributeType::name, true, "Name."},
                      {"mass", AttributeType::number, true, "Mass [kg]."}}},
      {.name = "Interface@Network",
       .description = "A point where it can be connected.",
       .attributes = {{"name", AttributeType::name, true, "Name."},
                      {"domain",
                       AttributeType::choice,
                       false,
                       "Domain.",
                       {"translation", "rotation", "mechanical3d", "signal"},
                       "translation"},
                      {"causality",
                       AttributeType::choice,
                       false,
                       "What it takes.",
                       {"force", "motion", "input", "output"},
                       "force"},
                      {"size", AttributeType::number, false, "Of a signal, or in space.", {}, "1"}}},
  };
  ComponentKind external{.name = "external", .description = "A file that is not ours."};
  external.own_attributes = {{"command", AttributeType::text, false, "What starts it."},
                             {"folder", AttributeType::text, false, "Where it works."},
                             {"exact_step", AttributeType::choice, false, "How it steps.", {"true", "false"}, "false"}};
  external.own_elements = {{.rule = environment_rule(), .may_repeat = true},
                           {.rule = {.name = "Pin",
                                     .description = "What an interface is inside.",
                                     .attributes = {{"number", AttributeType::number, true, "Its number."}}},
                            .is_in_interface = true}};
  return {network, external};
}

/// Interfaces as the test's <Network> states them.
inline InterfaceSource interfaces_of(const CompositeModel& model) {
  return [&model](int index) {
    const auto& component = model.components[static_cast<std::size_t>(index)];
    ComponentInterfaces result;
    result.is_known = component.content.exists();
    for (const auto& element : component.content.children("Interface")) {
      InterfaceInfo info{element.get("name"), *core::domain_from_name(element.get("domain", "translation")),
                         core::Causality::takes_force};
      for (const auto causality : {core::Causality::takes_motion, core::Causality::input, core::Causality::output}) {
        if (element.get("causality") == core::name_of(causality)) info.causality = causality;
      }
      info.size = std::stoi(element.get("size", "1"));
      result.interfaces.push_back(info);
    }
    return result;
  };
}

/// A folder of model files that goes away with the test.
class ModelFolder {
 public:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = folder_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() / name, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

  /// Problems as they are shown, without the folder's name.
  [[nodiscard]] std::string shown(const document::Diagnostics& diagnostics) const {
    std::string text = diagnostics.describe();
    const std::string prefix = folder_.path().string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
    return text;
  }

 private:
  support::TemporaryFolder folder_;
};

/// <Components> with the given inside, and the rest of a small model.
inline std::string model_text(const std::string& components, const std::string& connections = "",
                              const std::string& rest = "") {
  return "<CompositeModel name=\"m\">\n" + rest + "<Components>\n" + components + "</Components>\n<Connections>\n" +
         connections + "</Connections>\n<Simulation stop=\"1\"/>\n</CompositeModel>\n";
}

/// A component with one interface for each word: "left", "right:motion", "u:input", "y:output:3", "shaft:rotation",
/// "edge:mechanical3d:4".
inline std::string component_text(const std::string& name, const std::vector<std::string>& interfaces) {
  std::string text = "<Component name=\"" + name + "\" kind=\"network\"><Network>";
  for (const auto& word : interfaces) {
    const auto colon = word.find(':');
    const auto second = colon == word.npos ? word.npos : word.find(':', colon + 1);
    const std::string what = colon == word.npos ? "" : word.substr(colon + 1, second - colon - 1);
    text += "<Interface name=\"" + word.substr(0, colon) + "\"";
    if (what == "input" || what == "output") text += " domain=\"signal\"";
    const bool is_domain = what == "rotation" || what == "mechanical3d";
    if (is_domain) text += " domain=\"" + what + "\"";
    if (!what.empty() && !is_domain) text += " causality=\"" + what + "\"";
    if (second != word.npos) text += " size=\"" + word.substr(second + 1) + "\"";
    text += "/>";
  }
  return text + "</Network></Component>\n";
}

}  // namespace tieline::model::test
