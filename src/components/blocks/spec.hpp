#pragma once

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "components/interface_info.hpp"
#include "document/time_function.hpp"

namespace tieline::components {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct InputBlock {
  double start = 0.0;  ///< value while nothing has come in
  bool is_start_stated = false;
};
struct ConstantBlock {
  double value = 0.0;
};
/// A function of t and of the blocks that it reads, in their order.
struct SourceBlock {
  document::TimeFunction value{};
};
struct GainBlock {
  double gain = 1.0;
};
struct SumBlock {
  std::vector<double> signs{};  ///< +1 or -1, one per input
};
struct ProductBlock {};
/// Of its inputs (condition, above, below) `above` from where the condition reaches the threshold, `below` from where
/// it falls below the threshold less the hysteresis.
struct SwitchBlock {
  double threshold = 0.0;
  double hysteresis = 0.0;  ///< at least 0
};
/// The integral of the input, kept within its limits: at a limit it rests until the input points inwards.
struct IntegratorBlock {
  double start = 0.0;
  double lower = -kNoLimit;
  double upper = kNoLimit;
};
/// u = kp e + ki (integral of e) + kd (filtered derivative of e), kept within its limits.
struct PidBlock {
  double kp = 0.0;
  double ki = 0.0;      ///< [1/s]
  double kd = 0.0;      ///< [s]
  double filter = 0.0;  ///< time constant of the derivative's filter [s]; greater than 0 where kd is not 0
  double lower = -kNoLimit;
  double upper = kNoLimit;
};
/// Coefficients, highest power of s first; at most as many in the numerator as in the denominator. Starts from zero.
struct TransferFunctionBlock {
  std::vector<double> numerator{1.0};
  std::vector<double> denominator{1.0};
};
struct TableBlock {
  document::Table table{};
};
struct LimiterBlock {
  double lower = -kNoLimit;
  double upper = kNoLimit;
};
/// Takes its input at k * period + offset (k an integer) and holds it; at the start it takes it too.
struct SampleHoldBlock {
  double period = 1.0;  ///< [s]
  double offset = 0.0;  ///< [s]
};

/// A block of a signal diagram and the blocks that it reads.
struct Block {
  using Kind =
      std::variant<InputBlock, ConstantBlock, SourceBlock, GainBlock, SumBlock, ProductBlock, SwitchBlock,
                   IntegratorBlock, PidBlock, TransferFunctionBlock, TableBlock, LimiterBlock, SampleHoldBlock>;
  std::string name{};
  Kind kind{};
  std::vector<int> inputs{};  ///< indices of blocks
};

struct BlocksOutput {
  std::string name{};
  int of = -1;  ///< block
};

/// Inputs named `u[1]`, `u[2]`, ... that follow one another are one signal `u` of several numbers; so are outputs.
struct BlocksSpec {
  std::vector<Block> blocks{};
  std::vector<BlocksOutput> outputs{};
};

/// Inputs, then outputs, in the order of the diagram: the order of its ports, of which a signal has one per number.
[[nodiscard]] std::vector<InterfaceInfo> interfaces_of(const BlocksSpec& spec);

/// Whether a block's value depends on its input at the same time. A sample-and-hold counts, since it passes its input
/// on at the sampling instants.
[[nodiscard]] bool has_feedthrough(const Block& block);

/// An order in which every block comes after those that its value depends on, the same for any order of the blocks
/// in the file up to independent ones; or the first algebraic loop, block after block.
struct EvaluationOrder {
  std::vector<int> order{};
  std::vector<int> loop{};
};
[[nodiscard]] EvaluationOrder evaluation_order(const BlocksSpec& spec);

/// Names of an input and of an output that depends on it at the same time.
[[nodiscard]] std::set<std::pair<std::string, std::string>> feedthrough_pairs(const BlocksSpec& spec);

/// Pairs of an input and an output that jumps where a switch or a function of the input does, at whatever time that is.
[[nodiscard]] std::set<std::pair<std::string, std::string>> switching_pairs(const BlocksSpec& spec);

}  // namespace tieline::components
