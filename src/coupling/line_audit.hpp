#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "coupling/carried.hpp"
#include "wave/line.hpp"
#include "wave/ring.hpp"

namespace tieline::coupling {

/// The energy account of a line at one time. A line is an elastic bar, so it must balance.
struct LineBalance {
  double t = 0.0;
  double energy = 0.0;           ///< stored in the line [J]
  double dissipated = 0.0;       ///< by the damping filter since the start [J]
  double energy_residual = 0.0;  ///< work done on the line - rise of its energy - dissipated [J]; 0 for an exact line
  double drift = 0.0;            ///< elongation that the waves imply - elongation of the ends [m] or [rad]
  double momentum = 0.0;         ///< of the bar [N s]
};

/// How a line has differed from a spring without mass, whose two ends always feel opposite forces.
///
/// The momentum of the bar, p, changes by what the two forces do not balance: a spring would have passed that on. Its
/// variation over the run, against what the line has carried, is the share by which the line's own mass has altered the
/// motion. Trivially copyable.
class LineDefects {
 public:
  void note(const wave::EndAccount& from, const wave::EndAccount& to, double momentum) {
    if (notes_++ > 0) momentum_variation_ += std::abs(momentum - momentum_);
    momentum_ = momentum;
    from_.note(from.t, from.force);
    to_.note(to.t, to.force);
  }

  [[nodiscard]] double momentum_variation() const { return momentum_variation_; }  ///< [N s]
  /// What the line has carried, by the end where that is more [N s].
  [[nodiscard]] double impulse() const { return std::max(from_.impulse(), to_.impulse()); }

 private:
  friend struct AxisAuditState;
  double momentum_ = 0.0, momentum_variation_ = 0.0;
  Carried from_{}, to_{};
  std::uint64_t notes_ = 0;
};

/// Whether an account (its tick and its time) is for a time before that of another.
[[nodiscard]] bool is_earlier(std::int64_t tick, double t, std::int64_t other_tick, double other_t);

/// Balances the accounts of a line's two ends wherever both have one for the same scheduled time.
///
/// The energy is S_A - R_B + S_B - R_A plus what was there at the start, with S emitted and R arrived; the work comes
/// from the components' own quadrature of effort times flow, never from the waves, with which the balance would close
/// identically. The drift is (1/2Z) [content A->B - content B->A - alpha/(1-alpha) (recent w_A - recent w_B)] against
/// the displacements. Owned and fed by whoever drives the `to` end.
class LineAudit {
 public:
  LineAudit() = default;
  LineAudit(const wave::LineLaw& law);

  /// Waves under way at the start, and the accounts at the start. `from_ratio`: by how much efforts at the `from` end
  /// are larger than those in the line.
  void start(const wave::LineReceiver& at_from, const wave::LineReceiver& at_to, double from_ratio = 1.0);
  /// The next account of either end, to be filled by the caller.
  [[nodiscard]] wave::EndAccount& add_from() { return from_.append(); }
  [[nodiscard]] wave::EndAccount& add_to() { return to_.append(); }
  /// Balances the next pair of accounts for one time, see `last`; false when there is none yet.
  bool next();

  [[nodiscard]] double largest_residual() const { return largest_residual_; }  ///< [J]
  [[nodiscard]] double largest_energy() const { return largest_energy_; }      ///< stored or passed on [J]
  [[nodiscard]] double largest_drift() const { return largest_drift_; }        ///< [m]
  [[nodiscard]] double largest_displacement() const {
    return largest_displacement_;
  }  ///< of either end, or static stretch [m]
  [[nodiscard]] const LineDefects& defects() const { return defects_; }
  [[nodiscard]] const LineBalance& last() const { return last_; }
  /// What `momentum` was at the start.
  [[nodiscard]] double initial_momentum() const { return 0.5 * (initial_to_to_ + initial_to_from_); }

  /// Calls f on every container and number that makes up the state.
  template <class F>
  void visit_state(F&& f) {
    f(initial_energy_), f(initial_to_to_), f(initial_to_from_), f(initial_elongation_), f(last_), f(largest_residual_),
        f(largest_energy_), f(largest_drift_);
    f(largest_displacement_), f(defects_);
  }
  wave::Ring<wave::EndAccount>& waiting_from() { return from_; }
  wave::Ring<wave::EndAccount>& waiting_to() { return to_; }

 private:
  friend class AxisAudits;
  friend struct AxisAuditState;
  void balance(const wave::EndAccount& from, const wave::EndAccount& to);

  double half_admittance_ = 0.0;  ///< 1/2Z
  double filter_share_ = 0.0;     ///< alpha/(1 - alpha)
  double compliance_ = 0.0;       ///< T/((1 - alpha) Z), of the line at rest [m/N]
  wave::Ring<wave::EndAccount> from_{};
  wave::Ring<wave::EndAccount> to_{};
  double initial_energy_ = 0.0;
  double initial_to_to_ = 0.0;    ///< integral of the wave on its way to the `to` end at the start [N s]
  double initial_to_from_ = 0.0;  ///< and of the one to the `from` end [N s]
  double initial_elongation_ = 0.0;
  LineBalance last_{};
  double largest_residual_ = 0.0;
  double largest_energy_ = 0.0;
  double largest_drift_ = 0.0;
  double largest_displacement_ = 0.0;
  LineDefects defects_{};
};

}  // namespace tieline::coupling
