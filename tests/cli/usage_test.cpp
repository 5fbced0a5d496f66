#include <gtest/gtest.h>

#include "program.hpp"

// How the program answers arguments and files that are not valid: with the right exit code, in words that say what is
// wrong, where, and what would be right.

namespace tieline::cli {
namespace usage_test {

using Words = std::vector<std::string>;

struct Mistake {
  Words arguments{};
  int exit_code = 0;
  Words expected{};  ///< what the message says

  friend void PrintTo(const Mistake& mistake, std::ostream* out) {
    *out << "tieline";
    for (const std::string& word : mistake.arguments) *out << ' ' << word;
  }
};

class Mistakes : public ::testing::TestWithParam<Mistake> {
 protected:
  void SetUp() override {
    work_.write("pair.xml", pair_model());
    work_.write("empty.xml", "");
    work_.write("binary.xml", std::string("\x7f\x00\xfe\xff\x80xyz", 8));
    work_.write("binary.h5", std::string("\x7f\x00\xfe\xff\x80xyz", 8));
    work_.write("text.xml", "hello");
    std::filesystem::create_directory(work_.path("folder"));
    ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--quiet", "--stop", "0.001"}).exit_code, 0);
  }
  Workplace work_;
};

TEST_P(Mistakes, AreDistinguished) {
  const Outcome outcome = work_.tieline(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code) << outcome.out << outcome.err;
  const std::string said = outcome.out + outcome.err;
  for (const std::string& text : GetParam().expected) {
    EXPECT_NE(said.find(text), std::string::npos) << "'" << text << "' is not in\n" << said;
  }
  EXPECT_EQ(said.find("terminate called"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Mistakes,
    ::testing::Values(Mistake{{}, 3, {"Subcommands", "Examples"}}, Mistake{{"rnu"}, 3, {"'rnu'", "'run'"}},
                      Mistake{{"--versio"}, 3, {"option '--versio'"}}, Mistake{{"run"}, 3, {"model", "Example:"}},
                      Mistake{{"run", "pair.xml", "--thread", "2"}, 3, {"'--thread'", "'--threads'"}},
                      Mistake{{"run", "pair.xml", "--threads", "0"}, 3, {"--threads", "1 to 1024"}},
                      Mistake{{"run", "pair.xml", "more.xml"}, 3, {"'more.xml' was not expected"}},
                      Mistake{{"run", "pair.xml", "--set", "F"}, 3, {"'F' is not name=value"}},
                      Mistake{{"run", "pair.xml", "--set", "=3"}, 3, {"name=value"}},
                      Mistake{{"run", "pair.xml", "--stop", "soon"}, 3, {"'soon' is not a number"}},
                      Mistake{{"run", "pair.xml", "--no-results", "--out", "x"}, 3, {"--out", "--no-results"}},
                      Mistake{{"export", "results"}, 3, {"--csv", "Example:"}},
                      Mistake{{"export", "results", "--csv", "x.csv", "--step", "0"}, 3, {"'0'", "greater than 0"}},
                      Mistake{{"plot", "results"}, 3, {"name the variables to plot", "tieline info results"}},
                      Mistake{{"compare", "results"}, 3, {"b is required", "Example:"}}));

INSTANTIATE_TEST_SUITE_P(
    Paths, Mistakes,
    ::testing::Values(
        Mistake{{"run", "nowhere.xml"}, 1, {"nowhere.xml", "does not exist"}},
        Mistake{{"run", "folder"}, 1, {"folder", "not a file"}},
        Mistake{{"run", "empty.xml"}, 1, {"empty.xml:1:1", "no element"}},
        Mistake{{"run", "binary.xml"}, 1, {"binary.xml:1:2", "is not allowed in an XML file"}},
        Mistake{{"run", "text.xml"}, 1, {"text.xml:1:1"}}, Mistake{{"check", "nowhere.xml"}, 1, {"does not exist"}},
        Mistake{{"check", "empty.xml"}, 1, {"empty.xml:1:1", "1 error,"}},
        Mistake{{"info", "nowhere"}, 1, {"no file or folder 'nowhere'"}},
        Mistake{{"info", "folder"}, 1, {"'folder' contains no results.h5"}},
        Mistake{{"info", "binary.h5"}, 1, {"'binary.h5'", "cannot be opened"}},
        Mistake{{"plot", "nowhere"}, 1, {"no file or folder 'nowhere'"}},
        Mistake{{"plot", "pair.xml", "left.*"}, 1, {"'pair.xml' is not a result folder", "run the model"}},
        Mistake{{"plot", "results", "left.body.positon"}, 1, {"did you mean 'left.body.position'", "tieline info"}},
        Mistake{{"plot", "results", "left.*", "--with", "nowhere"}, 1, {"'nowhere' does not exist"}},
        Mistake{{"plot", "results", "left.*", "-o", "plot.pdf"}, 1, {"plot.pdf", ".svg, .png or .html"}},
        Mistake{{"plot", "results", "left.*", "-o", "no/plot.svg"}, 1, {"no folder 'no'"}},
        Mistake{{"plot", "pair.xml", "-o", "plot.pdf"}, 1, {"plot.pdf", ".svg"}},
        Mistake{{"export", "nowhere", "--csv", "x.csv"}, 1, {"'nowhere' does not exist"}},
        Mistake{{"export", "results", "--csv", "folder"}, 1, {"'folder'", "is a folder"}},
        Mistake{{"export", "results", "--csv", "x.csv", "--variables", "middle.*"}, 1, {"'middle.*'", "tieline info"}},
        Mistake{{"export", "results", "--csv", "x.csv", "--step", "1e-15"}, 1, {"1e-15", "rows"}},
        Mistake{{"compare", "results", "folder"}, 1, {"'folder' contains no results.h5"}},
        Mistake{{"compare", "results", "results", "--variables", "x"}, 1, {"'x'", "tieline info"}}));

INSTANTIATE_TEST_SUITE_P(
    Parameters, Mistakes,
    ::testing::Values(Mistake{{"run", "pair.xml", "--set", "G=1"}, 1, {"--set G=1", "no parameter 'G'", "F"}},
                      Mistake{{"run", "pair.xml", "--set", "left.n=1"}, 1, {"'left.n'", "left.m"}},
                      Mistake{{"run", "pair.xml", "--set", "F=many"}, 1, {"'many'", "number"}},
                      Mistake{{"run", "pair.xml", "--set", "F=nan"}, 1, {"'nan'", "finite"}},
                      Mistake{{"run", "pair.xml", "--set", "F=1e999"}, 1, {"'1e999'", "finite"}},
                      Mistake{{"run", "pair.xml", "--set", "F={2*G}"}, 1, {"unknown name 'G'"}},
                      Mistake{
                          {"run", "pair.xml", "--set", "T=-1"}, 1, {"pair.xml:26:", "delay = -1", "greater than 0"}},
                      Mistake{{"run", "pair.xml", "--set", "left.m=0"}, 1, {"pair.xml:10:", "greater than 0"}},
                      Mistake{{"run", "pair.xml", "--stop", "-1"}, 1, {"stop time -1 s", "after the start"}},
                      Mistake{{"run", "pair.xml", "--stop", "inf"}, 1, {"finite"}},
                      Mistake{{"check", "pair.xml", "--set", "G=1"}, 1, {"no parameter 'G'"}}));

TEST(Help, OfEachCommandHasAnExample) {
  const Workplace work;
  for (const std::string command : {"run", "check", "info", "replay", "export", "plot", "compare", "schema"}) {
    const Outcome outcome = work.tieline({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("tieline " + command + " "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("Example"), std::string::npos) << outcome.out;
  }
  const Outcome all = work.tieline({"--help"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_NE(all.out.find("Exit codes: 0 success, 1"), std::string::npos);
  EXPECT_EQ(work.tieline({"--version"}).exit_code, 0);
}

TEST(Names, MayHoldBlanksAndOtherLetters) {
  const Workplace work;
  work.write("two masses (\xc3\xbc) 'x'.xml", pair_model());
  const Outcome run = work.tieline({"run", "two masses (\xc3\xbc) 'x'.xml", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string folder = "two masses (\xc3\xbc) 'x'-results";
  const Outcome plot = work.tieline({"plot", folder + "/", "left.body.*", "--with", folder, "-o", "\xc3\xbc.svg"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_NE(text_of(work.path("\xc3\xbc.svg")).find("\xc3\xbc"), std::string::npos);
}

TEST(Writing, GoesThroughLinksAndNeverReplacesADevice) {
  const Workplace work;
  work.write("pair.xml", pair_model());
  ASSERT_EQ(work.tieline({"run", "pair.xml", "--out", "results", "--quiet"}).exit_code, 0);
  work.write("real.csv", "");
  std::filesystem::create_symlink("real.csv", work.path("link.csv"));
  EXPECT_EQ(work.tieline({"export", "results", "--csv", "link.csv"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(work.path("link.csv")));
  EXPECT_GT(std::filesystem::file_size(work.path("real.csv")), 0u);

  ASSERT_EQ(::mkfifo(work.path("pipe.csv").c_str(), 0600), 0);
  const Outcome outcome = work.tieline({"export", "results", "--csv", "pipe.csv"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("not a regular file"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_fifo(work.path("pipe.csv")));
}

}  // namespace usage_test
}  // namespace tieline::cli
