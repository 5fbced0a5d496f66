#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "document/grammar.hpp"
#include "model/kind_options.hpp"

namespace tieline::model {

/// An element that only components of one kind have.
struct OwnElement {
  document::ElementRule rule{};
  bool is_in_interface = false;  ///< it is in the <Interface> of a component, otherwise in <Component>
  bool may_repeat = false;
};

/// A kind of component, as far as the model's file is concerned.
struct ComponentKind {
  std::string name{};         ///< as in kind="..."
  std::string description{};  ///< one sentence for the reference
  /// Its content; the first rule is the element allowed in <Component>, or the root of the component's file.
  /// It may use the rules "Parameters" and "Description" of the composite model. Empty: the file is not XML of ours.
  document::Grammar grammar{};
  std::vector<document::AttributeRule> own_attributes{};  ///< of <Component>: other kinds may not have them
  std::vector<OwnElement> own_elements{};                 ///< other kinds may not have them
  /// Reads what only components of this kind state; empty: there is nothing of the kind.
  std::function<std::shared_ptr<const KindOptions>(const OptionsRequest& request)> read_options{};
  bool needs_content = true;              ///< false: its element may be left out, and <Parameter>s state everything
  std::vector<std::string> parameters{};  ///< that <Parameter>s of the component, or the command line, may state
};

/// The format of a composite model with the given kinds of components.
[[nodiscard]] document::Grammar grammar(std::span<const ComponentKind> kinds);

/// The published XML Schema.
[[nodiscard]] std::string schema(std::span<const ComponentKind> kinds);

/// The reference page of the format, docs/file-format-reference.md, in Markdown.
[[nodiscard]] std::string reference(std::span<const ComponentKind> kinds);

}  // namespace tieline::model
