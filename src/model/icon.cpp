#include "model/icon.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

namespace tieline::model {
namespace {

/// Behind what may stand before the root element of an XML file: declarations, comments, a document type.
std::string_view behind_prolog(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (true) {
    const auto start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    std::string_view end;
    if (text.starts_with("<?")) {
      end = "?>";
    } else if (text.starts_with("<!--")) {
      end = "-->";
    } else if (text.starts_with("<!")) {
      const auto bracket = text.find('['), close = text.find('>');
      end = bracket != std::string_view::npos && bracket < close ? "]>" : ">";
    } else {
      return text;
    }
    const auto at = text.find(end);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
}

bool is_svg(std::string_view bytes) {
  const auto root = behind_prolog(bytes);
  if (!root.starts_with('<')) return false;
  auto name = root.substr(1, root.find_first_of(" \t\r\n/>") - 1);
  if (const auto colon = name.find(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);
  return name == "svg" && bytes.find('>') != std::string_view::npos;
}

/// A signature, a header with a size, and an end.
bool is_png(std::string_view bytes) {
  constexpr std::string_view kSignature("\x89PNG\r\n\x1A\n", 8);
  if (!bytes.starts_with(kSignature) || bytes.size() < 45 || bytes.substr(12, 4) != "IHDR") return false;
  const bool has_size =
      bytes.substr(16, 4) != std::string_view("\0\0\0\0", 4) && bytes.substr(20, 4) != std::string_view("\0\0\0\0", 4);
  return has_size && bytes.find("IEND") != std::string_view::npos;
}

}  // namespace

core::Result<Icon> read_icon(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Icon icon;
  icon.bytes.resize(kLargestIcon + 1);
  stream.read(icon.bytes.data(), static_cast<std::streamsize>(icon.bytes.size()));
  if (!stream.is_open() || stream.bad() || (stream.fail() && !stream.eof())) {
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("cannot read the picture '{}': {}", file.string(), std::strerror(errno))};
  }
  icon.bytes.resize(static_cast<std::size_t>(stream.gcount()));
  if (icon.bytes.size() > kLargestIcon) {
    return core::bad_input(fmt::format("the picture '{}' is larger than {} MB", file.string(), kLargestIcon >> 20));
  }
  if (is_png(icon.bytes)) {
    icon.media_type = "image/png";
  } else if (is_svg(icon.bytes)) {
    icon.media_type = "image/svg+xml";
  } else {
    return core::bad_input(
        fmt::format("'{}' is not a picture that can be drawn: expected an SVG or a PNG file", file.string()));
  }
  return icon;
}

}  // namespace tieline::model
