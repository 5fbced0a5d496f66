#include "solvers/newton_matrix.hpp"

#include "solvers/dense_lu.hpp"
#include "solvers/jacobian.hpp"
#include "solvers/sparse_lu.hpp"

namespace tieline::solvers {
namespace {

class DenseNewtonMatrix final : public NewtonMatrix {
 public:
  DenseNewtonMatrix(OdeSystem& system, core::Statistics& statistics)
      : source_(system, statistics),
        columns_(static_cast<std::size_t>(system.size()) * static_cast<std::size_t>(system.size()), 0.0),
        real_(system.size()),
        complex_(system.size()) {}

  bool evaluate(double t, wave::Side side, std::span<const double> y, std::span<const double> f,
                const ErrorScale& scale) override {
    return source_.evaluate(t, side, y, f, scale, columns_);
  }
  bool factorise(double shift) override { return real_.factorise(columns_, shift); }
  bool factorise(double shift_re, double shift_im) override { return complex_.factorise(columns_, shift_re, shift_im); }
  void solve(std::span<double> b) override { real_.solve(b); }
  void solve(std::span<double> b_re, std::span<double> b_im) override { complex_.solve(b_re, b_im); }
  void save(core::ArchiveWriter& archive) const override { archive.put_span(std::span<const double>(columns_)); }
  void restore(core::ArchiveReader& archive) override { archive.get_span(std::span<double>(columns_)); }

 private:
  JacobianSource source_;
  std::vector<double> columns_;
  DenseLu real_;
  DenseComplexLu complex_;
};

class SparseNewtonMatrix final : public NewtonMatrix {
 public:
  SparseNewtonMatrix(OdeSystem& system, core::Statistics& statistics) : system_(system), statistics_(statistics) {}

  bool evaluate(double t, wave::Side, std::span<const double> y, std::span<const double>, const ErrorScale&) override {
    ++statistics_.jacobian_calls;
    return system_.evaluate_sparse_jacobian(t, y);
  }
  bool factorise(double shift) override { return real_.factorise(jacobian(), shift); }
  bool factorise(double shift_re, double shift_im) override {
    return complex_.factorise(jacobian(), shift_re, shift_im);
  }
  void solve(std::span<double> b) override { real_.solve(jacobian(), b); }
  void solve(std::span<double> b_re, std::span<double> b_im) override { complex_.solve(jacobian(), b_re, b_im); }
  void save(core::ArchiveWriter& archive) const override {
    const SparseJacobian& matrix = *system_.sparse_jacobian();
    archive.put_span(matrix.constant());
    archive.put_span(matrix.by_shift());
  }
  void restore(core::ArchiveReader& archive) override {
    archive.get_span(jacobian().constant());
    archive.get_span(jacobian().by_shift());
  }

 private:
  [[nodiscard]] SparseJacobian& jacobian() { return *system_.sparse_jacobian(); }

  OdeSystem& system_;
  core::Statistics& statistics_;
  SparseLu real_{SparseLu::Field::real}, complex_{SparseLu::Field::complex};
};

}  // namespace

std::unique_ptr<NewtonMatrix> make_newton_matrix(OdeSystem& system, core::Statistics& statistics) {
  if (system.sparse_jacobian() != nullptr) return std::make_unique<SparseNewtonMatrix>(system, statistics);
  return std::make_unique<DenseNewtonMatrix>(system, statistics);
}

}  // namespace tieline::solvers
