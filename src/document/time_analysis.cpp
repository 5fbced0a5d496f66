#include "document/time_analysis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tieline::document {
namespace {

constexpr double kNoSwitch = std::numeric_limits<double>::infinity();
constexpr double kTimeEpsilon = std::numeric_limits<double>::epsilon();
/// Evaluations that one block may take; longer ones are halved.
constexpr int kMostEvaluations = 1000;
constexpr double kLongestBlock = 1048576.0;  ///< 2^20 [s]
constexpr double kFirstBlock = 0x1p-10;      ///< that is tried; a wrong one costs time, nothing else [s]
constexpr double kShortestBlock = 0x1p-60;   ///< [s], and a few roundings of the time
constexpr double kFinestTurn = 0x1p-70;      ///< how closely a switching time is located near zero [s]
constexpr int kMostBlocks = 16;              ///< looked at for one switching time
constexpr double kNeighbourhood = 32.0;      ///< step lengths around a step that its size is taken from
constexpr int kParts = 4;                    ///< into which a step is divided before it is called doubtful
constexpr double kPartsPower = 16777216.0;   ///< kParts ^ kSeriesOrder
constexpr double kMostExcess = 1e12;
/// Stretches that are looked at before a step itself, as doublings of its length.
constexpr std::array<int, 2> kStretchDoublings{3, 0};

double rounding_of(double t) { return kTimeEpsilon * std::abs(t); }

}  // namespace

TimeAnalysis::TimeAnalysis(ExpressionTree tree, const std::vector<int>& switches, const std::vector<int>& values)
    : tree_(std::move(tree)) {
  tree_.prepare();
  for (const int node : switches) switches_.push_back(tree_.program_of(node));
  for (const int node : values) values_.push_back(tree_.program_of(node));
  if (!switches_.empty()) {
    block_.times.reserve(kMostEvaluations);
    trial_.times.reserve(kMostEvaluations);
  }
  find_bounds();
}

/// The time at which a switch that has turned by `high` turns: from then on its sign is the new one.
double TimeAnalysis::turn_between(const Program& program, double low, double high) const {
  const bool is_on = tree_.value(program, low) >= 0.0;
  while (high - low > kFinestTurn) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) break;
    ((tree_.value(program, middle) >= 0.0) == is_on ? low : high) = middle;
  }
  // What falls through an exact zero turns there.
  return tree_.value(program, low) == 0.0 ? low : high;
}

/// Adds the switching times in (begin, end]; false if that takes too long.
bool TimeAnalysis::search(double begin, double end, std::vector<double>& times) const {
  const bool is_point = end - begin <= std::max(4.0 * rounding_of(end), kFinestTurn);
  bool is_decided = true;
  for (std::size_t i = 0; i < switches_.size() && is_decided && !is_point; ++i) {
    if (--budget_ < 0) return false;
    const ExpressionTree::Bound bound = tree_.evaluate(switches_[i], begin, end, 1);
    const Interval &value = bound.series->c[0], &rate = bound.series->c[1];
    const bool is_monotone = bound.is_smooth && rate.is_finite() && !rate.contains(0.0);
    is_decided = value.low >= 0.0 || value.high < 0.0 || is_monotone;
  }
  if (!is_decided) {
    const double middle = begin + 0.5 * (end - begin);
    return search(begin, middle, times) && search(middle, end, times);
  }
  const auto first = static_cast<std::ptrdiff_t>(times.size());
  for (const Program& program : switches_) {
    if (--budget_ < 0) return false;
    if ((tree_.value(program, begin) >= 0.0) == (tree_.value(program, end) >= 0.0)) continue;
    times.push_back(is_point ? end : turn_between(program, begin, end));
  }
  std::sort(times.begin() + first, times.end());
  return true;
}

bool TimeAnalysis::fill(Block& block, double begin, double width) const {
  block.begin = begin, block.width = width;
  block.times.clear();
  budget_ = kMostEvaluations;
  return search(begin, begin + width, block.times);
}

/// The longest aligned block around t whose switching times are found within the budget. A block takes at least what
/// either half of it takes, so it is the same wherever the search starts.
const TimeAnalysis::Block& TimeAnalysis::block_at(double t) const {
  if (block_.holds(t)) return block_;
  const double shortest = std::max(kShortestBlock, 64.0 * rounding_of(t));
  double width = std::clamp(block_.width > 0.0 ? block_.width : kFirstBlock, shortest, kLongestBlock);
  width = std::exp2(std::floor(std::log2(width)));
  const auto begin = [&] { return width * std::floor(t / width); };
  bool is_known = fill(block_, begin(), width);
  while (!is_known && width > shortest) {
    width *= 0.5;
    is_known = fill(block_, begin(), width);
  }
  while (is_known && width < kLongestBlock) {
    width *= 2.0;
    if (!fill(trial_, begin(), width)) break;
    std::swap(block_, trial_);
  }
  return block_;
}

double TimeAnalysis::next_switch(double t) const {
  if (switches_.empty() || !(std::abs(t) < kNoSwitch)) return kNoSwitch;
  if (t >= from_ && t < same_until_) return until_;
  double at = t;
  for (int looked = 0; looked < kMostBlocks; ++looked) {
    const Block& block = block_at(at);
    const double end = block.begin + block.width;
    if (looked == 0) from_ = t, same_until_ = end;
    const auto next = std::upper_bound(block.times.begin(), block.times.end(), t);
    if (next != block.times.end()) {
      same_until_ = *next;
      return until_ = *next;
    }
    at = end;
  }
  same_until_ = std::min(same_until_, at);
  return until_ = at;
}

/// How far a value may be from a polynomial of degree 11 over a stretch.
double TimeAnalysis::miss(const Program& program, double begin, double end) const {
  const Interval& last = tree_.evaluate(program, begin, end, kSeriesOrder).series->c[kSeriesOrder];
  return last.is_finite() ? last.magnitude() : kNoSwitch;
}

double TimeAnalysis::size_around(const Program& program, double begin, double end) const {
  const double reach = kNeighbourhood * (end - begin);
  // Times before zero are rarely part of a run, and a decaying function is of another size there.
  const double from = begin >= 0.0 ? std::max(0.0, begin - reach) : begin - reach;
  const Interval around = tree_.evaluate(program, from, end + reach, 0).series->c[0];
  if (around.is_finite()) return around.magnitude();
  constexpr int kLooks = 32;
  double largest = 0.0;
  for (int look = 0; look <= kLooks; ++look) {
    const double value = std::abs(tree_.value(program, from + (end + reach - from) * look / kLooks));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

double TimeAnalysis::excess(const Program& program, double begin, double end, double relative_tolerance) const {
  const double size = relative_tolerance * size_around(program, begin, end);
  double missed = miss(program, begin, end);
  if (missed <= size) return 0.0;
  // Bounds over shorter stretches are closer.
  const double part = (end - begin) / kParts;
  missed = 0.0;
  for (int k = 0; k < kParts; ++k) {
    missed = std::max(missed, miss(program, begin + k * part, begin + (k + 1) * part) * kPartsPower);
  }
  if (missed <= size) return 0.0;
  return std::min(missed / std::max(size, std::numeric_limits<double>::min()), kMostExcess);
}

double TimeAnalysis::unseen(double t, double t_end, double relative_tolerance) const {
  if (values_.empty() || !has_bounds_ || !(t_end > t)) return 0.0;
  int exponent = 0;
  std::frexp(t_end - t, &exponent);
  // A long stretch serves many steps, a shorter one the next few.
  for (std::size_t i = 0; i < kStretchDoublings.size(); ++i) {
    const double width = std::ldexp(1.0, exponent + kStretchDoublings[i]);
    const double begin = width * std::floor(t / width);
    Stretch& known = stretches_[2 * i + static_cast<std::size_t>(exponent & 1)];
    if (known.begin != begin || known.width != width || known.relative_tolerance != relative_tolerance) {
      known = {begin, width, relative_tolerance, worst(begin, begin + 2.0 * width, relative_tolerance) == 0.0};
    }
    if (known.is_clear) return 0.0;
  }
  return worst(t, t_end, relative_tolerance);
}

double TimeAnalysis::worst(double begin, double end, double relative_tolerance) const {
  double largest = 0.0;
  for (const Program& program : values_) largest = std::max(largest, excess(program, begin, end, relative_tolerance));
  return largest;
}

/// Looks at a few short stretches over many sizes of time: a value without bounds in most of them has none.
void TimeAnalysis::find_bounds() {
  constexpr int kStretches = 48;
  for (const Program& program : values_) {
    int unbounded = 0;
    double t = 1e-6;
    for (int k = 0; k < kStretches; ++k, t *= 1.7) {
      if (!std::isfinite(miss(program, t, t * (1.0 + 1e-9)))) ++unbounded;
    }
    if (2 * unbounded > kStretches) has_bounds_ = false;
  }
}

}  // namespace tieline::document
