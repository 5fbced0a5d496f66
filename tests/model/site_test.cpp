#include "model/site.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/model_files.hpp"

namespace tieline::model {
namespace site_test {

class SiteFile : public ::testing::Test {
 protected:
  Site site(const std::string& content) {
    return read_site(folder.write("site/site.xml", "<Site>\n" + content + "\n</Site>"), diagnostics);
  }
  static bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  test::ModelFolder folder;
  document::Diagnostics diagnostics;
};

TEST_F(SiteFile, IsRead) {
  const Site read = site(R"(<Description>Tools of the second floor.</Description>
<Tool name="beast" command="start-beast {model_file}" folder="work"><Environment name="LICENCE" value="1@host"/></Tool>
<Tool name="MSC Adams"/>)");
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  ASSERT_EQ(read.tools.size(), 2U);
  const Tool* beast = read.find("beast");
  ASSERT_NE(beast, nullptr);
  EXPECT_EQ(beast->command, "start-beast {model_file}");
  EXPECT_EQ(beast->folder, "work");
  EXPECT_EQ(beast->environment.front().value, "1@host");
  EXPECT_NE(read.find("MSC Adams"), nullptr);
  EXPECT_EQ(read.find("Beast"), nullptr);
}

TEST_F(SiteFile, ProblemsAreReportedAtTheirPlaces) {
  (void)site("<Tool name=\"a\" comand=\"x\"/>\n<Tool name=\"a\"/>\n<Tool command=\"y\"/>\n<Tol/>");
  const std::string said = folder.shown(diagnostics);
  EXPECT_TRUE(holds(said, "site/site.xml:2:16: error: ")) << said;
  EXPECT_TRUE(holds(said, "did you mean 'command'?")) << said;
  EXPECT_TRUE(holds(said, "site/site.xml:3:7: error: tool 'a' appears twice")) << said;
  EXPECT_TRUE(holds(said, "site/site.xml:4:1: error: <Tool> needs the attribute 'name'")) << said;
  EXPECT_TRUE(holds(said, "site/site.xml:5:1: error: <Tol> is not allowed in <Site> (did you mean 'Tool'?)")) << said;
}

TEST_F(SiteFile, TheFirstOfFourPlacesCounts) {
  ::setenv("XDG_CONFIG_HOME", folder.path("config").c_str(), 1);
  ::unsetenv("TIELINE_SITE");
  EXPECT_EQ(site_files(),
            (std::vector<std::filesystem::path>{folder.path("config/tieline/site.xml"), "/etc/tieline/site.xml"}));
  const auto users = folder.write("config/tieline/site.xml", "<Site><Tool name=\"user\"/></Site>");
  EXPECT_NE(load_site({}, diagnostics).find("user"), nullptr);
  const auto named = folder.write("named.xml", "<Site><Tool name=\"named\"/></Site>");
  ::setenv("TIELINE_SITE", named.c_str(), 1);
  const Site of_variable = load_site({}, diagnostics);
  EXPECT_EQ(of_variable.file, named);
  EXPECT_EQ(of_variable.find("user"), nullptr);  // they do not add up
  const auto stated = folder.write("stated.xml", "<Site><Tool name=\"stated\"/></Site>");
  EXPECT_EQ(site_files(stated), (std::vector<std::filesystem::path>{stated, named, users, "/etc/tieline/site.xml"}));
  EXPECT_NE(load_site(stated, diagnostics).find("stated"), nullptr);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  ::setenv("TIELINE_SITE", "/none/site.xml", 1);
  (void)load_site({}, diagnostics);
  EXPECT_TRUE(holds(diagnostics.describe(), "TIELINE_SITE: error: ")) << diagnostics.describe();
  ::unsetenv("TIELINE_SITE");
  ::unsetenv("XDG_CONFIG_HOME");
  diagnostics = {};
  (void)load_site("/none/site.xml", diagnostics);
  EXPECT_TRUE(diagnostics.has_errors());
}

}  // namespace site_test
}  // namespace tieline::model
