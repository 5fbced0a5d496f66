#include <gtest/gtest.h>

#include "program.hpp"

// What can be done with the results of a run, and with a model without running it.

namespace tieline::cli {
namespace results_test {

class Results : public ::testing::Test {
 protected:
  void SetUp() override {
    work_.write("pair.xml", pair_model());
    ASSERT_EQ(work_.tieline({"run", "pair.xml", "--quiet", "--out", "a"}).exit_code, 0);
    ASSERT_EQ(work_.tieline({"run", "pair.xml", "--quiet", "--out", "b", "--set", "F=110"}).exit_code, 0);
  }

  std::string said(const std::vector<std::string>& arguments) const {
    const Outcome outcome = work_.tieline(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }

  Workplace work_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Results, ExportChoosesVariablesAndTimes) {
  EXPECT_EQ(said({"export", "a", "--csv", "x.csv", "--variables", "*.body.position", "--variables", "left.end.force",
                  "--step", "0.005"}),
            "x.csv\n");
  const auto lines = lines_of(text_of(work_.path("x.csv")));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], "time,left.body.position,left.end.force,right.body.position");
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::stod(lines[static_cast<std::size_t>(i) + 1]), 0.005 * i, 1e-15);
    EXPECT_EQ(
        std::count(lines[static_cast<std::size_t>(i) + 1].begin(), lines[static_cast<std::size_t>(i) + 1].end(), ','),
        3);
  }
  said({"export", "a", "--csv", "all.csv", "--variables", "left.*", "--variables", "right.*"});
  EXPECT_EQ(lines_of(text_of(work_.path("all.csv"))).size(), 202u);  // a row per 1e-4 s, both ends, and the names
}

TEST_F(Results, RunComparedWithItselfDiffersByZero) {
  const auto lines = lines_of(said({"compare", "a", "a", "-o", "same.svg"}));
  ASSERT_GT(lines.size(), 10u);
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    std::istringstream line(lines[i].substr(lines[i].find(']') + 1));
    for (const std::string column : {"largest", "at", "relative", "rms"}) {
      double value = -1.0;
      line >> value;
      EXPECT_EQ(value, 0.0) << column << " in " << lines[i];
    }
  }
  EXPECT_TRUE(std::filesystem::exists(work_.path("same.svg")));
}

TEST_F(Results, CompareFindsTheDifference) {
  const std::string table = said({"compare", "a", "b", "--variables", "left.push.force"});
  EXPECT_TRUE(holds(table, "left.push.force [N]")) << table;
  EXPECT_TRUE(holds(table, " 0.0909 ")) << table;  // 10 of 110
  EXPECT_TRUE(std::filesystem::exists(work_.path("compare.svg")));

  ASSERT_EQ(work_.tieline({"run", example("two-bodies/two-bodies-spring.xml"), "--quiet", "--out", "c"}).exit_code, 0);
  const Outcome nothing = work_.tieline({"compare", "a", "c"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_TRUE(holds(nothing.err, "no variable in common")) << nothing.err;
}

TEST_F(Results, PlotWritesEveryFormat) {
  for (const std::string file : {"x.svg", "x.png", "x.html"}) {
    EXPECT_EQ(said({"plot", "a", "left.*", "--with", "b", "-o", file, "--title", "Left & right"}), file + "\n");
  }
  const std::string svg = text_of(work_.path("x.svg"));
  EXPECT_TRUE(holds(svg, "<svg") && holds(svg, "</svg>"));
  EXPECT_TRUE(holds(svg, "Left &amp; right"));
  EXPECT_TRUE(holds(svg, "left.body.position (b)"));
  EXPECT_EQ(text_of(work_.path("x.png")).substr(1, 3), "PNG");
  const std::string html = text_of(work_.path("x.html"));
  EXPECT_TRUE(holds(html, "<html") && holds(html, "</html>"));
  EXPECT_FALSE(holds(html, "src=\"http"));
}

TEST_F(Results, PlotOverlaysModelsThatNameThingsDifferently) {
  ASSERT_EQ(work_.tieline({"run", example("two-bodies/two-bodies-spring.xml"), "--quiet", "--out", "c"}).exit_code, 0);
  said({"plot", "a", "left.body.position", "pair.body1.position", "--with", "c", "--colour-by-run", "-o", "x.svg"});
  const std::string svg = text_of(work_.path("x.svg"));
  EXPECT_TRUE(holds(svg, "left.body.position (a)"));
  EXPECT_TRUE(holds(svg, "pair.body1.position (c)"));
  EXPECT_TRUE(holds(svg, ">pair, two-bodies-spring<")) << "the title tells the models";
}

TEST_F(Results, TitlesNameTheModelAndWhatDiffers) {
  const auto title = [&](const std::vector<std::string>& arguments) {
    said(arguments);
    const std::string svg = text_of(work_.path("x.svg"));
    const auto from = svg.find("<title>") + 7;
    return svg.substr(from, svg.find('<', from) - from);
  };
  EXPECT_EQ(title({"plot", "a", "left.*", "-o", "x.svg"}), "pair");
  EXPECT_EQ(title({"plot", "a/results.h5", "left.*", "-o", "x.svg"}), "pair");
  EXPECT_EQ(title({"plot", "a", "left.*", "--with", "b", "-o", "x.svg"}), "pair: F = 100 (a), F = 110 (b)");
  EXPECT_EQ(title({"compare", "a", "b", "-o", "x.svg"}), "pair: F = 100 (a), F = 110 (b)");
  EXPECT_EQ(title({"compare", "a", "b", "-o", "x.svg", "--title", "Mine"}), "Mine");
  EXPECT_EQ(title({"plot", "a", "left.*", "--with", "a", "-o", "x.svg"}), "pair: a, a");
}

TEST_F(Results, ComparedNamesAreTwoCurvesAndTheirDifference) {
  ASSERT_EQ(work_.tieline({"run", example("two-bodies/two-bodies-spring.xml"), "--quiet", "--out", "c"}).exit_code, 0);
  said({"compare", "a", "c", "--variables", "left.body.position=pair.body1.position", "-o", "x.svg"});
  const std::string svg = text_of(work_.path("x.svg"));
  for (const std::string label : {"left.body.position (a)", "pair.body1.position (c)",
                                  "pair.body1.position (c) − left.body.position (a)", "difference [m]"}) {
    EXPECT_EQ(svg.find(">" + label + "<"), svg.rfind(">" + label + "<")) << label;
    EXPECT_TRUE(holds(svg, ">" + label + "<")) << label;
  }
  EXPECT_FALSE(holds(svg, "left.body.position (c)"));
  EXPECT_FALSE(holds(svg, "pair.body1.position (a)"));
}

TEST_F(Results, PlotRefusesNamesThatTheOtherRunLacks) {
  ASSERT_EQ(work_.tieline({"run", example("two-bodies/two-bodies-spring.xml"), "--quiet", "--out", "c"}).exit_code, 0);
  const Outcome outcome =
      work_.tieline({"plot", "a", "left.body.position", "left.body.velocity", "--with", "c", "-o", "x.svg"});
  EXPECT_EQ(outcome.exit_code, 1);
  for (const std::string part :
       {"'c' has no variable 'left.body.position'", "'c' has no variable 'left.body.velocity'", "tieline info c"}) {
    EXPECT_TRUE(holds(outcome.err, part)) << part << " is not in " << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(work_.path("x.svg")));
}

TEST_F(Results, PlotShowsPhasesPartsAndDifferences) {
  for (const std::string file : {"x.svg", "x.png", "x.html"}) {
    said({"plot", "a", "left.body.velocity", "--x", "left.body.position", "--with", "b", "-o", file});
    said({"plot", "a", "left.body.position", "--with", "b", "--difference", "--from", "0.005", "--to", "0.01", "-o",
          "part-" + file});
  }
  EXPECT_TRUE(holds(text_of(work_.path("x.svg")), ">left.body.position [m]<"));
  EXPECT_TRUE(holds(text_of(work_.path("x.html")), "\"path\":true"));
  const std::string part = text_of(work_.path("part-x.svg"));
  EXPECT_TRUE(holds(part, ">left.body.position (b − a)<"));
  EXPECT_TRUE(holds(part, ">0.0050<") && holds(part, ">0.0100<") && !holds(part, ">0.0105<")) << part;
  EXPECT_EQ(work_.tieline({"plot", "a", "left.body.position", "--difference"}).exit_code, 3);
  EXPECT_EQ(
      work_.tieline({"plot", "a", "left.body.velocity", "--x", "left.body.position", "--with", "b", "--difference"})
          .exit_code,
      3);
  EXPECT_EQ(work_.tieline({"plot", "a", "left.body.position", "--from", "1"}).exit_code, 1);
}

TEST_F(Results, PlotOfAModelDrawsItsDiagram) {
  for (const std::string file : {"x.svg", "x.png"}) EXPECT_EQ(said({"plot", "pair.xml", "-o", file}), file + "\n");
  const std::string svg = text_of(work_.path("x.svg"));
  for (const std::string name : {"left", "right", "rod", "network"}) EXPECT_TRUE(holds(svg, ">" + name + "<")) << name;
  EXPECT_EQ(said({"plot", "pair.xml"}), "diagram.svg\n");
}

TEST_F(Results, InfoListsTheContentsOfAModel) {
  const std::string text = said({"info", "pair.xml"});
  for (const std::string part : {"Composite model 'pair'", "left", "takes force", "left.end -- right.end",
                                 "Z = 100 N s/m", "parasitic mass 0.01 kg", "0.02 s"}) {
    EXPECT_TRUE(holds(text, part)) << part << " is not in\n" << text;
  }
  work_.write("wrong.xml", pair_model("{nothing}"));
  const Outcome wrong = work_.tieline({"info", "wrong.xml"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(holds(wrong.out, "1 error: see `tieline check wrong.xml`")) << wrong.out << wrong.err;
}

TEST_F(Results, InfoListsTheResultsOfARun) {
  for (const std::string path : {"a", "a/results.h5", "a/report.json"}) {
    const std::string text = said({"info", path});
    for (const std::string part : {"Run of 'pair': done, t = 0.02 s of 0.02 s", "Number of steps",
                                   "left.body.position [m]", "201 rows", "the last at t = 0.02 s"}) {
      EXPECT_TRUE(holds(text, part)) << part << " is not in\n" << text;
    }
  }
}

TEST(Schema, IsThatOfTheDocumentation) {
  const Workplace work;
  EXPECT_EQ(work.tieline({"schema"}).out, text_of(TIELINE_SOURCE_DIR "/docs/tieline.xsd"));
  EXPECT_EQ(work.tieline({"schema", "--reference"}).out, text_of(TIELINE_SOURCE_DIR "/docs/file-format-reference.md"));
}

}  // namespace results_test
}  // namespace tieline::cli
