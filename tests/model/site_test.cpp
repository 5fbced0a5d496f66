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

TEST_F(SiteFile, HostsAreRead) {
  const Site read = site(R"(<Tool name="beast" command="beast"/><Tool name="adams" command="adams"/>
<Host name="here" address="10.0.0.1"/>
<Host name="big" address="10.0.0.2 big.example.org" login="sim@big" cores="16" memory="64e9" ports="47000-47099"
  work_folder="/scratch/tieline" program="/opt/tieline/bin/tieline" listen="::1">
  <Tool name="beast" command="/opt/beast {model_file}" licences="2"/><Environment name="OMP_NUM_THREADS" value="1"/></Host>
<Host name="lab" start="awaited" address="lab" ports="47000"/>)");
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  ASSERT_EQ(read.hosts.size(), 3U);
  EXPECT_EQ(read.find_host("here")->start, HostStart::here);
  EXPECT_EQ(read.find_host("here")->program, "");
  const Host* big = read.find_host("big");
  ASSERT_NE(big, nullptr);
  EXPECT_EQ(big->start, HostStart::ssh);
  EXPECT_EQ(big->addresses, (std::vector<std::string>{"10.0.0.2", "big.example.org"}));
  EXPECT_EQ(big->listening_address(), "::1");
  EXPECT_EQ(big->login, "sim@big");
  EXPECT_EQ(big->cores, 16);
  EXPECT_EQ(big->memory, 64e9);
  EXPECT_EQ(big->ports.first, 47000);
  EXPECT_EQ(big->ports.last, 47099);
  EXPECT_EQ(big->work_folder, "/scratch/tieline");
  EXPECT_EQ(big->environment.front().value, "1");
  const Host* lab = read.find_host("lab");
  EXPECT_EQ(lab->start, HostStart::awaited);
  EXPECT_EQ(lab->listening_address(), "lab");
  EXPECT_EQ(lab->ports.last, 47000);
  EXPECT_EQ(lab->program, "tieline");
  // A host's own tool comes before that of all.
  EXPECT_EQ(read.find("beast", big)->command, "/opt/beast {model_file}");
  EXPECT_EQ(read.find("beast", big)->licences, 2);
  EXPECT_EQ(read.find("beast", lab)->command, "beast");
  EXPECT_EQ(read.find("adams", big)->command, "adams");
  EXPECT_EQ(read.find_host("Big"), nullptr);
}

TEST_F(SiteFile, HostsThatAreWrongAreReportedTogether) {
  (void)site(R"(<Host name="a"/>
<Host name="b" address="-oProxyCommand=x"/>
<Host name="b" address="b"/>
<Host name="c" address="c" login="-l root" ports="9-3"/>
<Host name="d" address="d" cores="two" memory="{m}" start="telnet"/>
<Host name="e" address="e" work_folder="-rf"><Tool name="t" command="bin/t"/><Tool name="t"/></Host>
<Host name="here" address="h" start="ssh"/>
<Host name="f" address="f" ports="70000" ports2=""/>)");
  const std::string said = folder.shown(diagnostics);
  for (const char* expected :
       {"site.xml:2:1: error: host 'a' needs the attribute 'address': how others reach it",
        "site.xml:3:16: error: '-oProxyCommand=x' is not the name or address of a host",
        "site.xml:4:7: error: host 'b' appears twice",
        "site.xml:5:28: error: '-l root' is not a destination of ssh; expected host or user@host",
        "'9-3' is not a range of ports", "site.xml:6:28: error: 'two' is neither",
        "'{m}' is not a number of at least 1; site files have no parameters", "site.xml:6:53: error: start=",
        "'-rf' is not a path", "site.xml:7:61: error: 'bin/t' is on another machine", "tool 't' appears twice",
        "host 'here' is the machine of the run itself", "'70000' is not a range of ports", "ports2"}) {
    EXPECT_TRUE(holds(said, expected)) << expected << "\n" << said;
  }
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
