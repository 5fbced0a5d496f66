#include <fstream>

#include "fuzz/targets.hpp"
#include "interchange/importer.hpp"
#include "interchange/ssp_model.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {
namespace {

void write_file_of_ssp(const std::filesystem::path& file, std::string_view content) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

constexpr std::string_view kDescriptionOfFmu = R"(<fmiModelDescription fmiVersion="2.0" modelName="f" guid="1">
<CoSimulation modelIdentifier="f"/><ModelVariables>
<ScalarVariable name="u" valueReference="1" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="k" valueReference="3" causality="parameter"><Real start="0"/></ScalarVariable>
</ModelVariables><ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure></fmiModelDescription>)";

}  // namespace

void read_ssp(std::string_view input) {
  static const support::TemporaryFolder folder;
  static const bool is_ready = [] {
    write_file_of_ssp(folder.path() / "resources/f.fmu/modelDescription.xml", kDescriptionOfFmu);
    return true;
  }();
  (void)is_ready;
  // An archive, a structure, or a file that a structure names: parameters, a mapping, a dictionary.
  const bool is_archive = input.starts_with("PK");
  const bool is_structure = input.find("SystemStructureDescription") != input.npos;
  const auto file = folder.path() / (is_archive ? "m.ssp" : is_structure ? "SystemStructure.ssd" : "named.ssd");
  write_file_of_ssp(is_archive || is_structure ? file : folder.path() / "resources/named.xml", input);
  if (!is_archive && !is_structure) {
    write_file_of_ssp(file, R"(<SystemStructureDescription name="n" version="2.0"><System name="s">
<ParameterBindings><ParameterBinding source="resources/named.xml"><ParameterMapping source="resources/named.xml"/></ParameterBinding>
<ParameterBinding source="resources/named.xml"/></ParameterBindings>
<Elements><Component name="a" source="resources/f.fmu"/></Elements>
<SignalDictionaries><SignalDictionary name="d" source="resources/named.xml"/></SignalDictionaries></System></SystemStructureDescription>)");
  }
  for (const char* out : {"", "elsewhere"}) {
    document::Diagnostics diagnostics;
    interchange::Source source(file);
    if (!interchange::is_ssp(source)) __builtin_trap();
    const auto imported = interchange::read_ssp_model(source, {.folder = out}, diagnostics);
    if (!imported && !diagnostics.has_errors()) __builtin_trap();
    if (imported && imported->document) {
      // It is well-formed and a model; every place in it is one of the file, or of a setting.
      if (imported->document->root().name() != "CompositeModel") __builtin_trap();
      for (const auto& companion : imported->companions) {
        const auto below = companion.to.lexically_normal();
        if (below.is_absolute() || *below.begin() == "..") __builtin_trap();
      }
      document::check_against(model::grammar({}), imported->document->root(), diagnostics);
    }
    (void)diagnostics.describe();
  }
}

}  // namespace tieline::fuzz
