#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "modelica/instance.hpp"

namespace tieline::interchange {

/// Numbers of Modelica in our words: "5", "-1e-3", "{2*k}".
class ModelicaNumbers {
 public:
  /// `is_model`: whether an instance is a composite model, whose parameters are known by name in what is inside of it.
  ModelicaNumbers(document::Diagnostics& diagnostics, std::function<bool(modelica::Instance&)> is_model)
      : diagnostics_(diagnostics), is_model_(std::move(is_model)) {}

  /// A number as it is written in the model `where`. Truths are 1 and 0. Empty after an error, which is reported.
  [[nodiscard]] std::string text(const modelica::Value& value, modelica::Instance& where);
  /// A truth as the word true or false; empty after an error.
  [[nodiscard]] std::string truth(const modelica::Value& value);
  /// A text; nothing after an error.
  [[nodiscard]] std::optional<std::string> string(const modelica::Value& value);

 private:
  struct Writer;
  document::Diagnostics& diagnostics_;
  std::function<bool(modelica::Instance&)> is_model_;
};

/// The identifier in Modelica of a parameter of ours; nothing: it is not known where the expression will be.
using ModelicaNames = std::function<std::optional<std::string>(std::string_view name)>;

/// A number of ours ("5", "{2*k}") in Modelica; nothing where Modelica has no word for it.
[[nodiscard]] std::optional<std::string> number_to_modelica(std::string_view text, const ModelicaNames& names);
/// The same as a condition: "enabled".
[[nodiscard]] std::optional<std::string> condition_to_modelica(std::string_view text, const ModelicaNames& names);

}  // namespace tieline::interchange
