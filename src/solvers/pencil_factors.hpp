#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/sparse_ldl.hpp"

namespace tieline::solvers {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// The freedoms of a point in space, three displacements and three rotations; -1: it is held there.
using PointFreedoms = std::array<int, 6>;

/// Factorisations of m M + k K + b B, for many (m, k, b): M and K are symmetric and stay as they are, B holds a
/// symmetric block of six by six for each of some points, which may change.
///
/// The last factorisations are kept, since who steps through time alternates between a few lengths of steps. `get` does
/// not allocate once all places are in use. One thread at a time.
class PencilFactors {
 public:
  /// Both triangles of the matrices. Freedoms from `first_held` on are not solved for: their rows and columns are those
  /// of the identity, whatever the shares are.
  PencilFactors(const SparseMatrix& mass, const SparseMatrix& stiffness, std::span<const PointFreedoms> points,
                int first_held);
  PencilFactors(const SparseMatrix& mass, const SparseMatrix& stiffness, std::span<const PointFreedoms> points)
      : PencilFactors(mass, stiffness, points, static_cast<int>(mass.rows())) {}

  void set_block(std::size_t point, const Matrix6& block);
  [[nodiscard]] const Matrix6& block(std::size_t point) const { return points_[point].block; }

  struct Shares {
    double mass = 0.0, stiffness = 0.0, block = 0.0;
    bool operator==(const Shares&) const = default;
  };
  /// Good until the next call.
  [[nodiscard]] SparseLdl& get(const Shares& shares);
  [[nodiscard]] std::uint64_t factorisations() const { return factorisations_; }

 private:
  struct Entry {
    int slot = 0;
    double mass = 0.0, stiffness = 0.0;
  };
  struct Point {
    PointFreedoms freedoms{};
    Matrix6 block = Matrix6::Zero();
    std::array<int, 36> slots{};  ///< of the block's entries, row by row; -1: none, or of the other triangle
  };
  struct Kept {
    Shares shares{};
    std::uint64_t blocks = 0;  ///< which blocks it was made with
    std::uint64_t used = 0;    ///< when it was used last
    SparseLdl factors{};
  };
  void factorise(Kept& kept, const Shares& shares);
  [[nodiscard]] std::uint64_t blocks_for(const Shares& shares) const {
    return shares.block == 0.0 ? 0 : blocks_version_;
  }

  static constexpr std::size_t kMostKept = 8;
  SparseLdl pattern_;
  std::vector<Entry> entries_;   ///< of the lower triangle
  std::vector<int> held_slots_;  ///< of held freedoms, on the diagonal
  std::vector<Point> points_;
  std::vector<std::unique_ptr<Kept>> kept_;
  std::uint64_t blocks_version_ = 1;
  std::uint64_t clock_ = 0;
  std::uint64_t factorisations_ = 0;
};

}  // namespace tieline::solvers
