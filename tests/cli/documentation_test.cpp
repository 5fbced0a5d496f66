#include <algorithm>
#include <gtest/gtest.h>
#include <regex>

#include "program.hpp"

// What the documents show is run as it stands: commands in blocks of `sh` that call tieline, in their order, in a
// folder that holds the examples. A comment "# exit code N" tells what a command returns, where it is not 0. A block of
// `text` after them holds lines of their output. "<!-- file: NAME -->" before a block makes it a file. Pictures beside
// a document are made anew by its commands, and must be those that it shows: titles, labels and curves, not their
// points.

namespace tieline::cli {
namespace documentation_test {

namespace fs = std::filesystem;

struct Block {
  std::string language{};
  std::string note{};  ///< of the comment before it
  std::string text{};
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Block> blocks_of(const fs::path& document) {
  std::vector<Block> blocks;
  std::string previous;
  bool is_inside = false;
  for (const std::string& line : lines_of(text_of(document))) {
    if (line.starts_with("```")) {
      if (!is_inside) blocks.push_back({line.substr(3), previous, ""});
      is_inside = !is_inside;
    } else if (is_inside) {
      blocks.back().text += line + "\n";
    }
    previous = line;
  }
  return blocks;
}

/// NAME of "<!-- file: NAME -->"; empty for other lines.
std::string file_name_in(const std::string& note) {
  std::smatch match;
  return std::regex_match(note, match, std::regex("<!-- file: (.*) -->")) ? match[1].str() : "";
}

/// What a reader sees of a picture: its texts but for numbers on axes, its panels, and how many curves and boxes it
/// has.
std::vector<std::string> contents_of(const fs::path& picture) {
  const std::string svg = text_of(picture);
  std::vector<std::string> contents;
  const std::regex text("<text [^>]*>([^<]*)</text>"), number("[−0-9.]*(×?10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?");
  for (auto match = std::sregex_iterator(svg.begin(), svg.end(), text); match != std::sregex_iterator(); ++match) {
    if (!std::regex_match((*match)[1].str(), number)) contents.push_back((*match)[1]);
  }
  for (const std::string part : {"<clipPath", "<image", "<polygon", "<circle"}) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = svg.find(part, at)) != std::string::npos; ++at) ++count;
    contents.push_back(part + " " + std::to_string(count));
  }
  return contents;
}

class Documents : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    fs::copy(example(""), folder_.path() / "examples", fs::copy_options::recursive);
    // The example builds its program beside the model.
    fs::copy(TIELINE_MASS_PROGRAM, folder_.path() / "examples/process-pair/mass_on_spring");
    fs::copy(TIELINE_ARM_PROGRAM, folder_.path() / "examples/triple-pendulum-fmi/pendulum_arm");
    const fs::path fmus = TIELINE_TEST_FMUS;
    fs::copy(fmus / "mass_fmi3.fmu", folder_.path() / "examples/controller-fmu/mass.fmu");
    fs::copy(fmus / "controller_fmi2.fmu", folder_.path() / "examples/controller-fmu/controller.fmu");
    fs::copy(fmus / "mass_fmi3.fmu", folder_.path() / "examples/two-mass-fmu/mass.fmu");
    fs::copy(fmus / "mass_update_fmi3.fmu", folder_.path() / "examples/two-mass-fmu/mass_update.fmu");
    fs::copy(fmus / "arm_fmi3.fmu", folder_.path() / "examples/triple-pendulum-fmi/arm.fmu");
    const fs::path beside = fs::path(GetParam()).parent_path();
    place_ = *beside.begin() == "examples" ? folder_.path() / beside : folder_.path();
    // What is found there afterwards the commands have made.
    for (const fs::path& picture : pictures()) fs::remove(place_ / picture);
  }

  /// Names of the pictures that are kept beside an example.
  static std::vector<fs::path> pictures() {
    std::vector<fs::path> names;
    const fs::path beside = fs::path(GetParam()).parent_path();
    if (beside.empty() || *beside.begin() != "examples") return names;
    for (const auto& entry : fs::directory_iterator(fs::path(TIELINE_SOURCE_DIR) / beside)) {
      if (entry.path().extension() == ".svg") names.push_back(entry.path().filename());
    }
    return names;
  }

  /// Runs a line of a block; returns what it said.
  std::string run(const std::string& line) {
    const std::string path = fs::path(TIELINE_PROGRAM).parent_path().string();
    Process shell({"sh", "-c", "PATH=" + path + ":$PATH\n" + line}, place_);
    const auto outcome = shell.wait();
    if (!outcome) {
      ADD_FAILURE() << "does not end: " << line;
      return "";
    }
    std::smatch match;
    const bool has_code = std::regex_search(line, match, std::regex("# exit code ([0-9]+)"));
    EXPECT_EQ(outcome->exit_code, has_code ? std::stoi(match[1]) : 0) << line << "\n" << outcome->out << outcome->err;
    return outcome->out + outcome->err;
  }

  support::TemporaryFolder folder_;
  fs::path place_;
};

TEST_P(Documents, ShowWhatHappens) {
  std::string said;
  int commands = 0;
  for (const Block& block : blocks_of(fs::path(TIELINE_SOURCE_DIR) / GetParam())) {
    if (const std::string name = file_name_in(block.note); !name.empty()) std::ofstream(place_ / name) << block.text;
    if (block.language == "sh") {
      said.clear();
      for (const std::string& line : lines_of(block.text)) {
        if (!std::regex_search(line, std::regex("(^|&& )tieline "))) continue;
        said += run(line);
        ++commands;
      }
    }
    if (block.language == "text" && !said.empty()) {
      for (const std::string& line : lines_of(block.text)) {
        EXPECT_NE(said.find(line + "\n"), std::string::npos) << line << "\nis not in\n" << said;
      }
    }
    if (block.note == "<!-- program -->") {
      EXPECT_EQ(block.text, text_of(TIELINE_SOURCE_DIR "/tests/cli/tutorial_program.cpp"));
      const std::string output = run(TIELINE_TUTORIAL_PROGRAM);
      EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 3) << output;
    }
    if (block.note == "<!-- library program -->") {
      EXPECT_EQ(block.text, text_of(TIELINE_SOURCE_DIR "/tests/cli/library_program.cpp"));
      said = run(TIELINE_LIBRARY_PROGRAM);
    }
  }
  EXPECT_GT(commands, 0);
  const std::string page = text_of(fs::path(TIELINE_SOURCE_DIR) / GetParam());
  for (const fs::path& picture : pictures()) {
    EXPECT_NE(page.find("](" + picture.string() + ")"), std::string::npos) << picture << " is not shown";
    if (!fs::exists(place_ / picture)) {
      ADD_FAILURE() << "no command makes " << picture;
      continue;
    }
    EXPECT_EQ(contents_of(place_ / picture),
              contents_of(fs::path(TIELINE_SOURCE_DIR) / fs::path(GetParam()).parent_path() / picture))
        << picture;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Documents,
                         ::testing::Values("README.md", "docs/tutorial.md", "docs/command-line.md",
                                           "docs/checkpoints.md", "docs/library.md", "examples/two-bodies/README.md",
                                           "examples/torsion-drive/README.md", "examples/chain/README.md",
                                           "examples/bouncing-ball/README.md", "examples/omtlm-cases/README.md",
                                           "examples/triple-pendulum/README.md", "examples/spinning-top/README.md",
                                           "examples/four-bar/README.md", "examples/crank-slider/README.md",
                                           "examples/rotor/README.md", "examples/double-pendulum/README.md",
                                           "examples/ladder-frame/README.md", "examples/four-bar-glued/README.md",
                                           "examples/glue-or-line/README.md", "examples/process-pair/README.md",
                                           "examples/hydraulic-servo/README.md", "examples/electric-drive/README.md",
                                           "examples/controller-fmu/README.md", "examples/two-mass-fmu/README.md",
                                           "examples/triple-pendulum-fmi/README.md"));

TEST(Links, LeadSomewhere) {
  std::vector<fs::path> documents{TIELINE_SOURCE_DIR "/README.md", TIELINE_SOURCE_DIR "/CONTRIBUTING.md"};
  for (const char* folder : {TIELINE_SOURCE_DIR "/docs", TIELINE_SOURCE_DIR "/examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
    }
  }
  const std::regex link(R"(\]\(([^)#]+))");
  for (const fs::path& document : documents) {
    // Programs have brackets of their own.
    const std::string text = std::regex_replace(text_of(document), std::regex("```[^]*?```"), "");
    for (auto match = std::sregex_iterator(text.begin(), text.end(), link); match != std::sregex_iterator(); ++match) {
      const std::string target = (*match)[1];
      if (target.starts_with("http")) continue;
      EXPECT_TRUE(fs::exists(document.parent_path() / target)) << target << " in " << document;
    }
  }
}

}  // namespace documentation_test
}  // namespace tieline::cli
