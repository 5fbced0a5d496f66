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
  rule.attributes = {name("Name, as in results."),
                     block("input", "Block whose value comes in, or one number of it: `name[2]`.")};
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
       .description = "A signal that comes in. One of several numbers has the members `name[1]`, `name[2]` and so on.",
       .attributes = {name("Name, as in connections."), rules::signal_size(), rules::signal_start()}},
      {.name = "Output",
       .description = "A signal that goes out.",
       .attributes = {name("Name, as in connections."),
                      required(of_type(AttributeType::text, "of",
                                       "Block whose value goes out; several, separated by commas, make a signal of "
                                       "all their numbers."))}},
      {.name = "Constant",
       .description = "A constant.",
       .attributes = {name("Name, as in results."),
                      required(of_type(AttributeType::numbers, "value",
                                       "Its value; several make a signal of as many numbers."))}},
      {.name = "Source",
       .description = "A function of time and of the component's inputs.",
       .attributes = {name("Name, as in results."),
                      required(of_type(AttributeType::functions, "value",
                                       "Function of t and of inputs by name; several make a signal of as many "
                                       "numbers."))}},
      {.name = "Function",
       .description = "A function of other blocks and of time: `{rho*v*abs(v)}` with `inputs=\"v\"`.",
       .attributes = {name("Name, as in results."),
                      of_type(AttributeType::text, "inputs",
                              "Blocks that the function names, separated by commas; the component's inputs are known "
                              "without."),
                      required(of_type(AttributeType::functions, "value",
                                       "Function of t and of these blocks by name (`v[2]` is a number of one that has "
                                       "several); several functions make a signal of as many numbers."))}},
  };
}

std::vector<ElementRule> operations() {
  return {
      with_input("Gain", "The input times a number.", {required(number("gain", "Factor."))}),
      {.name = "Sum",
       .description = "The sum of several blocks.",
       .attributes = {name("Name, as in results."),
                      required(of_type(AttributeType::text, "inputs",
                                       "Blocks of one size, separated by commas, each with an "
                                       "optional sign: `reference, -measured`."))}},
      {.name = "Product",
       .description = "The product of several blocks.",
       .attributes = {name("Name, as in results."),
                      required(of_type(AttributeType::text, "inputs", "Blocks of one size, separated by commas."))}},
      {.name = "Switch",
       .description =
           "One of two blocks, by a third: `above` where the condition is at least the threshold, else `below`. The "
           "time of switching is located.",
       .attributes = {name("Name, as in results."),
                      block("condition",
                            "Block that decides; one number for all, or one "
                            "for each."),
                      number("threshold", "From where on it is `above`.", "0"),
                      number("hysteresis",
                             "How far the condition must fall below the threshold until it is `below` again; at least "
                             "0. Where the switch acts back on its condition, it needs one.",
                             "0"),
                      block("above", "Value at and above the threshold."), block("below", "Value below it.")}},
      with_input("Integrator", "The integral of the input. At a limit it rests until the input points back.",
                 with_limits({number("start", "Value at the start.", "0")})),
      with_input("Pid",
                 "kp e + ki (integral of e) + kd (derivative of e, filtered), kept within limits. Anti-windup is "
                 "conditional integration, which has no parameter: while the sum is beyond a limit and ki e drives it "
                 "further, the integral rests; otherwise it follows the error. Once back inside, the value is that of "
                 "the PID without limits, less what the integral would have gathered meanwhile.",
                 with_limits({required(number("kp", "Proportional gain.")), number("ki", "Integral gain [1/s].", "0"),
                              number("kd", "Derivative gain [s].", "0"),
                              number("filter", "Time constant of the derivative's filter [s]; needed with kd.")})),
      with_input(
          "TransferFunction", "A proper rational function of s, at rest at the start.",
          {of_type(AttributeType::text, "numerator", "Coefficients, highest power first, separated by commas.", "1"),
           required(of_type(AttributeType::text, "denominator",
                            "Coefficients, highest power first, separated by commas."))}),
      with_input("Table@Blocks",
                 "A table of values over the input. One of several columns is a signal of as many numbers, over an "
                 "input of one.",
                 rules::table_points("Ordinates, as many as abscissae; those of further columns after semicolons.",
                                     "Text file with columns (x, then one or several y), instead of x and y.")),
      with_input("Limiter", "The input, kept within limits.", limits()),
      with_input("SampleHold",
                 "Takes its input at whole multiples of the period (plus the offset) and at the start, and holds it.",
                 {required(number("period", "[s], greater than 0.")), number("offset", "[s].", "0")}),
  };
}

}  // namespace

document::Grammar blocks_grammar() {
  ElementRule blocks{.name = "Blocks",
                     .description =
                         "A diagram of signal blocks, to close control loops. A block that reads a signal of "
                         "several numbers does the same with each of them, and has as many itself.",
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
