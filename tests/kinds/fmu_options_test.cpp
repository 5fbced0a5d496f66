#include "kinds/fmu_options.hpp"

#include <gtest/gtest.h>

#include "kinds/registry.hpp"
#include "model/model_files.hpp"
#include "model/rewrite.hpp"

namespace tieline::kinds {
namespace fmu_options_test {

constexpr const char* kModel = R"(<CompositeModel name="m"><Parameters><Parameter name="k" value="3"/></Parameters>
<Components><Component name="a" kind="fmu" file="a.fmu">
<Fmu mode="co_simulation" schedule="jacobi" effective_mass="{2*k}" logging="true"/>
<Start variable="x" value="{k+1}"/><Start variable="name" value="left"/>
<Interface name="end" domain="translation"><Map force="F_{k}" position="s"/></Interface>
</Component></Components><Simulation stop="1"/></CompositeModel>)";

class OptionsOfFmu : public ::testing::Test {
 protected:
  model::CompositeModel read(const std::vector<model::Override>& overrides = {}) {
    auto read = model::read_model(folder_.write("model.xml", kModel), overrides, kind_descriptions(), diagnostics_);
    return read.value_or(model::CompositeModel{});
  }
  static const FmuOptions& options_of(const model::CompositeModel& model) {
    return model::options_as<FmuOptions>(model.components.at(0));
  }

  model::test::ModelFolder folder_;
  document::Diagnostics diagnostics_;
};

TEST_F(OptionsOfFmu, AreRead) {
  const auto model = read();
  ASSERT_FALSE(diagnostics_.has_errors()) << diagnostics_.describe();
  const FmuOptions& options = options_of(model);
  EXPECT_EQ(options.mode, "co_simulation");
  EXPECT_EQ(options.schedule, "jacobi");
  EXPECT_EQ(options.effective_mass, 6.0);
  EXPECT_TRUE(options.is_logging);
  ASSERT_EQ(options.starts.size(), 2U);
  EXPECT_EQ(options.starts[0].number, 4.0);
  EXPECT_EQ(options.starts[1].text, "left");
  EXPECT_EQ(options.map_of("end"), (FmuOptions::Map{{"force", "F_3"}, {"position", "s"}}));
  EXPECT_TRUE(options.map_of("other").empty());
}

TEST_F(OptionsOfFmu, SettingsReplaceWhatIsStated) {
  const auto model = read({{"a.x", "7"}, {"a.Fmu.mode", "model_exchange"}, {"k", "5"}});
  ASSERT_FALSE(diagnostics_.has_errors()) << diagnostics_.describe();
  const FmuOptions& options = options_of(model);
  EXPECT_EQ(options.mode, "model_exchange");
  EXPECT_EQ(options.effective_mass, 10.0);
  ASSERT_EQ(options.starts.size(), 2U);
  EXPECT_EQ(options.starts[1].variable, "x");
  EXPECT_EQ(options.starts[1].text, "7");
  (void)read({{"a.Fmu.mode", "both"}});
  EXPECT_NE(diagnostics_.describe().find("there is no mode 'both'; expected co_simulation or model_exchange"),
            std::string::npos);
}

TEST_F(OptionsOfFmu, AreInTheResolvedModel) {
  const std::string resolved = model::resolved_model_xml(read());
  for (const char* part : {R"(<Fmu mode="co_simulation" effective_mass="6" schedule="jacobi" logging="true"/>)",
                           R"(<Start variable="x" value="4"/>)", R"(><Map force="F_3" position="s"/></Interface>)"}) {
    EXPECT_NE(resolved.find(part), std::string::npos) << part << "\nis not in\n" << resolved;
  }
}

TEST_F(OptionsOfFmu, AreForNoOtherKind) {
  (void)model::read_model(folder_.write("model.xml", R"(<CompositeModel name="m"><Components>
<Component name="a" kind="network"><Network/>
<Fmu mode="co_simulation"/><Start variable="x" value="1"/>
<Interface name="end"><Map force="F"/></Interface>
</Component></Components><Simulation stop="1"/></CompositeModel>)"),
                          {}, kind_descriptions(), diagnostics_);
  const std::string said = diagnostics_.describe();
  EXPECT_NE(said.find("model.xml:3:1: error: <Fmu> is for components of kind 'fmu'; 'a' is of kind 'network'"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("model.xml:3:28: error: <Start> is for"), std::string::npos) << said;
  EXPECT_NE(said.find("model.xml:4:23: error: <Map> is for"), std::string::npos) << said;
}

}  // namespace fmu_options_test
}  // namespace tieline::kinds
