// Verification: directional derivatives against differences.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "fmi/verification.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Differences along a known, as a share of its size, and how well derivatives must agree with them.
constexpr double kVerifyDifference = 1e-6, kVerifyAgreement = 1e-4;
// Changes of unknowns that are too small to be seen in differences.
constexpr double kLeastSlope = 1e-6;
// Knowns that are tried at most: each costs three evaluations.
constexpr std::size_t kMostKnowns = 100;

bool is_plain_double(const Variable& variable) {
  return variable.type == Type::float64 && variable.dimensions.empty() &&
         variable.variability == Variability::continuous && variable.clocks.empty();
}

/// What is derived by what: derivatives and outputs by states, which come first, and inputs.
struct Derived {
  std::vector<std::uint32_t> unknowns{}, knowns{};  ///< references
  std::vector<std::string> unknown_names{}, known_names{};
  std::size_t states = 0;

  Derived(const Description& description, bool is_model_exchange) {
    const auto add = [&](const Variable& variable, bool is_known) {
      (is_known ? knowns : unknowns).push_back(variable.reference);
      (is_known ? known_names : unknown_names).push_back(variable.name);
    };
    for (const Unknown& derivative : description.structure.derivatives) {
      if (!is_model_exchange || derivative.variable == kNone) continue;
      const Variable& rate = description.variables[derivative.variable];
      if (rate.derivative_of == kNone || !rate.dimensions.empty()) continue;
      add(rate, false);
      add(description.variables[rate.derivative_of], true);
    }
    states = knowns.size();
    for (const Unknown& output : description.structure.outputs) {
      if (output.variable == kNone || !is_plain_double(description.variables[output.variable])) continue;
      add(description.variables[output.variable], false);
    }
    for (const Variable& variable : description.variables) {
      if (variable.causality == Causality::input && is_plain_double(variable)) add(variable, true);
    }
    knowns.resize(std::min(knowns.size(), kMostKnowns));
  }
};

/// An instance that is moved along its knowns.
class Mover {
 public:
  Mover(Instance& instance, const Derived& derived) : instance_(instance), derived_(derived) {}

  Result<void> start() {
    states_.resize(derived_.states);
    at_.resize(derived_.knowns.size());
    if (!states_.empty()) {
      if (auto got = instance_.get_states(states_); !got) return got;
    }
    return instance_.get(derived_.knowns, at_);
  }
  [[nodiscard]] double shift(std::size_t j) const { return kVerifyDifference * std::max(std::abs(at_[j]), 1.0); }
  /// The slopes of all unknowns along a known, by central differences.
  Result<void> differences(std::size_t j, std::vector<double>& slopes) {
    std::vector<double> below(slopes.size());
    if (auto put = move(j, at_[j] + shift(j)); !put) return put;
    if (auto got = instance_.get(derived_.unknowns, slopes); !got) return got;
    if (auto put = move(j, at_[j] - shift(j)); !put) return put;
    if (auto got = instance_.get(derived_.unknowns, below); !got) return got;
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = (slopes[i] - below[i]) / (2.0 * shift(j));
    return move(j, at_[j]);
  }

 private:
  Result<void> move(std::size_t j, double value) {
    if (j >= derived_.states) {
      return instance_.set(References(&derived_.knowns[j], 1), std::span<const double>(&value, 1));
    }
    std::vector<double> moved = states_;
    moved[j] = value;
    return instance_.set_states(moved);
  }

  Instance& instance_;
  const Derived& derived_;
  std::vector<double> states_, at_;
};

}  // namespace

Verification::Outcome Verification::check_derivatives() {
  const Derived derived(*spec_.description, spec_.is_model_exchange);
  const std::size_t n = derived.unknowns.size(), m = derived.knowns.size();
  if (n == 0 || m == 0) return std::string("nothing to derive");
  auto made = instantiate();
  if (!made) return made.error();
  Instance& instance = **made;
  if (auto done = initialize(instance); !done) return done.error();
  if (auto done = make_ready(instance); !done) return done.error();
  if (spec_.is_model_exchange) {
    auto counted = instance.state_count();
    if (!counted) return counted.error();
    if (*counted != derived.states) return std::string("not compared: some states are arrays, or not named");
  }
  Mover mover(instance, derived);
  if (auto started = mover.start(); !started) return started.error();
  std::vector<double> slopes(n), claimed(n);
  double worst = 0.0;
  for (std::size_t j = 0; j < m; ++j) {
    const double one = 1.0;
    auto got = instance.directional_derivative(derived.unknowns, References(&derived.knowns[j], 1), std::span(&one, 1),
                                               claimed);
    if (!got) return got.error();
    if (auto found = mover.differences(j, slopes); !found) return found.error();
    double scale = kLeastSlope;
    for (const double slope : slopes) scale = std::max(scale, std::abs(slope));
    for (std::size_t i = 0; i < n; ++i) {
      const double error = std::abs(claimed[i] - slopes[i]) / scale;
      worst = std::max(worst, error);
      if (error <= kVerifyAgreement) continue;
      std::string text = fmt::format("that of '{}' by '{}' is {:.9g}; differences give {:.9g}",
                                     derived.unknown_names[i], derived.known_names[j], claimed[i], slopes[i]);
      if (spec_.is_model_exchange) return Error{.code = ErrorCode::step_failed, .message = std::move(text)};
      // In co-simulation many FMUs compute outputs in steps only.
      has_warning_ = true;
      return text;
    }
  }
  return fmt::format("{} by {}, within {:.1g} of differences", n, m, worst);
}

}  // namespace tieline::fmi
