#include "fmi/exchange_plan.hpp"

#include <algorithm>
#include <functional>

namespace tieline::fmi {
namespace {

/// Finds what can be done next until everything is done.
class Settling {
 public:
  Settling(const SignalNet& net, const std::vector<bool>& is_due)
      : net_(net), is_known_(net.outputs.size()), is_set_(net.inputs.size()) {
    for (std::size_t o = 0; o < net.outputs.size(); ++o) is_known_[o] = !is_due[net.outputs[o].member];
    for (std::size_t i = 0; i < net.inputs.size(); ++i) is_set_[i] = !is_due[net.inputs[i].member];
  }
  void hold_outside() {
    for (std::size_t i = 0; i < net_.inputs.size(); ++i) {
      if (net_.inputs[i].source == SignalNet::kOutside) is_set_[i] = true;
    }
  }

  void note_known(std::uint32_t output) { is_known_[output] = true; }
  void note_set(std::uint32_t input) { is_set_[input] = true; }

  Plan run() {
    // A call is made once it can deal with all that is left of its FMU; where none can, with what there is.
    while (!is_done()) {
      if (read(true) || set(true) || read(false) || set(false)) continue;
      find_loops();
    }
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool is_done() const {
    const auto all = [](const std::vector<bool>& flags) { return std::find(flags.begin(), flags.end(), false); };
    return all(is_known_) == is_known_.end() && all(is_set_) == is_set_.end();
  }
  [[nodiscard]] bool is_ready_output(std::uint32_t o) const {
    const auto& follows = net_.outputs[o].follows;
    return std::all_of(follows.begin(), follows.end(), [&](std::uint32_t i) { return is_set_[i]; });
  }
  [[nodiscard]] bool is_ready_input(std::uint32_t i) const {
    const std::uint32_t source = net_.inputs[i].source;
    return source == SignalNet::kOutside || is_known_[source];
  }

  /// One call for each FMU that has something ready; with `whole` only where all that is left is.
  template <class Items, class IsReady>
  bool collect(const Items& items, std::vector<bool>& is_done, bool whole, PlanStep::Kind kind, IsReady&& is_ready) {
    bool has_any = false;
    for (std::uint32_t m = 0; m < net_.members; ++m) {
      PlanStep step{.kind = kind, .member = m};
      bool is_whole = true;
      for (std::uint32_t k = 0; k < items.size(); ++k) {
        if (items[k].member != m || is_done[k]) continue;
        if (is_ready(k)) {
          step.numbers.push_back(k);
        } else {
          is_whole = false;
        }
      }
      if (step.numbers.empty() || (whole && !is_whole)) continue;
      for (const std::uint32_t k : step.numbers) is_done[k] = true;
      plan_.push_back(std::move(step));
      has_any = true;
      if (!whole) break;  // the others may be whole now
    }
    return has_any;
  }
  bool read(bool whole) {
    return collect(net_.outputs, is_known_, whole, PlanStep::Kind::get,
                   [this](std::uint32_t o) { return is_ready_output(o); });
  }
  bool set(bool whole) {
    return collect(net_.inputs, is_set_, whole, PlanStep::Kind::set,
                   [this](std::uint32_t i) { return is_ready_input(i); });
  }

  /// The strongly connected components of what is left that depend on no other one, by Tarjan's algorithm. Nodes are
  /// the inputs, from one to the next: input, output that follows it, input that this one feeds.
  void find_loops() {
    const std::size_t n = net_.inputs.size();
    constexpr int kUnseen = -1;
    std::vector<int> number(n, kUnseen), low(n, 0);
    std::vector<bool> is_open(n, false);
    std::vector<std::uint32_t> open;
    int count = 0;
    std::vector<std::vector<std::uint32_t>> found;
    // From an input to those that it depends on: a component is complete before those that depend on it.
    const std::function<void(std::uint32_t)> visit = [&](std::uint32_t i) {
      number[i] = low[i] = count++;
      open.push_back(i), is_open[i] = true;
      for (const std::uint32_t before : causes_of(i)) {
        if (number[before] == kUnseen) {
          visit(before);
          low[i] = std::min(low[i], low[before]);
        } else if (is_open[before]) {
          low[i] = std::min(low[i], number[before]);
        }
      }
      if (low[i] != number[i]) return;
      std::vector<std::uint32_t>& component = found.emplace_back();
      for (bool is_last = false; !is_last;) {
        const std::uint32_t top = open.back();
        open.pop_back(), is_open[top] = false;
        component.push_back(top);
        is_last = top == i;
      }
    };
    for (std::uint32_t i = 0; i < n && found.empty(); ++i) {
      if (!is_set_[i] && number[i] == kUnseen) visit(i);
    }
    // The first that is complete depends on nothing that is left but itself.
    PlanStep loop{.kind = PlanStep::Kind::loop, .numbers = found.front()};
    std::sort(loop.numbers.begin(), loop.numbers.end());
    for (const std::uint32_t i : loop.numbers) {
      is_set_[i] = true;
      is_known_[net_.inputs[i].source] = true;
    }
    plan_.push_back(std::move(loop));
  }
  [[nodiscard]] std::vector<std::uint32_t> causes_of(std::uint32_t input) const {
    std::vector<std::uint32_t> causes;
    const std::uint32_t source = net_.inputs[input].source;
    if (source == SignalNet::kOutside || is_known_[source]) return causes;
    for (const std::uint32_t i : net_.outputs[source].follows) {
      if (!is_set_[i]) causes.push_back(i);
    }
    return causes;
  }

  const SignalNet& net_;
  std::vector<bool> is_known_, is_set_;
  Plan plan_;
};

/// One after the other; returns which outputs and inputs are final after all have stepped.
class Sweep {
 public:
  Sweep(const SignalNet& net, const std::vector<bool>& is_due, const std::vector<bool>& extrapolates)
      : net_(net),
        is_due_(is_due),
        extrapolates_(extrapolates),
        is_new_(net.outputs.size()),
        final_(net.inputs.size()) {
    for (std::size_t i = 0; i < net.inputs.size(); ++i) final_[i] = net.inputs[i].source == SignalNet::kOutside;
  }

  Plan run(std::span<const std::uint32_t> order) {
    Settling settling(net_, is_due_);
    settling.hold_outside();
    Plan plan;
    std::vector<bool> has_stepped(net_.members, false);
    for (const std::uint32_t m : order) {
      if (!is_due_[m]) continue;
      PlanStep set{.kind = PlanStep::Kind::set, .member = m};
      for (std::uint32_t i = 0; i < net_.inputs.size(); ++i) {
        const std::uint32_t source = net_.inputs[i].source;
        if (net_.inputs[i].member != m || source == SignalNet::kOutside || !is_new_[source]) continue;
        set.numbers.push_back(i);
        final_[i] = !extrapolates_[m] && is_final(source);
        if (final_[i]) settling.note_set(i);
      }
      const std::vector<std::uint32_t> known = set.numbers;
      if (!set.numbers.empty()) plan.push_back(std::move(set));
      plan.push_back({.kind = PlanStep::Kind::advance, .member = m, .numbers = known});
      has_stepped[m] = true;
      PlanStep get{.kind = PlanStep::Kind::get, .member = m};
      for (std::uint32_t o = 0; o < net_.outputs.size(); ++o) {
        if (net_.outputs[o].member != m || !(is_final(o) || feeds_later(o, has_stepped))) continue;
        get.numbers.push_back(o);
        is_new_[o] = true;
        if (is_final(o)) settling.note_known(o);
      }
      if (!get.numbers.empty()) plan.push_back(std::move(get));
    }
    Plan rest = settling.run();
    plan.insert(plan.end(), rest.begin(), rest.end());
    return plan;
  }

 private:
  [[nodiscard]] bool is_final(std::uint32_t output) const {
    const auto& follows = net_.outputs[output].follows;
    return std::all_of(follows.begin(), follows.end(), [&](std::uint32_t i) { return final_[i]; });
  }
  [[nodiscard]] bool feeds_later(std::uint32_t output, const std::vector<bool>& has_stepped) const {
    return std::any_of(net_.inputs.begin(), net_.inputs.end(), [&](const SignalNet::Input& input) {
      return input.source == output && is_due_[input.member] && !has_stepped[input.member];
    });
  }

  const SignalNet& net_;
  const std::vector<bool>& is_due_;
  const std::vector<bool>& extrapolates_;
  std::vector<bool> is_new_;  ///< outputs that were read after the step
  std::vector<bool> final_;   ///< inputs that have the value of the step's end, or are held
};

}  // namespace

std::vector<std::uint32_t> order_of(const SignalNet& net) {
  // Who waits for whom: only inputs that an output of the system follows at once make an FMU wait.
  std::vector<std::vector<bool>> waits(net.members, std::vector<bool>(net.members, false));
  for (const SignalNet::Output& output : net.outputs) {
    for (const std::uint32_t i : output.follows) {
      const std::uint32_t source = net.inputs[i].source;
      if (source != SignalNet::kOutside) waits[output.member][net.outputs[source].member] = true;
    }
  }
  std::vector<std::uint32_t> order;
  std::vector<bool> is_placed(net.members, false);
  while (order.size() < net.members) {
    std::uint32_t best = 0;
    long fewest = -1;
    for (std::uint32_t m = 0; m < net.members; ++m) {
      if (is_placed[m]) continue;
      long waiting = 0;
      for (std::uint32_t other = 0; other < net.members; ++other) {
        waiting += waits[m][other] && !is_placed[other] && other != m ? 1 : 0;
      }
      if (fewest >= 0 && waiting >= fewest) continue;
      fewest = waiting, best = m;
    }
    order.push_back(best);
    is_placed[best] = true;
  }
  return order;
}

Plan settling_plan(const SignalNet& net, const std::vector<bool>& is_due) { return Settling(net, is_due).run(); }

Plan stepping_plan(const SignalNet& net, const std::vector<bool>& is_due, core::Schedule schedule,
                   std::span<const std::uint32_t> order, const std::vector<bool>& extrapolates) {
  if (schedule != core::Schedule::jacobi) return Sweep(net, is_due, extrapolates).run(order);
  Plan plan;
  for (const std::uint32_t m : order) {
    if (is_due[m]) plan.push_back({.kind = PlanStep::Kind::advance, .member = m});
  }
  Settling settling(net, is_due);
  settling.hold_outside();
  Plan rest = settling.run();
  plan.insert(plan.end(), rest.begin(), rest.end());
  return plan;
}

Plan refreshing_plan(const SignalNet& net, const std::vector<bool>& is_due) {
  std::vector<bool> is_old_input(net.inputs.size(), false), is_old_output(net.outputs.size(), false);
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (std::size_t i = 0; i < net.inputs.size(); ++i) {
      const SignalNet::Input& input = net.inputs[i];
      const bool is_old = input.source == SignalNet::kOutside || is_old_output[input.source];
      if (!is_due[input.member] || is_old_input[i] || !is_old) continue;
      is_old_input[i] = has_more = true;
    }
    for (std::size_t o = 0; o < net.outputs.size(); ++o) {
      const auto& follows = net.outputs[o].follows;
      const bool is_old = std::any_of(follows.begin(), follows.end(), [&](std::uint32_t i) { return is_old_input[i]; });
      if (is_old_output[o] || !is_old) continue;
      is_old_output[o] = has_more = true;
    }
  }
  Settling settling(net, is_due);
  for (std::uint32_t i = 0; i < net.inputs.size(); ++i) {
    if (!is_old_input[i]) settling.note_set(i);
  }
  for (std::uint32_t o = 0; o < net.outputs.size(); ++o) {
    if (!is_old_output[o]) settling.note_known(o);
  }
  return settling.run();
}

}  // namespace tieline::fmi
