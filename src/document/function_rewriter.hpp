#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/expression.hpp"
#include "document/expression_tree.hpp"
#include "document/time_function.hpp"

namespace tieline::document {

/// a * t + b
struct Affine {
  double a = 0.0;
  double b = 0.0;
};

/// A formula over t, the inputs and the results of steps, as text for muParser; `affine` where it is one of t alone.
struct Formula {
  std::string text{};
  bool varies = false;  ///< depends on t, an input or a step
  std::optional<Affine> affine{};
  int node = -1;  ///< of the function's tree, where it depends on nothing but t
};

/// What must be computed before a formula that uses its result: a frozen switch, or the value of a table.
struct RewrittenStep {
  Formula argument{};
  const Table* table = nullptr;  ///< null: a switch
};

/// A function's expression without jumps: every step, pulse, comparison, sign and table became a variable, and so did
/// the kinks of abs, min, max and smoothstep where they depend on t alone. Variables are named by `variable_name`: 0 is
/// t, then the inputs, then the steps, inner ones first.
struct RewrittenFunction {
  Formula value{};
  std::vector<RewrittenStep> steps{};
  ExpressionTree tree{};  ///< all that depends on t alone; its tables are those of the steps, in their order
  /// Nodes of what changes with t alone, and is not part of something larger that does.
  std::vector<int> timed_values{};
};

[[nodiscard]] std::string variable_name(std::size_t index);

[[nodiscard]] std::optional<RewrittenFunction> rewrite_function(std::string_view expression, const Place& place,
                                                                const Scope& scope, std::span<const std::string> inputs,
                                                                const std::map<std::string, Table>& tables,
                                                                Diagnostics& diagnostics);

/// Which of the inputs a function's text (a number or an {expression}) uses, ascending; none if it is wrong.
[[nodiscard]] std::vector<std::size_t> inputs_used(std::string_view text, const Scope& scope,
                                                   std::span<const std::string> inputs);

}  // namespace tieline::document
