// [Degroote2009] Degroote, Bathe, Vierendeels: Performance of a new partitioned procedure versus a monolithic procedure
// in fluid-structure interaction.

#include "coupling/secant_fit.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace tieline::coupling {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// So many times the unknowns are kept: older changes belong to other steps.
constexpr std::size_t kMostPairsPerUnknown = 2;
constexpr std::size_t kLeastPairs = 16;
// A change that is a combination of later ones up to this share says nothing new.
constexpr double kDependent = 1e-5;

}  // namespace

void SecantFit::add(VectorXd change, VectorXd residual_change) {
  if (!change.allFinite() || !residual_change.allFinite() || residual_change.squaredNorm() == 0.0) return;
  const std::size_t most = std::max(kLeastPairs, kMostPairsPerUnknown * static_cast<std::size_t>(change.size()));
  pairs_.push_front({std::move(change), std::move(residual_change)});
  if (pairs_.size() > most) pairs_.pop_back();
}

VectorXd SecantFit::correction(const VectorXd& residual, const VectorXd& scale, const VectorXd& is_relaxed,
                               double relaxation) const {
  const VectorXd inverse = scale.cwiseInverse();
  VectorXd rest = inverse.cwiseProduct(residual);
  VectorXd change = VectorXd::Zero(residual.size());
  // Gram and Schmidt, the latest changes first: each new direction of residuals with the change of x that makes it.
  std::vector<std::pair<VectorXd, VectorXd>> known;
  for (const Pair& pair : pairs_) {
    if (static_cast<Index>(known.size()) == residual.size()) break;
    VectorXd direction = inverse.cwiseProduct(pair.residual), move = pair.change;
    const double size = direction.norm();
    if (!(size > 0.0)) continue;
    // Twice, which leaves nothing but rounding.
    for (int round = 0; round < 2; ++round) {
      for (const auto& [before, its_move] : known) {
        const double share = before.dot(direction);
        direction -= share * before;
        move -= share * its_move;
      }
    }
    const double left = direction.norm();
    if (!(left > kDependent * size)) continue;
    direction /= left;
    move /= left;
    const double share = -direction.dot(rest);
    rest += share * direction;
    change += share * move;
    known.emplace_back(std::move(direction), std::move(move));
  }
  return change + relaxation * is_relaxed.cwiseProduct(scale.cwiseProduct(rest));
}

void SecantFit::save(core::ArchiveWriter& archive) const {
  archive.put(pairs_.size());
  for (const Pair& pair : pairs_) {
    for (const VectorXd* part : {&pair.change, &pair.residual}) {
      archive.put_span(std::span<const double>(part->data(), static_cast<std::size_t>(part->size())));
    }
  }
}

void SecantFit::restore(core::ArchiveReader& archive) {
  pairs_.clear();
  const auto count = archive.get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    Pair pair;
    for (VectorXd* part : {&pair.change, &pair.residual}) {
      const std::vector<double> numbers = archive.get_vector<double>();
      *part = Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
    }
    pairs_.push_back(std::move(pair));
  }
}

}  // namespace tieline::coupling
