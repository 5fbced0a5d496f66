#include "report/drawing.hpp"

#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "core/xml_text.hpp"
#include "report/png_canvas.hpp"
#include "report/svg_canvas.hpp"

namespace tieline::report {
namespace {

constexpr double kPixelsPerPixel = 2.0;  ///< of PNG files

std::string svg_of(const Sheet& sheet, const std::function<void(Canvas&)>& draw) {
  SvgCanvas canvas(sheet.width, sheet.height, sheet.title);
  draw(canvas);
  return std::move(canvas).finish();
}

}  // namespace

core::Result<void> write_drawing(const std::filesystem::path& file, const Sheet& sheet,
                                 const std::function<void(Canvas&)>& draw) {
  const std::string extension = file.extension().string();
  if (extension == ".svg") return core::replace_file(file, svg_of(sheet, draw));
  if (extension == ".png") {
    PngCanvas canvas(sheet.width, sheet.height, kPixelsPerPixel);
    draw(canvas);
    return canvas.write(file);
  }
  if (extension == ".html") {
    return core::replace_file(file,
                              fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                                          "<title>{}</title>\n</head>\n<body>\n{}</body>\n</html>\n",
                                          core::xml_escaped(sheet.title), svg_of(sheet, draw)));
  }
  return core::bad_input(fmt::format("cannot draw to '{}': the file must end in .svg, .png or .html", file.string()));
}

}  // namespace tieline::report
