#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "coupling/advice.hpp"
#include "document/diagnostics.hpp"

namespace tieline::assembly {

/// What a component is like with all its ports free; empty if that is not known.
struct FreeFacts {
  std::vector<std::string> ports{};
  std::vector<double> inertia{};      ///< that a line joins at each port [kg] or [kg m^2]
  std::vector<double> lightest{};     ///< the same, in space of the lightest direction [kg] or [kg m^2]
  std::vector<double> stiffness{};    ///< of what is elastic between each port and the rest [N/m] or [N m/rad]
  std::vector<double> frequencies{};  ///< of its own vibrations [Hz], ascending
};

/// Who asks: a study has time, and may build components of kinds that the program has brought along.
enum class Asker { study, run };

/// Builds every component that a mechanical line joins (for a study: every component) once more by itself and asks it.
/// Third-party code is not run, but for FMUs that the model lets run in this process, and by a study only.
[[nodiscard]] std::vector<FreeFacts> free_facts(const CheckedModel& checked, Asker asker);

/// A mechanical line between what it joins; of a line in space its translation, or its rotation. The mass at an end in
/// space is that of the heaviest direction in which it can move.
struct LineInPlace {
  core::Domain domain = core::Domain::translation;
  bool is_in_space = false;
  coupling::LineFigures figures{};
  coupling::EndMasses masses{};
  coupling::EndMasses lightest{};                  ///< of the lightest directions
  coupling::EndStiffness stiffness{};              ///< of the softest directions
  std::vector<std::vector<double>> frequencies{};  ///< of the two components by themselves [Hz], ascending

  /// The line's mass as a share of the lighter end that has one; NaN: not known.
  [[nodiscard]] double mass_ratio() const { return coupling::mass_ratio(figures, masses); }
  /// The same in the lightest direction.
  [[nodiscard]] double largest_mass_ratio() const { return coupling::mass_ratio(figures, lightest); }
  /// Whether it is too heavy or too slow for what it joins; then `coupling::serious_warnings` says so.
  [[nodiscard]] bool is_doubtful() const { return coupling::is_doubtful(figures, masses, frequencies); }
  [[nodiscard]] coupling::LineAdvice advice() const { return coupling::advise_line(figures, masses, stiffness); }
  /// What a sentence about it begins with: nothing on an axis.
  [[nodiscard]] std::string place_text() const;
};

/// None for connections that are no mechanical lines; two for a line in space that carries torques.
[[nodiscard]] std::vector<LineInPlace> lines_in_place(const CheckedModel& checked, std::size_t connection,
                                                      const std::vector<FreeFacts>& facts);

/// Warns of lines that are too heavy or too slow for what they join, at their places in a model without errors. Lines
/// that are stated by a material are bars with a mass that is meant.
void warn_of_lines(const CheckedModel& checked, document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
