#pragma once

#include <string>
#include <utility>
#include <vector>

#include "document/grammar.hpp"
#include "document/rules.hpp"

/// Short ways to state the attributes of native kinds.
namespace tieline::components::rules {

using document::AttributeRule;
using document::AttributeType;

using document::rules::choice;
using document::rules::name;
using document::rules::number;
using document::rules::of_type;
using document::rules::required;

/// How many numbers a signal has; read by read_size.
inline AttributeRule signal_size() { return number("size", "Number of values of the signal.", "1"); }

/// What a signal is at first; read by read_start.
inline AttributeRule signal_start() {
  return of_type(
      AttributeType::numbers, "start",
      "Value without a connection, and until the delay of the connection has passed; one number for all, or one for "
      "each, separated by commas. Where it is not stated, a connected signal starts with the sender's first value.",
      "0");
}

/// The points of a table; read by read_table.
inline std::vector<AttributeRule> table_points(
    std::string ordinates = "Ordinates, as many as abscissae.",
    std::string file = "Text file with two columns (x, y), instead of x and y.") {
  return {of_type(AttributeType::text, "x", "Abscissae in ascending order, separated by commas."),
          of_type(AttributeType::text, "y", std::move(ordinates)),
          of_type(AttributeType::file, "file", std::move(file)),
          choice("join", "Interpolation between points; outside them the table keeps its end values.",
                 {"hold", "linear", "smooth"}, "linear")};
}

}  // namespace tieline::components::rules
