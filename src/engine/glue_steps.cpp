// The iteration of a gluing: trials, corrections, probings, acceptance.
//
// [Wang2003] Wang, Ma, Hulbert: A Gluing Algorithm for Distributed Simulation of Multibody Systems.
// [Kuettler2008] Kuettler, Wall: Fixed-point fluid-structure interaction solvers with dynamic relaxation.
//   in [Wang2003]               here
//   F, e                        z, e
//   Lambda                      GluingMatrix
//   G^i, B_i, C_i               what glue_probes.cpp measures; GluedDirection

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/glued_group.hpp"
#include "engine/trace.hpp"

namespace tieline::engine {
namespace {

using core::Compatibility;
using core::Error;
using core::ErrorCode;
using core::MatrixRefresh;
using core::MatrixUpdate;
using core::Result;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Probings within one step before it is given up.
constexpr int kMostProbings = 4;
// A trial whose gaps are larger than so many tolerances is far from the truth.
constexpr double kFarOff = 1e4;
// Halvings of a correction that made things worse.
constexpr int kMostHalvings = 6;
// A trial is worse when its gaps have grown by this factor.
constexpr double kWorse = 2.0;
// Rounding may leave gaps of so many tolerances, where nothing but rounding can.
constexpr double kMostRounding = 1e4;
// Matrices of so many lengths of steps are kept.
constexpr std::size_t kMostMatrices = 8;
// Lengths that differ by roundings are one.
constexpr double kSameLength = 1e-9;
// First relaxation of fixed-point iterations, and its bounds.
constexpr double kFirstRelaxation = 0.5;
constexpr double kMostRelaxation = 1.0;
// Controlled steps: safety, bounds of change.
constexpr double kSafety = 0.9, kMostShrink = 0.3, kMostGrowth = 2.0;

/// Adds the time of a scope.
struct Stopwatch {
  explicit Stopwatch(double& total) : sum(total), begin(now_seconds()) {}
  ~Stopwatch() { sum += now_seconds() - begin; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  double& sum;
  double begin;
};

}  // namespace

GluedGroup::KnownMatrix& GluedGroup::matrix_for(double length) {
  const auto is_same = [&](const KnownMatrix& known) {
    return std::abs(known.length - length) <= kSameLength * length;
  };
  auto found = std::find_if(matrices_.begin(), matrices_.end(), is_same);
  if (found != matrices_.end()) {
    std::rotate(matrices_.begin(), found, found + 1);
    return matrices_.front();
  }
  KnownMatrix fresh{.length = length};
  if (settings_.step_tolerance && !matrices_.empty()) {
    // Motions answer to forces as a power of the step's length, about; what is wrong with that is learnt.
    fresh.matrix = matrices_.front().matrix;
    const double ratio = length / matrices_.front().length;
    const bool is_velocity = settings_.compatibility == Compatibility::velocity;
    if (is_velocity) fresh.matrix.scale_response(ratio);
    if (settings_.compatibility == Compatibility::displacement) fresh.matrix.scale_response(ratio * ratio);
    matrices_.clear();
  }
  matrices_.insert(matrices_.begin(), std::move(fresh));
  if (matrices_.size() > kMostMatrices) matrices_.pop_back();
  return matrices_.front();
}

VectorXd GluedGroup::predict(double length) const {
  if (last_length_ == 0.0 || shape_.degree() == 0) return last_;
  const std::size_t s = nodes();
  VectorXd z(unknowns_);
  for (std::size_t first = 0; first < static_cast<std::size_t>(unknowns_); first += s) {
    const std::span<const double> values(last_.data() + first, s);
    const double before = ends_[static_cast<Index>(first / s)];
    for (std::size_t node = 0; node < s; ++node) {
      const double x = 1.0 + shape_.nodes()[node] * length / last_length_;
      z[static_cast<Index>(first + node)] = shape_.value(x, values, before);
    }
  }
  return z;
}

Error GluedGroup::failure(const std::string& what, double begin, double end, Index row) const {
  std::vector<std::string> trials;
  for (const double worst : history_) trials.push_back(fmt::format("{:.2g}", worst));
  return {
      .code = ErrorCode::step_failed,
      .message = fmt::format("gluing step {} (to {:.9g} s) {}; the largest gap is at {}; gaps of its trials in units "
                             "of the tolerance: {}",
                             macro_steps_ + 1, end, what, describe_unknown(row), fmt::join(trials, ", ")),
      .component = name(),
      .time = begin};
}

Error GluedGroup::redundant(const coupling::Redundancy& redundancy, double begin) const {
  Error error{.code = ErrorCode::bad_input, .component = name(), .time = begin};
  if (redundancy.has_no_response) {
    Index unknown = 0;
    redundancy.combination.cwiseAbs().maxCoeff(&unknown);
    error.message = fmt::format(
        "no force changes the gap at {}: both sides are held there, or neither answers; glue fewer directions, or let "
        "one side move",
        describe_unknown(unknown));
    return error;
  }
  // All unknowns that take part, the same connection and direction once.
  std::vector<std::string> parts;
  for (Index i = 0; i < unknowns_; ++i) {
    if (std::abs(redundancy.combination[i]) < 0.05) continue;
    std::string part = describe_unknown(i);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  constexpr std::size_t kMostParts = 12;
  const std::size_t more = parts.size() > kMostParts ? parts.size() - kMostParts : 0;
  parts.resize(std::min(parts.size(), kMostParts));
  error.message = fmt::format(
      "the glued connections say some things twice, so that forces between them have no single answer: {}{}. Members "
      "around a closed loop of rigid joints, or several at one point, need each other only once: leave one connection "
      "or direction out; a member without supports cannot be glued in statics",
      fmt::join(parts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  return error;
}

Result<void> GluedGroup::refresh(KnownMatrix& known, const VectorXd& z, double begin, double end,
                                 const core::Window& window) {
  MatrixXd response;
  const auto run = [&](std::size_t member) { return run_member(member, begin, end, window); };
  const double wall = now_seconds();
  auto probed = probe(z, end - begin, window, run, response);
  figures_.seconds_members += now_seconds() - wall;
  if (!probed) return probed;
  ++figures_.refreshes;
  if (!response.allFinite()) return failure("has a response that is not finite", begin, end, 0);
  if (!known.matrix.set(response)) return redundant(known.matrix.redundancy(), begin);
  figures_.condition = std::max(figures_.condition, known.matrix.condition());
  return {};
}

/// Learns from the last trial, and probes where it is time to. An error where there is no more to be tried.
Result<void> GluedGroup::better_matrix(KnownMatrix& known, Iteration& now, const Agreement& agreement, bool is_worse,
                                       const core::Window& step) {
  const bool learns = now.dz.size() > 0 && !is_linear_;
  if (learns && settings_.update == MatrixUpdate::broyden) known.matrix.learn(now.dz, now.e - now.e_before);
  if (learns && settings_.update == MatrixUpdate::iqn_ils) known.matrix.keep(now.dz, now.e - now.e_before);
  turn_with_trial();
  const bool is_each = settings_.refresh == MatrixRefresh::every_iteration;
  const bool is_due =
      known.matrix.is_empty() || is_each || (settings_.refresh == MatrixRefresh::every_step && now.probings == 0);
  const bool is_stuck = now.since_probing >= settings_.iterations || (is_worse && now.probings == 0);
  if (!is_due && !is_stuck) return {};
  if (!is_due && settings_.refresh == MatrixRefresh::once) {
    return failure("does not converge with the matrix of the start", step.begin, step.end, agreement.row);
  }
  if (now.probings == (is_each ? settings_.iterations : kMostProbings)) {
    return failure("does not converge", step.begin, step.end, agreement.row);
  }
  ++now.probings;
  now.since_probing = 0;
  return refresh(known, now.z, step.begin, step.end, step);
}

/// Wang's algorithm 3 with what its authors leave open: when to probe, and what to do where a correction fails.
Result<GluedGroup::Solution> GluedGroup::solve_step(double begin, double end, const core::Window& window) {
  const Stopwatch watch(figures_.seconds_total);
  core::Window step = window;
  step.begin = begin, step.end = end;
  if (auto saved = save_members(); !saved) return saved.error();
  turn_with_begin();
  history_.clear();
  KnownMatrix& known = matrix_for(end - begin);
  Iteration now{.z = predict(end - begin)};
  for (;;) {
    auto tried = trial(now.z, begin, end, window);
    const bool has_corrected = now.dz.size() > 0;
    const bool is_cancelled = !tried && tried.error().code == ErrorCode::cancelled;
    if (!tried && (is_cancelled || !has_corrected || now.halvings == kMostHalvings)) {
      give_up();
      tried.error().message = fmt::format("in step {} of gluing '{}', trial {}: {}", macro_steps_ + 1, name(),
                                          history_.size() + 1, tried.error().message);
      return tried.error();
    }
    Agreement agreement{.worst = std::numeric_limits<double>::infinity()};
    if (tried) {
      note_sizes();
      now.e = residual(end - begin);
      agreement = judge(now.e);
      history_.push_back(agreement.worst);
      // What a linear problem's second correction does not halve is rounding.
      const bool is_rounding = is_linear_ && now.corrections > 1 && agreement.worst > 0.5 * now.worst_before;
      if (agreement.worst <= 1.0 || (is_rounding && agreement.worst < kMostRounding)) break;
    }
    const bool is_worse = has_corrected && !(agreement.worst < kWorse * now.worst_before);
    const bool is_to_blame = now.probings > 0 || !std::isfinite(agreement.worst);
    if (is_worse && is_to_blame && now.halvings < kMostHalvings) {
      // Half of the correction, and half of the next.
      ++now.halvings;
      now.dz *= 0.5;
      now.z -= now.dz;
      continue;
    }
    if (auto bettered = better_matrix(known, now, agreement, is_worse, step); !bettered) {
      give_up();
      return bettered.error();
    }
    now.e_before = now.e;
    now.worst_before = agreement.worst;
    // Steps that suited forces far from the truth are not worth repeating.
    notes_steps_ = agreement.worst > kFarOff;
    const bool is_fitted = settings_.update == MatrixUpdate::iqn_ils;
    now.dz = is_fitted ? known.matrix.fitted_correction(now.e) : known.matrix.correction(now.e);
    now.z += now.dz;
    ++now.corrections;
    ++now.since_probing;
    now.halvings = 0;
  }
  return Solution{std::move(now.z), now.corrections};
}

/// Fixed-point iteration between sides that take motion and sides that take force, relaxed by Aitken's rule
/// ([Kuettler2008]).
Result<GluedGroup::Solution> GluedGroup::relax_step(double begin, double end, const core::Window& window) {
  const Stopwatch watch(figures_.seconds_total);
  const auto s = static_cast<Index>(nodes());
  if (auto saved = save_members(); !saved) return saved.error();
  history_.clear();
  std::vector<std::size_t> leaders, followers;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const bool leads = std::any_of(members_[m].sockets.begin(), members_[m].sockets.end(),
                                   [&](std::size_t i) { return sockets_[i].takes_motion; });
    (leads ? leaders : followers).push_back(m);
  }
  VectorXd z = predict(end - begin), before;
  double relaxation = kFirstRelaxation;
  for (std::uint64_t corrections = 0;; ++corrections) {
    // Motions go to those that take them, and their forces to the others.
    distribute(z);
    auto tried = run_members(leaders, begin, end, window);
    if (tried) {
      for (const Link& link : links_) {
        const auto first = static_cast<Index>(link.first);
        for (const auto* side : {&link.points[0].from, &link.points[0].to}) {
          const Socket& socket = sockets_[static_cast<std::size_t>(side->front().socket)];
          if (!socket.takes_motion) continue;
          for (Index node = 0; node < s; ++node) z[first + node] = -socket.efforts[static_cast<std::size_t>(node)];
        }
      }
      distribute(z);
      tried = run_members(followers, begin, end, window);
      notes_steps_ = false;
    }
    if (!tried) {
      give_up();
      return tried.error();
    }
    note_sizes();
    const VectorXd e = residual(end - begin);
    const Agreement agreement = judge(e);
    history_.push_back(agreement.worst);
    if (agreement.worst <= 1.0) return Solution{std::move(z), corrections};
    if (corrections >= static_cast<std::uint64_t>(settings_.iterations) || !std::isfinite(agreement.worst)) {
      give_up();
      return failure("does not converge by relaxation", begin, end, agreement.row);
    }
    VectorXd off(unknowns_ / 2);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto first = static_cast<Index>(links_[i].first);
      const Socket& from = sockets_[static_cast<std::size_t>(links_[i].points[0].from.front().socket)];
      // Gaps are counted from `from` to `to`; what the motion lacks depends on which of them takes it.
      off.segment(static_cast<Index>(i) * s, s) = (from.takes_motion ? 1.0 : -1.0) * e.segment(first, s);
    }
    if (before.size() > 0) {
      const VectorXd change = off - before;
      relaxation *= -before.dot(change) / change.squaredNorm();
      relaxation = std::clamp(relaxation, -kMostRelaxation, kMostRelaxation);
    }
    before = off;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      z.segment(static_cast<Index>(links_[i].first) + s, s) += relaxation * off.segment(static_cast<Index>(i) * s, s);
    }
  }
}

void GluedGroup::give_up() {
  for (Member& member : members_) {
    // A member that cannot even go back has said so by its own error.
    (void)restore_member(member);
    for (std::size_t i = 0; i < member.part.ports.size(); ++i) {
      if (!member.is_socket_port[i]) member.part.ports[i]->outbox.clear();
    }
  }
}

void GluedGroup::accept(const Solution& solution, double begin, double end) {
  const std::size_t s = nodes();
  const VectorXd& z = solution.z;
  const std::uint64_t corrections = solution.corrections;
  const double length = end - begin;
  for (Socket& socket : sockets_) {
    socket.work = socket.impulse = 0.0;
    for (std::size_t a = 0; a < socket.axes; ++a) {
      const std::span<const double> values(socket.inputs.data() + a * s, s);
      if (socket.takes_motion) socket.position += length * shape_.integral(1.0, values, socket.before[a]);
      socket.before[a] = values[s - 1];
      const wave::Sample& last = socket.axis(a).outbox.back();
      socket.work += last.work;
      socket.impulse += last.impulse;
    }
    socket.begin = socket.at_nodes[s - 1];
  }
  for (Member& member : members_) {
    for (std::size_t i = 0; i < member.part.ports.size(); ++i) {
      std::vector<wave::Sample>& outbox = member.part.ports[i]->outbox;
      if (!member.is_socket_port[i]) member.kept[i].insert(member.kept[i].end(), outbox.begin(), outbox.end());
      outbox.clear();
    }
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(unknowns_) / s; ++d) {
    const auto last = static_cast<Index>(d * s + s - 1);
    ends_[static_cast<Index>(d)] = last_length_ > 0.0 || shape_.is_continuous() ? last_[last] : z[last];
  }
  last_ = z;
  last_length_ = length;
  time_ = end;
  ++macro_steps_;
  ++outer_step_;
  ++figures_.steps;
  figures_.corrections += corrections;
  figures_.most_corrections = std::max(figures_.most_corrections, corrections);
  figures_.longest_step = std::max(figures_.longest_step, length);
  figures_.shortest_step = figures_.steps == 1 ? length : std::min(figures_.shortest_step, length);
  note_drift();
  close_books(end, corrections);
  if (!is_outermost_) return;
  for (Member& member : members_) {
    for (HeldSink* sink : member.part.sinks) sink->release();
  }
}

void GluedGroup::close_books(double end, std::uint64_t corrections) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    std::array<double, 2> work{}, impulse{};
    for (std::size_t side = 0; side < 2; ++side) {
      for (const int index : side == 0 ? link.spec.from : link.spec.to) {
        // What several connections share is divided among them; their sum is right.
        const Socket& socket = sockets_[static_cast<std::size_t>(index)];
        work[side] += socket.work / socket.users;
        impulse[side] += socket.impulse / socket.users;
      }
    }
    link.audit.add(work[0], work[1], impulse[0], impulse[1]);
    link.recent_corrections = std::max(link.recent_corrections, corrections);
    write_row_of(i, end);
  }
}

double GluedGroup::step_error(const VectorXd& z, double length) const {
  const std::size_t s = nodes();
  VectorXd part(unknowns_);
  for (std::size_t first = 0; first < static_cast<std::size_t>(unknowns_); first += s) {
    const double before = ends_[static_cast<Index>(first / s)];
    shape_.highest_part({z.data() + first, s}, before, {part.data() + first, s});
  }
  const auto found = std::find_if(matrices_.begin(), matrices_.end(), [&](const KnownMatrix& known) {
    return std::abs(known.length - length) <= kSameLength * length;
  });
  if (found == matrices_.end() || found->matrix.is_empty()) return 0.0;
  const VectorXd moved = found->matrix.response_to(part);
  double worst = 0.0;
  for (const Link& link : links_) {
    for (std::size_t row = 0; row < link.points.size() * link.directions; ++row) {
      const double scale =
          std::max(size_of(link, row % link.directions, link.kind == Kind::x_x), std::numeric_limits<double>::min());
      for (std::size_t node = 0; node < s; ++node) {
        worst = std::max(worst, std::abs(moved[static_cast<Index>(link.first + row * s + node)]) / scale);
      }
    }
  }
  return worst / *settings_.step_tolerance;
}

Result<void> GluedGroup::advance_fixed(const core::Window& window) {
  // Equal steps from the window's begin to its end, as long as stated or a little shorter.
  const double length = window.end - time_;
  const double wanted = settings_.step.value_or(length);
  const auto count = static_cast<std::int64_t>(std::max(1.0, std::ceil(length / wanted * (1.0 - kSameLength))));
  const double first = time_;
  for (std::int64_t k = 1; k <= count; ++k) {
    if (core::is_cancelled(window)) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request", .component = name(), .time = time_};
    }
    const double end = k == count ? window.end : first + static_cast<double>(k) * (length / static_cast<double>(count));
    const bool is_relaxed = settings_.update == MatrixUpdate::aitken;
    auto solved = is_relaxed ? relax_step(time_, end, window) : solve_step(time_, end, window);
    if (!solved) return solved.error();
    accept(*solved, time_, end);
  }
  return {};
}

Result<void> GluedGroup::advance_controlled(const core::Window& window) {
  const double least = settings_.smallest_step.value_or(1e-6 * (window.end - window.begin));
  const double most = settings_.largest_step.value_or(std::numeric_limits<double>::infinity());
  if (planned_step_ == 0.0) planned_step_ = settings_.step.value_or(1e-2 * (window.end - time_));
  const double power = -1.0 / (shape_.degree() + 1.0);
  while (time_ < window.end) {
    if (core::is_cancelled(window)) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request", .component = name(), .time = time_};
    }
    const double rest = window.end - time_, begin = time_;
    double length = std::min(planned_step_, most);
    // No tiny rest, and none that is cut off.
    const bool is_last = length > rest * (1.0 - 1e-3);
    if (!is_last && 2.0 * length > rest) length = 0.5 * rest;
    const double end = is_last ? window.end : time_ + length;
    length = end - begin;
    auto solved = solve_step(begin, end, window);
    if (!solved && (solved.error().code == ErrorCode::cancelled || length <= least)) return solved.error();
    const double error = solved ? step_error(solved->z, length) : std::numeric_limits<double>::infinity();
    const double factor = std::clamp(kSafety * std::pow(std::max(error, 1e-12), power), kMostShrink, kMostGrowth);
    if (error > 1.0 && length > least) {
      if (solved) give_up();
      ++figures_.rejected_steps;
      planned_step_ = std::max(least, length * factor);
      continue;
    }
    accept(*solved, begin, end);
    // A window's end that cut the step says nothing about the next one.
    const double wanted = length * factor;
    planned_step_ = is_last ? std::max(planned_step_, wanted) : wanted;
    planned_step_ = std::clamp(planned_step_, least, most);
  }
  return {};
}

}  // namespace tieline::engine
