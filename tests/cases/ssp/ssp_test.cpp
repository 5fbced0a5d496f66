// System structures of SSP, run as they are, against closed forms and against the same models in our own format; and
// models that are written as SSP and come back.

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

#include "tieline/exchange.hpp"

#include "archive/archive.hpp"
#include "archive/zip_writer.hpp"
#include "support/fmu_model.hpp"

namespace tieline::support {
namespace ssp_test {

namespace fs = std::filesystem;

constexpr const char* kSpaces =
    R"(xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues")";

void done(const core::Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().describe());
}

/// An archive with FMUs of the tests, all below resources.
fs::path archive_of(const TemporaryFolder& folder, const std::string& system, const std::vector<fs::path>& fmus,
                    const std::map<std::string, std::string>& more = {}) {
  archive::ZipWriter zip;
  done(zip.add("SystemStructure.ssd", fmt::format("<ssd:SystemStructureDescription {} version=\"1.0\" name=\"case\">{}"
                                                  "</ssd:SystemStructureDescription>",
                                                  kSpaces, system)));
  for (const fs::path& fmu : fmus) done(zip.add_file("resources/" + fmu.filename().string(), fmu));
  for (const auto& [name, text] : more) done(zip.add(name, text));
  const fs::path file = folder.path() / "case.ssp";
  done(zip.write(file));
  return file;
}

std::string component(const std::string& name, const fs::path& fmu, const std::string& input, const std::string& output,
                      const std::string& more = "") {
  return fmt::format(
      "<ssd:Component name=\"{}\" source=\"resources/{}\" {}><ssd:Connectors><ssd:Connector name=\"{}\" "
      "kind=\"input\"><ssc:Real/></ssd:Connector><ssd:Connector name=\"{}\" "
      "kind=\"output\"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component>",
      name, fmu.filename().string(), more, input, output);
}

std::string connection(const std::string& from, const std::string& output, const std::string& to,
                       const std::string& input, const std::string& inside = "") {
  return fmt::format(
      "<ssd:Connection startElement=\"{}\" startConnector=\"{}\" endElement=\"{}\" endConnector=\"{}\">{}"
      "</ssd:Connection>",
      from, output, to, input, inside);
}

/// The parameters of a mass without a spring, from 0.1 m at rest, and what comes after them.
std::string parameters(const std::string& mass, const std::string& more = "") {
  return fmt::format(
      "<ssv:ParameterSet {0} version=\"1.0\" name=\"p\"><ssv:Parameters><ssv:Parameter name=\"{1}.k\"><ssv:Real "
      "value=\"0\"/></ssv:Parameter><ssv:Parameter name=\"{1}.c\"><ssv:Real "
      "value=\"0\"/></ssv:Parameter>{2}</ssv:Parameters></ssv:ParameterSet>",
      kSpaces, mass, more);
}

/// A mass on which a gain acts as a spring: x'' = -100 x from x = 0.1 m. The mass is in a system of its own.
std::string oscillator(int version, const std::string& mode) {
  const auto inner = fmt::format(
      "<ssd:System name=\"body\"><ssd:Connectors><ssd:Connector name=\"force\" kind=\"input\"/><ssd:Connector "
      "name=\"place\" "
      "kind=\"output\"/></ssd:Connectors><ssd:Elements>{}</ssd:Elements><ssd:Connections><ssd:Connection "
      "startConnector=\"force\" endElement=\"m\" endConnector=\"f\"/><ssd:Connection startElement=\"m\" "
      "startConnector=\"x\" endConnector=\"place\"/></ssd:Connections></ssd:System>",
      component("m", fmu_file("mass", version), "f", "x", mode));
  return "<ssd:System name=\"root\"><ssd:ParameterBindings><ssd:ParameterBinding source=\"resources/p.ssv\"/>"
         "</ssd:ParameterBindings><ssd:Elements>" +
         inner + component("g", fmu_file("feedthrough", version), "float64_in", "float64_out", mode) +
         "</ssd:Elements><ssd:Connections>" + connection("body", "place", "g", "float64_in") +
         connection("g", "float64_out", "body", "force") +
         "</ssd:Connections></ssd:System><ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"><ssd:Annotations>"
         "<ssc:Annotation type=\"com.opensimulationplatform\"><osp:Algorithm xmlns:osp=\"o\"><osp:FixedStepAlgorithm "
         "baseStepSize=\"1e-3\"/></osp:Algorithm></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>";
}

const std::string kGain = "<ssv:Parameter name=\"g.gain\"><ssv:Real value=\"-100\"/></ssv:Parameter>";

TEST(Ssp, RunsAsTheSameModelInOurFormat) {
  for (const int version : {2, 3}) {
    const TemporaryFolder folder;
    const fs::path ssp = archive_of(folder, oscillator(version, "implementation=\"CoSimulation\""),
                                    {fmu_file("mass", version), fmu_file("feedthrough", version)},
                                    {{"resources/p.ssv", parameters("body.m", kGain)}});
    const RunRecord run = run_model(ssp);
    // Forces are held for a step: the amplitude grows by exp(100 h t / 4).
    const double most = 0.1 * 100.0 * 1e-3 / 4.0 * 1.5;
    EXPECT_LT(largest_deviation(run, "body.m.x.value", [](double t) { return 0.1 * std::cos(10.0 * t); }), most);
    const std::string mode = "<Fmu mode=\"co_simulation\"/>";
    const RunRecord own = run_text(fmt::format(
        "<CompositeModel name=\"case\"><Components><Component name=\"body\" kind=\"composite\"><CompositeModel "
        "name=\"body\"><Components><Component name=\"m\" kind=\"fmu\" file=\"{}\">{}{}{}</Component></Components>"
        "<Interfaces><Interface name=\"force\" of=\"m.f\"/><Interface name=\"place\" of=\"m.x\"/></Interfaces>"
        "</CompositeModel></Component><Component name=\"g\" kind=\"fmu\" file=\"{}\">{}{}</Component></Components>"
        "<Connections><Connection from=\"body.place\" to=\"g.float64_in\"/><Connection from=\"g.float64_out\" "
        "to=\"body.force\"/></Connections><Simulation stop=\"1\" step=\"1e-3\"/></CompositeModel>",
        fmu_file("mass", version).string(), mode, start("k", "0"), start("c", "0"),
        fmu_file("feedthrough", version).string(), mode, start("gain", "-100")));
    EXPECT_TRUE(has_same_bits(run.values("body.m.x.value"), own.values("body.m.x.value"))) << version;
  }
}

TEST(Ssp, TransformsSignalsWithinTheTolerance) {
  // The mass drives itself: f = -100 x, by model exchange, so that the motion is exact to the tolerance.
  const std::string system =
      "<ssd:System name=\"root\"><ssd:ParameterBindings><ssd:ParameterBinding source=\"resources/p.ssv\"/>"
      "</ssd:ParameterBindings><ssd:Elements>" +
      component("m", fmu_file("mass", 2), "f", "x", "implementation=\"ModelExchange\"") +
      "</ssd:Elements><ssd:Connections>" +
      connection("m", "x", "m", "f", "<ssc:LinearTransformation factor=\"-100\"/>") +
      "</ssd:Connections></ssd:System><ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"/>";
  const TemporaryFolder folder;
  const RunRecord run =
      run_model(archive_of(folder, system, {fmu_file("mass", 2)}, {{"resources/p.ssv", parameters("m")}}));
  EXPECT_LT(largest_deviation(run, "m.x.value", [](double t) { return 0.1 * std::cos(10.0 * t); }), 1e-6);
}

/// The model as an SSP, and that in our own format again; both run.
void expect_same_runs(const fs::path& model) {
  const TemporaryFolder folder;
  const RunRecord original = run_model(model);
  (void)convert_model(model, folder.path() / "m.ssp");
  EXPECT_TRUE(have_same_bits(original, run_model(folder.path() / "m.ssp"))) << model;
  fs::create_directories(folder.path() / "back");
  (void)convert_model(folder.path() / "m.ssp", folder.path() / "back/m.xml");
  EXPECT_TRUE(have_same_bits(original, run_model(folder.path() / "back/m.xml"))) << model;
  // And from there once more.
  (void)convert_model(folder.path() / "back/m.xml", folder.path() / "again.ssp");
  EXPECT_TRUE(have_same_bits(original, run_model(folder.path() / "again.ssp"))) << model;
}

TEST(Ssp, ModelsComeBackWithTheSameBits) {
  for (const char* example : {"two-bodies", "chain", "glue-or-line"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TIELINE_SOURCE_DIR) / "examples" / example)) {
      if (entry.path().stem() == example && entry.path().extension() == ".xml") expect_same_runs(entry.path());
    }
  }
}

TEST(Ssp, FmusLibrariesAndProgramsComeBack) {
  const ModelFiles files;
  fs::create_directories(files.path("parts"));
  files.write("parts/body.xml",
              "<Network><Parameters><Parameter name=\"m\" value=\"1\"/></Parameters><Mass name=\"body\" mass=\"{m}\"/>"
              "<Interface name=\"end\" node=\"body\"/></Network>");
  files.write("supports.xml",
              "<Library name=\"supports\"><Type name=\"Body\" kind=\"network\" file=\"parts/body.xml\"/></Library>");
  files.write("model.xml",
              composite("<Repeat index=\"i\" count=\"2\"><Component name=\"b{i}\" kind=\"network\" "
                        "file=\"parts/body.xml\"><Parameter name=\"m\" value=\"{1+i}\"/></Component></Repeat>"
                        "<Component name=\"c\" type=\"supports.Body\"/>" +
                            fmu_component("f", fmu_file("mass", 2),
                                          "<Start variable=\"k\" value=\"{10+5}\"/><Interface name=\"seat\"><Map "
                                          "position=\"x\" velocity=\"v\" force=\"f\"/></Interface>"),
                        line_between("b0.end", "f.seat") +
                            "<Connection name=\"other\" from=\"b1.end\" to=\"c.end\" coupling=\"line\" "
                            "stiffness=\"1e6\" delay=\"1e-4\"/>",
                        "stop=\"0.01\""));
  expect_same_runs(files.path());
}

TEST(Ssp, AChangedArchiveIsReadByTheStandard) {
  const TemporaryFolder folder;
  const ModelFiles files(
      composite(fmu_component("m", fmu_file("mass", 2), start("k", "100") + start("c", "0") + start("x", "0.1")), "",
                "stop=\"1\""));
  (void)convert_model(files.path(), folder.path() / "m.ssp");
  document::Diagnostics diagnostics;
  const auto archive = archive::Archive::open(folder.path() / "m.ssp", diagnostics);
  ASSERT_TRUE(archive);
  std::string text = must(archive->read("SystemStructure.ssd"));
  const std::string before = "<ssv:Real value=\"100\"/>";
  ASSERT_NE(text.find(before), text.npos) << text;
  text.replace(text.find(before), before.size(), "<ssv:Real value=\"400\"/>");
  archive::ZipWriter zip;
  done(zip.add("SystemStructure.ssd", text));
  done(zip.add_file("resources/from-elsewhere/mass_fmi2.fmu", fmu_file("mass", 2)));
  done(zip.write(folder.path() / "changed.ssp"));
  const RunRecord run = run_model(folder.path() / "changed.ssp");
  EXPECT_LT(largest_deviation(run, "m.x.value", [](double t) { return 0.1 * std::cos(20.0 * t); }), 1e-6);
}

TEST(Ssp, NothingIsWrittenAfterAnError) {
  const TemporaryFolder folder;
  const ModelFiles files(composite("<Component name=\"a\" kind=\"network\" file=\"absent.xml\"/>", "", "stop=\"1\""));
  EXPECT_ANY_THROW((void)convert_model(files.path(), folder.path() / "m.ssp"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace ssp_test
}  // namespace tieline::support
