#include "document/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "document/function_rewriter.hpp"
#include "document/time_analysis.hpp"
#include "document/unbounded.hpp"

namespace tieline::document {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// "From the right" is this much later [s], times the time itself where that is large: far above the rounding of a
/// located switch and far below any delay. Half of the way to the next switch where that is nearer.
constexpr double kRightOffset = 1e-11;
constexpr std::size_t kPieceBits = 32;

/// A formula that can be evaluated on the program's variables.
class Evaluator {
 public:
  bool prepare(const Formula& formula, std::span<const std::string> names, std::span<double> values,
               std::string& problem) {
    affine_ = formula.affine;
    if (affine_) return true;
    compiled_ = CompiledExpression::compile(formula.text, names, values, problem);
    return compiled_ != nullptr;
  }
  [[nodiscard]] double evaluate(double t) const {
    return affine_ ? affine_->a * t + affine_->b : compiled_->evaluate();
  }

 private:
  std::optional<Affine> affine_;
  std::unique_ptr<CompiledExpression> compiled_;
};

/// A switch or a table of the running program.
struct Step {
  Evaluator argument{};
  std::size_t variable = 0;      ///< where its result goes
  int table = -1;                ///< -1: a switch
  int timed = -1;                ///< which of the analysis' switches, where it depends on t alone and not linearly
  bool is_timed = false;         ///< of a switch: it depends on t alone
  bool is_on = false;            ///< of a switch
  std::vector<double> breaks{};  ///< known times of a table over t, ascending
  bool is_held = false;          ///< a held table over t: `points_passed` is frozen
  bool runs_backwards = false;   ///< its argument falls with time
  std::size_t points_passed = 0;
};

}  // namespace

struct TimeFunction::Program {
  RewrittenFunction source{};   ///< kept to compile copies; its pointers only distinguish tables from switches
  std::vector<Table> tables{};  ///< one per table step, in order
  std::size_t input_count = 0;
  bool is_constant = true;
  double constant = 0.0;

  std::vector<std::string> names{};
  std::vector<double> values{};  ///< variables: t, inputs, results of steps; muParser points into it
  std::vector<Step> steps{};
  std::vector<std::size_t> switches{};  ///< indices of the steps that need guards
  std::vector<double> turns{};          ///< times of switches that are linear in t, ascending
  TimeAnalysis analysis{};
  Evaluator value{};

  bool prepare(std::string& problem);
  void prepare_breaks(Step& step, const Table& table, const Affine& argument) const;
  void prepare_switch(Step& step, std::size_t index, const Formula& argument, std::vector<int>& timed);
  void hold(Step& step, double t);
  void set_variables(double t, std::span<const double> inputs);
  void run_table(Step& step, double t);
  void run_tables(double t);
  void set_switch(Step& step, bool is_on) {
    step.is_on = is_on;
    values[step.variable] = is_on ? 1.0 : 0.0;
  }
};

bool TimeFunction::Program::prepare(std::string& problem) {
  const std::size_t count = 1 + input_count + source.steps.size();
  values.assign(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) names.push_back(variable_name(i));
  int table_count = 0;
  std::vector<int> timed;
  for (std::size_t i = 0; i < source.steps.size(); ++i) {
    const auto& from = source.steps[i];
    Step step;
    step.variable = 1 + input_count + i;
    if (!step.argument.prepare(from.argument, names, values, problem)) return false;
    if (from.table == nullptr) {
      prepare_switch(step, i, from.argument, timed);
    } else {
      step.table = table_count++;
      const Table& table = tables[static_cast<std::size_t>(step.table)];
      const auto& affine = from.argument.affine;
      if (from.argument.varies && affine && affine->a != 0.0) prepare_breaks(step, table, *affine);
    }
    steps.push_back(std::move(step));
  }
  std::sort(turns.begin(), turns.end());
  if (!is_constant) {
    std::vector<const Table*> in_order;
    for (const Table& table : tables) in_order.push_back(&table);
    ExpressionTree tree = source.tree;
    tree.set_tables(std::move(in_order));
    analysis = TimeAnalysis(std::move(tree), timed, source.timed_values);
  }
  return value.prepare(source.value, names, values, problem);
}

void TimeFunction::Program::prepare_switch(Step& step, std::size_t index, const Formula& argument,
                                           std::vector<int>& timed) {
  step.is_timed = argument.node >= 0;
  if (!step.is_timed) {
    switches.push_back(index);
  } else if (!argument.affine) {
    step.timed = static_cast<int>(timed.size());
    timed.push_back(argument.node);
  } else if (argument.affine->a != 0.0) {
    turns.push_back(-argument.affine->b / argument.affine->a);
  }
}

void TimeFunction::Program::prepare_breaks(Step& step, const Table& table, const Affine& argument) const {
  const bool has_inner_breaks = table.join != Table::Join::smooth;
  for (std::size_t i = 0; i < table.x.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == table.x.size();
    if (has_inner_breaks || is_end) step.breaks.push_back((table.x[i] - argument.b) / argument.a);
  }
  std::sort(step.breaks.begin(), step.breaks.end());
  step.is_held = table.join == Table::Join::hold;
  step.runs_backwards = argument.a < 0.0;
}

void TimeFunction::Program::hold(Step& step, double t) {
  const auto passed =
      static_cast<std::size_t>(std::upper_bound(step.breaks.begin(), step.breaks.end(), t) - step.breaks.begin());
  step.points_passed = step.runs_backwards ? step.breaks.size() - passed : passed;
}

void TimeFunction::Program::set_variables(double t, std::span<const double> inputs) {
  values[0] = t;
  std::copy_n(inputs.begin(), std::min(inputs.size(), input_count), values.begin() + 1);
}

void TimeFunction::Program::run_table(Step& step, double t) {
  const Table& table = tables[static_cast<std::size_t>(step.table)];
  values[step.variable] = step.is_held ? table.y[step.points_passed > 0 ? step.points_passed - 1 : 0]
                                       : table.value(step.argument.evaluate(t));
}

void TimeFunction::Program::run_tables(double t) {
  if (tables.empty()) return;
  for (auto& step : steps) {
    if (step.table >= 0) run_table(step, t);
  }
}

TimeFunction::TimeFunction() = default;
TimeFunction::TimeFunction(const TimeFunction& other) { *this = other; }

TimeFunction& TimeFunction::operator=(const TimeFunction& other) {
  if (this == &other) return *this;
  if (!other.program_) {
    program_.reset();
    return *this;
  }
  // muParser holds the addresses of the variables, so a copy is compiled again.
  auto copy = std::make_unique<Program>();
  copy->source = other.program_->source;
  copy->tables = other.program_->tables;
  copy->input_count = other.program_->input_count;
  copy->is_constant = other.program_->is_constant;
  copy->constant = other.program_->constant;
  std::string unused;  // what compiled once compiles again
  if (!copy->is_constant) copy->prepare(unused);
  program_ = std::move(copy);
  if (!program_->is_constant) set_switches(other.switches());
  return *this;
}

TimeFunction::TimeFunction(TimeFunction&&) noexcept = default;
TimeFunction& TimeFunction::operator=(TimeFunction&&) noexcept = default;
TimeFunction::~TimeFunction() = default;

TimeFunction TimeFunction::constant(double value) {
  TimeFunction function;
  function.program_ = std::make_unique<Program>();
  function.program_->constant = value;
  return function;
}

std::optional<TimeFunction> TimeFunction::compile(std::string_view text, const Place& place, const Scope& scope,
                                                  std::span<const std::string> inputs,
                                                  const std::map<std::string, Table>& tables,
                                                  Diagnostics& diagnostics) {
  text = trimmed(text);
  if (!is_expression(text)) {
    const auto value = scope.evaluate(text, place, diagnostics);
    return value ? std::optional(constant(*value)) : std::nullopt;
  }
  auto source = rewrite_function(text.substr(1, text.size() - 2), place, scope, inputs, tables, diagnostics);
  if (!source) return std::nullopt;

  TimeFunction function;
  function.program_ = std::make_unique<Program>();
  auto& program = *function.program_;
  program.source = std::move(*source);
  program.input_count = inputs.size();
  program.is_constant = !program.source.value.varies;
  for (const auto& step : program.source.steps) {
    if (step.table != nullptr) program.tables.push_back(*step.table);
  }
  std::string problem;
  if (!program.prepare(problem)) {
    diagnostics.error(place, fmt::format("in '{}': {}", text.substr(0, 200), problem));
    return std::nullopt;
  }
  if (!program.is_constant) {
    // Switches must not be found in a state they never have; the right one comes with the first update_switches.
    const std::vector<double> zeros(inputs.size(), 0.0);
    function.update_switches(0.0, zeros);
    if (!program.analysis.has_bounds()) {
      diagnostics.warning(place, fmt::format("{}'{}'; a pulse that is shorter than a step of the solver may be missed. "
                                             "State a largest_step for the component",
                                             kUnboundedWarning, text.substr(0, 200)));
    }
    return function;
  }
  program.run_tables(0.0);
  const double value = program.value.evaluate(0.0);
  if (!std::isfinite(value)) {
    diagnostics.error(place, fmt::format("'{}' is {}, not a finite number", text.substr(0, 200), value));
    return std::nullopt;
  }
  return constant(value);
}

bool TimeFunction::is_constant() const { return !program_ || program_->is_constant; }

double TimeFunction::value(double t, std::span<const double> inputs) const {
  if (!program_) return 0.0;
  if (program_->is_constant) return program_->constant;
  program_->set_variables(t, inputs);
  program_->run_tables(t);
  return program_->value.evaluate(t);
}

int TimeFunction::switch_count() const { return program_ ? static_cast<int>(program_->switches.size()) : 0; }

void TimeFunction::guards(double t, std::span<const double> inputs, std::span<double> values) const {
  if (!program_ || program_->switches.empty()) return;
  program_->set_variables(t, inputs);
  program_->run_tables(t);
  for (std::size_t i = 0; i < program_->switches.size(); ++i) {
    const Step& step = program_->steps[program_->switches[i]];
    const double argument = step.argument.evaluate(t);
    values[i] = step.is_on ? argument : -argument;
  }
}

void TimeFunction::flip(int i) {
  Step& step = program_->steps[program_->switches[static_cast<std::size_t>(i)]];
  program_->set_switch(step, !step.is_on);
}

void TimeFunction::update_switches(double t, std::span<const double> inputs) {
  if (is_constant()) return;
  const double right = t + std::min(kRightOffset * std::max(1.0, std::abs(t)), 0.5 * (next_break(t) - t));
  program_->set_variables(right, inputs);
  // Inner steps come first, so that outer arguments see them as they now are.
  for (auto& step : program_->steps) {
    if (step.timed >= 0) {
      program_->set_switch(step, program_->analysis.is_on(static_cast<std::size_t>(step.timed), right));
    } else if (step.table < 0) {
      program_->set_switch(step, step.argument.evaluate(right) >= 0.0);
    } else {
      if (step.is_held) program_->hold(step, t);
      program_->run_table(step, right);
    }
  }
}

double TimeFunction::next_break(double t) const {
  double earliest = kNever;
  if (!program_) return earliest;
  for (const auto& step : program_->steps) {
    const auto next = std::upper_bound(step.breaks.begin(), step.breaks.end(), t);
    if (next != step.breaks.end()) earliest = std::min(earliest, *next);
  }
  const auto turn = std::upper_bound(program_->turns.begin(), program_->turns.end(), t);
  if (turn != program_->turns.end()) earliest = std::min(earliest, *turn);
  return std::min(earliest, program_->analysis.next_switch(t));
}

double TimeFunction::unseen(double t, double t_end, double relative_tolerance) const {
  return is_constant() ? 0.0 : program_->analysis.unseen(t, t_end, relative_tolerance);
}

bool TimeFunction::has_bounds() const { return is_constant() || program_->analysis.has_bounds(); }

std::vector<bool> TimeFunction::switches() const {
  std::vector<bool> state;
  if (!program_) return state;
  for (const auto& step : program_->steps) {
    if (step.table < 0) state.push_back(step.is_on);
    for (std::size_t bit = 0; step.is_held && bit < kPieceBits; ++bit)
      state.push_back(((step.points_passed >> bit) & 1U) != 0);
  }
  return state;
}

void TimeFunction::set_switches(const std::vector<bool>& values) {
  if (!program_) return;
  std::size_t at = 0;
  const auto next = [&] { return at < values.size() && values[at++]; };
  for (auto& step : program_->steps) {
    if (step.table < 0) program_->set_switch(step, next());
    if (!step.is_held) continue;
    std::size_t passed = 0;
    for (std::size_t bit = 0; bit < kPieceBits; ++bit) passed |= static_cast<std::size_t>(next()) << bit;
    step.points_passed = std::min(passed, step.breaks.size());
  }
}

}  // namespace tieline::document
