#pragma once

#include <memory>
#include <string>

#include "modelica/syntax.hpp"

namespace tieline::modelica {

inline constexpr int kDeepestSyntax = 250;                          ///< expressions and classes within each other
inline constexpr std::size_t kLargestFile = std::size_t{64} << 20;  ///< [bytes]

inline constexpr int kHighestExpression = 1000;  ///< operators and brackets around each other

/// Parses a file of Modelica 3.x. Syntax errors are reported, each with what was expected, and the element, equation or
/// statement in which they are is left out; what follows is read. Never null.
[[nodiscard]] std::unique_ptr<StoredDefinition> parse(std::string file, std::string text,
                                                      document::Diagnostics& diagnostics);

}  // namespace tieline::modelica
