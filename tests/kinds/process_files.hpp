#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "kinds/registry.hpp"
#include "model/model_files.hpp"
#include "model/reader.hpp"
#include "model/validate.hpp"

namespace tieline::kinds::test {

using model::CompositeModel;

/// Reads models with programs in them as `check_model` does; the model has a parameter k = 3.
class ProcessTest : public ::testing::Test {
 protected:
  static std::string text(const std::string& components, const std::string& settings, const std::string& rest) {
    return "<CompositeModel name=\"m\">" + rest +
           "<Parameters><Parameter name=\"k\" value=\"3\"/></Parameters>\n\n<Components>\n" + components +
           "</Components>\n<Simulation start=\"0.5\" stop=\"2\">" + settings + "</Simulation></CompositeModel>\n";
  }

  std::optional<CompositeModel> try_read(const std::string& components, const std::string& settings = "",
                                         const std::string& rest = "") {
    diagnostics = {};
    const auto file = folder.write("model.xml", text(components, settings, rest));
    auto read = model::read_model(file, {}, kind_descriptions(), diagnostics);
    if (!read) return read;
    for (const model::Component& component : read->components) {
      (void)find_kind(component.kind)->read(component, diagnostics);
    }
    validate(*read, model::test::interfaces_of(*read), diagnostics);
    return read;
  }

  CompositeModel read(const std::string& components, const std::string& settings = "", const std::string& rest = "") {
    auto model = try_read(components, settings, rest);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
    return model.value_or(CompositeModel{});
  }

  std::string errors_of(const std::string& components, const std::string& settings = "") {
    (void)try_read(components, settings);
    return folder.shown(diagnostics);
  }

  static bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  model::test::ModelFolder folder;
  document::Diagnostics diagnostics;
};

}  // namespace tieline::kinds::test
