#include "components/blocks/grammar.hpp"

#include "components/grammar_rules.hpp"

namespace tieline::components {
namespace {

using document::AttributeRule;
using document::AttributeType;
using document::ElementRule;
using rules::name;
using rules::number;
using rules::of_type;
using rules::required;

AttributeRule block(const std::string& attribute, const std::string& description) {
  return required(of_type(AttributeType::reference, attribute, description));
}

/// A block with one input.
ElementRule with_input(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  ElementRule rule{.name = std::move(element), .description = std::move(description)};
  rule.attributes = {name("Name, as in results."), block("input", "Block whose value comes in.")};
  rule.attributes.insert(rule.attributes.end(), own.begin(), own.end());
  return rule;
}

std::vector<AttributeRule> limits() {
  return {number("lower", "Least value.", "none"), number("upper", "Largest value.", "none")};
}

std::vector<AttributeRule> with_limits(std::vector<AttributeRule> attributes) {
  for (AttributeRule& limit : limits()) attributes.push_back(std::move(limit));
  return attributes;
}

std::vector<ElementRule> sources() {
  return {
      {.name = "Input",
       .description = "A signal that comes in.",
       .attributes = {name("Name, as in connections."), number("start", "Value while nothing has come in.", "0")}},
      {.name = "Output",
       .description = "A signal that goes out.",
       .attributes = {name("Name, as in connections."), block("of", "Block whose value goes out.")}},
      {.name = "Constant",
       .description = "A constant.",
       .attributes = {name("Name, as in results."), required(number("value", "Its value."))}},
      {.name = "Source",
       .description = "A function of time.",
       .attributes = {name("Name, as in results."),
                      required(of_type(AttributeType::function, "value", "Function of t."))}},
  };
}

std::vector<ElementRule> operations() {
  return {
      with_input("Gain", "The input times a number.", {required(number("gain", "Factor."))}),
      {.name = "Sum",
       .description = "The sum of several blocks.",
       .attributes = {name("Name, as in results."), required(of_type(AttributeType::text, "inputs",
                                                                     "Blocks, separated by commas, each with an "
                                                                     "optional sign: `reference, -measured`."))}},
      with_input("Integrator", "The integral of the input. At a limit it rests until the input points back.",
                 with_limits({number("start", "Value at the start.", "0")})),
      with_input("Pid",
                 "kp e + ki (integral of e) + kd (derivative of e, filtered). While the limited value would go further "
                 "beyond a limit, the integral rests (conditional integration), so that it does not wind up.",
                 with_limits({required(number("kp", "Proportional gain.")), number("ki", "Integral gain [1/s].", "0"),
                              number("kd", "Derivative gain [s].", "0"),
                              number("filter", "Time constant of the derivative's filter [s]; needed with kd.")})),
      with_input(
          "TransferFunction", "A proper rational function of s, at rest at the start.",
          {of_type(AttributeType::text, "numerator", "Coefficients, highest power first, separated by commas.", "1"),
           required(of_type(AttributeType::text, "denominator",
                            "Coefficients, highest power first, separated by commas."))}),
      with_input("Table@Blocks", "A table of values over the input.", rules::table_points()),
      with_input("Limiter", "The input, kept within limits.", limits()),
      with_input("SampleHold",
                 "Takes its input at whole multiples of the period (plus the offset) and at the start, and holds it.",
                 {required(number("period", "[s], greater than 0.")), number("offset", "[s].", "0")}),
  };
}

}  // namespace

document::Grammar blocks_grammar() {
  ElementRule blocks{.name = "Blocks",
                     .description = "A diagram of signal blocks, to close control loops.",
                     .children = {"Description", "Parameters"},
                     .once = {"Description", "Parameters"}};
  document::Grammar grammar;
  for (const auto& group : {sources(), operations()}) {
    for (const ElementRule& rule : group) {
      blocks.children.push_back(rule.name);
      grammar.rules.push_back(rule);
    }
  }
  grammar.rules.insert(grammar.rules.begin(), blocks);
  return grammar;
}

}  // namespace tieline::components
