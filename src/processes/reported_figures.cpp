#include "processes/reported_figures.hpp"

#include "core/error_estimate.hpp"

namespace tieline::processes {

transport::Figures figures_of(core::Component& component, double seconds_waiting) {
  const core::Statistics s = component.statistics();
  transport::Figures figures{.component = component.name(), .solver = s.solver};
  figures.counts = {s.windows,
                    s.steps,
                    s.rhs_calls,
                    s.jacobian_calls,
                    s.failed_convergence,
                    s.failed_error_tests,
                    s.unsuccessful_rhs_calls,
                    s.events,
                    s.breaks};
  figures.numbers = {s.order_sum,        s.seconds_total,   s.seconds_rhs,
                     s.seconds_jacobian, s.seconds_writing, seconds_waiting};
  if (const auto e = component.energy()) {
    figures.reports_energy = true;
    figures.energy = {e->kinetic,    e->potential, e->elastic,       e->heat,
                      e->dissipated, e->supplied,  e->most_supplied, e->received};
  }
  figures.values.resize(component.columns().size());
  component.current_values(figures.values);
  if (const auto* const reporting = dynamic_cast<const core::FactSource*>(&component))
    figures.facts = reporting->facts();
  if (const auto* const checking = dynamic_cast<const core::SelfChecking*>(&component)) {
    const core::StepErrors errors = checking->step_errors();
    figures.step_errors = {errors.estimate, errors.step, errors.order};
  }
  return figures;
}

assembly::ReportedFigures reported_figures(const transport::Figures& figures) {
  assembly::ReportedFigures reported;
  core::Statistics& s = reported.statistics;
  s.solver = figures.solver;
  const auto& c = figures.counts;
  s.windows = c[0], s.steps = c[1], s.rhs_calls = c[2], s.jacobian_calls = c[3], s.failed_convergence = c[4];
  s.failed_error_tests = c[5], s.unsuccessful_rhs_calls = c[6], s.events = c[7], s.breaks = c[8];
  const auto& n = figures.numbers;
  s.order_sum = n[0], s.seconds_total = n[1], s.seconds_rhs = n[2], s.seconds_jacobian = n[3];
  s.seconds_writing = n[4], s.seconds_waiting = n[5];
  if (figures.reports_energy) {
    const auto& e = figures.energy;
    reported.energy = core::Energy{e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7]};
  }
  reported.values = figures.values;
  reported.facts = figures.facts;
  const auto& errors = figures.step_errors;
  reported.step_errors = {.estimate = errors[0], .step = errors[1], .order = errors[2]};
  return reported;
}

}  // namespace tieline::processes
