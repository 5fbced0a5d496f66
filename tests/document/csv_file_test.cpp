#include "document/csv_file.hpp"

#include <gtest/gtest.h>

#include "support/work_folder.hpp"

namespace tieline::document {
namespace csv_file_test {

struct Outcome {
  std::optional<CsvFile> file{};
  std::string problems{};
};

Outcome read(const std::string& text) {
  const support::WorkFolder folder;
  folder.write("rows.csv", text);
  Diagnostics diagnostics;
  Outcome outcome;
  outcome.file = CsvFile::read(folder.path("rows.csv"), {"model.xml", 3, 4}, diagnostics);
  outcome.problems = diagnostics.describe();
  const std::string prefix = folder.path("").string();
  for (std::size_t at; (at = outcome.problems.find(prefix)) != std::string::npos;)
    outcome.problems.erase(at, prefix.size());
  return outcome;
}

CsvFile::Samples samples(const CsvFile& file, std::string_view name) {
  Diagnostics diagnostics;
  const auto column = file.find(name);
  if (!column) throw std::out_of_range("there is no column " + std::string(name));
  auto found = file.samples(*column, {}, diagnostics);
  if (!found) throw std::runtime_error(diagnostics.describe());
  return *found;
}

using Numbers = std::vector<double>;

TEST(CsvFile, ReadsWhatToolsWrite) {
  for (const char* text : {
           "time,u,v\n0,1,2\n1,3,4\n",
           "\xEF\xBB\xBF\"time\",\"u\",\"v\"\r\n0,1,2\r\n1,3,4\r\n",
           "# made by a tool\n\ntime;u;v\n0;1;2\n\n1;3;4",
           "time\tu\tv\r0\t1\t2\r1\t3\t4\r",
           "sep=;\ntime;u;v\n0,0;1,0;2\n1;3;4\n",
           "  t   u v\n 0   1  2\n 1 3   4\n",
           "# t, u, v\n0,1,2\n1,3,4\n",
           "u,time,v\n1,0,2\n3,1,4\n",
           "time [ms];u [N];v\n0;1;2\n1000;3;4\n",
           "time,u,v,\n0,1,2,\n1,3,4,\n",
           "Time,u,v\ns,N,m\n0,1,2\n1,3,4\n",
       }) {
    const Outcome outcome = read(text);
    ASSERT_TRUE(outcome.file) << text << outcome.problems;
    EXPECT_EQ(outcome.problems, "") << text;
    EXPECT_EQ(samples(*outcome.file, "u").times, (Numbers{0.0, 1.0})) << text;
    EXPECT_EQ(samples(*outcome.file, "u").values, (Numbers{1.0, 3.0})) << text;
    EXPECT_EQ(samples(*outcome.file, "v").values, (Numbers{2.0, 4.0})) << text;
  }
}

TEST(CsvFile, KeepsNamesApartFromUnits) {
  const Outcome outcome = read(
      "time,\"flow, hot [l/min]\",u[2],der(x),p (bar),speed (rpm),a/b c,\"say \"\"go\"\"\"\n0,1,2,3,4,5,6,7\n");
  ASSERT_TRUE(outcome.file) << outcome.problems;
  const auto column = [&](std::size_t i) {
    const CsvColumn& found = outcome.file->columns()[i];
    return found.name + "|" + found.unit;
  };
  EXPECT_EQ(column(1), "flow, hot|l/min");
  EXPECT_EQ(column(2), "u[2]|");
  EXPECT_EQ(column(3), "der(x)|");
  EXPECT_EQ(column(4), "p|bar");
  EXPECT_EQ(column(5), "speed|rpm");
  EXPECT_EQ(column(6), "a/b c|");
  EXPECT_EQ(column(7), "say \"go\"|");
  EXPECT_EQ(outcome.file->find("p (bar)"), outcome.file->find("p"));
  EXPECT_FALSE(outcome.file->find("q"));
}

TEST(CsvFile, ReadsWordsAndGaps) {
  const Outcome outcome = read("time,on,slow,kind\n0,true,1,plain\n1,FALSE,,odd\n1,1,,odd\n2,0,5,plain\n");
  ASSERT_TRUE(outcome.file) << outcome.problems;
  EXPECT_EQ(samples(*outcome.file, "on").values, (Numbers{1.0, 0.0, 1.0, 0.0}));
  EXPECT_EQ(samples(*outcome.file, "on").times, (Numbers{0.0, 1.0, 1.0, 2.0}));
  EXPECT_EQ(samples(*outcome.file, "slow").times, (Numbers{0.0, 2.0}));
  Diagnostics diagnostics;
  const auto word = [](std::string_view text) { return text == "odd" ? std::optional(7.0) : std::optional(1.0); };
  EXPECT_EQ(outcome.file->samples(3, word, diagnostics)->values, (Numbers{1.0, 7.0, 7.0, 1.0}));
  EXPECT_FALSE(outcome.file->samples(3, {}, diagnostics));
  EXPECT_NE(diagnostics.describe().find("rows.csv:2:10: error: 'plain' is not a number"), std::string::npos)
      << diagnostics.describe();
}

TEST(CsvFile, NamesThePlaceOfEveryProblem) {
  EXPECT_EQ(read("time,u\n0,1\n2,1\n1,3\nx,4\n3,4,5\n3\n").problems,
            "rows.csv:4:1: error: the time 1 s is before that of the row above, 2 s; expected ascending times\n"
            "rows.csv:5:1: error: 'x' is not a time; expected a number\n"
            "rows.csv:6:5: error: this row has 3 cells; expected 2, as in the first row\n"
            "rows.csv:7:1: error: this row has 1 cells; expected 2, as in the first row\n");
  EXPECT_NE(read("time,u\n").problems.find("model.xml:3:4: error: 'rows.csv' contains no rows of numbers"),
            std::string::npos)
      << read("time,u\n").problems;
  EXPECT_NE(read("time [bananas],u\n0,1\n").problems.find("rows.csv:1:1: warning: the times have the unit 'bananas'"),
            std::string::npos)
      << read("time [bananas],u\n0,1\n").problems;
  std::string many = "time,u\n";
  for (int i = 0; i < 20; ++i) many += "x,1\n";
  EXPECT_NE(read(many).problems.find("15 further rows cannot be read"), std::string::npos) << read(many).problems;
  Diagnostics diagnostics;
  EXPECT_FALSE(CsvFile::read("/nowhere/x.csv", {"model.xml", 3, 4}, diagnostics));
  EXPECT_EQ(diagnostics.describe(), "model.xml:3:4: error: '/nowhere/x.csv' cannot be read: it does not exist\n");
}

}  // namespace csv_file_test
}  // namespace tieline::document
