#pragma once

#include <array>
#include <vector>

#include "document/expression_tree.hpp"

namespace tieline::document {

/// What can be known beforehand of an expression over time: when its switches turn, and how long a step may be so that
/// nothing of it falls between two evaluations.
///
/// Switching times come from bounds over stretches of time that are halved until no switch can turn in them, or one
/// turns exactly once. Stretches are aligned to powers of two, so that answers do not depend on what was asked before.
/// `next_switch` and `unseen` do not allocate. One thread at a time; copies are independent.
class TimeAnalysis {
 public:
  TimeAnalysis() = default;
  /// `switches`: nodes whose signs are sought. `values`: nodes that a solver integrates.
  TimeAnalysis(ExpressionTree tree, const std::vector<int>& switches, const std::vector<int>& values);

  /// The first time after t at which a switch may turn: exact, or where the search was ended [s]; infinity: never.
  [[nodiscard]] double next_switch(double t) const;
  /// Whether switch i is not negative at t.
  [[nodiscard]] bool is_on(std::size_t i, double t) const { return tree_.value(switches_[i], t) >= 0.0; }

  /// How far some value is over [t, t_end] from all polynomials of degree 11, in units of a tolerance of its size
  /// around there: above 1 a step may hide more than its error estimate shows.
  [[nodiscard]] double unseen(double t, double t_end, double relative_tolerance) const;
  /// Whether the values have bounds almost anywhere; otherwise `unseen` says nothing.
  [[nodiscard]] bool has_bounds() const { return has_bounds_; }

 private:
  using Program = std::vector<int>;
  /// A stretch of which all switching times are known.
  struct Block {
    double begin = 0.0, width = 0.0;
    std::vector<double> times{};
    [[nodiscard]] bool holds(double t) const { return width > 0.0 && t >= begin && t < begin + width; }
  };

  [[nodiscard]] const Block& block_at(double t) const;
  [[nodiscard]] bool fill(Block& block, double begin, double width) const;
  [[nodiscard]] bool search(double begin, double end, std::vector<double>& times) const;
  [[nodiscard]] double turn_between(const Program& program, double low, double high) const;
  [[nodiscard]] double miss(const Program& program, double begin, double end) const;
  [[nodiscard]] double size_around(const Program& program, double begin, double end) const;
  [[nodiscard]] double excess(const Program& program, double begin, double end, double relative_tolerance) const;
  [[nodiscard]] double worst(double begin, double end, double relative_tolerance) const;
  void find_bounds();

  ExpressionTree tree_{};
  std::vector<Program> switches_{}, values_{};
  bool has_bounds_ = true;

  mutable Block block_{}, trial_{};
  mutable int budget_ = 0;
  /// What was found last: nothing turns in (from, until).
  mutable double from_ = 0.0, until_ = 0.0, same_until_ = 0.0;
  /// Aligned stretches, twice as long as their width, that were looked at last: two widths for steps of one size, and
  /// two for those half or twice as long, since steps to the end of a window alternate with the whole rest of it.
  struct Stretch {
    double begin = 0.0, width = 0.0, relative_tolerance = 0.0;
    bool is_clear = false;
  };
  mutable std::array<Stretch, 4> stretches_{};
};

}  // namespace tieline::document
