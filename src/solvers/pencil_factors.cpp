#include "solvers/pencil_factors.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tieline::solvers {

PencilFactors::PencilFactors(const SparseMatrix& mass, const SparseMatrix& stiffness,
                             std::span<const PointFreedoms> points, int first_held) {
  std::map<std::pair<int, int>, Entry> entries;
  const auto collect = [&](const SparseMatrix& matrix, double Entry::*part) {
    for (int column = 0; column < matrix.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
        const int row = static_cast<int>(it.row());
        if (row >= column && row < first_held) entries[{row, column}].*part += it.value();
      }
    }
  };
  collect(mass, &Entry::mass);
  collect(stiffness, &Entry::stiffness);
  std::vector<std::pair<int, int>> pattern;
  for (const auto& [place, _] : entries) pattern.push_back(place);
  for (const PointFreedoms& point : points) {
    for (const int row : point) {
      for (const int column : point) {
        if (row >= column && column >= 0 && row < first_held) pattern.emplace_back(row, column);
      }
    }
  }
  pattern_.analyse(static_cast<int>(mass.rows()), pattern);
  for (auto& [place, entry] : entries) {
    entry.slot = pattern_.slot(place.first, place.second);
    entries_.push_back(entry);
  }
  for (int held = first_held; held < static_cast<int>(mass.rows()); ++held) {
    held_slots_.push_back(pattern_.slot(held, held));
  }
  for (const PointFreedoms& freedoms : points) {
    Point& point = points_.emplace_back();
    point.freedoms = freedoms;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        const bool is_lower = freedoms[j] >= 0 && freedoms[i] >= freedoms[j] && freedoms[i] < first_held;
        point.slots[6 * i + j] = is_lower ? pattern_.slot(freedoms[i], freedoms[j]) : -1;
      }
    }
  }
}

void PencilFactors::set_block(std::size_t point, const Matrix6& block) {
  if (points_[point].block == block) return;
  points_[point].block = block;
  ++blocks_version_;
}

void PencilFactors::factorise(Kept& kept, const Shares& shares) {
  ++factorisations_;
  kept.shares = shares;
  kept.blocks = blocks_for(shares);
  kept.factors.clear();
  for (const Entry& entry : entries_) {
    kept.factors.add_at(entry.slot, shares.mass * entry.mass + shares.stiffness * entry.stiffness);
  }
  for (const int slot : held_slots_) kept.factors.add_at(slot, 1.0);
  if (shares.block != 0.0) {
    for (const Point& point : points_) {
      for (std::size_t k = 0; k < point.slots.size(); ++k) {
        if (point.slots[k] < 0) continue;
        kept.factors.add_at(point.slots[k], shares.block * point.block(static_cast<Eigen::Index>(k / 6),
                                                                       static_cast<Eigen::Index>(k % 6)));
      }
    }
  }
  kept.factors.factorise();
}

SparseLdl& PencilFactors::get(const Shares& shares) {
  ++clock_;
  const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept->shares == shares; });
  if (same != kept_.end()) {
    Kept& kept = **same;
    if (kept.blocks != blocks_for(shares)) factorise(kept, shares);
    kept.used = clock_;
    return kept.factors;
  }
  if (kept_.size() < kMostKept) {
    kept_.push_back(std::make_unique<Kept>());
    kept_.back()->factors = pattern_;
  } else {
    const auto by_use = [](const auto& a, const auto& b) { return a->used < b->used; };
    std::iter_swap(std::min_element(kept_.begin(), kept_.end(), by_use), kept_.end() - 1);
  }
  Kept& kept = *kept_.back();
  factorise(kept, shares);
  kept.used = clock_;
  return kept.factors;
}

}  // namespace tieline::solvers
