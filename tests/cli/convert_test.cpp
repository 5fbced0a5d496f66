#include <gtest/gtest.h>

#include "program.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::cli {
namespace convert_test {

/// The meta-model of Siemers, Nakhimovski and Fritzson 2005, section 4.5, as printed but for its layout.
constexpr const char* kMetaModel = R"(<?xml version="1.0"?>
<Model name="BeastHubInAdamsCar" StartTime="0" EndTime="1" TLMDelay="0.001">
  <SubModels>
    <SubModel Name="BeastHubUnit" Description="A complete Beast hub-unit" SimulationFiles="CarCorner.in" StartMethod="start-beast">
      <InterfacePoint Name="p1" iType="TLM"/>
      <InterfacePoint Name="p2" iType="TLM"/>
      <InterfacePoint Name="p3" iType="TLM"/>
      <InterfacePoint Name="p4" iType="TLM"/>
    </SubModel>
    <SubModel Name="AdamsCar" Description="A MSC.ADAMS car model" SimulationFiles="racing_car.cmd" StartMethod="start-adams">
      <InterfacePoint Name="p1" iType="TLM"/>
      <InterfacePoint Name="p2" iType="TLM"/>
      <InterfacePoint Name="p3" iType="TLM"/>
      <InterfacePoint Name="p4" iType="TLM"/>
    </SubModel>
  </SubModels>
  <Connections>
    <Connection From="AdamsCar.p1" To="BeastHubUnit.p1" iType="TLM" alpha="0" zf="0"/>
    <Connection From="AdamsCar.p2" To="BeastHubUnit.p2" iType="TLM" alpha="0" zf="0"/>
    <Connection From="AdamsCar.p3" To="BeastHubUnit.p3" iType="TLM" alpha="0" zf="0"/>
    <Connection From="BeastHubUnit.p4" To="AdamsCar.p4" iType="TLM" alpha="0" zf="0"/>
  </Connections>
</Model>
)";

/// Two native masses on a line, in the words of OMTLMSimulator.
std::string foreign_pair(const std::string& to = "right.end") {
  return R"(<Model Name="pair">
  <SubModels>
    <SubModel Name="left" ModelFile="mass.xml" StartCommand="tieline"> <Parameter Name="v" Value="1"/> </SubModel>
    <SubModel Name="right" ModelFile="mass.xml" StartCommand="tieline"/>
  </SubModels>
  <Connections>
    <Connection From="left.end" To=")" +
         to + R"(" Delay="1e-4" Zf="1000"/>
  </Connections>
  <SimulationParams StartTime="0" StopTime="0.01"/>
</Model>
)";
}

constexpr const char* kMass = R"(<Network>
  <Parameters> <Parameter name="v" value="0"/> </Parameters>
  <Mass name="body" mass="1" velocity="{v}"/>
  <Interface name="end" node="body"/>
</Network>
)";

class Convert : public ::testing::Test {
 protected:
  void SetUp() override {
    work_.write("mass.xml", kMass);
    work_.write("pair.xml", foreign_pair());
  }
  Workplace work_;
};

TEST_F(Convert, WritesAModelThatRunsAsTheForeignOne) {
  const auto converted = work_.tieline({"convert", "pair.xml", "ours.xml"});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_NE(text_of(work_.path("ours.xml")).find("<CompositeModel name=\"pair\">"), std::string::npos);
  for (const std::string name : {"pair", "ours"}) {
    const auto run = work_.tieline({"run", name + ".xml", "--out", name, "--quiet"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(work_.tieline({"export", name, "--csv", name + ".csv"}).exit_code, 0);
  }
  EXPECT_EQ(text_of(work_.path("pair.csv")), text_of(work_.path("ours.csv")));
  EXPECT_GT(text_of(work_.path("ours.csv")).size(), 1000u);
}

TEST_F(Convert, AModelRunsWithTheSameResultsAfterItWasInModelica) {
  EXPECT_EQ(work_.tieline({"convert", "pair.xml", "ours.xml"}).exit_code, 0);
  EXPECT_EQ(work_.tieline({"convert", "ours.xml", "pair.mo"}).exit_code, 0);
  EXPECT_EQ(work_.tieline({"convert", "pair.mo", "back.xml"}).exit_code, 0);
  EXPECT_EQ(work_.tieline({"convert", "back.xml", "omtlm.xml", "--format", "omtlm"}).exit_code, 0);
  for (const std::string file : {"pair.xml", "pair.mo", "back.xml", "omtlm.xml"}) {
    const auto run = work_.tieline({"run", file, "--out", file + ".results", "--quiet"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(work_.tieline({"export", file + ".results", "--csv", file + ".csv"}).exit_code, 0);
    EXPECT_EQ(text_of(work_.path("pair.xml.csv")), text_of(work_.path(file + ".csv"))) << file;
  }
}

TEST_F(Convert, SaysWhatOfAnFmuTheFormatOfOmtlmLoses) {
  std::filesystem::copy(TIELINE_SOURCE_DIR "/examples/controller-fmu", work_.path("c"),
                        std::filesystem::copy_options::recursive);
  std::filesystem::copy(TIELINE_TEST_FMUS "/mass_fmi3.fmu", work_.path("c/mass.fmu"));
  std::filesystem::copy(TIELINE_TEST_FMUS "/controller_fmi2.fmu", work_.path("c/controller.fmu"));
  const auto converted = work_.tieline({"convert", "c/controller-fmu.xml", "c/omtlm.xml", "--format", "omtlm"});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  for (const char* const lost : {"start values", "modes of FMUs", "ways to start"})
    EXPECT_NE(converted.out.find(lost), std::string::npos) << converted.out;
  const std::string text = text_of(work_.path("c/omtlm.xml"));
  EXPECT_NE(text.find("<InterfacePoint Name=\"u\" Dimensions=\"1\" Causality=\"Output\" Domain=\"Signal\""),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("StartCommand"), std::string::npos) << "it would start Tieline";
  EXPECT_EQ(work_.tieline({"convert", "c/omtlm.xml", "c/back.xml"}).exit_code, 0);
}

TEST_F(Convert, NothingStartsTielineForAComponentWithoutAFile) {
  work_.write("inside.xml", R"(<CompositeModel name="m"><Components><Component name="c" kind="network">
    <Network><Mass name="body" mass="1"/><Interface name="end" node="body"/></Network></Component></Components>
    <Simulation stop="1"/></CompositeModel>)");
  for (const std::string format : {"omtlm", "meta-model"}) {
    const auto converted = work_.tieline({"convert", "inside.xml", format + ".xml", "--format", format});
    EXPECT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_NE(converted.out.find("'c' is in the model"), std::string::npos) << converted.out;
    EXPECT_EQ(text_of(work_.path(format + ".xml")).find("=\"tieline\""), std::string::npos);
  }
  EXPECT_NE(work_.tieline({"convert", "inside.xml", "again.xml"}).err.find("composite model of Tieline already"),
            std::string::npos);
}

TEST_F(Convert, OnlyReportsWhenAsked) {
  const auto checked = work_.tieline({"convert", "pair.xml", "ours.xml", "--check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_NE(checked.out.find("components                         2                   0                0"),
            std::string::npos)
      << checked.out;
  EXPECT_FALSE(std::filesystem::exists(work_.path("ours.xml")));
  EXPECT_NE(work_.tieline({"convert", "pair.xml", "ours.xml", "--format", "x"}).err.find("tieline, ssp, modelica, omtlm"),
            std::string::npos);
}

TEST_F(Convert, PathsFollowTheNewFile) {
  std::filesystem::create_directory(work_.path("below"));
  EXPECT_EQ(work_.tieline({"convert", "pair.xml", "below/ours.xml"}).exit_code, 0);
  const auto checked = work_.tieline({"check", "below/ours.xml"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(Convert, ReplacesAFileOnlyWhenForced) {
  work_.write("ours.xml", "precious");
  const auto refused = work_.tieline({"convert", "pair.xml", "ours.xml"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
  EXPECT_EQ(text_of(work_.path("ours.xml")), "precious");
  EXPECT_EQ(work_.tieline({"convert", "pair.xml", "ours.xml", "--force"}).exit_code, 0);
  EXPECT_NE(text_of(work_.path("ours.xml")), "precious");
}

TEST_F(Convert, WritesNothingOfAForeignModelWithErrors) {
  work_.write("bad.xml", "<Model Name=\"m\"><SubModels/><Connections/><SimulationParams/></Model>");
  const auto outcome = work_.tieline({"convert", "bad.xml", "ours.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("bad.xml:1:"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(work_.path("ours.xml")));
}

TEST_F(Convert, SaysWhatCanBeConverted) {
  work_.write("ours.xml", pair_model());
  const auto outcome = work_.tieline({"convert", "ours.xml", "other.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("<CompositeModel>"), std::string::npos) << outcome.err;
  for (const char* format :
       {"FMU of FMI 1.0, 2.0 or 3.0", "composite model of OMTLMSimulator", "meta-model of a TLM"}) {
    EXPECT_NE(outcome.err.find(format), std::string::npos) << outcome.err;
    EXPECT_NE(work_.tieline({"convert", "--help"}).out.find(format), std::string::npos);
  }
  work_.write("other.xml", "<Something/>");
  EXPECT_NE(work_.tieline({"convert", "other.xml", "ours2.xml"}).err.find("<Something>"), std::string::npos);
  const auto absent = work_.tieline({"convert", "absent.xml", "ours2.xml"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_NE(absent.err.find("the file does not exist"), std::string::npos) << absent.err;
}

TEST_F(Convert, SaysWhatCanBeWritten) {
  const auto outcome = work_.tieline({"convert", "pair.xml", "ours.doc"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("'.doc'; expected one of these: composite model of Tieline (.xml)"), std::string::npos)
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(work_.path("ours.doc")));
  EXPECT_EQ(work_.tieline({"convert", "pair.xml", "ours"}).exit_code, 0) << "no ending: our own format";
}

TEST_F(Convert, WritesAnFmuAsAModelOfOneComponent) {
  std::filesystem::create_directory(work_.path("below"));
  support::write_file(work_.path("ball/modelDescription.xml"),
                      text_of(TIELINE_SOURCE_DIR "/tests/fmi/descriptions/reference_ball.xml"));
  const auto converted = work_.tieline({"convert", "ball", "below/ours.xml"});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  const std::string text = text_of(work_.path("below/ours.xml"));
  EXPECT_NE(text.find("<Component name=\"Ball\" kind=\"fmu\" file=\"../ball\""), std::string::npos) << text;
}

TEST_F(Convert, ProblemsOfOurChecksAreReportedInTheForeignFile) {
  work_.write("pair.xml", foreign_pair("right.edn"));
  const auto outcome = work_.tieline({"check", "pair.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("pair.xml:7:33: error: component 'right' has no interface 'edn' (did you mean 'end'?)"),
            std::string::npos)
      << outcome.out;
}

TEST_F(Convert, ShowsEveryFileThatItReads) {
  const auto outcome = work_.tieline({"check", "pair.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  for (const char* file : {"pair.xml", "mass.xml"})
    EXPECT_NE(outcome.out.find(std::string("reads ") + file), std::string::npos) << outcome.out;
}

TEST_F(Convert, OnlyARunStartsTheCommandOfAModel) {
  work_.write("tool.xml", R"(<Model Name="m"><SubModels>
<SubModel Name="a" StartCommand="touch started" ModelFile="mass.txt"> <InterfacePoint Name="p"/> </SubModel>
</SubModels><SimulationParams StartTime="0" StopTime="1"/></Model>)");
  work_.write("mass.txt", "");
  for (const std::string command : {"check", "info"}) (void)work_.tieline({command, "tool.xml"});
  EXPECT_EQ(work_.tieline({"convert", "tool.xml", "ours.xml"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(work_.path("started")));
  const auto run = work_.tieline({"run", "tool.xml"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("component 'a': its program ended with exit code 0 before it joined"), std::string::npos)
      << run.err;
  EXPECT_TRUE(std::filesystem::exists(work_.path("started")));
}

TEST_F(Convert, TheMetaModelOfThePaperReadsWithWarnings) {
  work_.write("car.xml", kMetaModel);
  work_.write("CarCorner.in", "");
  work_.write("racing_car.cmd", "");
  const auto checked = work_.tieline({"check", "car.xml"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_NE(checked.out.find("no errors, 6 warnings"), std::string::npos) << checked.out;
  EXPECT_EQ(work_.tieline({"convert", "car.xml", "ours.xml"}).exit_code, 0);
  const auto again = work_.tieline({"check", "ours.xml"});
  EXPECT_EQ(again.exit_code, 0) << again.out;
  // Its tools cannot be started here, and the run says which.
  const auto run = work_.tieline({"run", "car.xml"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("BeastHubUnit"), std::string::npos) << run.err;
}

}  // namespace convert_test
}  // namespace tieline::cli
