#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"

namespace tieline::studies {

/// The combinations of a parameter study: a value of every varied parameter in every row, as text, as `--set` takes
/// them.
struct SweepPlan {
  std::vector<std::string> names{};
  std::vector<std::vector<std::string>> rows{};
};

/// More combinations than anybody wants to run: a range is mistyped.
inline constexpr std::size_t kMostCombinations = 100'000;

/// Every combination of all `vary` arguments and, where there is one, of the rows of a list. The last argument varies
/// fastest.
///
/// An argument is "name=a,b,c" (numbers or {expressions}), "name=from:to:count" (equal differences) or
/// "name=from:to:count:log" (equal ratios). The list is a file of comma-separated values: names in its first row, a
/// combination in each other one; empty rows and those that begin with # do not count, and a cell with commas is
/// in double quotes. Every problem goes to the diagnostics; then nothing is returned.
[[nodiscard]] std::optional<SweepPlan> make_plan(std::span<const std::string> vary,
                                                 const std::optional<std::filesystem::path>& list,
                                                 document::Diagnostics& diagnostics);

/// "k=1e9,left.m=3": names a combination in tables and plots, and its folder where a folder may be called so.
[[nodiscard]] std::string combination_name(const SweepPlan& plan, std::size_t row);
/// A name for the combination's folder, the same whatever else is in the plan.
[[nodiscard]] std::string combination_folder(const SweepPlan& plan, std::size_t row);

}  // namespace tieline::studies
