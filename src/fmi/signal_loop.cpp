#include "fmi/signal_loop.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr int kLoopMostCorrections = 20;
// Signals agree to this share of the largest of them.
constexpr double kTolerance = 1e-12;
// Differences for derivatives, as a share of the largest signal, or of this where all are small.
constexpr double kLoopDifference = 1e-7;
constexpr double kSmall = 1e-6;
// A fresh derivative is taken where a correction leaves more than this share of the defect.
constexpr double kLoopSlow = 0.1;
// Signals that are named at most.
constexpr std::size_t kLoopMostNamed = 12;

const Variable& variable_of(const CsMember& member, const Scalar& scalar) {
  return member.description().variables[scalar.variable];
}

bool is_plain(const CsMember& member, const Scalar& scalar) {
  const Variable& variable = variable_of(member, scalar);
  return variable.type == Type::float64 && variable.dimensions.empty();
}

}  // namespace

SignalLoop::SignalLoop(std::vector<LoopSignal> signals) : signals_(std::move(signals)) {
  std::vector<CsMember*> members;
  for (const LoopSignal& signal : signals_) {
    for (CsMember* member : {signal.from, signal.to}) {
      if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(member);
    }
    is_smooth_ = is_smooth_ && is_float(variable_of(*signal.to, signal.to_scalar).type) &&
                 is_float(variable_of(*signal.from, signal.from_scalar).type);
  }
  for (CsMember* member : members) {
    std::vector<std::uint32_t> taken, reported, carried, by;
    std::vector<Scalar> taken_scalars, reported_scalars;
    bool is_all_plain = true;
    for (std::uint32_t k = 0; k < signals_.size(); ++k) {
      const LoopSignal& signal = signals_[k];
      if (signal.to == member) {
        taken.push_back(k), taken_scalars.push_back(signal.to_scalar);
        is_all_plain = is_all_plain && is_plain(*member, signal.to_scalar);
      }
      if (signal.from != member) continue;
      is_all_plain = is_all_plain && is_plain(*member, signal.from_scalar);
      const auto known = std::find(reported_scalars.begin(), reported_scalars.end(), signal.from_scalar);
      carried.push_back(k), by.push_back(static_cast<std::uint32_t>(known - reported_scalars.begin()));
      if (known != reported_scalars.end()) continue;
      reported.push_back(k), reported_scalars.push_back(signal.from_scalar);
    }
    const Description& description = member->description();
    sides_.push_back({member, taken, reported, carried, by, ValueWriter(description, taken_scalars),
                      ValueReader(description, reported_scalars), std::vector<double>(taken.size()),
                      std::vector<double>(reported.size()),
                      is_all_plain && member->facts().provides_directional_derivatives});
  }
  const auto n = static_cast<Eigen::Index>(signals_.size());
  unknowns_.resize(n), outputs_.resize(n), reported_.resize(n), defect_.resize(n), moved_.resize(n), change_.resize(n);
}

Result<void> SignalLoop::find_defect(const Eigen::VectorXd& unknowns, Eigen::VectorXd& defect) {
  for (Side& side : sides_) {
    for (std::size_t k = 0; k < side.taken.size(); ++k) side.in[k] = unknowns[side.taken[k]];
    if (auto set = side.writer.write(side.member->instance(), side.in); !set) return side.member->named(set.error());
  }
  for (Side& side : sides_) {
    if (auto got = side.reader.read(side.member->instance(), side.out); !got) return side.member->named(got.error());
    for (std::size_t k = 0; k < side.carried.size(); ++k) {
      const std::uint32_t signal = side.carried[k];
      outputs_[signal] = side.out[side.by[k]];
      reported_[signal] = signals_[signal].relation.value(outputs_[signal]);
      defect[signal] = unknowns[signal] - reported_[signal];
    }
  }
  return {};
}

Result<bool> SignalLoop::find_column(Eigen::Index j) {
  const LoopSignal& signal = signals_[static_cast<std::size_t>(j)];
  const auto side = std::find_if(sides_.begin(), sides_.end(), [&](const Side& s) { return s.member == signal.to; });
  if (!side->has_derivatives) return false;
  std::vector<std::uint32_t> unknowns;
  for (const std::uint32_t k : side->reported) {
    unknowns.push_back(variable_of(*signal.to, signals_[k].from_scalar).reference);
  }
  const std::uint32_t known = variable_of(*signal.to, signal.to_scalar).reference;
  const double seed = 1.0;
  auto reported = signal.to->instance().directional_derivative(unknowns, References(&known, 1),
                                                               std::span<const double>(&seed, 1), side->out);
  // What is declared and then refused is found by differences; what fails is an error.
  if (!reported && signal.to->instance().phase() >= Phase::failed) return signal.to->named(reported.error());
  if (!reported) {
    side->has_derivatives = false;
    return false;
  }
  derivative_.col(j).setZero();
  derivative_(j, j) = 1.0;
  for (std::size_t k = 0; k < side->carried.size(); ++k) {
    const std::uint32_t carried = side->carried[k];
    derivative_(carried, j) -= signals_[carried].relation.rate(side->out[side->by[k]]);
  }
  return true;
}

Result<void> SignalLoop::find_derivative(double size) {
  const auto n = static_cast<Eigen::Index>(signals_.size());
  derivative_.resize(n, n);
  ++derivatives_;
  for (Eigen::Index j = 0; j < n; ++j) {
    auto found = find_column(j);
    if (!found) return found.error();
    if (*found) continue;
    const double kept = unknowns_[j];
    unknowns_[j] += kLoopDifference * std::max(size, kSmall);
    const double by = unknowns_[j] - kept;
    if (auto moved = find_defect(unknowns_, moved_); !moved) return moved;
    derivative_.col(j) = (moved_ - defect_) / by;
    unknowns_[j] = kept;
  }
  inverse_ = derivative_.inverse();
  return {};
}

Result<void> SignalLoop::solve(double t, std::span<double> inputs, std::span<double> outputs) {
  for (std::size_t k = 0; k < signals_.size(); ++k) unknowns_[static_cast<Eigen::Index>(k)] = inputs[signals_[k].input];
  double before = std::numeric_limits<double>::infinity();
  double size = 0.0;  // the largest that a signal has been while this one was sought
  bool is_fresh = false;
  for (int round = 0; round < kLoopMostCorrections; ++round) {
    if (auto found = find_defect(unknowns_, defect_); !found) return found;
    if (!defect_.allFinite()) break;
    size = std::max({size, unknowns_.lpNorm<Eigen::Infinity>(), reported_.lpNorm<Eigen::Infinity>()});
    const double worst = defect_.lpNorm<Eigen::Infinity>();
    if (worst <= kTolerance * size) {
      for (std::size_t k = 0; k < signals_.size(); ++k) {
        inputs[signals_[k].input] = unknowns_[static_cast<Eigen::Index>(k)];
        outputs[signals_[k].output] = outputs_[static_cast<Eigen::Index>(k)];
      }
      return {};
    }
    if (!is_smooth_) {
      unknowns_ = reported_;
      continue;
    }
    is_fresh = inverse_.size() == 0 || (!is_fresh && worst > kLoopSlow * before);
    if (is_fresh) {
      if (auto found = find_derivative(size); !found) return found;
    }
    before = worst;
    change_.noalias() = inverse_ * defect_;
    if (!change_.allFinite()) break;
    unknowns_ -= change_;
  }
  inverse_.resize(0, 0);
  return no_solution(t);
}

void SignalLoop::save(core::ArchiveWriter& archive) const {
  archive.put_span<double>({inverse_.data(), static_cast<std::size_t>(inverse_.size())});
}

void SignalLoop::restore(core::ArchiveReader& archive) {
  const std::vector<double> numbers = archive.get_vector<double>();
  const auto n = numbers.empty() ? 0 : static_cast<Eigen::Index>(signals_.size());
  if (static_cast<Eigen::Index>(numbers.size()) != n * n) throw core::ArchiveError("the snapshot has a different loop");
  inverse_ = Eigen::Map<const Eigen::MatrixXd>(numbers.data(), n, n);
}

Error SignalLoop::no_solution(double t) const {
  std::string names;
  for (std::size_t k = 0; k < std::min(signals_.size(), kLoopMostNamed); ++k) {
    const LoopSignal& signal = signals_[k];
    names += fmt::format("{}{}.{} to {}.{} (differs by {:.3g})", k == 0 ? "" : ", ", signal.from->name(),
                         signal.from->name_of(signal.from_scalar), signal.to->name(),
                         signal.to->name_of(signal.to_scalar), defect_[static_cast<Eigen::Index>(k)]);
  }
  if (signals_.size() > kLoopMostNamed) names += fmt::format(" and {} more", signals_.size() - kLoopMostNamed);
  return {.code = ErrorCode::step_failed,
          .message = fmt::format(
              "signals that depend on one another at the same time (an algebraic loop) have no solution: {}", names),
          .time = t};
}

}  // namespace tieline::fmi
