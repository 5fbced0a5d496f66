#include "components/blocks/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tieline::components {

Blocks::Blocks(BlocksSpec spec)
    : spec_(std::move(spec)), own_ports_(ports_of(interfaces_of(spec_))), ports_(own_ports_) {
  int next_port = 0;
  std::size_t most_inputs = 1;
  for (const Block& block : spec_.blocks) {
    Cell cell{.unit = make_unit(block), .inputs = block.inputs, .first_state = size_, .first_guard = guard_count_};
    if (cell.unit) {
      size_ += cell.state_count = cell.unit->state_count();
      guard_count_ += cell.guard_count = cell.unit->guard_count();
    } else {
      cell.port = next_port++;
      cell.start = std::get<InputBlock>(block.kind).start;
    }
    most_inputs = std::max(most_inputs, cell.inputs.size());
    cells_.push_back(std::move(cell));
  }
  EvaluationOrder found = evaluation_order(spec_);
  order_ = std::move(found.order);
  loop_ = std::move(found.loop);
  values_.assign(cells_.size(), 0.0);
  rates_.assign(cells_.size(), 0.0);
  tangents_.assign(cells_.size(), 0.0);
  u_.assign(most_inputs, 0.0);
  u_rate_.assign(most_inputs, 0.0);
  ydot_.assign(static_cast<std::size_t>(size_), 0.0);
  guard_values_.assign(static_cast<std::size_t>(guard_count_), 0.0);
}

void Blocks::move_ports(std::span<core::Port> to) {
  std::move(ports_.begin(), ports_.end(), to.begin());
  ports_ = to;
  own_ports_.clear();
}

core::Result<std::vector<double>> Blocks::begin(double t0) {
  if (!loop_.empty()) {
    return core::Error{
        .code = core::ErrorCode::bad_input,
        .message = fmt::format("the blocks form an algebraic loop through '{}'", spec_.blocks[loop_.front()].name)};
  }
  std::vector<double> y(static_cast<std::size_t>(size_), 0.0);
  for (const int block : order_) {
    Cell& cell = cells_[block];
    if (!cell.unit) {
      read_input(cell, block, t0, wave::Side::right);
      continue;
    }
    const std::span<double> x = std::span(y).subspan(cell.first_state, cell.state_count);
    cell.unit->begin(view(cell, t0, wave::Side::right, y), x);
    values_[block] = cell.unit->value(view(cell, t0, wave::Side::right, y));
  }
  settle_modes(t0, y);
  return y;
}

std::vector<int> Blocks::scale_classes() const {
  // States of different blocks are different quantities: each block is a class of its own.
  std::vector<int> classes(static_cast<std::size_t>(size_), 0);
  for (int b = 0; b < static_cast<int>(cells_.size()); ++b) {
    std::fill_n(classes.begin() + cells_[b].first_state, cells_[b].state_count, b);
  }
  return classes;
}

void Blocks::read_input(const Cell& cell, int block, double t, wave::Side side) {
  const core::Port& port = ports_[cell.port];
  if (port.incoming.empty()) {
    values_[block] = cell.start;
    rates_[block] = 0.0;
    return;
  }
  const wave::TrackValue w = port.w(t, side);
  values_[block] = w.value;
  rates_[block] = w.rate;
}

UnitView Blocks::view(const Cell& cell, double t, wave::Side side, std::span<const double> y) {
  const std::size_t count = cell.inputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    u_[i] = values_[cell.inputs[i]];
    u_rate_[i] = rates_[cell.inputs[i]];
  }
  return {.t = t,
          .side = side,
          .x = y.subspan(cell.first_state, cell.state_count),
          .u = std::span(u_).first(count),
          .u_rate = std::span(u_rate_).first(count)};
}

void Blocks::evaluate_values(double t, wave::Side side, std::span<const double> y) {
  for (const int block : order_) {
    const Cell& cell = cells_[block];
    if (cell.unit) {
      values_[block] = cell.unit->value(view(cell, t, side, y));
    } else {
      read_input(cell, block, t, side);
    }
  }
}

void Blocks::evaluate_derivatives(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  for (const Cell& cell : cells_) {
    if (cell.state_count == 0) continue;
    cell.unit->derivatives(view(cell, t, side, y), ydot.subspan(cell.first_state, cell.state_count));
  }
}

void Blocks::evaluate_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot) {
  for (const int block : order_) {
    const Cell& cell = cells_[block];
    if (!cell.unit) continue;  // known since its value was read
    const UnitView seen = view(cell, t, side, y);
    double rate = cell.unit->own_rate(seen);
    for (int s = 0; s < cell.state_count; ++s) rate += cell.unit->c(s) * ydot[cell.first_state + s];
    const int inputs = cell.unit->rate_follows_inputs() ? 0 : static_cast<int>(seen.u.size());
    for (int i = 0; i < inputs; ++i) {
      // Zero where the unit does not pass its input on; its rate may then be unknown.
      if (const double d = cell.unit->d(i, seen); d != 0.0) rate += d * seen.u_rate[i];
    }
    rates_[block] = rate;
  }
}

bool Blocks::needs_rates() const {
  return std::any_of(cells_.begin(), cells_.end(), [](const Cell& c) { return c.unit && c.unit->needs_rates(); });
}

void Blocks::evaluate(double t, wave::Side side, std::span<const double> y, std::span<double> ydot, bool with_rates) {
  evaluate_values(t, side, y);
  evaluate_derivatives(t, side, y, ydot);
  const bool is_needed = needs_rates();
  if (!is_needed && !with_rates) return;
  evaluate_rates(t, side, y, ydot);
  // A unit that uses rates has a value that does not depend on its own states, so one more pass is enough.
  if (is_needed) evaluate_derivatives(t, side, y, ydot);
}

bool Blocks::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  evaluate(t, side, y, ydot, false);
  double sum = 0.0;
  for (const double rate : ydot) sum += rate;
  return std::isfinite(sum);
}

bool Blocks::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  if (needs_rates()) return false;
  evaluate_values(t, wave::Side::left, y);
  for (int c = 0; c < size_; ++c) {
    const std::span<double> column = columns.subspan(static_cast<std::size_t>(c) * size_, size_);
    // How every value changes with state c, in the order of the diagram.
    for (const int block : order_) {
      const Cell& cell = cells_[block];
      const bool is_own = c >= cell.first_state && c < cell.first_state + cell.state_count;
      double tangent = is_own ? cell.unit->c(c - cell.first_state) : 0.0;
      if (cell.unit) {
        const UnitView seen = view(cell, t, wave::Side::left, y);
        for (int i = 0; i < static_cast<int>(seen.u.size()); ++i) {
          if (const double d = cell.unit->d(i, seen); d != 0.0) tangent += d * tangents_[cell.inputs[i]];
        }
      }
      tangents_[block] = tangent;
    }
    for (const Cell& cell : cells_) {
      for (int s = 0; s < cell.state_count; ++s) {
        double& entry = column[cell.first_state + s];
        entry = cell.unit->b(s) * tangents_[cell.inputs[0]];
        if (c >= cell.first_state && c < cell.first_state + cell.state_count) {
          entry += cell.unit->a(s, c - cell.first_state);
        }
      }
    }
  }
  return true;
}

void Blocks::evaluate_guards(double t, wave::Side side, std::span<const double> y, std::span<double> values) {
  evaluate(t, side, y, ydot_, false);
  for (const Cell& cell : cells_) {
    if (cell.guard_count == 0) continue;
    cell.unit->guards(view(cell, t, side, y), values.subspan(cell.first_guard, cell.guard_count));
  }
}

void Blocks::guards(double t, std::span<const double> y, std::span<double> values) {
  evaluate_guards(t, wave::Side::left, y, values);
}

void Blocks::change_mode(int guard, double t, std::span<double> y) {
  evaluate(t, wave::Side::right, y, ydot_, true);
  for (Cell& cell : cells_) {
    if (guard < cell.first_guard || guard >= cell.first_guard + cell.guard_count) continue;
    cell.unit->change(guard - cell.first_guard, view(cell, t, wave::Side::right, y),
                      y.subspan(cell.first_state, cell.state_count));
    return;
  }
}

// A jump can pass several limits at once, and one change may call for another further on in the diagram.
bool Blocks::settle_modes(double t, std::span<double> y) {
  bool has_changed = false;
  for (int round = 0; round < 2 * guard_count_; ++round) {
    evaluate_guards(t, wave::Side::right, y, guard_values_);
    const auto due = std::find_if(guard_values_.begin(), guard_values_.end(), [](double g) { return g < 0.0; });
    if (due == guard_values_.end()) break;
    change_mode(static_cast<int>(due - guard_values_.begin()), t, y);
    has_changed = true;
  }
  return has_changed;
}

void Blocks::on_guard(int index, double t, std::span<double> y) {
  change_mode(index, t, y);
  settle_modes(t, y);
}

std::string Blocks::guard_name(int index) const {
  std::size_t block = 0;
  while (index >= cells_[block].first_guard + cells_[block].guard_count) ++block;
  return fmt::format("block '{}'", spec_.blocks[block].name);
}

double Blocks::next_break(double t) const {
  double next = wave::Track::kNever;
  for (const Cell& cell : cells_) {
    if (cell.unit) next = std::min(next, cell.unit->next_break(t));
  }
  return next;
}

double Blocks::unseen_input(double t, double t_end, double relative_tolerance) {
  double worst = 0.0;
  for (const Cell& cell : cells_) {
    if (cell.unit) worst = std::max(worst, cell.unit->unseen(t, t_end, relative_tolerance));
  }
  return worst;
}

bool Blocks::on_break(double t, std::span<double> y) {
  bool has_changed = false;
  for (const int block : order_) {
    Cell& cell = cells_[block];
    if (!cell.unit) {
      read_input(cell, block, t, wave::Side::right);
      continue;
    }
    has_changed = cell.unit->on_break(view(cell, t, wave::Side::right, y)) || has_changed;
    values_[block] = cell.unit->value(view(cell, t, wave::Side::right, y));
  }
  return settle_modes(t, y) || has_changed;
}

void Blocks::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                     std::span<PortOutput> outputs) {
  evaluate_values(t, side, y);
  evaluate_rates(t, side, y, ydot);
  for (int b = 0; b < static_cast<int>(cells_.size()); ++b) {
    if (cells_[b].port >= 0) outputs[cells_[b].port] = {.flow = values_[b], .flow_rate = rates_[b]};
  }
  std::size_t port = ports_.size() - spec_.outputs.size();
  for (const BlocksOutput& output : spec_.outputs) {
    outputs[port++] = {.flow = values_[output.of], .flow_rate = rates_[output.of]};
  }
}

void Blocks::natural_sizes(double, wave::Side, double, std::span<double> sizes) const {
  std::fill(sizes.begin(), sizes.end(), 0.0);
}

void Blocks::powers(double, std::span<const double>, Powers& powers) {
  std::fill(powers.through_ports.begin(), powers.through_ports.end(), 0.0);
  std::fill(powers.efforts.begin(), powers.efforts.end(), 0.0);
  powers.dissipated = powers.supplied = 0.0;
}

std::vector<core::Column> Blocks::columns() const {
  std::vector<core::Column> result;
  for (const Block& block : spec_.blocks) result.push_back({block.name + ".value", ""});
  for (const BlocksOutput& output : spec_.outputs) result.push_back({output.name + ".value", ""});
  return result;
}

void Blocks::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                    std::span<double> values) {
  evaluate_values(t, side, y);
  std::copy(values_.begin(), values_.end(), values.begin());
  std::size_t i = values_.size();
  for (const BlocksOutput& output : spec_.outputs) values[i++] = values_[output.of];
}

std::optional<core::Energy> Blocks::energy(double, std::span<const double>) const { return std::nullopt; }

void Blocks::save_modes(core::ArchiveWriter& archive) const {
  archive.tag("blocks");
  for (const Cell& cell : cells_) {
    if (cell.unit) cell.unit->save(archive);
  }
}

void Blocks::restore_modes(core::ArchiveReader& archive) {
  archive.expect_tag("blocks");
  for (Cell& cell : cells_) {
    if (cell.unit) cell.unit->restore(archive);
  }
}

}  // namespace tieline::components
