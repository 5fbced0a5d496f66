#include "assembly/conversion.hpp"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "support/temporary_folder.hpp"

namespace tieline::assembly {
namespace conversion_test {

namespace fs = std::filesystem;

constexpr const char* kModel = R"(<CompositeModel name="m">
  <Components>
    <Component name="a" kind="network"><Network>
      <Mass name="body" mass="1"/> <Interface name="end" node="body"/>
    </Network></Component>
  </Components>
  <Simulation stop="1"/>
</CompositeModel>)";

/// Writes the names of components and interfaces.
core::Result<void> write_names(const interchange::ExportRequest& request, document::Diagnostics& diagnostics) {
  std::ofstream out(request.temporary);
  for (std::size_t i = 0; i < request.checked->components.size(); ++i) {
    out << request.checked->components[i].name;
    for (const auto& each : request.interfaces(static_cast<int>(i)).interfaces) out << " " << each.name;
  }
  if (request.checked->name == "bad") diagnostics.error({"m.xml", 1, 1}, "it cannot be said");
  return {};
}

constexpr interchange::Exporter kNames{
    .name = "names", .description = "list of names", .needs_checked_model = true, .write = write_names};

class ConversionTest : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder.path() / name, std::ios::binary) << content;
    return folder.path() / name;
  }
  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream stream(folder.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  core::Result<ConversionReports> convert(const fs::path& file, const interchange::Exporter& exporter) {
    interchange::Source source(file);
    return convert_model({.source = source, .exporter = exporter, .out = folder.path() / "out"}, diagnostics);
  }

  support::TemporaryFolder folder;
  document::Diagnostics diagnostics;
};

TEST_F(ConversionTest, AnExporterMayAskForTheCheckedModel) {
  const auto converted = convert(write("m.xml", kModel), kNames);
  ASSERT_TRUE(converted) << diagnostics.describe();
  EXPECT_EQ(text_of("out"), "a end");
}

TEST_F(ConversionTest, NothingIsWrittenOfAModelWithErrors) {
  std::string text = kModel;
  text.replace(text.find("mass=\"1\""), 8, "mass=\"x\"");
  EXPECT_FALSE(convert(write("m.xml", text), kNames));
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

TEST_F(ConversionTest, WhatTheFormatCannotSayLeavesNoHalfFile) {
  std::string text = kModel;
  text.replace(text.find("\"m\""), 3, "\"bad\"");
  write("out", "precious");
  EXPECT_FALSE(convert(write("m.xml", text), kNames));
  EXPECT_EQ(diagnostics.error_count(), 1u) << diagnostics.describe();
  EXPECT_EQ(text_of("out"), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
}

/// A model that brings two files along, the second of which is there only where the source is called "whole".
std::optional<interchange::ImportedModel> read_with_files(interchange::Source& source,
                                                          const interchange::ImportRequest& request,
                                                          document::Diagnostics& diagnostics) {
  interchange::ImportedModel imported;
  imported.document = document::Document::parse("<CompositeModel/>", source.file().string(), diagnostics);
  const fs::path second = source.file().stem() == "whole" ? source.file() : request.folder / "absent";
  imported.companions = {{source.file(), "parts/first"}, {second, "parts/second"}};
  if (source.file().stem() == "hostile") imported.companions = {{source.file(), "parts/../../evil"}};
  return imported;
}

TEST_F(ConversionTest, FilesOfAModelGoWithIt) {
  const std::array table{interchange::Importer{.name = "with files",
                                               .description = "model with files",
                                               .recognises = [](interchange::Source&) { return true; },
                                               .read = read_with_files}};
  const auto convert_by_table = [&](const fs::path& file, bool replaces) {
    interchange::Source source(file);
    return convert_model({.source = source,
                          .exporter = interchange::exporters()[0],
                          .out = folder.path() / "out.xml",
                          .replaces = replaces,
                          .importers = table},
                         diagnostics);
  };
  EXPECT_FALSE(convert_by_table(write("half", "text"), false));
  EXPECT_FALSE(fs::exists(folder.path() / "out.xml"));
  EXPECT_FALSE(fs::exists(folder.path() / "parts/first")) << "what was copied is removed again";
  const auto converted = convert_by_table(write("whole", "text"), false);
  ASSERT_TRUE(converted) << converted.error().describe();
  EXPECT_EQ(text_of("parts/second"), "text");
  EXPECT_EQ(text_of("out.xml"), "<CompositeModel/>");
  const auto again = convert_by_table(write("whole", "new"), false);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("parts/first' already exists"), std::string::npos) << again.error().message;
  EXPECT_FALSE(convert_by_table(write("hostile", "new"), true));
  EXPECT_FALSE(fs::exists(folder.path() / "../evil"));
  EXPECT_TRUE(convert_by_table(write("whole", "new"), true));
  EXPECT_EQ(text_of("parts/first"), "new");
}

}  // namespace conversion_test
}  // namespace tieline::assembly
