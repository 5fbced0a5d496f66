#include "interchange/exporter.hpp"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "interchange/foreign_files.hpp"

namespace tieline::interchange {
namespace exporter_test {

constexpr std::array<std::string_view, 2> kOtherEndings{".other", ".oth"};

TEST(Exporter, IsFoundByTheEndingOfAFile) {
  const std::array table{exporters()[0],
                         Exporter{.name = "other", .description = "model of others", .endings = kOtherEndings}};
  EXPECT_EQ(find_exporter("a.xml", table)->name, "tieline");
  EXPECT_EQ(find_exporter("a.b/model.XML", table)->name, "tieline");
  EXPECT_EQ(find_exporter("model", table)->name, "tieline") << "no ending: our own";
  EXPECT_EQ(find_exporter("model.oth", table)->name, "other");
  EXPECT_EQ(find_exporter("model.doc", table), nullptr);
  EXPECT_EQ(list_exporters(table), "composite model of Tieline (.xml) or model of others (.other, .oth)");
}

TEST(Exporter, OurOwnFormatIsWrittenAsTheImporterMadeIt) {
  test::ForeignFile file(test::kMetaModel);
  Source source(file.path());
  const auto imported = import_model(source, {.folder = file.folder()}, file.diagnostics);
  ASSERT_TRUE(imported);
  const auto out = file.folder() / "ours.xml";
  ASSERT_TRUE(exporters()[0].write({.model = *imported, .file = out, .temporary = out}, file.diagnostics));
  std::ifstream stream(out, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), imported->document->source());
}

TEST(Exporter, AFileThatCannotBeWrittenIsAnErrorWithItsName) {
  test::ForeignFile file("<CompositeModel/>");
  Source source(file.path());
  const auto imported = import_model(source, {}, file.diagnostics);
  ASSERT_TRUE(imported);
  const auto written = exporters()[0].write(
      {.model = *imported, .file = "asked.xml", .temporary = file.folder() / "nowhere/asked.xml.tmp"},
      file.diagnostics);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot write 'asked.xml': No such file"), std::string::npos)
      << written.error().message;
}

}  // namespace exporter_test
}  // namespace tieline::interchange
