// The iteration of a gluing: trials, corrections, probings, acceptance.
//
// [Wang2003] Wang, Ma, Hulbert: A Gluing Algorithm for Distributed Simulation of Multibody Systems.
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
// Gaps that have stopped shrinking below so many tolerances come from the solvers of members.
constexpr double kMostNoise = 1e4;
constexpr std::size_t kNoiseTrials = 4;
constexpr std::string_view kNoiseNote = "gaps have stopped shrinking";
// A matrix with silent directions is probed again once a body has turned this far [rad].
constexpr double kLongTurn = 0.3;
// Of a step that fails so many trials are shown, from its start and its end.
constexpr std::size_t kFirstShown = 4, kLastShown = 12;
// Trials whose gaps shrink by less than this have stopped converging.
constexpr double kStalled = 0.2;
// Matrices of so many lengths of steps are kept.
constexpr std::size_t kMostMatrices = 8;
// Lengths that differ by roundings are one.
constexpr double kSameLength = 1e-9;
// Degrees by which constant forces are carried on from the last steps.
constexpr int kMostForeseen = 3;
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

/// Constant forces of equal steps: through as many of the last ones as would have foreseen the last one best.
VectorXd GluedGroup::predict_constant(double length) const {
  if (earlier_.empty() || std::abs(length - last_length_) > kSameLength * length) return last_;
  const auto at = [&](std::size_t i) -> const VectorXd& { return i == 0 ? last_ : earlier_[i - 1]; };
  const auto foreseen = [&](std::size_t first, int degree) -> VectorXd {
    if (degree == 0) return at(first);
    if (degree == 1) return 2.0 * at(first) - at(first + 1);
    return 3.0 * (at(first) - at(first + 1)) + at(first + 2);
  };
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int degree = 0; degree < kMostForeseen && static_cast<std::size_t>(degree) < earlier_.size(); ++degree) {
    const double off = (foreseen(1, degree) - last_).norm();
    if (!(off < least)) continue;
    least = off;
    best = degree;
  }
  return foreseen(0, best);
}

/// Before forces of other steps are forgotten.
void GluedGroup::remember(double length) {
  const bool is_equal = std::abs(length - last_length_) <= kSameLength * length;
  if (shape_.degree() > 0 || !is_equal) {
    earlier_.clear();
    return;
  }
  earlier_.insert(earlier_.begin(), last_);
  if (earlier_.size() > static_cast<std::size_t>(kMostForeseen)) earlier_.pop_back();
}

VectorXd GluedGroup::predict(double length) const {
  if (last_length_ == 0.0) return last_;
  if (shape_.degree() == 0) return predict_constant(length);
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
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const bool is_shown = i < kFirstShown || i + kLastShown >= history_.size();
    if (is_shown) trials.push_back(fmt::format("{:.2g}", history_[i]));
    if (!is_shown && i == kFirstShown) trials.emplace_back("...");
  }
  const Link& link = link_of(row);
  const std::size_t direction = (static_cast<std::size_t>(row) - link.first) / nodes() % link.directions;
  return {
      .code = ErrorCode::step_failed,
      .message = fmt::format("gluing step {} (to {:.9g} s) {}; the largest gap is at {} ({:.2g}{}); gaps of its trials "
                             "in units of the tolerance: {}. {}",
                             macro_steps_ + 1, end, what, describe_unknown(row), std::abs(last_gap_),
                             unit_of(link, direction), fmt::join(trials, ", "), remedy(end - begin)),
      .component = name(),
      .time = begin};
}

/// What to change, the likeliest first.
std::string GluedGroup::remedy(double length) const {
  const std::size_t n = history_.size();
  const bool is_stalled = n > kFirstShown && std::isfinite(history_[n - 1]) &&
                          history_[n - 1] > kStalled * history_[n - 2] && history_[n - 1] < kFarOff;
  const std::string step = fmt::format("a smaller step (now {:.3g} s)", length);
  const std::string accuracy = fmt::format(
      "a larger tolerance (now {:.2g}) or absolute_tolerance (now {:.2g}; {:.1g} would accept this gap) of <Gluing>, a "
      "smaller tolerance of the components' solvers",
      settings_.tolerance, settings_.absolute_tolerance, 1.5 * std::abs(last_gap_));
  if (is_stalled) return fmt::format("Gaps have stopped shrinking. Use {}; or {}", accuracy, step);
  return fmt::format("Use {}; {}", step,
                     n > 0 ? "or " + accuracy : "or a smaller tolerance of the components' solvers");
}

/// A member's own error in a trial, with its place in the gluing.
Error GluedGroup::member_failure(Error error, const Iteration& now, double end) const {
  if (step_watch_.has_expired()) {
    Error late = failure(fmt::format("did not end within {:g} s of wall time (most_seconds of <Gluing>): it was in "
                                     "trial {}, in component '{}'",
                                     settings_.most_seconds, now.trials, error.component),
                         time_, end, now.row);
    return late;
  }
  const bool is_cancelled = error.code == ErrorCode::cancelled;
  error.message = fmt::format("in step {} of gluing '{}', trial {}: {}{}", macro_steps_ + 1, name(), now.trials,
                              error.message, is_cancelled ? "" : ". " + remedy(end - time_));
  return error;
}

Result<void> GluedGroup::refresh(KnownMatrix& known, const VectorXd& z, double begin, double end,
                                 const core::Window& window) {
  coupling::ProbedResponse response;
  const auto run = [&](std::size_t member) { return run_member(member, begin, end, window); };
  const double wall = now_seconds();
  auto probed = probe(z, end - begin, window, run, response, known.parts);
  figures_.seconds_members += now_seconds() - wall;
  if (!probed) return probed;
  ++figures_.refreshes;
  if (!response.gaps.allFinite()) return failure("has a response that is not finite", begin, end, 0);
  if (!known.matrix.set(std::move(response))) note_silence(known.matrix);
  note_axes(known);
  figures_.condition = std::max(figures_.condition, known.matrix.condition());
  return {};
}

/// Learns from the last trial, and probes where it is time to. An error if there is no more to be tried.
Result<void> GluedGroup::better_matrix(KnownMatrix& known, Iteration& now, const Agreement& agreement, bool is_worse,
                                       const core::Window& step) {
  const bool learns = now.dz.size() > 0 && !is_linear_;
  if (learns && settings_.update == MatrixUpdate::broyden) known.matrix.learn(now.dz, now.e - now.e_before);
  if (learns && settings_.update == MatrixUpdate::iqn_ils) known.matrix.keep(now.dz, now.e - now.e_before);
  turn_with_trial();
  const bool is_each = settings_.refresh == MatrixRefresh::every_iteration;
  // Silence is of a configuration; one that is not that of turned bodies alone needs to be probed.
  bool is_old = false;
  for (std::size_t i = 0; i < known.probed_at.size() && known.matrix.has_silence() && now.probings == 0; ++i) {
    is_old = is_old || known.probed_at[i].angularDistance(sockets_[i].begin.pose.orientation) > kLongTurn;
  }
  const bool is_due = known.matrix.is_empty() || is_each || now.hides_gaps || is_old ||
                      (settings_.refresh == MatrixRefresh::every_step && now.probings == 0);
  const bool is_stuck = now.since_probing >= settings_.iterations || (is_worse && now.probings == 0);
  if (!is_due && !is_stuck) return {};
  if (!is_due && now.turnings == 0 && has_turned(known)) {
    ++now.turnings;
    now.since_probing = 0;
    turn(known);
    return {};
  }
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

Result<GluedGroup::Agreement> GluedGroup::judge_trial(const KnownMatrix& known, Iteration& now, double begin,
                                                      double end) {
  note_sizes();
  if (!known.matrix.is_empty()) note_reach(known.matrix, now.z);
  now.e = residual(end - begin);
  Agreement agreement = judge(now.e);
  now.hides_gaps = false;
  if (agreement.worst > 1.0 && known.matrix.has_silence()) {
    const VectorXd reachable = known.matrix.reachable(now.e);
    const Agreement rest = judge(reachable);
    // Silence is of the configuration in which it was probed.
    now.hides_gaps = now.probings == 0 && rest.worst <= 1.0;
    if (now.probings > 0) {
      agreement = rest;
      if (rest.worst <= 1.0) {
        if (auto closed = check_silence(now.e - reachable, begin, end); !closed) return closed.error();
      }
    }
  }
  now.row = agreement.row;
  last_gap_ = now.e[agreement.row];
  history_.push_back(agreement.worst);
  return agreement;
}

/// Within tolerance, or as far as rounding lets it go.
bool GluedGroup::is_good(const Iteration& now, const Agreement& agreement) const {
  if (agreement.worst <= 1.0) return true;
  const bool has_stopped = now.corrections > 1 && agreement.worst > 0.5 * now.worst_before;
  // What a linear problem's second correction does not halve is rounding.
  if (is_linear_ && has_stopped && agreement.worst < kMostRounding) return true;
  if (now.probings == 0) return false;
  if (has_stopped && now.since_probing > 1 && is_rest(now.e)) return true;
  return has_stopped_in_noise(agreement);
}

/// Gaps that corrections of this very step no longer close are what solvers leave open by their own tolerance.
bool GluedGroup::has_stopped_in_noise(const Agreement& agreement) const {
  if (history_.size() < 2 * kNoiseTrials || agreement.worst > kMostNoise) return false;
  const auto latest = history_.end() - static_cast<std::ptrdiff_t>(kNoiseTrials);
  const double least = *std::min_element(latest, history_.end());
  return least > 0.5 * *std::min_element(history_.begin(), latest) && agreement.worst < 2.0 * least;
}

/// Says once of a connection that its gaps stay open by more than the tolerance.
void GluedGroup::note_noise(const Iteration& now, const Agreement& agreement) {
  Link& link = links_[static_cast<std::size_t>(&link_of(agreement.row) - links_.data())];
  if (agreement.worst <= 1.0 || is_linear_ || is_rest(now.e) || link.note.find(kNoiseNote) != link.note.npos) return;
  link.note += fmt::format(
      "{}{} in step {}, at {:.2g} times the tolerance: the errors of its components' solvers are as large; lower their "
      "tolerance",
      link.note.empty() ? "" : "; ", kNoiseNote, macro_steps_ + 1, agreement.worst);
}

/// Forces to try first, over the step ahead.
GluedGroup::Iteration GluedGroup::first_guess(KnownMatrix& known, double length) {
  turn_with_start();
  history_.clear();
  // What was learnt is lost by it; but silent directions have to turn with their bodies.
  if ((settings_.update == MatrixUpdate::none || known.matrix.has_silence()) && has_turned(known)) turn(known);
  Iteration first{.z = predict(length)};
  // What nothing corrects, a polynomial would carry further and further.
  if (known.matrix.has_silence()) first.z = known.matrix.effective(first.z);
  return first;
}

/// Takes half of the last correction back; false if that was done often enough.
bool GluedGroup::halve_correction(Iteration& now) {
  if (now.halvings == kMostHalvings) return false;
  ++now.halvings;
  now.dz *= 0.5;
  now.z -= now.dz;
  return true;
}

void GluedGroup::correct(KnownMatrix& known, Iteration& now, double worst) {
  now.e_before = now.e;
  now.worst_before = worst;
  // Steps that suited forces far from the truth are not worth repeating.
  notes_steps_ = worst > kFarOff;
  const bool is_fitted = settings_.update == MatrixUpdate::iqn_ils;
  const VectorXd open = is_linear_ ? now.e : open_gaps(now.e);
  now.dz = is_fitted ? known.matrix.fitted_correction(open) : known.matrix.correction(open);
  now.z += now.dz;
  ++now.corrections;
  ++now.since_probing;
  now.halvings = 0;
}

/// Wang's algorithm 3 with what its authors leave open: when to probe, and what to do where a correction fails.
Result<GluedGroup::Solution> GluedGroup::solve_step(double begin, double end, const core::Window& window) {
  const Stopwatch watch(figures_.seconds_total);
  const WatchedScope limit(step_watch_, window.cancel, settings_.most_seconds);
  core::Window limited = window;
  limited.cancel = &step_watch_.flag();
  core::Window step = limited;
  step.begin = begin, step.end = end;
  if (auto saved = save_members(); !saved) return saved.error();
  KnownMatrix& known = matrix_for(end - begin);
  Iteration now = first_guess(known, end - begin);
  const auto fail = [&](Error error) {
    give_up();
    return error;
  };
  for (;;) {
    if (now.trials == settings_.most_trials) {
      return fail(failure(fmt::format("does not converge within {} trials (most_trials of <Gluing>)", now.trials),
                          begin, end, now.row));
    }
    ++now.trials;
    auto tried = trial(now.z, begin, end, limited);
    const bool has_corrected = now.dz.size() > 0;
    const bool is_cancelled = !tried && tried.error().code == ErrorCode::cancelled;
    if (!tried && (is_cancelled || !has_corrected || now.halvings == kMostHalvings)) {
      return fail(member_failure(std::move(tried.error()), now, end));
    }
    Agreement agreement{.worst = std::numeric_limits<double>::infinity()};
    if (tried) {
      auto judged = judge_trial(known, now, begin, end);
      if (!judged) return fail(std::move(judged.error()));
      agreement = *judged;
      if (is_good(now, agreement)) {
        note_noise(now, agreement);
        break;
      }
    }
    const bool is_worse = has_corrected && !(agreement.worst < kWorse * now.worst_before);
    const bool is_to_blame = now.probings > 0 || !std::isfinite(agreement.worst);
    if (is_worse && is_to_blame && halve_correction(now)) continue;
    const int probings = now.probings;
    if (auto bettered = better_matrix(known, now, agreement, is_worse, step); !bettered) {
      const bool is_late = bettered.error().code == ErrorCode::cancelled;
      return fail(is_late ? member_failure(std::move(bettered.error()), now, end) : std::move(bettered.error()));
    }
    if (now.probings > probings) {
      if (!std::exchange(is_degree_settled_, true) && swings_within(known.matrix)) {
        give_up();
        raise_degree();
        return solve_step(begin, end, window);
      }
      // What changes no gap is better not there.
      now.z = known.matrix.effective(now.z);
    }
    correct(known, now, agreement.worst);
  }
  return Solution{std::move(now.z), now.corrections};
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
    if (socket.is_led()) {
      const core::SpaceState reached = led_state(socket, 1.0, length);
      socket.led = reached.pose;
      for (std::size_t a = 0; a < socket.axes; ++a) {
        const auto k = static_cast<Index>(a % 3);
        // The next step counts rotations from here, where rates of their vectors are angular velocities.
        socket.before[a] = a < 3 ? reached.motion.velocity[k] : reached.motion.angular_velocity[k];
      }
    }
    for (std::size_t a = 0; a < socket.axes; ++a) {
      const std::span<const double> values(socket.inputs.data() + a * s, s);
      if (socket.takes_motion && !socket.is_led()) {
        socket.position += length * shape_.integral(1.0, values, socket.before[a]);
      }
      if (!socket.is_led()) socket.before[a] = values[s - 1];
      const wave::Sample& last = socket.axis(a).outbox.back();
      socket.work += last.work;
      socket.impulse += last.impulse / socket.spec.relation.factor;
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
  remember(length);
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
  note_held(length);
  note_drift();
  close_accounts(end, corrections);
  if (!is_outermost_) return;
  for (Member& member : members_) {
    for (HeldSink* sink : member.part.sinks) sink->release();
  }
}

void GluedGroup::close_accounts(double end, std::uint64_t corrections) {
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
  // Equal steps from the window's start to its end, as long as stated or a little shorter.
  const double length = window.end - time_;
  const double wanted = settings_.step.value_or(length);
  const auto count = static_cast<std::int64_t>(std::max(1.0, std::ceil(length / wanted * (1.0 - kSameLength))));
  const double first = time_;
  for (std::int64_t k = 1; k <= count; ++k) {
    if (core::is_cancelled(window)) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request", .component = name(), .time = time_};
    }
    const double end = k == count ? window.end : first + static_cast<double>(k) * (length / static_cast<double>(count));
    auto solved = is_led() ? lead_step(time_, end, window) : solve_step(time_, end, window);
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
