// The Jacobian with joint coordinates. All coordinates of a tree accelerate with each of them, so that its part of the
// matrix is full, and the recursion itself is the cheapest way to a column. Columns of trees that have nothing to do
// with one another are found together.

#include <algorithm>

#include "components/multibody/joint_coordinates.hpp"
#include "components/multibody/multibody.hpp"

namespace tieline::components {

namespace {

// As of the other Jacobian: contacts and friction change over micrometres and fractions of millimetres per second.
constexpr double kTreePlaceStep = 1e-8;     ///< [m], [rad]
constexpr double kTreeVelocityStep = 1e-7;  ///< [m/s], [rad/s]

// One tree of so many states makes a matrix that is full, and is better solved as such.
constexpr int kFullStates = 200;

}  // namespace

solvers::SparseJacobian* Multibody::sparse_jacobian() {
  if (joints_ != nullptr) {
    if (joints_->unit_count() <= 1 && size_ <= kFullStates) return nullptr;
    lay_out_tree_jacobian();
  }
  return &jacobian_;
}

void Multibody::lay_out_tree_jacobian() {
  if (is_laid_out_) return;
  is_laid_out_ = true;
  const auto units = static_cast<std::size_t>(joints_->unit_count());
  const std::size_t bodies_states = joints_->state_count();
  const auto unit_of = [&](int body) {
    return static_cast<std::size_t>(joints_->unit_of_body(static_cast<std::size_t>(body)));
  };
  // What follows the states of a unit: velocities of units, and states behind those of the bodies.
  std::vector<std::vector<std::size_t>> reached(units);
  std::vector<std::vector<int>> states_of(units), velocities_of(units), others_of(units);
  const auto reach = [&](std::size_t unit, std::size_t other) {
    auto& list = reached[unit];
    if (std::find(list.begin(), list.end(), other) == list.end()) list.push_back(other);
  };
  for (std::size_t i = 0; i < bodies_states; ++i) {
    const auto unit = static_cast<std::size_t>(joints_->unit_of_state(i));
    states_of[unit].push_back(static_cast<int>(i));
    if (joints_->is_velocity(i)) velocities_of[unit].push_back(static_cast<int>(i));
  }
  for (std::size_t b = 0; b < neighbours_.size(); ++b) {
    const std::size_t unit = unit_of(static_cast<int>(b));
    for (const int other : neighbours_[b].bodies) reach(unit, unit_of(other));
    for (const int i : neighbours_[b].forces) {
      const OwnPart& own = own_[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < own.count; ++k) others_of[unit].push_back(static_cast<int>(own.first + k));
    }
    for (const int i : neighbours_[b].bearings) {
      const BearingPart& part = bearings_[static_cast<std::size_t>(i)];
      part.bearing.for_states_moved_by_rings(
          [&](std::size_t state) { others_of[unit].push_back(static_cast<int>(part.first + state)); });
    }
    for (const int j : neighbours_[b].joints) {
      const int state = turn_state_[static_cast<std::size_t>(j)];
      if (state >= static_cast<int>(bodies_states)) others_of[unit].push_back(state);
    }
  }
  rows_of_column_.assign(static_cast<std::size_t>(size_), {});
  const auto add = [&](std::size_t column, const std::vector<int>& rows) {
    rows_of_column_[column].insert(rows_of_column_[column].end(), rows.begin(), rows.end());
  };
  for (std::size_t unit = 0; unit < units; ++unit) {
    for (const int column : states_of[unit]) {
      const auto c = static_cast<std::size_t>(column);
      add(c, states_of[unit]);
      for (const std::size_t other : reached[unit]) add(c, velocities_of[other]);
      add(c, others_of[unit]);
    }
  }
  for (const OwnPart& own : own_) {
    for (std::size_t c = own.first; c < own.first + own.count; ++c) {
      for (std::size_t k = own.first; k < own.first + own.count; ++k) rows_of_column_[c].push_back(static_cast<int>(k));
      for (const int body : own.around.bodies) add(c, velocities_of[unit_of(body)]);
    }
  }
  for (const BearingPart& part : bearings_) {
    part.bearing.for_pattern([&](std::size_t row, std::size_t column) {
      rows_of_column_[part.first + column].push_back(static_cast<int>(part.first + row));
    });
    for (std::size_t k = 0; k < part.bearing.state_count(); ++k) {
      if (!part.bearing.acts_on_rings(k)) continue;
      for (const int body : part.around.bodies) add(part.first + k, velocities_of[unit_of(body)]);
    }
  }
  std::vector<std::pair<int, int>> entries;
  std::vector<std::vector<bool>> taken;  // rows of each group
  columns_of_group_.clear();
  for (std::size_t c = 0; c < rows_of_column_.size(); ++c) {
    auto& rows = rows_of_column_[c];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.empty()) continue;
    for (const int row : rows) entries.emplace_back(row, static_cast<int>(c));
    const auto is_open = [&](const std::vector<bool>& group) {
      return std::none_of(rows.begin(), rows.end(), [&](int row) { return group[static_cast<std::size_t>(row)]; });
    };
    auto group = std::find_if(taken.begin(), taken.end(), is_open);
    if (group == taken.end()) {
      group = taken.insert(taken.end(), std::vector<bool>(rows_of_column_.size(), false));
      columns_of_group_.emplace_back();
    }
    for (const int row : rows) (*group)[static_cast<std::size_t>(row)] = true;
    columns_of_group_[static_cast<std::size_t>(group - taken.begin())].push_back(static_cast<int>(c));
  }
  jacobian_.set_pattern(size_, 0, std::move(entries));
  moved_.assign(static_cast<std::size_t>(size_), 0.0);
  moved_rates_.assign(static_cast<std::size_t>(size_), 0.0);
}

bool Multibody::evaluate_tree_jacobian(double t, std::span<const double> y) {
  lay_out_tree_jacobian();
  if (!rhs(t, wave::Side::left, y, scratch_)) return false;
  jacobian_.clear();
  std::copy(y.begin(), y.end(), moved_.begin());
  const auto step = [&](int column) {
    return is_velocity_state(static_cast<std::size_t>(column)) ? kTreeVelocityStep : kTreePlaceStep;
  };
  for (const auto& columns : columns_of_group_) {
    for (const int column : columns) moved_[static_cast<std::size_t>(column)] += step(column);
    if (!rhs(t, wave::Side::left, moved_, moved_rates_)) return false;
    for (const int column : columns) {
      const auto c = static_cast<std::size_t>(column);
      const double made = moved_[c] - y[c];
      for (const int row : rows_of_column_[c]) {
        const auto r = static_cast<std::size_t>(row);
        jacobian_.add_a(row, column, (moved_rates_[r] - scratch_[r]) / made);
      }
      moved_[c] = y[c];
    }
  }
  // What the last call has evaluated still stands.
  return rhs(t, wave::Side::left, y, scratch_);
}

}  // namespace tieline::components
