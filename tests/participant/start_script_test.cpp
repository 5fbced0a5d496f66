// The template of start scripts, and the ways of reading parameters that tools/README.md shows, with a program that
// prints what it was given.

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>

#include "core/command_line.hpp"
#include "participant/child_process.hpp"
#include "participant/description.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::participant {
namespace start_script_test {

namespace fs = std::filesystem;

const fs::path kTools = fs::path(TIELINE_SOURCE_DIR) / "tools";

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// What stands between ``` marks of a language on the page of tools.
std::string shown_code(const std::string& language) {
  const std::string page = content(kTools / "README.md");
  const std::string mark = "```" + language + "\n";
  const auto begin = page.find(mark) + mark.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

class StartScript : public testing::Test {
 protected:
  void SetUp() override {
    description = {.name = "rotor",
                   .kind = "process",
                   .model_file = folder.path() / "a b.in",
                   .stop = 0.25,
                   .parameters = {{"speed", 1.0 / 3.0, "rad/s"}, {"grease", std::string("thick  and # red"), ""}},
                   .run_folder = folder.path() / "run"};
    ASSERT_TRUE(write_parameter_file(description).has_value());
  }

  fs::path program(const std::string& name, const std::string& text) {
    const fs::path file = folder.path() / name;
    std::ofstream(file) << text;
    ::chmod(file.c_str(), 0755);
    return file;
  }

  ChildEnd run(std::vector<std::string> command, const Environment& more = {}) {
    Environment environment = environment_of(description);
    environment.insert(more.begin(), more.end());
    const auto child = ChildProcess::start({.command = std::move(command), .environment = environment, .log = log});
    EXPECT_TRUE(child.has_value()) << child.error().message;
    return child ? child->wait() : ChildEnd{};
  }

  support::TemporaryFolder folder;
  Description description{};
  fs::path log = folder.path() / "log.txt";
};

TEST_F(StartScript, BecomesTheToolInTheRunFolder) {
  const auto tool = program("tool", "#!/bin/sh\npwd\nprintf '<%s>\\n' \"$@\"\nexit 7\n");
  const auto words = core::split_command((kTools / "start-script.sh").string() + " --serial 'x y'");
  ASSERT_TRUE(words.has_value());
  EXPECT_EQ(run(*words, {{"TOOL", tool.string()}}).exit_code, 7);
  EXPECT_EQ(content(log), fmt::format("component rotor: 0 s to 0.25 s, steps up to any length\n{}\n<--serial>\n<x y>\n"
                                      "<{}>\n",
                                      fs::canonical(description.run_folder).string(), description.model_file.string()));
}

TEST_F(StartScript, ReadsParameters) {
  // An adapter is the script with lines of its own in step 3.
  std::string text = content(kTools / "start-script.sh");
  const auto place = text.find("# 4.");
  ASSERT_NE(place, std::string::npos);
  text.insert(place, "parameter speed; parameter grease; parameter width 12; parameter height\n");
  const auto adapter = program("adapter", text);
  EXPECT_EQ(run({adapter.string()}, {{"TOOL", "true"}}).exit_code, 1);
  const std::string said = content(log);
  EXPECT_NE(said.find("0.33333333333333331\nthick  and # red\n12\n"), std::string::npos) << said;
  EXPECT_NE(said.find("component 'rotor' has no parameter 'height'"), std::string::npos) << said;
}

TEST_F(StartScript, SaysWhatItMisses) {
  EXPECT_EQ(run({(kTools / "start-script.sh").string()}).exit_code, 1);
  EXPECT_NE(content(log).find("TOOL is not set"), std::string::npos) << content(log);
}

TEST_F(StartScript, PythonReadsParametersAsShown) {
  const auto reader = program("reader.py", shown_code("python") + "print(repr(speed), parameters['grease'])\n");
  EXPECT_EQ(run({"python3", reader.string()}).exit_code, 0);
  EXPECT_EQ(content(log), "0.3333333333333333 thick  and # red\n");
}

}  // namespace start_script_test
}  // namespace tieline::participant
