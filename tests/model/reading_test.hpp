#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "model/model_files.hpp"
#include "model/reader.hpp"

namespace tieline::model::test {

/// Reads models from texts in a folder of its own, and keeps the problems of the last one.
class ReadingTest : public ::testing::Test {
 protected:
  CompositeModel read(const std::string& text, const std::vector<Override>& overrides = {}) {
    auto model = try_read(text, overrides);
    EXPECT_TRUE(model.has_value());
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
    return model.value_or(CompositeModel{});
  }
  std::optional<CompositeModel> try_read(const std::string& text, const std::vector<Override>& overrides = {}) {
    diagnostics = {};
    return read_model(folder.write("model.xml", text), overrides, kinds(), diagnostics);
  }
  std::string errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
    (void)try_read(text, overrides);
    return folder.shown(diagnostics);
  }
  static double value(const Component& component, const std::string& name) {
    document::Diagnostics unused;
    return component.scope.value_of(name, {}, unused).value_or(-1.0);
  }

  ModelFolder folder;
  document::Diagnostics diagnostics;
};

}  // namespace tieline::model::test
