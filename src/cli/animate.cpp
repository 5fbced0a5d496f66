#include <fmt/format.h>

#include "tieline/plots.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace tieline::cli {

int animate(const AnimateArguments& arguments) {
  const std::filesystem::path out = arguments.out.empty() ? "animation.html" : arguments.out;
  const Animation animation = tieline::animate(arguments.folder, out,
                                               {.title = arguments.title,
                                                .frames = static_cast<std::size_t>(arguments.frames),
                                                .from = arguments.from,
                                                .to = arguments.to});
  for (const std::string& note : animation.notes) print_error("warning: {}\n", note);
  std::error_code failure;
  fmt::print("{}: {} of {} from {:g} s to {:g} s, {:.2g} MB\n", out.string(), count(animation.frames, "frame"),
             animation.bodies == 1 ? "1 body" : fmt::format("{} bodies", animation.bodies), animation.start,
             animation.end, static_cast<double>(std::filesystem::file_size(out, failure)) / 1e6);
  return kDone;
}

}  // namespace tieline::cli
