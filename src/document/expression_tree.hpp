#pragma once

#include <string_view>
#include <vector>

#include "document/interval_series.hpp"

namespace tieline::document {

struct Table;

/// What stands at a place of an expression of time alone.
struct TreeNode {
  enum class Kind {
    constant,
    linear,  ///< value * t + offset
    scaled,  ///< value * a
    sum,
    difference,
    product,
    quotient,
    power,
    negative,
    function,    ///< SeriesFunction
    step,        ///< 1 where its argument is not negative, otherwise 0
    choice,      ///< the second where the first is not 0, otherwise the third
    both,        ///< 1 where neither is 0
    either,      ///< 1 where one is not 0
    smoothstep,  ///< the quintic of (x, x0, x1) alone, without its ends
    table,
    unknown  ///< something that has no bounds
  };
  Kind kind = Kind::constant;
  int a = -1, b = -1, c = -1;  ///< arguments: nodes before this one
  double value = 0.0;          ///< of a constant; factor of what is linear or scaled
  double offset = 0.0;
  SeriesFunction function = SeriesFunction::sine;
  int table = -1;  ///< which one
};

/// An expression of time alone, as a tree that can be bounded over a stretch of time.
///
/// Nodes are in the order of evaluation. Copies are independent; evaluation does not allocate once `prepare` has been
/// called.
class ExpressionTree {
 public:
  int add(const TreeNode& node);
  /// The tables that nodes refer to by number, in their order.
  void set_tables(std::vector<const Table*> tables) { tables_ = std::move(tables); }
  /// All that is needed for a root: its nodes in order. To be called once for each root that is evaluated.
  [[nodiscard]] std::vector<int> program_of(int root) const;
  void prepare() { series_.resize(nodes_.size()); }

  struct Bound {
    const Series* series = nullptr;
    /// No step, choice or table in it changes its piece, so that derivatives are those of one smooth function.
    bool is_smooth = true;
  };
  /// The series of the last node of a program over [begin, end]; of a point where they are the same. Good until the
  /// next evaluation.
  [[nodiscard]] Bound evaluate(const std::vector<int>& program, double begin, double end, int order) const;
  [[nodiscard]] double value(const std::vector<int>& program, double t) const {
    return evaluate(program, t, t, 0).series->c[0].low;
  }

 private:
  void evaluate_node(const TreeNode& node, double begin, double end, int order, Series& result) const;
  void evaluate_choice(const TreeNode& node, int order, Series& result) const;
  void evaluate_smoothstep(const TreeNode& node, int order, Series& result) const;
  void evaluate_table(const TreeNode& node, int order, Series& result) const;
  void evaluate_power(const TreeNode& node, int order, Series& result) const;
  /// A value that is 0, 1 or either.
  void set_truth(bool can_be_true, bool can_be_false, Series& result) const;

  std::vector<TreeNode> nodes_;
  std::vector<const Table*> tables_;
  mutable std::vector<Series> series_;
  mutable bool is_smooth_ = true;
};

}  // namespace tieline::document
