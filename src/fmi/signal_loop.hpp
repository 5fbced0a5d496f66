#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/relation.hpp"
#include "core/result.hpp"
#include "fmi/cs_member.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

/// One signal of a loop: an input and the output that feeds it, by their numbers in the system.
struct LoopSignal {
  std::uint32_t input = 0, output = 0;
  CsMember* to = nullptr;
  CsMember* from = nullptr;
  Scalar to_scalar{}, from_scalar{};
  core::Relation relation{};
};

/// Signals between FMUs that depend on one another at once: inputs are sought that equal what their relations make of
/// the outputs which follow them.
///
/// By Newton's method, with directional derivatives where the FMUs have them and differences where not; the derivative
/// is kept as long as it serves. Signals that are no fractions are passed round until nothing changes. What has no
/// solution is named signal by signal. Nothing is allocated once the derivative is known.
class SignalLoop {
 public:
  explicit SignalLoop(std::vector<LoopSignal> signals);

  /// `inputs` and `outputs` are those of the system; the inputs are what is tried first.
  core::Result<void> solve(double t, std::span<double> inputs, std::span<double> outputs);
  /// The derivative that is kept: what is found with another one has other roundings.
  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);
  [[nodiscard]] std::uint64_t derivatives() const { return derivatives_; }

 private:
  /// What one FMU has in it.
  struct Side {
    CsMember* member;
    std::vector<std::uint32_t> taken;     ///< signals that it takes, by their places in the loop
    std::vector<std::uint32_t> reported;  ///< for each output that it reports, one of the signals that carry it
    std::vector<std::uint32_t> carried;   ///< signals that it feeds, and
    std::vector<std::uint32_t> by;        ///< the place of their outputs in `reported`
    ValueWriter writer;
    ValueReader reader;
    std::vector<double> in, out;
    bool has_derivatives;
  };
  /// Sets the unknowns and finds by how much they differ from the outputs.
  core::Result<void> find_defect(const Eigen::VectorXd& unknowns, Eigen::VectorXd& defect);
  core::Result<void> find_derivative(double size);
  core::Result<bool> find_column(Eigen::Index j);
  [[nodiscard]] core::Error no_solution(double t) const;

  std::vector<LoopSignal> signals_;
  std::vector<Side> sides_;
  bool is_smooth_ = true;  ///< all of it are fractions
  Eigen::VectorXd unknowns_, outputs_, reported_, defect_, moved_, change_;
  Eigen::MatrixXd derivative_, inverse_;
  std::uint64_t derivatives_ = 0;
};

}  // namespace tieline::fmi
