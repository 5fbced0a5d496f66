#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "assembly/assembly.hpp"
#include "assembly/line_advice.hpp"
#include "core/error_estimate.hpp"
#include "results/run_report.hpp"

// How the audit's figures become estimates of error and a verdict. Every rule is in this file and its source;
// docs/audit.md has the table of systems with known errors that they were calibrated on.

namespace tieline::reporting {

/// What a defect must be visible against.
struct RunScales {
  double energy = 0.0;  ///< moved, stored in springs and lines, supplied or dissipated by the whole run [J]
};

/// What the mass of a line is measured by, beside what the line itself carries: a line between bodies that move alike
/// carries nothing and moves with them.
class LineSurroundings {
 public:
  explicit LineSurroundings(const assembly::CheckedModel& checked)
      : checked_(checked), carried_(checked.model.components.size()) {}

  /// Once for each connection with a delay, before the others.
  void note(std::size_t connection, const lines::ConnectionOutcome& outcome);
  /// The most that lines at one of its ends carry, at the end with less: forces [N s] and torques [N m s].
  [[nodiscard]] std::array<double, 2> carried(std::size_t connection) const;
  /// Its mass and its inertia as shares of those of the lighter end; NaN: not known. Who asks first waits for
  /// components to be built.
  [[nodiscard]] std::array<double, 2> mass_shares(std::size_t connection);

 private:
  const assembly::CheckedModel& checked_;
  std::vector<std::array<double, 2>> carried_;  ///< by component
  std::optional<std::vector<assembly::FreeFacts>> facts_{};
};

/// A connection with a delay: the line's own mass, the error of its forces, its drift.
[[nodiscard]] results::Judgement judge_line(const assembly::CheckedModel& checked, std::size_t connection,
                                            const lines::ConnectionOutcome& outcome, const RunScales& scales,
                                            LineSurroundings& surroundings);
/// A link of a sampled group: a physical one, or one number of a signal.
[[nodiscard]] results::Judgement judge_sampled(const engine::Group& group, std::size_t link);
/// Whether the ends of a glued connection are displaced by more than rounding: those of one that only turns are not.
[[nodiscard]] bool is_displaced(const engine::GlueOutcome& outcome, const RunScales& scales);
/// A glued connection.
[[nodiscard]] results::Judgement judge_glued(const results::ConnectionReport& report,
                                             const coupling::SampledAudit& audit, const engine::GlueOutcome& outcome,
                                             const RunScales& scales);
/// A signal that its samples could not follow by this share of its size.
[[nodiscard]] results::Judgement judge_signal(double coarseness, const std::string& sender);
/// A component whose solver does not control its error.
[[nodiscard]] results::Judgement judge_steps(const core::StepErrors& errors);

/// The worse of two.
void add_judgement(results::Judgement& judgement, results::Judgement other);
/// The verdict of the whole run, from its parts, its energy balance and how it ended.
void conclude(results::RunReport& report);

}  // namespace tieline::reporting
