// Where model-exchange FMUs stand at rest.
//
// Every state x is to stand still under the forces S that springs put on the interfaces where these then are:
// f(x, S(x)) = 0. A step solves (s - df/dx) dx = f, an implicit step of length 1/s: Newton's method where s is small,
// and with larger ones a fall that loses its speed. Derivatives are differences, since S changes with x as well.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "fmi/me_model.hpp"

namespace tieline::fmi {

namespace {

constexpr double kLeastRestShift = 1e-5;  ///< [1/s]: Newton's method, but for directions in which nothing holds
constexpr double kSlowRestShift = 1.0;    ///< where Newton's method does not come nearer
constexpr double kMostRestShift = 1e9;
constexpr int kMostRestSteps = 400;
// Rates are at rest below this share of the largest that have been seen.
constexpr double kAtRest = 1e-9;
// Roundings of a state, which is counted as this share of its nominal value at least.
constexpr double kRestRounding = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kSmallState = 1e-3;
// Changes of a state for differences, as a share of its size; moves of partners [m], [rad].
constexpr double kRestDifference = 1e-7;
constexpr double kPartnerMove = 1e-6;
// An event at the place of rest may change it.
constexpr int kMostRestEvents = 10;

core::Error no_rest(std::string message) { return {.code = core::ErrorCode::bad_input, .message = std::move(message)}; }

void hold(core::Port& port, double t, double value) {
  const wave::Knot knot{t, 0.0, value, 0.0};
  port.incoming.assign(wave::Interpolation::hold, std::span(&knot, 1));
}

/// What the ports have coming in, to be put back once springs no longer pull at them.
class KeptTracks {
 public:
  explicit KeptTracks(std::span<core::Port> ports) : ports_(ports) {
    for (const core::Port& port : ports) tracks_.push_back(port.incoming);
  }
  ~KeptTracks() {
    for (std::size_t i = 0; i < tracks_.size(); ++i) ports_[i].incoming = tracks_[i];
  }
  KeptTracks(const KeptTracks&) = delete;
  KeptTracks& operator=(const KeptTracks&) = delete;

 private:
  std::span<core::Port> ports_;
  std::vector<wave::Track> tracks_;
};

}  // namespace

core::Equilibrium* MeModel::equilibrium() {
  const bool is_wanted = std::any_of(members_.begin(), members_.end(),
                                     [](const MeMember& member) { return member.starts_in_equilibrium; });
  return is_wanted ? this : nullptr;
}

core::Result<void> MeModel::put_springs(std::span<const core::SpringEnd> ends) {
  rest_ends_.clear();
  for (const core::SpringEnd& spring : ends) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      for (std::size_t i = 0; i < members_[p].spec.interfaces.size(); ++i) {
        const std::size_t place = first_interface_[p] + i;
        const bool is_there = spring.interface != nullptr ? set_.spatial(place) == spring.interface
                                                          : set_.ports_of(place).data() == spring.port;
        if (!is_there) continue;
        const InterfaceMap& map = members_[p].spec.interfaces[i];
        if (map.position.empty() || map.takes_wave()) {
          return no_rest(fmt::format("its interface '{}' {}, so that no equilibrium can be found", map.shape.name,
                                     map.takes_wave() ? "takes waves" : "reports no position"));
        }
        rest_ends_.push_back({spring, p, i});
      }
    }
  }
  return {};
}

core::EndPlace MeModel::place_now(const RestEnd& end) const {
  const core::InterfaceState& state = parts_[end.part]->exchange().states()[end.interface];
  return {.pose = state.pose, .position = state.position};
}

void MeModel::pull_by_springs() {
  for (const RestEnd& end : rest_ends_) {
    const core::SpringEnd& spring = end.spring;
    const core::EndPlace own = place_now(end);
    const double sign = spring.is_to ? 1.0 : -1.0;
    if (spring.interface == nullptr) {
      const double stretch = sign * (own.position - spring.partner.position);
      hold(*spring.port, rest_time_, sign * (spring.preload - spring.stiffness * stretch));
      continue;
    }
    const core::SpringWrench wrench = spring.is_to ? core::spring_wrench(spring, spring.partner.pose, own.pose)
                                                   : core::spring_wrench(spring, own.pose, spring.partner.pose);
    // As long as it knows no partner, an interface counts torques in its own axes.
    const Eigen::Vector3d torque = own.pose.orientation.conjugate() * (wrench.frame * wrench.torque);
    for (int k = 0; k < 3; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      hold(spring.interface->axis(axis), rest_time_, sign * wrench.force[k]);
      hold(spring.interface->axis(axis + 3), rest_time_, sign * torque[k]);
    }
  }
}

bool MeModel::rest_rates(std::span<const double> y, Eigen::VectorXd& rates) {
  if (!evaluate(rest_time_, wave::Side::right, y)) return false;
  pull_by_springs();
  rates.resize(static_cast<Eigen::Index>(y.size()));
  return rhs(rest_time_, wave::Side::right, y, {rates.data(), y.size()}) && rates.allFinite();
}

MeModel::Unrest MeModel::unrest(const Eigen::VectorXd& rates) const {
  Unrest result;
  for (std::size_t k = 0; k < nominals_.size(); ++k) {
    const double rate = std::abs(rates[static_cast<Eigen::Index>(k)]) / std::abs(nominals_[k]);
    if (!(rate <= result.value)) result = {rate, k};
  }
  return result;
}

bool MeModel::rest_slopes(std::span<const double> y, const Eigen::VectorXd& rates, RestSlopes& slopes) {
  const auto n = static_cast<Eigen::Index>(y.size());
  Eigen::Index freedoms = 0;
  for (const RestEnd& end : rest_ends_) freedoms += end.spring.freedoms();
  slopes.rates.resize(n, n), slopes.places.resize(freedoms, n);
  std::vector<core::EndPlace> before;
  for (const RestEnd& end : rest_ends_) before.push_back(place_now(end));
  std::vector<double> moved(y.begin(), y.end());
  Eigen::VectorXd changed;
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    moved[k] = y[k] + kRestDifference * std::max(std::abs(y[k]), std::abs(nominals_[k]));
    const double step = moved[k] - y[k];
    if (!rest_rates(moved, changed)) return false;
    slopes.rates.col(j) = (changed - rates) / step;
    Eigen::Index row = 0;
    for (std::size_t e = 0; e < rest_ends_.size(); ++e) {
      const core::EndPlace now = place_now(rest_ends_[e]);
      if (rest_ends_[e].spring.interface == nullptr) {
        slopes.places(row++, j) = (now.position - before[e].position) / step;
        continue;
      }
      slopes.places.block<3, 1>(row, j) = (now.pose.position - before[e].pose.position) / step;
      slopes.places.block<3, 1>(row + 3, j) =
          core::rotation_vector(now.pose.orientation * before[e].pose.orientation.conjugate()) / step;
      row += 6;
    }
    moved[k] = y[k];
  }
  return true;
}

std::string MeModel::name_of_state(std::size_t state) const {
  std::size_t part = 0;
  while (part + 1 < parts_.size() && first_state_[part + 1] <= state) ++part;
  return parts_[part]->state_name(state - first_state_[part]);
}

/// What roundings of the states leave of their rates, which are sums of large forces.
double MeModel::rounding_of_rates(std::span<const double> y, const RestSlopes& slopes) const {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < slopes.rates.rows(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < y.size(); ++k)
      sum += std::abs(slopes.rates(i, static_cast<Eigen::Index>(k))) *
             std::max(std::abs(y[k]), kSmallState * std::abs(nominals_[k]));
    largest = std::max(largest, sum / std::abs(nominals_[static_cast<std::size_t>(i)]));
  }
  return kRestRounding * largest;
}

core::Result<void> MeModel::find_rest(std::vector<double>& y) {
  const auto n = static_cast<Eigen::Index>(y.size());
  Eigen::VectorXd rates;
  const auto failed = [&] { return failure().value_or(no_rest("it cannot be evaluated where it was to be at rest")); };
  if (!rest_rates(y, rates)) return failed();
  Unrest now = unrest(rates);
  double largest = now.value, shift = kLeastRestShift;
  RestSlopes slopes;
  for (int step = 0; step < kMostRestSteps && shift <= kMostRestShift; ++step) {
    if (now.value == 0.0) return {};
    if (!rest_rates(y, rates) || !rest_slopes(y, rates, slopes)) return failed();
    const Eigen::MatrixXd matrix = shift * Eigen::MatrixXd::Identity(n, n) - slopes.rates;
    const Eigen::VectorXd change = matrix.partialPivLu().solve(rates);
    std::vector<double> tried = y;
    Eigen::VectorXd after;
    for (std::size_t k = 0; k < tried.size(); ++k) tried[k] += change[static_cast<Eigen::Index>(k)];
    if (!change.allFinite() || !rest_rates(tried, after)) {
      if (failure()) return failed();
      shift = std::max(10.0 * shift, kSlowRestShift);
      continue;
    }
    const Unrest next = unrest(after);
    largest = std::max(largest, next.value);
    // At rest, and no nearer to it than rounding lets it come.
    if (now.value <= std::max(kAtRest * largest, rounding_of_rates(y, slopes)) && !(next.value < 0.5 * now.value))
      return {};
    if (next.value <= now.value) {
      y = std::move(tried);
      now = next;
      shift = std::max(0.1 * shift, kLeastRestShift);
    } else {
      shift = std::max(10.0 * shift, kSlowRestShift);
    }
  }
  return no_rest(
      fmt::format("no equilibrium found: state '{}' would still change by {:.3g} of its nominal value in a second; let "
                  "the FMU start nearer to it, or as its start values say",
                  name_of_state(now.state), now.value));
}

core::Result<void> MeModel::settle(double t0, std::span<const core::SpringEnd> ends) {
  if (auto put = put_springs(ends); !put) return put;
  const KeptTracks kept(set_.ports());
  rest_time_ = t0;
  std::vector<double> y(first_state_.back());
  if (rest_) {
    y = *rest_;
  } else {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (!parts_[p]->states(part_of(std::span<double>(y), p))) {
        return failure().value_or(no_rest("its states cannot be read"));
      }
    }
  }
  for (int round = 0; round < kMostRestEvents; ++round) {
    if (auto found = find_rest(y); !found) return found;
    const std::vector<double> before = y;
    if (!handle_event(t0, y)) return failure().value_or(no_rest("the events of its rest have no end"));
    Eigen::VectorXd rates;
    if (!rest_rates(y, rates)) return failure().value_or(no_rest("it cannot be evaluated at rest"));
    // An event that has changed nothing leaves it there.
    if (y == before && unrest(rates).value <= kAtRest) break;
    if (y == before) {
      std::vector<double> again = y;
      if (auto found = find_rest(again); !found) return found;
      if (again == y) break;
      y = std::move(again);
    }
  }
  rest_ = std::move(y);
  return {};
}

core::EndPlace MeModel::place(const core::SpringEnd& end) const {
  for (const RestEnd& own : rest_ends_) {
    if (own.spring.interface == end.interface && own.spring.port == end.port) return place_now(own);
  }
  return {};
}

void MeModel::response(Eigen::MatrixXd& by_partners) {
  Eigen::Index freedoms = 0;
  for (const RestEnd& end : rest_ends_) freedoms += end.spring.freedoms();
  by_partners.setZero(freedoms, freedoms);
  const KeptTracks tracks(set_.ports());
  const auto n = static_cast<Eigen::Index>(rest_->size());
  Eigen::VectorXd rates, changed;
  RestSlopes slopes;
  if (freedoms == 0 || n == 0 || !rest_rates(*rest_, rates) || !rest_slopes(*rest_, rates, slopes)) return;
  const Eigen::MatrixXd matrix = kLeastRestShift * Eigen::MatrixXd::Identity(n, n) - slopes.rates;
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix);
  Eigen::Index column = 0;
  for (RestEnd& end : rest_ends_) {
    const core::EndPlace kept = end.spring.partner;
    for (Eigen::Index k = 0; k < end.spring.freedoms(); ++k, ++column) {
      core::EndPlace& partner = end.spring.partner;
      if (end.spring.interface == nullptr) {
        partner.position += kPartnerMove;
      } else if (k < 3) {
        partner.pose.position[k] += kPartnerMove;
      } else {
        const Eigen::Vector3d turn = kPartnerMove * Eigen::Vector3d::Unit(k - 3);
        partner.pose.orientation = (core::rotation_by(turn) * partner.pose.orientation).normalized();
      }
      if (rest_rates(*rest_, changed)) {
        by_partners.col(column) = slopes.places * lu.solve((changed - rates) / kPartnerMove);
      }
      end.spring.partner = kept;
    }
  }
  (void)rest_rates(*rest_, rates);
}

}  // namespace tieline::fmi
