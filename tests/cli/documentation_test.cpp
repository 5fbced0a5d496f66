#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <regex>
#include <set>

#include "pages/page.hpp"
#include "program.hpp"

// What the pages show is run as it stands: their commands that call tieline, in their order, in a folder that holds the
// examples; their output is as shown, and their claims hold (pages/page.hpp, pages/claim.hpp). Pictures beside a page
// are made again by its commands, and must be those that it shows: titles, labels and curves, not their points.
// TIELINE_SHOW_VALUES=1 in the environment prints what each claim's command has printed.

namespace tieline::cli {
namespace documentation_test {

namespace fs = std::filesystem;

/// Pages that users read, as paths in the source tree.
std::vector<std::string> all_pages() {
  std::vector<std::string> pages{"README.md", "CONTRIBUTING.md"};
  const fs::path source = TIELINE_SOURCE_DIR;
  for (const auto& entry : fs::directory_iterator(source / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back("docs/" + entry.path().filename().string());
  }
  for (const auto& entry : fs::recursive_directory_iterator(source / "examples")) {
    if (entry.path().filename() == "README.md") pages.push_back(fs::relative(entry.path(), source).string());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
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

  /// What the shell makes of a line where the page's commands are run.
  Outcome shell(const std::string& line) {
    const std::string path = fs::path(TIELINE_PROGRAM).parent_path().string();
    Process process({"sh", "-c", "PATH=" + path + ":$PATH\n" + line}, place_);
    if (auto outcome = process.wait()) return *std::move(outcome);
    ADD_FAILURE() << "does not end: " << line;
    return {};
  }

  /// Runs a line of a block; returns what it said.
  std::string run(const std::string& line) {
    const Outcome outcome = shell(line);
    std::smatch match;
    const bool has_code = std::regex_search(line, match, std::regex("# exit code ([0-9]+)"));
    EXPECT_EQ(outcome.exit_code, has_code ? std::stoi(match[1]) : 0) << line << "\n" << outcome.out << outcome.err;
    // The program is content with one combination that is done; a page shows failures only where it says so.
    std::smatch done;
    if (std::regex_search(outcome.out, done, std::regex("([0-9]+) of ([0-9]+) combinations? done"))) {
      EXPECT_EQ(done[1], done[2]) << line << "\n" << outcome.out << outcome.err;
    }
    return outcome.out + outcome.err;
  }

  void check(const Claim& claim, const Page& page) {
    EXPECT_NE(page.visible.find(with_single_spaces(claim.stated)), std::string::npos)
        << "a claim that the page does not make: " << claim.stated;
    const Outcome outcome = shell(". " TIELINE_SOURCE_DIR "/tests/cli/pages/claims.sh\n" + claim.command);
    if (std::getenv("TIELINE_SHOW_VALUES") != nullptr) std::cout << claim.stated << "  :=  " << outcome.out;
    const auto complaint = cli::complaint(claim, outcome.out);
    EXPECT_FALSE(complaint) << *complaint << "\nby " << claim.command << "\n" << outcome.err;
  }

  support::TemporaryFolder folder_;
  fs::path place_;
};

TEST_P(Documents, ShowWhatHappens) {
  const Page page = page_of(text_of(fs::path(TIELINE_SOURCE_DIR) / GetParam()));
  for (const std::string& problem : page.problems) ADD_FAILURE() << problem;
  for (const std::string& number : loose_numbers(page))
    ADD_FAILURE() << "no claim computes, nor is it given: " << number;
  std::string said;
  for (const PagePart& part : page.parts) {
    if (part.kind == PagePart::Kind::claims) {
      for (const Claim& claim : part.claims) check(claim, page);
      continue;
    }
    if (const std::string name = file_name_in(part.note); !name.empty()) std::ofstream(place_ / name) << part.text;
    if (part.language == "sh") {
      said.clear();
      for (const std::string& line : lines_of(part.text)) {
        if (std::regex_search(line, std::regex("(^|&& )tieline "))) said += run(line);
      }
    }
    if (part.language == "text" && !said.empty()) {
      for (const std::string& line : lines_of(part.text)) {
        EXPECT_NE(said.find(line + "\n"), std::string::npos) << line << "\nis not in\n" << said;
      }
    }
    if (part.note == "<!-- program -->") {
      EXPECT_EQ(part.text, text_of(TIELINE_SOURCE_DIR "/tests/cli/tutorial_program.cpp"));
      said = run(TIELINE_TUTORIAL_PROGRAM);
      EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 3) << said;
    }
    if (part.note == "<!-- library program -->") {
      EXPECT_EQ(part.text, text_of(TIELINE_SOURCE_DIR "/tests/cli/library_program.cpp"));
      said = run(TIELINE_LIBRARY_PROGRAM);
    }
  }
  for (const fs::path& picture : pictures()) {
    EXPECT_NE(page.visible.find("](" + picture.string() + ")"), std::string::npos) << picture << " is not shown";
    if (!fs::exists(place_ / picture)) {
      ADD_FAILURE() << "no command makes " << picture;
      continue;
    }
    EXPECT_EQ(contents_of(place_ / picture),
              contents_of(fs::path(TIELINE_SOURCE_DIR) / fs::path(GetParam()).parent_path() / picture))
        << picture;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Documents, ::testing::ValuesIn(all_pages()), [](const auto& page) {
  return std::regex_replace(page.param, std::regex("[^A-Za-z0-9]+"), "_");
});

/// The names by which links lead to the headings of a page: lower case, hyphens for spaces, no other signs.
std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> anchors;
  bool is_block = false;
  for (const std::string& line : lines_of(text_of(page))) {
    if (line.starts_with("```")) is_block = !is_block;
    if (is_block || !line.starts_with("#")) continue;
    std::string anchor;
    for (const char c : line.substr(std::min(line.find(' ') + 1, line.size()))) {
      const auto letter = static_cast<unsigned char>(c);
      if (c == ' ' || c == '-') anchor += '-';
      if (std::isalnum(letter) != 0 || c == '_' || letter >= 0x80) anchor += static_cast<char>(std::tolower(letter));
    }
    std::string name = anchor;
    for (int i = 1; !anchors.insert(name).second; ++i) name = anchor + "-" + std::to_string(i);
  }
  return anchors;
}

TEST(Links, LeadSomewhere) {
  std::vector<fs::path> documents{TIELINE_SOURCE_DIR "/README.md", TIELINE_SOURCE_DIR "/CONTRIBUTING.md"};
  for (const char* folder : {TIELINE_SOURCE_DIR "/docs", TIELINE_SOURCE_DIR "/examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
    }
  }
  const std::regex link(R"(\]\(([^)#]*)(#([^)]+))?\))");
  for (const fs::path& document : documents) {
    // Programs have brackets of their own.
    const std::string text = std::regex_replace(text_of(document), std::regex("```[^]*?```"), "");
    for (auto match = std::sregex_iterator(text.begin(), text.end(), link); match != std::sregex_iterator(); ++match) {
      const std::string name = (*match)[1];
      if (name.starts_with("http")) continue;
      const fs::path target = name.empty() ? document : document.parent_path() / name;
      EXPECT_TRUE(fs::exists(target)) << name << " in " << document;
      if ((*match)[3].matched && target.extension() == ".md") {
        EXPECT_TRUE(anchors_of(target).contains((*match)[3])) << match->str() << " in " << document;
      }
    }
  }
}

TEST(Gallery, ShowsEveryExampleWithItsPicture) {
  const fs::path examples = TIELINE_SOURCE_DIR "/examples";
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(text_of(examples / "README.md"))) {
    if (line.starts_with("| ")) rows.push_back(line);
  }
  const auto row_with = [&](const std::string& text) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const std::string& row) { return row.find(text) != std::string::npos; });
  };
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    const auto row = row_with("](" + name + "/README.md)");
    if (row == rows.end()) {
      ADD_FAILURE() << "examples/README.md has no row for " << name;
      continue;
    }
    const bool has_picture = std::any_of(fs::directory_iterator(entry), fs::directory_iterator(),
                                         [](const auto& file) { return file.path().extension() == ".svg"; });
    std::smatch picture;
    if (std::regex_search(*row, picture, std::regex("<img src=\"([^\"]+)\""))) {
      EXPECT_TRUE(fs::exists(examples / picture[1].str())) << picture[1];
    } else {
      EXPECT_FALSE(has_picture) << "examples/README.md does not show the picture of " << name;
    }
  }
}

// A page that the index does not name is not found.
TEST(Index, ListsEveryPage) {
  const fs::path docs = fs::path(TIELINE_SOURCE_DIR) / "docs";
  const std::string index = text_of(docs / "README.md");
  for (const auto& entry : fs::recursive_directory_iterator(docs)) {
    const std::string name = fs::relative(entry.path(), docs).string();
    if (!entry.is_regular_file() || name == "README.md") continue;
    EXPECT_NE(index.find("](" + name + ")"), std::string::npos) << "docs/README.md does not name " << name;
  }
}

}  // namespace documentation_test
}  // namespace tieline::cli
