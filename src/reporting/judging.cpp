#include "reporting/judging.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "assembly/connection_figures.hpp"

namespace tieline::reporting {
namespace {

using results::Judgement;
using results::Verdict;

// Factors from measured defects to errors of motion and forces, calibrated in docs/audit.md.
constexpr double kSampledFactor = 1.2;   // defect of an input, by its bias against what the link carries
constexpr double kRippleFactor = 0.1;    // the same without its sign: ripples mostly cancel
constexpr double kImpulseFactor = 2.5;   // difference of the impulses on two sides that both compute the force
constexpr double kLineMassFactor = 0.4;  // variation of the line's momentum against what it carries
constexpr double kWeakAxis = 0.25;       // least share of the strongest axis that a weak one is measured against
constexpr double kMassShareFactor =
    5.0;  // the same is at most so many times the line's share in the mass that it joins
constexpr double kLineForceFactor = 2.0;   // root of the line's energy residual: noise of forces counts by its square
constexpr double kGlueFactor = 4.0;        // difference of work across a glued cut
constexpr double kDriftFactor = 200.0;     // drift or gap, against the largest displacement
constexpr double kAngularFactor = 2.0;     // the same of elastic rotations, which are small
constexpr double kCoarsenessFactor = 0.3;  // of a signal at its worst moment
constexpr double kBalanceFactor = 2.0;     // energy balance of the run

// Growth of a delayed signal's swings from which on it is in doubt and wrong, and what that counts as an error.
constexpr double kNotableGrowth = 10.0;
constexpr double kExplosiveGrowth = 1e3;
constexpr double kGrowthError = 0.05;

// What is smaller than this share of the run's energy is not worth a verdict.
constexpr double kNegligibleEnergy = 1e-6;
constexpr double kRestAngle = 1e-4;  // of elastic rotations [rad]

double quotient(double part, double whole) {
  if (std::isnan(part) || std::isnan(whole)) return std::numeric_limits<double>::infinity();
  return whole > 0.0 ? part / whole : 0.0;
}

/// "3 %", "1.2e+05 %"
std::string percent(double share) { return fmt::format("{:.2g} %", 100.0 * share); }

/// Texts are made only where someone will read them.
template <class Text>
void note_error(Judgement& judgement, double error, const Text& text) {
  if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  if (error <= judgement.error_estimate) return;
  judgement.error_estimate = error;
  judgement.verdict = error < results::kTrusted ? Verdict::trust
                      : error < results::kWrong ? Verdict::doubt
                                                : Verdict::wrong;
  judgement.reason = judgement.verdict == Verdict::trust ? "" : text();
}

/// A line that stands for a spring: one that is given by its stiffness. One of a stated impedance, material, fluid or
/// cable is meant as the bar, pipe or cable that it is.
bool stands_for_spring(const assembly::CheckedModel& checked, const model::Connection& connection) {
  const core::Domain domain = assembly::domain_of(checked, connection);
  return connection.line.stiffness && (core::is_mechanical(domain) || domain == core::Domain::mechanical3d);
}

double largest_impulse(std::span<const coupling::LineDefects> axes) {
  double largest = 0.0;
  for (const coupling::LineDefects& axis : axes) largest = std::max(largest, axis.impulse());
  return largest;
}

/// The axes of a line, with the energies that they have stored or passed on [J].
struct Axes {
  std::span<const coupling::LineDefects> defects{};
  std::span<const double> energies{};
};

/// By what they carry, forces and torques.
std::array<Axes, 2> by_kind(const assembly::CheckedModel& checked, const model::Connection& connection,
                            const lines::BalanceOutcome& balance) {
  constexpr std::size_t kTranslations = 3;
  const Axes all{balance.defects, balance.energies};
  if (assembly::domain_of(checked, connection) == core::Domain::rotation) return {{{}, all}};
  const std::size_t along = std::min(kTranslations, all.defects.size());
  return {{{all.defects.first(along), all.energies.first(along)},
           {all.defects.subspan(along), all.energies.subspan(along)}}};
}

/// By how much the line's own mass has altered the forces there, and its inertia the torques. What a weak axis of a
/// line carries moves other things than what the strongest does: a light direction, a rotation. An axis that has moved
/// less than the negligible energy carries nothing but rounding.
std::array<double, 2> mass_errors(const std::array<Axes, 2>& kinds, const std::array<double, 2>& carried,
                                  double negligible) {
  std::array<double, 2> worst{};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const Axes& axes = kinds[kind];
    const double strongest = largest_impulse(axes.defects);
    for (std::size_t axis = 0; axis < axes.defects.size(); ++axis) {
      if (axes.energies[axis] <= negligible) continue;
      const double strength = std::max(kWeakAxis, quotient(axes.defects[axis].impulse(), strongest));
      const double variation = axes.defects[axis].momentum_variation();
      worst[kind] = std::max(worst[kind], kLineMassFactor * quotient(variation, strength * carried[kind]));
    }
  }
  return worst;
}

/// What has got wrong, and what was carried, by several axes of a link.
struct SampledShare {
  double defect = 0.0, carried = 0.0;  ///< impulses
  double ripple = 0.0, size = 0.0;     ///< of the forces as delivered
  double speed = 0.0;                  ///< largest, as delivered
};

/// What a direction of a physical link has got wrong, as an impulse [N s].
double link_defect(const core::Port& receiver, const coupling::DefectMeter& meter,
                   const coupling::ResponseFit& of_receiver) {
  if (receiver.causality != core::Causality::takes_motion) return meter.value_bias();
  const auto [stiffness, damping] = of_receiver.response();
  return stiffness * meter.motion_bias() + damping * meter.value_bias();
}

SampledShare share_of(const engine::GroupLink& link, std::span<const engine::LinkDefects> axes) {
  SampledShare sum;
  const bool a_takes_motion = link.port_a->causality == core::Causality::takes_motion;
  for (const engine::LinkDefects& axis : axes) {
    const coupling::DefectMeter& forces = a_takes_motion ? axis.at_b : axis.at_a;
    const coupling::DefectMeter& motions = a_takes_motion ? axis.at_a : axis.at_b;
    const auto add = [](double& square, double value) { square = std::hypot(square, value); };
    add(sum.defect, link_defect(*link.port_a, axis.at_a, axis.of_a) + link_defect(*link.port_b, axis.at_b, axis.of_b));
    add(sum.carried, std::max(axis.of_a.effort().impulse(), axis.of_b.effort().impulse()));
    add(sum.ripple, forces.value_ripple());
    add(sum.size, forces.carried().size());
    add(sum.speed, motions.carried().largest());
  }
  return sum;
}

/// By what they carry, forces and torques; what moves next to nothing carries nothing but rounding.
std::vector<SampledShare> sampled_shares(const engine::GroupLink& link, std::span<const engine::LinkDefects> axes) {
  if (!link.is_in_space()) return {share_of(link, axes)};
  std::vector<SampledShare> shares{share_of(link, axes.first(3)), share_of(link, axes.subspan(3))};
  const auto passed = [](const SampledShare& share) { return share.carried * share.speed; };
  const double most = std::max(passed(shares[0]), passed(shares[1]));
  std::erase_if(shares, [&](const SampledShare& share) { return passed(share) <= kNegligibleEnergy * most; });
  return shares;
}

constexpr const char* kSampledRemedy = "use shorter steps or a lower tolerance, couple by a line, or glue";

}  // namespace

void LineSurroundings::note(std::size_t connection, const lines::ConnectionOutcome& outcome) {
  const model::Connection& of = checked_.model.connections[connection];
  if (!outcome.balance || !core::is_mechanical(assembly::domain_of(checked_, of))) return;
  const auto kinds = by_kind(checked_, of, *outcome.balance);
  for (const model::Endpoint* end : {&of.from, &of.to}) {
    auto& most = carried_[static_cast<std::size_t>(end->component)];
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      most[kind] = std::max(most[kind], largest_impulse(kinds[kind].defects));
  }
}

std::array<double, 2> LineSurroundings::carried(std::size_t connection) const {
  const model::Connection& of = checked_.model.connections[connection];
  const auto& from = carried_[static_cast<std::size_t>(of.from.component)];
  const auto& to = carried_[static_cast<std::size_t>(of.to.component)];
  return {std::min(from[0], to[0]), std::min(from[1], to[1])};
}

std::array<double, 2> LineSurroundings::mass_shares(std::size_t connection) {
  if (!facts_) facts_ = assembly::free_facts(checked_, assembly::Asker::run);
  std::array<double, 2> shares;
  shares.fill(std::numeric_limits<double>::quiet_NaN());
  for (const assembly::LineInPlace& line : assembly::lines_in_place(checked_, connection, *facts_))
    shares[line.domain == core::Domain::rotation ? 1 : 0] = line.largest_mass_ratio();
  return shares;
}

void add_judgement(Judgement& judgement, Judgement other) {
  if (other.error_estimate > judgement.error_estimate) judgement = std::move(other);
}

namespace {

/// What the line's own mass and inertia have done.
void note_mass(Judgement& judgement, const assembly::CheckedModel& checked, std::size_t connection,
               const lines::ConnectionOutcome& outcome, double negligible, LineSurroundings& surroundings) {
  const auto kinds = by_kind(checked, checked.model.connections[connection], *outcome.balance);
  const auto errors = mass_errors(kinds, surroundings.carried(connection), negligible);
  for (const bool is_in_rotation : {false, true}) {
    const std::size_t kind = is_in_rotation ? 1 : 0;
    double error = errors[kind];
    if (error >= results::kTrusted) {
      error = std::fmin(error, kMassShareFactor * surroundings.mass_shares(connection)[kind]);
    }
    const coupling::LineFigures& figures =
        is_in_rotation && outcome.rotation_figures ? *outcome.rotation_figures : *outcome.figures;
    note_error(judgement, error, [&] {
      const core::Domain domain = is_in_rotation ? core::Domain::rotation : core::Domain::translation;
      // With the stiffness kept, the mass goes with the square of the delay.
      const double better = figures.law.delay * std::sqrt(0.5 * results::kTrusted / error);
      return fmt::format(
          "the line's own {}, Z T = {:.3g} {}, has altered what it carries by about {}: shorten its delay of {:g} s to "
          "{:.2g} s",
          is_in_rotation ? "inertia" : "mass", figures.parasitic_mass, coupling::line_names_of(domain).parasitic_unit,
          percent(error), figures.law.delay, better);
    });
  }
}

}  // namespace

Judgement judge_line(const assembly::CheckedModel& checked, std::size_t connection,
                     const lines::ConnectionOutcome& outcome, const RunScales& scales, LineSurroundings& surroundings) {
  Judgement judgement;
  if (outcome.growth > kNotableGrowth) {
    note_error(judgement, outcome.growth < kExplosiveGrowth ? kGrowthError : 1.0, [&] {
      return fmt::format(
          "its oscillation grows, up to {:.2g} times: its delay of {:g} s may be too long for the "
          "gain of its loop; shorten it, or lower the gain",
          outcome.growth, checked.model.connections[connection].delay.value_or(0.0));
    });
  }
  if (!outcome.balance || !outcome.figures) return judgement;
  const lines::BalanceOutcome& balance = *outcome.balance;
  const model::Connection& stated = checked.model.connections[connection];
  const double negligible = kNegligibleEnergy * scales.energy;
  if (stands_for_spring(checked, stated)) note_mass(judgement, checked, connection, outcome, negligible, surroundings);
  const double energy = std::max(balance.largest_energy, negligible);
  note_error(judgement, kLineForceFactor * std::sqrt(quotient(balance.largest_residual, energy)), [&] {
    return fmt::format(
        "forces at its ends may be wrong by {}: its energy balance has an error of {:.2g} J of {:.2g} J; "
        "lower the tolerance or the steps of its components",
        percent(judgement.error_estimate), balance.largest_residual, energy);
  });
  if (balance.largest_energy > negligible) {
    note_error(judgement, kDriftFactor * quotient(balance.largest_drift, balance.largest_displacement), [&] {
      return fmt::format(
          "the line has drifted by {:.2g} of the largest displacement: lower the tolerance of its "
          "components",
          quotient(balance.largest_drift, balance.largest_displacement));
    });
  }
  if (balance.largest_angular_drift > kRestAngle) {
    note_error(judgement, kAngularFactor * quotient(balance.largest_angular_drift, balance.largest_rotation), [&] {
      return fmt::format(
          "the line's elastic rotation has drifted by {:.2g} rad, {:.2g} of its largest value: shorten "
          "its delay",
          balance.largest_angular_drift, quotient(balance.largest_angular_drift, balance.largest_rotation));
    });
  }
  return judgement;
}

Judgement judge_sampled(const engine::Group& group, std::size_t link) {
  Judgement judgement;
  const engine::GroupLink& place = group.link(link);
  const std::span<const engine::LinkDefects> defects = group.defects(link);
  const auto say = [&](const char* what, double error) {
    return fmt::format("{} by {} of what the connection carries: {}", what, percent(error), kSampledRemedy);
  };
  if (place.is_signal()) {
    const coupling::DefectMeter& meter = defects.front().at_b;
    const double carried = meter.carried().impulse();
    const double error = kSampledFactor * quotient(meter.value_bias(), carried);
    note_error(judgement, error, [&] {
      return fmt::format(
          "the receiver got values from a different time, with an error of {} in their effect: set a shorter "
          "largest_step or a lower tolerance for both components",
          percent(error));
    });
    return judgement;
  }
  const bool is_twofold = place.port_a->causality == core::Causality::takes_motion &&
                          place.port_b->causality == core::Causality::takes_motion;
  const std::vector<SampledShare> shares = sampled_shares(place, defects);
  for (std::size_t kind = 0; kind < shares.size(); ++kind) {
    const SampledShare& share = shares[kind];
    if (is_twofold) {
      // In space the residual is of forces alone.
      if (kind > 0) break;
      const double error = kImpulseFactor * quotient(group.audit(link).largest_momentum_residual(), share.carried);
      note_error(judgement, error, [&] { return say("its two sides felt impulses that differ", error); });
      continue;
    }
    const double error = kSampledFactor * quotient(share.defect, share.carried);
    note_error(judgement, error, [&] { return say("samples came late or were extrapolated, and were wrong", error); });
    const double ripple = kRippleFactor * quotient(share.ripple, share.size);
    note_error(judgement, ripple,
               [&] { return say("samples alternate from exchange to exchange, and are wrong", ripple); });
  }
  return judgement;
}

bool is_displaced(const engine::GlueOutcome& outcome, const RunScales& scales) {
  return outcome.largest_displacement * outcome.largest_force > kNegligibleEnergy * scales.energy;
}

Judgement judge_glued(const results::ConnectionReport& report, const coupling::SampledAudit& audit,
                      const engine::GlueOutcome& outcome, const RunScales& scales) {
  Judgement judgement;
  const double work = std::max(outcome.largest_work, kNegligibleEnergy * scales.energy);
  const double error = kGlueFactor * quotient(audit.largest_energy_residual(), work);
  note_error(judgement, error, [&] {
    return fmt::format(
        "forces do not follow the motion within its steps, which causes an error of {}: the work on the two sides "
        "differs by {:.2g} J of {:.2g} J; use smaller steps or forces of a higher degree",
        percent(error), audit.largest_energy_residual(), work);
  });
  if (audit.largest_work() > kNegligibleEnergy * scales.energy && is_displaced(outcome, scales)) {
    note_error(judgement, kDriftFactor * report.drift_relative, [&] {
      return fmt::format(
          "the glued ends separated by {:.2g}, {:.2g} of their largest displacement: lower the "
          "tolerance of the gluing",
          report.drift, report.drift_relative);
    });
  }
  return judgement;
}

Judgement judge_signal(double coarseness, const std::string& sender) {
  Judgement judgement;
  note_error(judgement, kCoarsenessFactor * coarseness, [&] {
    return fmt::format(
        "it changed too fast to be resolved and had errors of up to {} of its size: set a shorter "
        "largest_step for component '{}'",
        percent(coarseness), sender);
  });
  return judgement;
}

Judgement judge_steps(const core::StepErrors& errors) {
  Judgement judgement;
  note_error(judgement, errors.estimate, [&] {
    const double better = errors.step * std::pow(0.5 * results::kTrusted / errors.estimate, 1.0 / errors.order);
    return fmt::format(
        "its fixed steps of {:g} s have errors that add up to about {} of its motion: use steps of {:.2g} s",
        errors.step, percent(errors.estimate), better);
  });
  return judgement;
}

void conclude(results::RunReport& report) {
  struct Reason {
    double error = 0.0;
    std::string text{};
  };
  std::vector<Reason> reasons;
  const auto add = [&](const std::string& place, const Judgement& judgement) {
    report.error_estimate = std::max(report.error_estimate, judgement.error_estimate);
    report.verdict = std::max(report.verdict, judgement.verdict);
    if (judgement.verdict != Verdict::trust) reasons.push_back({judgement.error_estimate, place + judgement.reason});
  };
  for (const auto& connection : report.connections)
    add(fmt::format("connection '{}': ", connection.name), connection.judgement);
  for (const auto& component : report.components)
    add(fmt::format("component '{}': ", component.name), component.judgement);
  if (!std::isnan(report.energy_balance_relative)) {
    Judgement balance;
    const double error = kBalanceFactor * std::abs(report.energy_balance_relative);
    note_error(balance, error, [&] {
      const auto worst = std::max_element(report.components.begin(), report.components.end(), [](auto& a, auto& b) {
        return std::abs(a.energy ? a.energy->residual : 0.0) < std::abs(b.energy ? b.energy->residual : 0.0);
      });
      return fmt::format(
          "the run has {} {} of its energy, most of it in component '{}': lower the tolerance or the "
          "steps of its solver",
          report.energy_balance_relative > 0.0 ? "gained" : "lost", percent(std::abs(report.energy_balance_relative)),
          worst == report.components.end() ? "" : worst->name);
    });
    add("", balance);
  }
  if (report.outcome == results::Outcome::failed) {
    report.verdict = Verdict::wrong;
    report.error_estimate = std::numeric_limits<double>::infinity();
    reasons.push_back(
        {report.error_estimate, "the run failed: " + (report.error ? report.error->describe() : std::string())});
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const Reason& a, const Reason& b) { return a.error > b.error; });
  for (Reason& reason : reasons) report.reasons.push_back(std::move(reason.text));
}

}  // namespace tieline::reporting
