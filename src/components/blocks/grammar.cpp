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
  rule.attributes = {name("Name in results."), block("input", "Input block, or one number of it: `name[2]`.")};
  rule.attributes.insert(rule.attributes.end(), own.begin(), own.end());
  return rule;
}

std::vector<AttributeRule> limits() {
  return {number("lower", "Lower limit.", "none"), number("upper", "Upper limit.", "none")};
}

std::vector<AttributeRule> with_limits(std::vector<AttributeRule> attributes) {
  for (AttributeRule& limit : limits()) attributes.push_back(std::move(limit));
  return attributes;
}

std::vector<ElementRule> sources() {
  return {
      {.name = "Input",
       .description = "A signal input. The numbers of a signal of several are `name[1]`, `name[2]` and so on.",
       .attributes = {name("Name in connections."), rules::signal_size(), rules::signal_start()}},
      {.name = "Output",
       .description = "A signal output.",
       .attributes = {name("Name in connections."),
                      required(of_type(
                          AttributeType::text, "of",
                          "Block of the output; several, separated by commas, make a signal of all their numbers."))}},
      {.name = "Constant",
       .description = "A constant.",
       .attributes = {name("Name in results."), required(of_type(AttributeType::numbers, "value",
                                                                 "Value; several make a signal of as many numbers."))}},
      {.name = "Source",
       .description = "A function of time and of the component's inputs.",
       .attributes = {name("Name in results."),
                      required(
                          of_type(AttributeType::functions, "value",
                                  "Function of t and of inputs by name; several make a signal of as many numbers."))}},
      {.name = "Function",
       .description = "A function of other blocks and of time: `{rho*v*abs(v)}` with `inputs=\"v\"`.",
       .attributes =
           {name("Name in results."),
            of_type(AttributeType::text, "inputs",
                    "Blocks that the function uses, separated by commas. Inputs of the component need not be listed."),
            required(of_type(AttributeType::functions, "value",
                             "Function of t and of these blocks by name, `v[2]` for one number of several; several "
                             "functions make a signal of as many numbers."))}},
  };
}

std::vector<ElementRule> operations() {
  return {
      with_input("Gain", "The input times a number.", {required(number("gain", "Factor."))}),
      {.name = "Sum",
       .description = "The sum of several blocks.",
       .attributes =
           {name("Name in results."),
            required(of_type(
                AttributeType::text, "inputs",
                "Blocks of equal size, separated by commas, each with an optional sign: `reference, -measured`."))}},
      {.name = "Product",
       .description = "The product of several blocks.",
       .attributes = {name("Name in results."),
                      required(of_type(AttributeType::text, "inputs", "Blocks of equal size, separated by commas."))}},
      {.name = "Switch",
       .description = "Selects one of two blocks: `above` where the condition is at least the threshold, else `below`. "
                      "The solver locates the time of switching.",
       .attributes = {name("Name in results."),
                      block("condition", "Block that decides; one number for all, or one for each."),
                      number("threshold", "Value of the condition from which `above` is selected.", "0"),
                      number("hysteresis",
                             "How far the condition must fall below the threshold before `below` is selected again; "
                             "not negative. A switch that acts back on its own condition needs a positive value.",
                             "0"),
                      block("above", "Block at and above the threshold."), block("below", "Block below it.")}},
      with_input("Integrator", "Integral of the input. At a limit it stops until the input changes its sign.",
                 with_limits({number("start", "Value at the start.", "0")})),
      with_input("Pid",
                 "A PID controller: kp e + ki (integral of e) + kd (filtered derivative of e), limited. Anti-windup is "
                 "conditional integration, without a parameter: while the sum is beyond a limit and ki e drives it "
                 "further, the integral stops.",
                 with_limits({required(number("kp", "Proportional gain.")), number("ki", "Integral gain [1/s].", "0"),
                              number("kd", "Derivative gain [s].", "0"),
                              number("filter", "Time constant of the derivative filter [s]; required with kd.")})),
      with_input(
          "TransferFunction", "A proper transfer function in s, at rest at the start.",
          {of_type(AttributeType::text, "numerator", "Coefficients, highest power first, separated by commas.", "1"),
           required(of_type(AttributeType::text, "denominator",
                            "Coefficients, highest power first, separated by commas."))}),
      with_input("Table@Blocks",
                 "A table of values over the input. A table of several columns makes a signal of as many numbers; its "
                 "input has one.",
                 rules::table_points("Ordinates, as many as abscissae; further columns after semicolons.",
                                     "Text file with columns (x, then one or several y), instead of x and y.")),
      with_input("Limiter", "The input, limited.", limits()),
      with_input(
          "SampleHold",
          "Samples its input at the start and at integer multiples of the period, plus the offset, and holds it.",
          {required(number("period", "Sampling period [s], positive.")),
           number("offset", "Offset of the samples [s].", "0")}),
  };
}

}  // namespace

document::Grammar blocks_grammar() {
  ElementRule blocks{.name = "Blocks",
                     .description =
                         "A block diagram of signals. A block whose input has several numbers treats each of them "
                         "alike and has as many itself.",
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
