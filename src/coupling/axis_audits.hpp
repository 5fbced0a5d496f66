#pragma once

#include <array>
#include <cstdint>

#include "coupling/line_audit.hpp"
#include "wave/fours.hpp"
#include "wave/ring.hpp"

namespace tieline::coupling {

/// The accounts of one end of a line in space, of all axes at one time. See wave::EndAccount.
struct AxisAccounts {
  [[nodiscard]] wave::EndAccount of(std::size_t axis) const;
  void set(std::size_t axis, const wave::EndAccount& account);

  std::int64_t tick = 0;
  double t = 0.0;
  wave::AxisNumbers displacement{}, work{}, force{}, emitted_integral{}, emitted_energy{}, arrived_integral{},
      arrived_energy{}, passed_energy{}, recent_integral{};
};

/// The audits of the six axes of a line in space, which go through the same operations at the same times: what one
/// LineAudit does for each, with the same bits.
///
/// `take` and `put` exchange the state of one axis with a LineAudit. Owned and fed by whoever drives the `to` end.
class AxisAudits {
 public:
  static constexpr std::size_t kAxes = wave::AxisNumbers::kAxes;

  /// The state of an axis, and its law; axes that are never taken are zero.
  void take(std::size_t axis, LineAudit& audit);
  void put(std::size_t axis, LineAudit& audit) const;
  /// Accounts that wait for their partners come and go with `take` and `put` of all axes: these are forgotten first.
  void forget_waiting() { from_.clear(), to_.clear(); }

  [[nodiscard]] AxisAccounts& add_from() { return from_.append(); }
  void add_from(const AxisAccounts& account);
  [[nodiscard]] AxisAccounts& add_to() { return to_.append(); }
  /// Balances the next pair of accounts for one time; false when there is none yet.
  bool next();
  /// The last balances, of all axes.
  [[nodiscard]] std::array<LineBalance, kAxes> last() const;

  /// As LineDefects and Carried have it.
  struct CarriedNumbers {
    double t = 0.0, duration = 0.0;
    std::uint64_t notes = 0;
    wave::AxisNumbers value{}, variation{}, size{}, least{}, largest{}, turned{}, integral{}, least_integral{},
        largest_integral{};
  };
  /// As LineAudit has it.
  struct Numbers {
    wave::AxisNumbers half_admittance{}, filter_share{}, compliance{};
    wave::AxisNumbers initial_energy{}, initial_to_to{}, initial_to_from{}, initial_elongation{};
    wave::AxisNumbers energy{}, dissipated{}, residual{}, drift{}, momentum{};  ///< the last balance
    double t = 0.0;                                                             ///< of it
    wave::AxisNumbers largest_residual{}, largest_energy{}, largest_drift{}, largest_displacement{};
    wave::AxisNumbers noted_momentum{}, momentum_variation{};
    CarriedNumbers carried_from{}, carried_to{};
    std::uint64_t notes = 0;
  };

 private:
  wave::Ring<AxisAccounts> from_{}, to_{};
  Numbers numbers_{};
};

}  // namespace tieline::coupling
