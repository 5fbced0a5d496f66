#include "interchange/importer.hpp"

#include <array>
#include <gtest/gtest.h>

#include "archive/temporary_folder.hpp"
#include "interchange/foreign_files.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::interchange {
namespace importer_test {

namespace fs = std::filesystem;

constexpr const char* kOmtlm = R"(<Model Name="m"><SubModels/><SimulationParams StartTime="0" StopTime="1"/></Model>)";
constexpr const char* kFmuDescription = R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="My Ball" guid="1">
  <ModelExchange modelIdentifier="ball"/>
  <ModelVariables><ScalarVariable name="h" valueReference="1"><Real/></ScalarVariable></ModelVariables>
  <ModelStructure/>
</fmiModelDescription>)";

std::string name_for(const fs::path& file) {
  Source source(file);
  const Importer* importer = find_importer(source);
  return importer != nullptr ? std::string(importer->name) : "";
}

TEST(Importer, IsFoundByContent) {
  const support::TemporaryFolder folder;
  const auto write = [&](const char* name, std::string_view content) {
    return support::write_file(folder.path() / name, content);
  };
  EXPECT_EQ(name_for(write("a.xml", test::kMetaModel)), "meta-model");
  EXPECT_EQ(name_for(write("b.anything", kOmtlm)), "omtlm");
  EXPECT_EQ(name_for(write("c.xml", "<CompositeModel name=\"m\"/>")), "");
  EXPECT_EQ(name_for(write("d.xml", "no XML")), "");
  EXPECT_EQ(name_for(folder.path() / "absent.xml"), "");
  EXPECT_EQ(name_for(folder.path()), "");
  const std::string fmu = support::zip_of({{.name = "modelDescription.xml", .content = kFmuDescription}});
  EXPECT_EQ(name_for(write("e.zip", fmu)), "fmu");
  EXPECT_EQ(name_for(write("f.fmu", "damaged")), "fmu");
  write("g/modelDescription.xml", kFmuDescription);
  EXPECT_EQ(name_for(folder.path() / "g"), "fmu");
}

TEST(Importer, EachSaysWhatItReads) {
  for (const Importer& each : importers()) {
    EXPECT_FALSE(each.name.empty() || each.description.empty());
    EXPECT_NE(list_importers().find(each.description), std::string::npos);
  }
  EXPECT_NE(list_importers().find(" or meta-model of a TLM manager"), std::string::npos) << list_importers();
}

TEST(Importer, OurOwnFormatIsReadAsItIs) {
  test::ForeignFile file("<CompositeModel name=\"m\"/>");
  const std::vector<model::Override> overrides{{"k", "1"}};
  Source source(file.path());
  const auto imported = import_model(source, {.overrides = overrides}, file.diagnostics);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->importer, nullptr);
  EXPECT_EQ(imported->document->source(), "<CompositeModel name=\"m\"/>");
  ASSERT_EQ(imported->overrides.size(), 1u);
  EXPECT_EQ(file.diagnostics.files_read().size(), 1u);
}

TEST(Importer, WhatCannotBeReadIsReportedOnce) {
  test::ForeignFile file("<CompositeModel");
  Source source(file.path());
  EXPECT_EQ(find_importer(source), nullptr);
  EXPECT_FALSE(import_model(source, {}, file.diagnostics));
  EXPECT_EQ(file.diagnostics.error_count(), 1u) << file.said();
}

TEST(Importer, AnFmuIsAModelWithOneComponent) {
  test::ForeignFile file("");
  const auto fmu = support::write_file(file.folder() / "ball.fmu",
                                       support::zip_of({{.name = "modelDescription.xml", .content = kFmuDescription}}));
  const std::vector<model::Override> overrides{{"h", "2"}, {"My_Ball.h", "3"}};
  const auto read = [&](const fs::path& folder) {
    Source source(fmu);
    return import_model(source, {.overrides = overrides, .folder = folder}, file.diagnostics);
  };
  const auto imported = read({});
  ASSERT_TRUE(imported) << file.said();
  EXPECT_EQ(imported->importer->name, "fmu");
  const auto component = imported->document->root().child("Components").child("Component");
  EXPECT_EQ(component.get("name"), "My_Ball");
  EXPECT_EQ(component.get("file"), "ball.fmu");
  EXPECT_EQ(component.place().file, fmu.string());
  ASSERT_EQ(imported->overrides.size(), 2u);
  EXPECT_EQ(imported->overrides[0].name, "My_Ball.h");
  EXPECT_EQ(imported->overrides[1].name, "My_Ball.h");
  // Written elsewhere, it is found from there.
  const auto moved = read(file.folder() / "below");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->document->root().child("Components").child("Component").get("file"), "../ball.fmu");
  // As a part of a model it is a component, and no model.
  Source part(fmu);
  EXPECT_FALSE(import_part(part, {}, file.diagnostics));
}

TEST(Importer, AModelOwnsItsTemporaryFiles) {
  static fs::path unpacked;
  static constexpr std::array table{Importer{
      .name = "packed",
      .description = "packed model",
      .recognises = [](Source& source) { return source.file().extension() == ".packed"; },
      .read =
          [](Source& source, const ImportRequest&, document::Diagnostics& diagnostics) {
            auto folder = std::make_shared<archive::TemporaryFolder>(archive::TemporaryFolder::make().value());
            unpacked = folder->path();
            ImportedModel imported;
            imported.document = document::Document::parse("<CompositeModel/>", source.file().string(), diagnostics);
            imported.files = std::move(folder);
            return std::optional(std::move(imported));
          }}};
  document::Diagnostics diagnostics;
  Source packed("a.packed");
  auto imported = import_part(packed, {}, diagnostics, table);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->importer, &table[0]);
  EXPECT_TRUE(fs::exists(unpacked));
  auto kept = imported->files;
  imported.reset();
  EXPECT_TRUE(fs::exists(unpacked));
  kept.reset();
  EXPECT_FALSE(fs::exists(unpacked));
}

}  // namespace importer_test
}  // namespace tieline::interchange
