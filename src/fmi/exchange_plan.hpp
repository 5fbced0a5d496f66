#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sampling.hpp"

namespace tieline::fmi {

/// Outputs and inputs of the FMUs of a system, number by number, and what follows from what at once.
struct SignalNet {
  static constexpr std::uint32_t kOutside = 0xffffffff;  ///< an input that no FMU of the system feeds

  struct Output {
    std::uint32_t member = 0;
    std::vector<std::uint32_t> follows{};  ///< inputs of the same FMU on which it depends at once
  };
  struct Input {
    std::uint32_t member = 0;
    std::uint32_t source = kOutside;  ///< output that feeds it
  };

  std::size_t members = 0;
  std::vector<Output> outputs{};
  std::vector<Input> inputs{};
};

/// One thing to do at a communication point. `numbers` are inputs that are set, or outputs that are read, by one call
/// for each type; of a loop, the inputs that are to be found.
struct PlanStep {
  enum class Kind : std::uint8_t {
    set,
    advance,  ///< one FMU by its own step; `numbers` are its inputs that are known at the step's end already
    get,
    loop
  };
  Kind kind = Kind::set;
  std::uint32_t member = 0;
  std::vector<std::uint32_t> numbers{};
};

using Plan = std::vector<PlanStep>;

/// The order in which FMUs step one after the other: those whose outputs follow no input at once come first, the others
/// after those that feed them, as far as that is possible.
[[nodiscard]] std::vector<std::uint32_t> order_of(const SignalNet& net);

/// Makes all inputs and outputs of the members that are due fit one another, in the order in which they depend on one
/// another. What depends on itself comes as loops.
[[nodiscard]] Plan settling_plan(const SignalNet& net, const std::vector<bool>& is_due);

/// What to do where inputs from outside have changed.
[[nodiscard]] Plan refreshing_plan(const SignalNet& net, const std::vector<bool>& is_due);

/// One step of the members that are due, and what makes their inputs and outputs fit at its end; inputs from outside
/// are held. After `jacobi` all use
/// what was known at the start; after `gauss_seidel` each uses what those before it have found. Inputs of members in
/// `extrapolates` differ within a step from what they are at its end.
[[nodiscard]] Plan stepping_plan(const SignalNet& net, const std::vector<bool>& is_due, core::Schedule schedule,
                                 std::span<const std::uint32_t> order, const std::vector<bool>& extrapolates);

}  // namespace tieline::fmi
