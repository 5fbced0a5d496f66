#include "components/blocks/unit.hpp"

#include <algorithm>
#include <cmath>

#include "components/blocks/pid_unit.hpp"
#include "components/time_signal.hpp"

namespace tieline::components {

void Unit::derivatives(const UnitView& view, std::span<double> x_rate) const {
  for (int s = 0; s < static_cast<int>(x_rate.size()); ++s) {
    double rate = b(s) * view.u[0];
    for (int r = 0; r < static_cast<int>(view.x.size()); ++r) rate += a(s, r) * view.x[r];
    x_rate[s] = rate;
  }
}

namespace {

class ConstantUnit final : public Unit {
 public:
  explicit ConstantUnit(const ConstantBlock& block) : value_(block.value) {}
  [[nodiscard]] double value(const UnitView&) const override { return value_; }

 private:
  double value_;
};

class SourceUnit final : public Unit {
 public:
  SourceUnit(const SourceBlock& block, std::size_t input_count) : signal_(block.value), shifted_(input_count, 0.0) {}
  [[nodiscard]] int guard_count() const override { return signal_.switch_count(); }
  void begin(const UnitView& view, std::span<double>) override {
    signal_.update(view.t, view.u);
    (void)own_rate(view);  // what it allocates is there when steps begin
  }
  [[nodiscard]] double value(const UnitView& view) const override { return signal_.value(view.t, view.u); }
  /// Central differences, for Jacobians only: rates need more, and are found along those of the inputs.
  [[nodiscard]] double d(int input, const UnitView& view) const override {
    if (signal_.is_constant()) return 0.0;
    std::copy(view.u.begin(), view.u.end(), shifted_.begin());
    const double u = view.u[input];
    const double step = kSlopeStep * std::max(std::abs(u), kSlopeSize);
    shifted_[input] = u + step;
    const double above = signal_.value(view.t, shifted_);
    shifted_[input] = u - step;
    return (above - signal_.value(view.t, shifted_)) / (2.0 * step);
  }
  [[nodiscard]] double own_rate(const UnitView& view) const override {
    return signal_.rate(view.t, view.side, view.u, view.u_rate);
  }
  [[nodiscard]] bool rate_follows_inputs() const override { return true; }
  void guards(const UnitView& view, std::span<double> values) const override { signal_.guards(view.t, view.u, values); }
  void change(int guard, const UnitView&, std::span<double>) override { signal_.flip(guard); }
  [[nodiscard]] double next_break(double t) const override { return signal_.next_break(t); }
  [[nodiscard]] double unseen(double t, double t_end, double relative_tolerance) const override {
    return signal_.unseen(t, t_end, relative_tolerance);
  }
  bool on_break(const UnitView& view) override { return signal_.update(view.t, view.u); }
  void save(core::ArchiveWriter& archive) const override { signal_.save(archive); }
  void restore(core::ArchiveReader& archive) override { signal_.restore(archive); }

 private:
  // The cube root of a double's rounding balances it with the error of central differences; below the size an input is
  // taken for that large.
  static constexpr double kSlopeStep = 6e-6;
  static constexpr double kSlopeSize = 1e-3;

  TimeSignal signal_;
  mutable std::vector<double> shifted_;
};

class GainUnit final : public Unit {
 public:
  explicit GainUnit(const GainBlock& block) : gain_(block.gain) {}
  [[nodiscard]] double value(const UnitView& view) const override { return gain_ * view.u[0]; }
  [[nodiscard]] double d(int, const UnitView&) const override { return gain_; }

 private:
  double gain_;
};

class SumUnit final : public Unit {
 public:
  explicit SumUnit(const SumBlock& block) : signs_(block.signs) {}
  [[nodiscard]] double value(const UnitView& view) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < signs_.size(); ++i) sum += signs_[i] * view.u[i];
    return sum;
  }
  [[nodiscard]] double d(int input, const UnitView&) const override { return signs_[input]; }

 private:
  std::vector<double> signs_;
};

class ProductUnit final : public Unit {
 public:
  [[nodiscard]] double value(const UnitView& view) const override { return product_without(-1, view); }
  [[nodiscard]] double d(int input, const UnitView& view) const override { return product_without(input, view); }

 private:
  static double product_without(int left_out, const UnitView& view) {
    double product = 1.0;
    for (int i = 0; i < static_cast<int>(view.u.size()); ++i) {
      if (i != left_out) product *= view.u[i];
    }
    return product;
  }
};

class SwitchUnit final : public Unit {
 public:
  explicit SwitchUnit(const SwitchBlock& block) : block_(block) {}
  [[nodiscard]] int guard_count() const override { return 1; }
  void begin(const UnitView& view, std::span<double>) override { is_above_ = view.u[0] >= block_.threshold; }
  [[nodiscard]] double value(const UnitView& view) const override { return view.u[is_above_ ? 1 : 2]; }
  [[nodiscard]] double d(int input, const UnitView&) const override { return input == (is_above_ ? 1 : 2) ? 1.0 : 0.0; }
  void guards(const UnitView& view, std::span<double> values) const override {
    values[0] = is_above_ ? view.u[0] - (block_.threshold - block_.hysteresis) : block_.threshold - view.u[0];
  }
  void change(int, const UnitView&, std::span<double>) override { is_above_ = !is_above_; }
  void save(core::ArchiveWriter& archive) const override { archive.put(is_above_); }
  void restore(core::ArchiveReader& archive) override { archive.get(is_above_); }

 private:
  SwitchBlock block_;
  bool is_above_ = false;
};

/// Where a limited quantity is.
enum class Range : unsigned char { inside, upper, lower };

class IntegratorUnit final : public Unit {
 public:
  explicit IntegratorUnit(const IntegratorBlock& block) : block_(block) {}
  [[nodiscard]] int state_count() const override { return 1; }
  [[nodiscard]] int guard_count() const override {
    return std::isfinite(block_.lower) || std::isfinite(block_.upper) ? 2 : 0;
  }
  void begin(const UnitView&, std::span<double> x) override {
    x[0] = block_.start;
    range_ = Range::inside;
  }
  [[nodiscard]] double value(const UnitView& view) const override { return view.x[0]; }
  [[nodiscard]] double b(int) const override { return range_ == Range::inside ? 1.0 : 0.0; }
  [[nodiscard]] double c(int) const override { return 1.0; }
  void guards(const UnitView& view, std::span<double> values) const override {
    values[0] = values[1] = 1.0;
    switch (range_) {
      case Range::inside:
        if (std::isfinite(block_.upper)) values[0] = block_.upper - view.x[0];
        if (std::isfinite(block_.lower)) values[1] = view.x[0] - block_.lower;
        break;
      case Range::upper:
        values[0] = view.u[0];
        break;
      case Range::lower:
        values[1] = -view.u[0];
        break;
    }
  }
  void change(int guard, const UnitView&, std::span<double> x) override {
    if (range_ != Range::inside) {
      range_ = Range::inside;
      return;
    }
    range_ = guard == 0 ? Range::upper : Range::lower;
    x[0] = guard == 0 ? block_.upper : block_.lower;
  }
  void save(core::ArchiveWriter& archive) const override { archive.put(range_); }
  void restore(core::ArchiveReader& archive) override { archive.get(range_); }

 private:
  IntegratorBlock block_;
  Range range_ = Range::inside;
};

/// Controllable canonical form, with the denominator's first coefficient divided out:
///   x_i' = x_(i+1), x_n' = u - sum alpha_i x_i, value = sum (beta_i - beta_n alpha_i) x_i + beta_n u,
/// alpha_i and beta_i belonging to s^i.
class TransferFunctionUnit final : public Unit {
 public:
  explicit TransferFunctionUnit(const TransferFunctionBlock& block) {
    order_ = static_cast<int>(block.denominator.size()) - 1;
    const double leading = block.denominator.front();
    const auto coefficient = [&](const std::vector<double>& of, int power) {
      const int index = static_cast<int>(of.size()) - 1 - power;
      return index >= 0 ? of[index] / leading : 0.0;
    };
    direct_ = coefficient(block.numerator, order_);
    for (int i = 0; i < order_; ++i) {
      alpha_.push_back(coefficient(block.denominator, i));
      output_.push_back(coefficient(block.numerator, i) - direct_ * alpha_.back());
    }
  }
  [[nodiscard]] int state_count() const override { return order_; }
  void begin(const UnitView&, std::span<double> x) override { std::fill(x.begin(), x.end(), 0.0); }
  [[nodiscard]] double value(const UnitView& view) const override {
    // Strictly proper functions are evaluated before their inputs are known.
    double sum = direct_ != 0.0 ? direct_ * view.u[0] : 0.0;
    for (int i = 0; i < order_; ++i) sum += output_[i] * view.x[i];
    return sum;
  }
  [[nodiscard]] double a(int state, int by_state) const override {
    if (state == order_ - 1) return -alpha_[by_state];
    return by_state == state + 1 ? 1.0 : 0.0;
  }
  [[nodiscard]] double b(int state) const override { return state == order_ - 1 ? 1.0 : 0.0; }
  [[nodiscard]] double c(int state) const override { return output_[state]; }
  [[nodiscard]] double d(int, const UnitView&) const override { return direct_; }

 private:
  int order_ = 0;
  double direct_ = 0.0;
  std::vector<double> alpha_, output_;
};

/// Keeps to one piece of the table until a guard or a break shows that the input has left it.
class TableUnit final : public Unit {
 public:
  explicit TableUnit(const TableBlock& block) : table_(block.table) {}
  [[nodiscard]] int guard_count() const override { return 2; }
  void begin(const UnitView& view, std::span<double>) override { piece_ = piece_at(view.u[0]); }
  [[nodiscard]] double value(const UnitView& view) const override {
    if (table_.join == document::Table::Join::smooth) return table_.value(view.u[0]);
    if (is_outside()) return piece_ < 0 ? table_.y.front() : table_.y.back();
    if (table_.join == document::Table::Join::hold) return table_.y[piece_];
    return table_.y[piece_] + slope() * (view.u[0] - table_.x[piece_]);
  }
  [[nodiscard]] double d(int, const UnitView& view) const override {
    if (table_.join == document::Table::Join::smooth) return table_.slope(view.u[0]);
    return is_outside() || table_.join == document::Table::Join::hold ? 0.0 : slope();
  }
  void guards(const UnitView& view, std::span<double> values) const override {
    values[0] = piece_ < 0 ? 1.0 : view.u[0] - table_.x[piece_];
    values[1] = piece_ == last() ? 1.0 : table_.x[piece_ + 1] - view.u[0];
  }
  void change(int guard, const UnitView& view, std::span<double>) override {
    const int now = piece_at(view.u[0]);
    piece_ = now != piece_ ? now : piece_ + (guard == 0 ? -1 : 1);
  }
  void save(core::ArchiveWriter& archive) const override { archive.put(piece_); }
  void restore(core::ArchiveReader& archive) override { archive.get(piece_); }

 private:
  [[nodiscard]] int last() const { return static_cast<int>(table_.x.size()) - 1; }
  [[nodiscard]] bool is_outside() const { return piece_ < 0 || piece_ == last(); }
  [[nodiscard]] int piece_at(double u) const {
    return static_cast<int>(std::upper_bound(table_.x.begin(), table_.x.end(), u) - table_.x.begin()) - 1;
  }
  [[nodiscard]] double slope() const {
    return (table_.y[piece_ + 1] - table_.y[piece_]) / (table_.x[piece_ + 1] - table_.x[piece_]);
  }

  document::Table table_;
  int piece_ = -1;  ///< from point piece_ to the next one; -1 before the first point
};

class LimiterUnit final : public Unit {
 public:
  explicit LimiterUnit(const LimiterBlock& block) : block_(block) {}
  [[nodiscard]] int guard_count() const override { return 2; }
  void begin(const UnitView& view, std::span<double>) override {
    range_ = view.u[0] > block_.upper ? Range::upper : view.u[0] < block_.lower ? Range::lower : Range::inside;
  }
  [[nodiscard]] double value(const UnitView& view) const override {
    return range_ == Range::inside ? view.u[0] : range_ == Range::upper ? block_.upper : block_.lower;
  }
  [[nodiscard]] double d(int, const UnitView&) const override { return range_ == Range::inside ? 1.0 : 0.0; }
  void guards(const UnitView& view, std::span<double> values) const override {
    values[0] = values[1] = 1.0;
    if (range_ != Range::lower && std::isfinite(block_.upper)) {
      values[0] = range_ == Range::inside ? block_.upper - view.u[0] : view.u[0] - block_.upper;
    }
    if (range_ != Range::upper && std::isfinite(block_.lower)) {
      values[1] = range_ == Range::inside ? view.u[0] - block_.lower : block_.lower - view.u[0];
    }
  }
  void change(int guard, const UnitView&, std::span<double>) override {
    range_ = range_ != Range::inside ? Range::inside : guard == 0 ? Range::upper : Range::lower;
  }
  void save(core::ArchiveWriter& archive) const override { archive.put(range_); }
  void restore(core::ArchiveReader& archive) override { archive.get(range_); }

 private:
  LimiterBlock block_;
  Range range_ = Range::inside;
};

class SampleHoldUnit final : public Unit {
 public:
  explicit SampleHoldUnit(const SampleHoldBlock& block) : block_(block) {}
  void begin(const UnitView& view, std::span<double>) override { held_ = view.u[0]; }
  [[nodiscard]] double value(const UnitView&) const override { return held_; }
  [[nodiscard]] double next_break(double t) const override {
    // The quotient may be off by rounding; the instants themselves decide.
    double k = std::floor((t - block_.offset) / block_.period) - 1.0;
    while (instant(k) <= t) k += 1.0;
    return instant(k);
  }
  bool on_break(const UnitView& view) override {
    if (instant(std::round((view.t - block_.offset) / block_.period)) != view.t) return false;
    const bool jumps = view.u[0] != held_;
    held_ = view.u[0];
    return jumps;
  }
  void save(core::ArchiveWriter& archive) const override { archive.put(held_); }
  void restore(core::ArchiveReader& archive) override { archive.get(held_); }

 private:
  [[nodiscard]] double instant(double k) const { return k * block_.period + block_.offset; }

  SampleHoldBlock block_;
  double held_ = 0.0;
};

struct UnitFactory {
  std::size_t input_count = 0;

  std::unique_ptr<Unit> operator()(const InputBlock&) const { return nullptr; }
  std::unique_ptr<Unit> operator()(const ConstantBlock& b) const { return std::make_unique<ConstantUnit>(b); }
  std::unique_ptr<Unit> operator()(const SourceBlock& b) const { return std::make_unique<SourceUnit>(b, input_count); }
  std::unique_ptr<Unit> operator()(const GainBlock& b) const { return std::make_unique<GainUnit>(b); }
  std::unique_ptr<Unit> operator()(const SumBlock& b) const { return std::make_unique<SumUnit>(b); }
  std::unique_ptr<Unit> operator()(const ProductBlock&) const { return std::make_unique<ProductUnit>(); }
  std::unique_ptr<Unit> operator()(const SwitchBlock& b) const { return std::make_unique<SwitchUnit>(b); }
  std::unique_ptr<Unit> operator()(const IntegratorBlock& b) const { return std::make_unique<IntegratorUnit>(b); }
  std::unique_ptr<Unit> operator()(const PidBlock& b) const { return std::make_unique<PidUnit>(b); }
  std::unique_ptr<Unit> operator()(const TransferFunctionBlock& b) const {
    return std::make_unique<TransferFunctionUnit>(b);
  }
  std::unique_ptr<Unit> operator()(const TableBlock& b) const { return std::make_unique<TableUnit>(b); }
  std::unique_ptr<Unit> operator()(const LimiterBlock& b) const { return std::make_unique<LimiterUnit>(b); }
  std::unique_ptr<Unit> operator()(const SampleHoldBlock& b) const { return std::make_unique<SampleHoldUnit>(b); }
};

}  // namespace

std::unique_ptr<Unit> make_unit(const Block& block) { return std::visit(UnitFactory{block.inputs.size()}, block.kind); }

}  // namespace tieline::components
