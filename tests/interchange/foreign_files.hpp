#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "interchange/importer.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::interchange::test {

/// A kind whose files a sub-model may name.
inline std::vector<model::ComponentKind> kinds() {
  model::ComponentKind network{.name = "network", .description = "A network."};
  network.grammar.rules = {{.name = "Network", .description = "Parts of a network."}};
  return {network};
}

/// A foreign file in a folder of its own, and the problems found.
class ForeignFile {
 public:
  explicit ForeignFile(const std::string& text) : path_(folder_.path() / "model.xml") { write("model.xml", text); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }

  /// The translation as a document; null if even its text cannot be read.
  std::shared_ptr<const document::Document> load() {
    const auto all = kinds();
    Source source(path_);
    const auto imported = import_part(source, all, diagnostics);
    return imported ? imported->document : nullptr;
  }

  /// "line:column: error: message" of all that was said, one line each.
  [[nodiscard]] std::string said() const {
    std::string text;
    for (const auto& entry : diagnostics.all()) {
      const std::string line = entry.describe();
      text += (line.starts_with(path_.string()) ? line.substr(path_.string().size() + 1) : line) + "\n";
    }
    return text;
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  document::Diagnostics diagnostics{};

 private:
  support::TemporaryFolder folder_;
  std::filesystem::path path_;
};

/// The meta-model of Siemers, Nakhimovski and Fritzson 2005, section 4.5, with two of its four joints.
inline const char* const kMetaModel = R"(<?xml version="1.0"?>
<Model name="BeastHubInAdamsCar"
  StartTime="0"
  EndTime="1"
  TLMDelay="0.001">
  <SubModels>
    <SubModel Name="BeastHubUnit"
      Description="A complete Beast hub-unit"
      SimulationFiles="CarCorner.in"
      StartMethod="start-beast">
      <InterfacePoint Name="p1" iType="TLM"/>
      <InterfacePoint Name="p2" iType="TLM"/>
    </SubModel>
    <SubModel Name="AdamsCar"
      Description="A MSC.ADAMS car model"
      SimulationFiles="racing_car.cmd"
      StartMethod="start-adams">
      <InterfacePoint Name="p1" iType="TLM"/>
      <InterfacePoint Name="p2" iType="TLM"/>
    </SubModel>
  </SubModels>
  <Connections>
    <Connection From="AdamsCar.p1" To="BeastHubUnit.p1" iType="TLM" alpha="0" zf="0"/>
    <Connection From="BeastHubUnit.p2" To="AdamsCar.p2" iType="TLM" alpha="0" zf="0"/>
  </Connections>
</Model>
)";

}  // namespace tieline::interchange::test
