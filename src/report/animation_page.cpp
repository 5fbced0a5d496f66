#include "report/animation_page.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "core/installation.hpp"

namespace tieline::report {
namespace {

constexpr std::string_view kPage = "tieline/animation.html";

}  // namespace

core::Result<std::string> animation_page() {
  const std::filesystem::path file = core::data_path(kPage);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return core::bad_input(
        fmt::format("the page that plays animations is missing ('{}'): this tieline was built without it; "
                    "'make page' in its source folder builds it (needs npm and a network)",
                    file.string()));
  }
  std::string page{std::istreambuf_iterator<char>(stream), {}};
  if (page.find(kAnimationDataMark) == std::string::npos)
    return core::bad_input(
        fmt::format("'{}' is not the page that plays animations; 'make page' builds it again", file.string()));
  return page;
}

}  // namespace tieline::report
