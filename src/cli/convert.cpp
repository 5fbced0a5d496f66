#include <cstdio>
#include <fmt/format.h>

#include "tieline/exchange.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace tieline::cli {

int convert(const ConvertArguments& arguments) {
  Conversion conversion;
  try {
    conversion = convert_model(arguments.in, arguments.out, {.replaces = arguments.is_forced});
  } catch (const FileError& error) {
    return complain_of_files(error, "--force");
  }
  fmt::print("{}{}: {}, {}\n", describe(conversion.problems), arguments.in.string(), conversion.format,
             count(conversion.warnings, "warning"));
  fmt::print("{}\n", arguments.out.string());
  return kDone;
}

}  // namespace tieline::cli
