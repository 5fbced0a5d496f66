#include "components/joined_model.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "components/movable_ports.hpp"

namespace tieline::components {
namespace {

constexpr int kMostJoinedCorrections = 30;
constexpr int kMostJoinedHalvings = 12;
// Signals agree to this share of the largest of them.
constexpr double kSignalTolerance = 1e-13;
// Where corrections do not help any more, this is good enough: rounding of what the outputs are made of.
constexpr double kSignalRounding = 1e-10;
// Differences for derivatives, as a share of the signal, or of this where it is small.
constexpr double kSignalDifference = 1e-7;
constexpr double kSmallSignal = 1e-6;
// A new derivative is found where a correction leaves more than this share of the defect.
constexpr double kSlowCorrection = 0.1;
constexpr double kJoinedDifference = 1e-7;
// One knot beyond all times is a straight value for every reader.
constexpr double kAfterAll = 1e300;
constexpr std::size_t kMostNamedSignals = 12;

}  // namespace

JoinedModel::JoinedModel(std::vector<std::unique_ptr<OdeModel>> members, std::vector<JoinedSignal> signals)
    : signals_(std::move(signals)), first_state_{0}, first_column_{0} {
  std::size_t port_count = 0, most_ports = 0;
  for (auto& equations : members) {
    const std::size_t own = equations->ports().size();
    first_column_.push_back(first_column_.back() + equations->columns().size());
    members_.push_back({std::move(equations), port_count, own});
    port_count += own;
    most_ports = std::max(most_ports, own);
  }
  ports_.resize(port_count);
  for (Member& member : members_) {
    dynamic_cast<MovablePorts&>(*member.equations)
        .move_ports(std::span(ports_).subspan(member.first_port, member.port_count));
  }
  const auto n = static_cast<Eigen::Index>(signals_.size());
  for (Eigen::VectorXd* vector : {&values_, &rates_, &defect_, &moved_, &change_, &kept_}) vector->setZero(n);
  derivative_.setZero(n, n);
  outputs_.resize(port_count);
  for (const JoinedSignal& signal : signals_) {
    core::Port& port = ports_[members_[signal.to_member].first_port + signal.to_port];
    port.incoming.set_interpolation(wave::Interpolation::cubic);
  }
  for (const Member& member : members_) {
    first_state_.push_back(first_state_.back() + static_cast<std::size_t>(member.equations->size()));
  }
}

std::span<core::Port> JoinedModel::ports_of(std::size_t member) {
  return std::span(ports_).subspan(members_[member].first_port, members_[member].port_count);
}

core::Port& JoinedModel::input_of(std::size_t signal) {
  return ports_[members_[signals_[signal].to_member].first_port + signals_[signal].to_port];
}

void JoinedModel::set_inputs() {
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    wave::Track& track = input_of(k).incoming;
    track.clear();
    const auto i = static_cast<Eigen::Index>(k);
    track.push({kAfterAll, 0.0, values_[i], rates_[i]});
  }
}

bool JoinedModel::evaluate(std::size_t member, double t, wave::Side side, std::span<const double> y) {
  OdeModel& equations = *members_[member].equations;
  const std::span<const double> own = states_of(member, y);
  const std::span<double> own_rates = states_of(member, std::span<double>(ydot_));
  if (!equations.rhs(t, side, own, own_rates)) return false;
  equations.observe(t, side, own, own_rates,
                    std::span(outputs_).subspan(members_[member].first_port, members_[member].port_count));
  return true;
}

bool JoinedModel::find_defect(double t, wave::Side side, std::span<const double> y, bool of_rates,
                              Eigen::VectorXd& defect) {
  set_inputs();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!evaluate(m, t, side, y)) return false;
  }
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const PortOutput& output = outputs_[members_[signals_[k].from_member].first_port + signals_[k].from_port];
    const core::Relation& relation = signals_[k].relation;
    const auto i = static_cast<Eigen::Index>(k);
    defect[i] = of_rates ? rates_[i] - relation.rate(output.flow_rate) : values_[i] - relation.value(output.flow);
  }
  return defect.allFinite();
}

void JoinedModel::find_derivative(double t, wave::Side side, std::span<const double> y) {
  // An output is the input less the defect: a difference must show beside either, also where the inputs are still zero.
  const double size = std::max((values_ - defect_).lpNorm<Eigen::Infinity>(), values_.lpNorm<Eigen::Infinity>());
  for (Eigen::Index j = 0; j < values_.size(); ++j) {
    const double kept = values_[j];
    values_[j] += kSignalDifference * std::max(kSmallSignal, size);
    const double by = values_[j] - kept;
    if (find_defect(t, side, y, false, moved_)) {
      derivative_.col(j) = (moved_ - defect_) / by;
    } else {
      derivative_.col(j).setZero();
      derivative_(j, j) = 1.0;
    }
    values_[j] = kept;
  }
  factors_.compute(derivative_);
  has_factors_ = true;
}

bool JoinedModel::solve_values(double t, wave::Side side, std::span<const double> y) {
  if (!find_defect(t, side, y, false, defect_)) return false;
  double worst = defect_.lpNorm<Eigen::Infinity>();
  bool is_fresh = false;
  for (int round = 0; round < kMostJoinedCorrections; ++round) {
    // An output is the input less the defect: the size of either counts.
    const double size = std::max(values_.lpNorm<Eigen::Infinity>(), (values_ - defect_).lpNorm<Eigen::Infinity>());
    if (worst <= kSignalTolerance * size) return true;
    if (!has_factors_) {
      find_derivative(t, side, y);
      is_fresh = true;
    }
    change_ = factors_.solve(defect_);
    if (!change_.allFinite()) return worst <= kSignalRounding * size;
    kept_ = values_;
    double before = worst;
    bool has_improved = false;
    double share = 1.0;
    for (int halving = 0; halving <= kMostJoinedHalvings && !has_improved; ++halving, share *= 0.5) {
      values_ = kept_ - share * change_;
      const bool is_finite = find_defect(t, side, y, false, moved_);
      worst = is_finite ? moved_.lpNorm<Eigen::Infinity>() : std::numeric_limits<double>::infinity();
      has_improved = worst < before;
      if (!is_fresh) break;  // a new derivative helps more than a shorter step with an old one
    }
    if (has_improved) defect_ = moved_;
    if (!has_improved) {
      values_ = kept_;
      worst = before;
      if (is_fresh) {
        find_defect(t, side, y, false, defect_);
        // In a loop of a large gain the defect is large where the signals are right: the correction decides.
        return worst <= kSignalRounding * size || change_.lpNorm<Eigen::Infinity>() <= kSignalRounding * size;
      }
      find_defect(t, side, y, false, defect_);
    }
    if (!has_improved || worst > kSlowCorrection * before) has_factors_ = false;
    is_fresh = false;
  }
  return false;
}

/// The rates of inputs and outputs are tied by the same derivative; nothing is nonlinear about them.
void JoinedModel::solve_rates(double t, wave::Side side, std::span<const double> y) {
  for (int round = 0; round < 3; ++round) {
    if (!find_defect(t, side, y, true, moved_)) break;
    const double worst = moved_.lpNorm<Eigen::Infinity>();
    if (worst <= kSignalRounding * std::max(rates_.lpNorm<Eigen::Infinity>(), worst) || !has_factors_) return;
    change_ = factors_.solve(moved_);
    if (!change_.allFinite()) return;
    rates_ -= change_;
  }
  find_defect(t, side, y, true, moved_);
}

bool JoinedModel::solve(double t, wave::Side side, std::span<const double> y) {
  is_unsolved_ = !solve_values(t, side, y);
  unsolved_at_ = t;
  if (is_unsolved_) {
    // What was found on the way is no place to start from.
    values_.setZero();
    rates_.setZero();
    has_factors_ = false;
    return false;
  }
  if (!has_factors_) find_derivative(t, side, y);
  solve_rates(t, side, y);
  return true;
}

bool JoinedModel::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  if (!solve(t, side, y)) return false;
  std::copy(ydot_.begin(), ydot_.end(), ydot.begin());
  return true;
}

bool JoinedModel::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  const auto n = static_cast<std::size_t>(size());
  std::copy(y.begin(), y.end(), shifted_.begin());
  if (!rhs(t, wave::Side::left, y, shifted_rates_)) return false;
  for (std::size_t j = 0; j < n; ++j) {
    const double by = kJoinedDifference * std::max(1e-3, std::abs(y[j]));
    shifted_[j] = y[j] + by;
    if (!solve(t, wave::Side::left, shifted_)) return false;
    for (std::size_t i = 0; i < n; ++i) columns[j * n + i] = (ydot_[i] - shifted_rates_[i]) / by;
    shifted_[j] = y[j];
  }
  return true;
}

double JoinedModel::unseen_input(double t, double t_end, double relative_tolerance) {
  double worst = 0.0;
  for (Member& member : members_) worst = std::max(worst, member.equations->unseen_input(t, t_end, relative_tolerance));
  return worst;
}

int JoinedModel::guard_count() const { return static_cast<int>(first_guard(members_.size())); }

std::size_t JoinedModel::first_guard(std::size_t member) const {
  std::size_t count = 0;
  for (std::size_t m = 0; m < member; ++m) count += static_cast<std::size_t>(members_[m].equations->guard_count());
  return count;
}

std::pair<std::size_t, int> JoinedModel::own_guard(int index) const {
  std::size_t member = 0;
  while (index >= members_[member].equations->guard_count()) index -= members_[member++].equations->guard_count();
  return {member, index};
}

std::string JoinedModel::guard_name(int index) const {
  const auto [member, own] = own_guard(index);
  return members_[member].equations->guard_name(own);
}

void JoinedModel::guards(double t, std::span<const double> y, std::span<double> values) {
  (void)solve(t, wave::Side::left, y);
  std::size_t next = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    OdeModel& equations = *members_[m].equations;
    const auto count = static_cast<std::size_t>(equations.guard_count());
    if (count > 0) equations.guards(t, states_of(m, y), values.subspan(next, count));
    next += count;
  }
}

core::Result<std::vector<double>> JoinedModel::begin(double t0) {
  has_factors_ = false;
  std::vector<double> y, before;
  // What a member starts with may depend on the outputs of others.
  for (std::size_t round = 0; round <= members_.size() + 1; ++round) {
    set_inputs();
    y.clear();
    for (Member& member : members_) {
      auto own = member.equations->begin(t0);
      if (!own) return own;
      y.insert(y.end(), own->begin(), own->end());
    }
    for (std::size_t m = 0; m < members_.size(); ++m) {
      first_state_[m + 1] = first_state_[m] + static_cast<std::size_t>(members_[m].equations->size());
    }
    ydot_.assign(y.size(), 0.0);
    shifted_.assign(y.size(), 0.0);
    shifted_rates_.assign(y.size(), 0.0);
    guard_values_.assign(static_cast<std::size_t>(guard_count()), 0.0);
    const Eigen::VectorXd values_before = values_;
    if (!solve(t0, wave::Side::right, y)) return *failure();
    if (round > 0 && y == before && values_before == values_) break;
    before = y;
  }
  settle_modes(t0, y);
  if (is_unsolved_) return *failure();
  return y;
}

/// Several guards may be due at once, and one change may call for another.
bool JoinedModel::settle_modes(double t, std::span<double> y) {
  bool has_changed = false;
  for (std::size_t round = 0; round < 2 * guard_values_.size(); ++round) {
    if (!solve(t, wave::Side::right, y)) break;
    std::size_t next = 0;
    bool is_due = false;
    for (std::size_t m = 0; m < members_.size() && !is_due; ++m) {
      OdeModel& equations = *members_[m].equations;
      const auto count = static_cast<std::size_t>(equations.guard_count());
      const std::span<double> own = std::span(guard_values_).subspan(next, count);
      if (count > 0) equations.guards(t, states_of(m, std::span<const double>(y)), own);
      const auto due = std::find_if(own.begin(), own.end(), [](double guard) { return guard < 0.0; });
      is_due = due != own.end();
      if (is_due) equations.on_guard(static_cast<int>(due - own.begin()), t, states_of(m, y));
      next += count;
    }
    if (!is_due) break;
    has_factors_ = false;
    has_changed = true;
  }
  return has_changed;
}

bool JoinedModel::on_break(double t, std::span<double> y) {
  bool has_changed = false;
  // A jump goes round from member to member: as many rounds as there are members take it everywhere.
  for (std::size_t round = 0; round <= members_.size(); ++round) {
    const Eigen::VectorXd before = values_;
    if (!solve(t, wave::Side::right, y)) break;
    bool is_changed_now = before != values_;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      is_changed_now = members_[m].equations->on_break(t, states_of(m, y)) || is_changed_now;
    }
    has_factors_ = false;
    has_changed = has_changed || is_changed_now;
    if (!is_changed_now) break;
  }
  has_changed = settle_modes(t, y) || has_changed;
  (void)solve(t, wave::Side::right, y);
  return has_changed;
}

void JoinedModel::on_guard(int index, double t, std::span<double> y) {
  (void)solve(t, wave::Side::right, y);
  const auto [member, own] = own_guard(index);
  members_[member].equations->on_guard(own, t, states_of(member, y));
  has_factors_ = false;
  settle_modes(t, y);
  (void)solve(t, wave::Side::right, y);
}

bool JoinedModel::on_step(double t, std::span<const double> y) {
  bool has_break = false;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    has_break = members_[m].equations->on_step(t, states_of(m, y)) || has_break;
  }
  return has_break;
}

std::optional<core::Error> JoinedModel::failure() const {
  for (const Member& member : members_) {
    if (auto failed = member.equations->failure()) return failed;
  }
  if (!is_unsolved_) return std::nullopt;
  std::set<std::string> names;
  for (const JoinedSignal& signal : signals_) names.insert(signal.name);
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kMostNamedSignals) break;
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  }
  if (names.size() > kMostNamedSignals) text += fmt::format(" and {} more", names.size() - kMostNamedSignals);
  return core::Error{
      .code = core::ErrorCode::step_failed,
      .message =
          fmt::format("the signals {} depend on one another at the same time (an algebraic loop), and no solution was "
                      "found; give one of them a delay, or change the components so that the loop has a solution",
                      text),
      .time = unsolved_at_};
}

std::string JoinedModel::snapshot_obstacle() const {
  for (const Member& member : members_) {
    if (auto obstacle = member.equations->snapshot_obstacle(); !obstacle.empty()) return obstacle;
  }
  return {};
}

std::vector<int> JoinedModel::scale_classes() const {
  std::vector<int> classes;
  int first = 0;
  for (const Member& member : members_) {
    int most = -1;
    for (const int own : member.equations->scale_classes()) {
      classes.push_back(first + own);
      most = std::max(most, own);
    }
    first += most + 1;
  }
  return classes;
}

std::vector<double> JoinedModel::stated_scales() const { return {}; }

void JoinedModel::natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const {
  for (std::size_t m = 0; m < members_.size(); ++m)
    members_[m].equations->natural_sizes(t, side, while_length, states_of(m, sizes));
}

void JoinedModel::observe(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                          std::span<PortOutput> outputs) {
  (void)solve(t, side, y);
  std::copy(outputs_.begin(), outputs_.end(), outputs.begin());
}

void JoinedModel::powers(double t, std::span<const double> y, Powers& powers) {
  (void)solve(t, wave::Side::left, y);
  powers.dissipated = powers.supplied = 0.0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    Powers own{.through_ports = powers.through_ports.subspan(member.first_port, member.port_count)};
    if (!powers.efforts.empty()) own.efforts = powers.efforts.subspan(member.first_port, member.port_count);
    member.equations->powers(t, states_of(m, y), own);
    powers.dissipated += own.dissipated;
    powers.supplied += own.supplied;
  }
}

std::vector<core::Column> JoinedModel::columns() const {
  std::vector<core::Column> all;
  for (const Member& member : members_) {
    const auto own = member.equations->columns();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void JoinedModel::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                         std::span<double> values) {
  (void)solve(t, side, y);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    // What a member records it may take from its last evaluation.
    (void)evaluate(m, t, side, y);
    const std::span<const double> own_rates = states_of(m, std::span<const double>(ydot_));
    members_[m].equations->record(t, side, states_of(m, y), own_rates,
                                  values.subspan(first_column_[m], first_column_[m + 1] - first_column_[m]));
  }
}

double JoinedModel::next_break(double t) const {
  double next = wave::Track::kNever;
  for (const Member& member : members_) next = std::min(next, member.equations->next_break(t));
  return next;
}

double JoinedModel::jump_work(double t) const {
  double work = 0.0;
  for (const Member& member : members_) work += member.equations->jump_work(t);
  return work;
}

const JoinedModel::Member& JoinedModel::owner_of(std::size_t port) const {
  return *std::find_if(members_.begin(), members_.end(),
                       [&](const Member& member) { return port < member.first_port + member.port_count; });
}

double JoinedModel::position_origin(std::size_t port) const {
  const Member& owner = owner_of(port);
  return owner.equations->position_origin(port - owner.first_port);
}

std::vector<solvers::OdeSystem::Motion> JoinedModel::motions() const {
  std::vector<Motion> motions;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const int first = static_cast<int>(first_state_[m]);
    for (const Motion& motion : members_[m].equations->motions()) {
      motions.push_back({first + motion.position, first + motion.flow});
    }
  }
  return motions;
}

std::vector<OdeModel::Driven> JoinedModel::choose_driven(double stretch) {
  std::vector<Driven> nodes;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const int first = static_cast<int>(first_state_[m]);
    for (const Driven& node : members_[m].equations->choose_driven(stretch)) {
      nodes.push_back({members_[m].first_port + node.port, first + node.position, first + node.flow});
    }
  }
  return nodes;
}

wave::TrackValue JoinedModel::driven_motion(std::size_t port, double t0, double t, wave::Side side) const {
  const Member& owner = owner_of(port);
  return owner.equations->driven_motion(port - owner.first_port, t0, t, side);
}

void JoinedModel::limit_sizes(std::span<const double> efforts, std::span<double> sizes) const {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    member.equations->limit_sizes(efforts.subspan(member.first_port, member.port_count), states_of(m, sizes));
  }
}

bool JoinedModel::moves_by_states(std::size_t port) const {
  const Member& owner = owner_of(port);
  return owner.equations->moves_by_states(port - owner.first_port);
}

bool JoinedModel::knows_what_moves() const {
  return std::all_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.equations->knows_what_moves(); });
}

std::optional<core::Energy> JoinedModel::energy(double t, std::span<const double> y) const {
  std::optional<core::Energy> sum;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const auto own = members_[m].equations->energy(t, states_of(m, y));
    if (!own) continue;
    if (!sum) sum.emplace();
    sum->add(*own);
  }
  return sum;
}

void JoinedModel::save_modes(core::ArchiveWriter& archive) const {
  archive.tag("joined");
  const auto numbers = [](const auto& matrix) {
    return std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size()));
  };
  archive.put_span<double>(numbers(values_));
  archive.put_span<double>(numbers(rates_));
  archive.put(has_factors_);
  archive.put_span<double>(numbers(derivative_));
  for (const Member& member : members_) member.equations->save_modes(archive);
}

void JoinedModel::restore_modes(core::ArchiveReader& archive) {
  archive.expect_tag("joined");
  const auto numbers = [](auto& matrix) {
    return std::span<double>(matrix.data(), static_cast<std::size_t>(matrix.size()));
  };
  archive.get_span<double>(numbers(values_));
  archive.get_span<double>(numbers(rates_));
  archive.get(has_factors_);
  archive.get_span<double>(numbers(derivative_));
  if (has_factors_) factors_.compute(derivative_);
  for (Member& member : members_) member.equations->restore_modes(archive);
}

}  // namespace tieline::components
