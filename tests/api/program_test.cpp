#include "tieline/program.hpp"

#include <gtest/gtest.h>

#include "tieline/file_error.hpp"
#include "tieline/version.hpp"

#include "api/pair.hpp"

namespace tieline::api {
namespace program_test {

TEST(Program, LibraryAndHeadersHaveOneVersion) { EXPECT_EQ(version(), TIELINE_VERSION_TEXT); }

TEST(Program, NearestNamesAndTables) {
  const std::vector<std::string> known{"mass", "spring"};
  EXPECT_EQ(nearest_name("sprig", known), "spring");
  EXPECT_EQ(nearest_name("xyz", known), "");
  EXPECT_EQ(text_table({{"name", "n"}, {"a", "12"}}), "name   n\n--------\na     12\n");
}

TEST(Program, WritableFilesAreTheEndsOfLinks) {
  const PairFolder work;
  std::filesystem::create_symlink(work.model(), work.path("link.xml"));
  EXPECT_EQ(writable_file(work.path("link.xml")), std::filesystem::canonical(work.model()));
  EXPECT_EQ(writable_file(work.path("new.svg")), work.path("new.svg"));
  EXPECT_NE(thrown<FileError>([&] { (void)writable_file(work.path(".")); }).find("it is a folder"), std::string::npos);
}

TEST(Errors, AreCaughtAcrossTheLibrarysBorder) {
  const PairFolder work;
  auto simulation = Simulation::load(work.model());
  EXPECT_THROW((void)Simulation::load(work.path("none.xml")), ModelError);
  EXPECT_THROW((void)simulation.get("nothing"), RunError);
  simulation.start();
  EXPECT_THROW((void)simulation.get("nothing"), std::out_of_range);
  simulation.advance_to(simulation.stop_time());
  simulation.finish();
  EXPECT_THROW(simulation.advance_to(1.0), RunError);
}

TEST(Problems, AreOneLineWithTheirAdvice) {
  const Problem problem{
      .file = "a.xml", .line = 3, .column = 5, .severity = Severity::warning, .text = "odd", .advice = "mend it"};
  EXPECT_EQ(problem.describe(), "a.xml:3:5: warning: odd (mend it)");
  EXPECT_EQ((Problem{.text = "bad"}.describe()), "error: bad");
}

}  // namespace program_test
}  // namespace tieline::api
