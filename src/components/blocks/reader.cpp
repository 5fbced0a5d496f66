#include "components/blocks/reader.hpp"

#include <fmt/format.h>
#include <map>

#include "components/reading.hpp"
#include "core/signal_members.hpp"
#include "document/expression.hpp"
#include "document/function_rewriter.hpp"
#include "document/grammar_names.hpp"

namespace tieline::components {
namespace {

using document::Diagnostics;
using document::Element;
using document::NumberRule;
using document::Place;
using document::Scope;

using document::kAnything;
const NumberRule kRequired{};

/// Reads one diagram: first every block with its numbers, then how many numbers its signal has and what it reads, since
/// blocks may come in any order.
class BlocksReader {
 public:
  BlocksReader(const Element& content, const Scope& scope, Diagnostics& diagnostics)
      : content_(content),
        scope_(content_scope(content, scope)),
        diagnostics_(diagnostics),
        names_(scope_, diagnostics) {}

  BlocksSpec read() {
    for (const Element& element : content_.children()) read_part(element);
    settle_sizes();
    for (Part& part : parts_) add_blocks(part);
    for (const Part& part : parts_) join(part);
    for (const Part& part : parts_) compile_functions(part);
    for (const Element& element : content_.children("Output")) read_output(element);
    check_loop();
    return std::move(spec_);
  }

 private:
  [[nodiscard]] double number(const Element& element, std::string_view attribute, const NumberRule& rule) {
    return document::read_number(element, attribute, scope_, rule, diagnostics_);
  }

  /// What a part reads.
  struct Reference {
    std::string attribute{};
    std::string name{};
    bool may_be_single = false;  ///< one number for all numbers of the part
  };
  /// A block of the file: as many blocks of the diagram as its signal has numbers.
  struct Part {
    Element element{};
    std::string name{};
    std::vector<Block::Kind> kinds{};  ///< one for all numbers, or one for each
    std::vector<Reference> inputs{};   ///< number by number
    int size = 1;                      ///< of its signal
    int first = 0;                     ///< of its blocks
  };
  /// Blocks one after the other that are a signal, or one number of it.
  struct Signal {
    int first = 0;
    int size = 1;
  };

  void read_part(const Element& element) {
    Part part{.element = element, .kinds = read_kinds(element)};
    if (part.kinds.empty()) return;
    part.name = names_.declare(element);
    part.size = static_cast<int>(part.kinds.size());
    if (auto* sum = std::get_if<SumBlock>(&part.kinds.front())) {
      part.inputs = read_terms(element, &sum->signs);
    } else if (std::holds_alternative<ProductBlock>(part.kinds.front())) {
      part.inputs = read_terms(element, nullptr);
    } else if (std::holds_alternative<SwitchBlock>(part.kinds.front())) {
      for (const char* attribute : {"condition", "above", "below"}) {
        part.inputs.push_back({attribute, read_text(element, attribute, scope_, diagnostics_),
                               std::string_view(attribute) == "condition"});
      }
    } else if (!is_source(part.kinds.front())) {
      part.inputs = {{"input", read_text(element, "input", scope_, diagnostics_)}};
    }
    part_of_.emplace(part.name, parts_.size());
    parts_.push_back(std::move(part));
  }

  /// One for all numbers of the block's signal, or one for each; empty if the XML element is no block.
  [[nodiscard]] std::vector<Block::Kind> read_kinds(const Element& element) {
    std::vector<Block::Kind> kinds;
    if (element.name() == "Input") {
      const int size = document::read_size(element, scope_, diagnostics_);
      for (const double start : read_start(element, size, scope_, diagnostics_))
        kinds.emplace_back(InputBlock{start, element.has("start")});
    } else if (element.name() == "Constant") {
      for (const double value : read_numbers(element, "value", scope_, diagnostics_))
        kinds.emplace_back(ConstantBlock{value});
      if (kinds.empty()) kinds.emplace_back(ConstantBlock{});  // reported
    } else if (element.name() == "Source" || element.name() == "Function") {
      // Compiled when it is known which blocks there are.
      kinds.resize(std::max<std::size_t>(1, document::split_list(element.get("value")).size()), SourceBlock{});
    } else if (element.name() == "Table") {
      for (auto& table : read_tables(element, scope_, diagnostics_)) kinds.emplace_back(TableBlock{std::move(table)});
      if (kinds.empty()) kinds.emplace_back(TableBlock{kEmptyTable});
    } else if (auto kind = read_kind(element)) {
      kinds.emplace_back(std::move(*kind));
    }
    return kinds;
  }

  [[nodiscard]] static bool is_source(const Block::Kind& kind) {
    return std::holds_alternative<InputBlock>(kind) || std::holds_alternative<ConstantBlock>(kind) ||
           std::holds_alternative<SourceBlock>(kind);
  }

  /// What a sum adds up, with signs, or a product multiplies.
  [[nodiscard]] std::vector<Reference> read_terms(const Element& element, std::vector<double>* signs) {
    std::vector<Reference> terms;
    for (const std::string& item : document::split_list(read_text(element, "inputs", scope_, diagnostics_))) {
      const bool is_signed = signs != nullptr && (item.starts_with('-') || item.starts_with('+'));
      terms.push_back({"inputs", std::string(document::trimmed(std::string_view(item).substr(is_signed ? 1 : 0)))});
      if (terms.back().name.empty()) {
        diagnostics_.error(element.place_of("inputs"),
                           fmt::format("an input of the {} has no name", signs != nullptr ? "sum" : "product"));
      }
      if (signs != nullptr) signs->push_back(item.starts_with('-') ? -1.0 : 1.0);
    }
    if (terms.empty()) {
      diagnostics_.error(element.place(), fmt::format("<{}> needs at least one input", element.name()));
    }
    return terms;
  }

  /// A block has as many numbers as what it reads. Around loops that takes several rounds.
  void settle_sizes() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (Part& part : parts_) {
        for (const Reference& input : part.inputs) {
          const auto read = part_of_.find(input.name);
          if (part.kinds.size() > 1 || read == part_of_.end() || parts_[read->second].size <= part.size) continue;
          part.size = parts_[read->second].size;
          has_changed = true;
        }
      }
    }
  }

  void add_blocks(Part& part) {
    part.first = static_cast<int>(spec_.blocks.size());
    for (int member = 1; member <= part.size; ++member) {
      const auto& kind = part.kinds[part.kinds.size() == 1 ? 0 : member - 1];
      spec_.blocks.push_back({.name = core::member_name(part.name, part.size, member), .kind = kind});
      block_names_.push_back(spec_.blocks.back().name);
      elements_.push_back(part.element);
    }
  }

  /// Number by number; what comes in must have as many, and one for a table of several columns.
  void join(const Part& part) {
    const int expected = part.kinds.size() > 1 ? 1 : part.size;
    for (const auto& [attribute, name, may_be_single] : part.inputs) {
      auto read = find(part.element, attribute, name);
      if (read.first >= 0 && read.size != expected && !(may_be_single && read.size == 1)) {
        diagnostics_.error(
            part.element.place_of(attribute),
            fmt::format("'{}' is a signal of size {}, but one of size {} is expected here", name, read.size, expected));
        read = kNoSignal;
      }
      for (int member = 0; member < part.size; ++member) {
        spec_.blocks[part.first + member].inputs.push_back(read.size > 1 ? read.first + member : read.first);
      }
    }
  }

  /// A name that functions may use, and the block that it means.
  struct FunctionInput {
    std::string name{};
    int block = -1;
  };

  /// What the functions of a part may name: the component's inputs, and the blocks that it lists.
  [[nodiscard]] std::vector<FunctionInput> function_inputs(const Part& part) {
    std::vector<FunctionInput> known;
    for (const Part& other : parts_) {
      if (!std::holds_alternative<InputBlock>(other.kinds.front())) continue;
      for (int k = other.first; k < other.first + other.size; ++k) known.push_back({block_names_[k], k});
    }
    for (const std::string& item : document::split_list(part.element.get("inputs"))) {
      const auto name = scope_.interpolate(item, part.element.place_of("inputs"), diagnostics_);
      if (!name) continue;
      if (!document::is_identifier(core::split_member(*name).interface)) {
        diagnostics_.error(part.element.place_of("inputs"),
                           fmt::format("'{}' cannot be used in a function; expected a block whose name consists of "
                                       "letters, digits and '_', not a digit first",
                                       *name));
        continue;
      }
      const Signal signal = find(part.element, "inputs", *name);
      for (int k = 0; k < signal.size && signal.first >= 0; ++k) {
        known.push_back({core::member_name(*name, signal.size, k + 1), signal.first + k});
      }
    }
    return known;
  }

  /// Sources and functions, each of which reads the blocks that it names and no others.
  void compile_functions(const Part& part) {
    if (!std::holds_alternative<SourceBlock>(part.kinds.front())) return;
    const auto known = function_inputs(part);
    std::vector<std::string> names;
    for (const FunctionInput& input : known) names.push_back(input.name);
    const auto functions = document::split_list(part.element.get("value"));
    const Place place = part.element.place_of("value");
    for (std::size_t k = 0; k < functions.size(); ++k) {
      Block& block = spec_.blocks[part.first + static_cast<int>(k)];
      auto function = document::TimeFunction::compile(functions[k], place, scope_, names, {}, diagnostics_);
      if (!function) continue;
      std::vector<std::string> used;
      for (const std::size_t i : document::inputs_used(functions[k], scope_, names)) {
        used.push_back(names[i]);
        block.inputs.push_back(known[i].block);
      }
      Diagnostics reported;
      if (used.size() < names.size())
        function = document::TimeFunction::compile(functions[k], place, scope_, used, {}, reported);
      if (function) std::get<SourceBlock>(block.kind).value = std::move(*function);
    }
  }

  void read_output(const Element& element) {
    const std::string name = names_.declare(element);
    std::vector<int> blocks;
    auto items = document::split_list(read_text(element, "of", scope_, diagnostics_));
    if (items.empty()) items.emplace_back();
    for (const std::string& item : items) {
      if (element.has("of") && item.empty())
        diagnostics_.error(element.place_of("of"), "one of its blocks has no name");
      const Signal signal = find(element, "of", item);
      for (int member = 0; member < signal.size; ++member) blocks.push_back(signal.first + member);
    }
    const int size = static_cast<int>(blocks.size());
    for (int member = 1; member <= size; ++member) {
      spec_.outputs.push_back({core::member_name(name, size, member), blocks[member - 1]});
    }
  }

  /// Empty if the XML element is no block.
  [[nodiscard]] std::optional<Block::Kind> read_kind(const Element& element) {
    const std::string_view name = element.name();
    if (name == "Gain") return GainBlock{number(element, "gain", kRequired)};
    if (name == "Sum") return SumBlock{};
    if (name == "Product") return ProductBlock{};
    if (name == "Switch") {
      return SwitchBlock{number(element, "threshold", kAnything),
                         number(element, "hysteresis", document::kNotNegative)};
    }
    if (name == "Integrator") return read_integrator(element);
    if (name == "Pid") return read_pid(element);
    if (name == "TransferFunction") return read_transfer_function(element);
    if (name == "Limiter") {
      LimiterBlock block;
      read_limits(element, block.lower, block.upper);
      return block;
    }
    if (name == "SampleHold") {
      return SampleHoldBlock{number(element, "period", {.least = 0.0, .exclusive_least = true, .unit = "s"}),
                             number(element, "offset", kAnything)};
    }
    return std::nullopt;
  }

  void read_limits(const Element& element, double& lower, double& upper) {
    if (element.has("lower")) lower = number(element, "lower", kRequired);
    if (element.has("upper")) upper = number(element, "upper", kRequired);
    if (lower > upper) {
      diagnostics_.error(element.place_of("lower"), fmt::format("lower = {} is above upper = {}", lower, upper));
    }
  }

  [[nodiscard]] Block::Kind read_integrator(const Element& element) {
    IntegratorBlock block{.start = number(element, "start", kAnything)};
    read_limits(element, block.lower, block.upper);
    if (block.lower <= block.upper && (block.start < block.lower || block.start > block.upper)) {
      diagnostics_.error(element.place_of("start"), fmt::format("start = {} is outside the limits {} and {}",
                                                                block.start, block.lower, block.upper));
    }
    return block;
  }

  [[nodiscard]] Block::Kind read_pid(const Element& element) {
    PidBlock block{.kp = number(element, "kp", kRequired),
                   .ki = number(element, "ki", kAnything),
                   .kd = number(element, "kd", kAnything)};
    read_limits(element, block.lower, block.upper);
    if (element.has("filter")) {
      block.filter = number(element, "filter", {.least = 0.0, .exclusive_least = true, .unit = "s"});
    } else if (block.kd != 0.0) {
      diagnostics_.error(element.place(),
                         "a <Pid> with kd needs 'filter', the time constant of the derivative's filter "
                         "in s: an ideal derivative cannot be computed");
    }
    return block;
  }

  [[nodiscard]] Block::Kind read_transfer_function(const Element& element) {
    TransferFunctionBlock block;
    if (element.has("numerator")) block.numerator = read_numbers(element, "numerator", scope_, diagnostics_);
    block.denominator = read_numbers(element, "denominator", scope_, diagnostics_);
    for (auto* coefficients : {&block.numerator, &block.denominator}) {
      while (coefficients->size() > 1 && coefficients->front() == 0.0) coefficients->erase(coefficients->begin());
    }
    if (block.denominator.empty() || block.denominator.front() == 0.0) {
      diagnostics_.error(element.place_of("denominator"), "the denominator must have a coefficient that is not 0");
      block.denominator = {1.0};
    }
    if (block.numerator.size() > block.denominator.size()) {
      diagnostics_.error(
          element.place_of("numerator"),
          fmt::format("the transfer function is improper: its numerator has degree {}, its denominator {}; "
                      "give the denominator a fast pole as well",
                      block.numerator.size() - 1, block.denominator.size() - 1));
      block.numerator.resize(block.denominator.size());
    }
    if (block.numerator.empty()) block.numerator = {0.0};
    return block;
  }

  /// What an attribute names: all numbers of a block's signal, or one of them; without blocks where there is none.
  [[nodiscard]] Signal find(const Element& element, std::string_view attribute, const std::string& name) {
    if (!element.has(attribute)) {
      diagnostics_.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), attribute));
      return kNoSignal;
    }
    if (const auto found = part_of_.find(name); found != part_of_.end()) {
      return {parts_[found->second].first, parts_[found->second].size};
    }
    const auto [whole, member] = core::split_member(name);
    const auto found = part_of_.find(std::string(whole));
    if (member > 0 && found != part_of_.end() && member <= parts_[found->second].size) {
      return {parts_[found->second].first + member - 1, 1};
    }
    (void)find_part(name, block_names_, "block", element.place_of(attribute), diagnostics_);
    return kNoSignal;
  }

  void check_loop() {
    const EvaluationOrder found = evaluation_order(spec_);
    if (found.loop.empty()) return;
    std::string path;
    for (const int block : found.loop) path += block_names_[block] + " -> ";
    diagnostics_.error(elements_[found.loop.front()].place(),
                       fmt::format("algebraic loop: {}{}; each value depends on itself at the same time. Put an "
                                   "Integrator or a strictly proper TransferFunction into the loop",
                                   path, block_names_[found.loop.front()]));
  }

  static constexpr Signal kNoSignal{.first = -1, .size = 1};
  static inline const document::Table kEmptyTable{.x = {0.0, 1.0}, .y = {0.0, 0.0}};

  const Element& content_;
  Scope scope_;
  Diagnostics& diagnostics_;
  PartNames names_;
  BlocksSpec spec_{};
  std::vector<Part> parts_;
  std::map<std::string, std::size_t> part_of_;  ///< by name
  std::vector<std::string> block_names_;
  std::vector<Element> elements_;  ///< of each block
};

}  // namespace

BlocksSpec read_blocks(const Element& content, const Scope& scope, Diagnostics& diagnostics) {
  return BlocksReader(content, scope, diagnostics).read();
}

}  // namespace tieline::components
