#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/grammar.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// Reads the text of a component with `read(content, scope, diagnostics)` after the check against a grammar.
template <class Read>
struct Reading {
  Reading(const std::string& text, const document::Grammar& grammar, Read read) {
    document::Grammar whole = grammar;
    whole.rules.push_back({.name = "Description", .has_text = true});
    whole.rules.push_back({.name = "Parameters", .children = {"Parameter"}});
    whole.rules.push_back(
        {.name = "Parameter",
         .attributes = {{.name = "name"}, {.name = "value", .type = document::AttributeType::number}}});
    document = document::Document::parse(text, "part.xml", diagnostics);
    if (!document) return;
    document::check_against(whole, document->root(), diagnostics);
    spec = read(document->root(), scope, diagnostics);
  }

  /// Expects exactly one problem in a line that says all of `parts`.
  void expect_error(int line, const std::vector<std::string>& parts) const {
    for (const document::Diagnostic& entry : diagnostics.all()) {
      bool says_all = entry.place.line == line && entry.place.column > 0 && entry.place.file == "part.xml";
      for (const std::string& part : parts) says_all = says_all && entry.message.find(part) != std::string::npos;
      if (says_all) return;
    }
    ADD_FAILURE() << "nothing in line " << line << " says '" << parts.front() << "':\n" << diagnostics.describe();
  }

  document::Diagnostics diagnostics{};
  document::Scope scope{};
  std::shared_ptr<const document::Document> document{};
  decltype(std::declval<Read>()(document::Element{}, document::Scope{}, std::declval<document::Diagnostics&>())) spec{};
};

}  // namespace tieline::components
