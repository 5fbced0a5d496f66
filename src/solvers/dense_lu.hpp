#pragma once

#include <span>
#include <vector>

namespace tieline::solvers {

/// LU factors with partial pivoting of a dense n x n matrix (column-major), for the many small systems of an implicit
/// method: no allocation after construction, and no detour through blocked algorithms that pay only for large n.
class DenseLu {
 public:
  explicit DenseLu(int size);
  /// Factorises shift * I - jacobian. False if singular.
  bool factorise(std::span<const double> jacobian, double shift);
  /// Overwrites b with the solution.
  void solve(std::span<double> b) const;

 private:
  int n_;
  std::vector<double> lu_;
  std::vector<int> pivot_;
};

/// The same for (shift_re + i shift_im) * I - jacobian; real and imaginary parts are stored apart.
class DenseComplexLu {
 public:
  explicit DenseComplexLu(int size);
  bool factorise(std::span<const double> jacobian, double shift_re, double shift_im);
  void solve(std::span<double> b_re, std::span<double> b_im) const;

 private:
  int n_;
  std::vector<double> re_, im_;
  std::vector<int> pivot_;
};

}  // namespace tieline::solvers
