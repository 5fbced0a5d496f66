#include "components/blocks/reader.hpp"

#include <fmt/format.h>

#include "components/reading.hpp"
#include "document/expression.hpp"

namespace tieline::components {
namespace {

using document::Diagnostics;
using document::Element;
using document::NumberRule;
using document::Place;
using document::Scope;

const NumberRule kAnything{.absent = 0.0};
const NumberRule kRequired{};

/// Reads one diagram: first every block with its numbers, then what each one reads, since blocks may stand in any
/// order.
class BlocksReader {
 public:
  BlocksReader(const Element& content, const Scope& scope, Diagnostics& diagnostics)
      : content_(content),
        scope_(content_scope(content, scope)),
        diagnostics_(diagnostics),
        names_(scope_, diagnostics) {}

  BlocksSpec read() {
    for (const Element& element : content_.children()) read_block(element);
    for (std::size_t b = 0; b < elements_.size(); ++b) read_inputs(elements_[b], spec_.blocks[b]);
    for (const Element& element : content_.children("Output")) {
      spec_.outputs.push_back(
          {names_.declare(element), find(element, "of", read_text(element, "of", scope_, diagnostics_))});
    }
    check_loop();
    return std::move(spec_);
  }

 private:
  [[nodiscard]] double number(const Element& element, std::string_view attribute, const NumberRule& rule) {
    return document::read_number(element, attribute, scope_, rule, diagnostics_);
  }

  void read_block(const Element& element) {
    std::optional<Block::Kind> kind = read_kind(element);
    if (!kind) return;
    spec_.blocks.push_back({.name = names_.declare(element), .kind = std::move(*kind)});
    block_names_.push_back(spec_.blocks.back().name);
    elements_.push_back(element);
  }

  /// Empty where the XML element is no block.
  [[nodiscard]] std::optional<Block::Kind> read_kind(const Element& element) {
    const std::string_view name = element.name();
    if (name == "Input") return InputBlock{number(element, "start", kAnything)};
    if (name == "Constant") return ConstantBlock{number(element, "value", kRequired)};
    if (name == "Source") return read_source(element);
    if (name == "Gain") return GainBlock{number(element, "gain", kRequired)};
    if (name == "Sum") return SumBlock{};
    if (name == "Integrator") return read_integrator(element);
    if (name == "Pid") return read_pid(element);
    if (name == "TransferFunction") return read_transfer_function(element);
    if (name == "Table") return TableBlock{read_table(element, scope_, diagnostics_).value_or(kEmptyTable)};
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

  [[nodiscard]] Block::Kind read_source(const Element& element) {
    auto function =
        document::TimeFunction::compile(element.get("value"), element.place_of("value"), scope_, {}, {}, diagnostics_);
    return SourceBlock{function ? std::move(*function) : document::TimeFunction{}};
  }

  [[nodiscard]] Block::Kind read_integrator(const Element& element) {
    IntegratorBlock block{.start = number(element, "start", kAnything)};
    read_limits(element, block.lower, block.upper);
    if (block.lower <= block.upper && (block.start < block.lower || block.start > block.upper)) {
      diagnostics_.error(element.place_of("start"), fmt::format("start = {} lies outside the limits {} and {}",
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

  [[nodiscard]] int find(const Element& element, std::string_view attribute, const std::string& name) {
    if (!element.has(attribute)) {
      diagnostics_.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), attribute));
      return -1;
    }
    return find_part(name, block_names_, "block", element.place_of(attribute), diagnostics_);
  }

  void read_inputs(const Element& element, Block& block) {
    if (auto* sum = std::get_if<SumBlock>(&block.kind)) {
      for (const std::string& item : document::split_list(read_text(element, "inputs", scope_, diagnostics_))) {
        const bool is_signed = item.starts_with('-') || item.starts_with('+');
        const std::string name(document::trimmed(std::string_view(item).substr(is_signed ? 1 : 0)));
        if (name.empty()) diagnostics_.error(element.place_of("inputs"), "an input of the sum has no name");
        sum->signs.push_back(item.starts_with('-') ? -1.0 : 1.0);
        block.inputs.push_back(find(element, "inputs", name));
      }
      if (sum->signs.empty()) diagnostics_.error(element.place(), "<Sum> needs at least one input");
      return;
    }
    const bool is_source = std::holds_alternative<InputBlock>(block.kind) ||
                           std::holds_alternative<ConstantBlock>(block.kind) ||
                           std::holds_alternative<SourceBlock>(block.kind);
    if (!is_source) block.inputs = {find(element, "input", read_text(element, "input", scope_, diagnostics_))};
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

  static inline const document::Table kEmptyTable{.x = {0.0, 1.0}, .y = {0.0, 0.0}};

  const Element& content_;
  Scope scope_;
  Diagnostics& diagnostics_;
  PartNames names_;
  BlocksSpec spec_{};
  std::vector<std::string> block_names_;
  std::vector<Element> elements_;
};

}  // namespace

BlocksSpec read_blocks(const Element& content, const Scope& scope, Diagnostics& diagnostics) {
  return BlocksReader(content, scope, diagnostics).read();
}

}  // namespace tieline::components
