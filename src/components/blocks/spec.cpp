#include "components/blocks/spec.hpp"

#include <algorithm>

namespace tieline::components {
namespace {

/// Depth-first: a block is finished when all it depends on is.
class Sorter {
 public:
  explicit Sorter(const BlocksSpec& spec) : spec_(spec), states_(spec.blocks.size(), State::fresh) {}

  EvaluationOrder sort() {
    for (int b = 0; b < static_cast<int>(spec_.blocks.size()) && result_.loop.empty(); ++b) visit(b);
    return std::move(result_);
  }

 private:
  enum class State : unsigned char { fresh, open, done };

  void visit(int block) {
    if (states_[block] == State::done || !result_.loop.empty()) return;
    if (states_[block] == State::open) {
      // The path runs against the signals: a block after the ones that it reads.
      result_.loop.assign(std::find(path_.begin(), path_.end(), block), path_.end());
      std::reverse(result_.loop.begin(), result_.loop.end());
      return;
    }
    states_[block] = State::open;
    path_.push_back(block);
    if (has_feedthrough(spec_.blocks[block])) {
      for (const int input : spec_.blocks[block].inputs) {
        if (input >= 0) visit(input);
      }
    }
    path_.pop_back();
    states_[block] = State::done;
    result_.order.push_back(block);
  }

  const BlocksSpec& spec_;
  std::vector<State> states_;
  std::vector<int> path_;
  EvaluationOrder result_;
};

/// Blocks from which signals lead to some, these included; where it matters at once, not through states.
std::vector<int> upstream(const BlocksSpec& spec, std::vector<int> open, bool is_at_once) {
  std::vector<bool> is_seen(spec.blocks.size(), false);
  std::vector<int> found;
  while (!open.empty()) {
    const int b = open.back();
    open.pop_back();
    if (b < 0 || is_seen[b]) continue;
    is_seen[b] = true;
    found.push_back(b);
    const Block& block = spec.blocks[b];
    if (!is_at_once || has_feedthrough(block)) open.insert(open.end(), block.inputs.begin(), block.inputs.end());
  }
  return found;
}

}  // namespace

std::vector<InterfaceInfo> interfaces_of(const BlocksSpec& spec) {
  std::vector<InterfaceInfo> result;
  for (const Block& block : spec.blocks) {
    const auto* const input = std::get_if<InputBlock>(&block.kind);
    if (input == nullptr) continue;
    add_signal(result, block.name, core::Causality::input,
               input->is_start_stated ? std::optional(input->start) : std::nullopt);
  }
  for (const BlocksOutput& output : spec.outputs) {
    add_signal(result, output.name, core::Causality::output);
  }
  return result;
}

bool has_feedthrough(const Block& block) {
  if (std::holds_alternative<IntegratorBlock>(block.kind)) return false;
  if (const auto* transfer = std::get_if<TransferFunctionBlock>(&block.kind)) {
    return transfer->numerator.size() >= transfer->denominator.size();
  }
  return true;
}

EvaluationOrder evaluation_order(const BlocksSpec& spec) { return Sorter(spec).sort(); }

std::set<std::pair<std::string, std::string>> feedthrough_pairs(const BlocksSpec& spec) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const BlocksOutput& output : spec.outputs) {
    for (const int b : upstream(spec, {output.of}, true)) {
      const Block& block = spec.blocks[b];
      if (std::holds_alternative<InputBlock>(block.kind)) pairs.insert({block.name, output.name});
    }
  }
  return pairs;
}

std::set<std::pair<std::string, std::string>> switching_pairs(const BlocksSpec& spec) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const BlocksOutput& output : spec.outputs) {
    std::vector<int> deciding;
    for (const int b : upstream(spec, {output.of}, true)) {
      const Block& block = spec.blocks[b];
      const auto* const function = std::get_if<SourceBlock>(&block.kind);
      if (function != nullptr && function->value.switch_count() > 0)
        deciding.insert(deciding.end(), block.inputs.begin(), block.inputs.end());
      if (std::holds_alternative<SwitchBlock>(block.kind)) deciding.push_back(block.inputs.front());
    }
    for (const int b : upstream(spec, std::move(deciding), false)) {
      if (std::holds_alternative<InputBlock>(spec.blocks[b].kind)) pairs.insert({spec.blocks[b].name, output.name});
    }
  }
  return pairs;
}

}  // namespace tieline::components
