#include "report/canvas.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace tieline::report {
namespace {

/// Advance widths of the printable ASCII characters of DejaVu Sans [1/1000 of the size], from the space on.
constexpr std::array<int, 95> kWidths{318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                                      636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                                      1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                                      603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                                      500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                                      635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};
constexpr std::array<int, 95> kBoldWidths{
    348, 456,  521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415,  380, 365, 696, 696,  696,
    696, 696,  696, 696, 696, 696,  696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830,  683,
    683, 821,  837, 372, 372, 775,  637, 995, 837, 850, 733, 850, 770, 720,  682, 812, 774, 1103, 771,
    724, 725,  457, 365, 457, 838,  500, 500, 675, 716, 593, 716, 678, 435,  716, 712, 343, 343,  665,
    343, 1042, 712, 687, 716, 716,  493, 595, 478, 712, 652, 924, 645, 652,  582, 712, 365, 712,  838};
/// A fair guess for all other characters.
constexpr int kOtherWidth = 640;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

}  // namespace

double text_width(std::string_view text, double size, bool is_bold) {
  int sum = 0;
  for (const char c : text) {
    if (!begins_character(c)) continue;
    const auto code = static_cast<unsigned char>(c);
    const bool is_known = code >= 32 && code < 127;
    sum += is_known ? (is_bold ? kBoldWidths : kWidths)[code - 32U] : kOtherWidth;
  }
  return size * sum / 1000.0;
}

std::string shortened(std::string_view text, double size, double width, bool is_bold) {
  if (text_width(text, size, is_bold) <= width) return std::string(text);
  // Both ends of a name say most: "sub.arm…force".
  std::size_t head = text.size() / 2, tail = text.size() - head;
  std::string result;
  do {
    if (head >= tail && head > 0)
      --head;
    else if (tail > 0)
      --tail;
    while (head > 0 && !begins_character(text[head])) --head;
    while (tail > 0 && !begins_character(text[text.size() - tail])) --tail;
    result = std::string(text.substr(0, head)).append("…").append(text.substr(text.size() - tail));
  } while (head + tail > 0 && text_width(result, size, is_bold) > width);
  return result;
}

Colour palette(int index) {
  constexpr std::array<Colour, 7> kColours{
      {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {90, 90, 90}}};
  return kColours[static_cast<std::size_t>(index) % kColours.size()];
}

std::span<const double> dash_pattern(int index) {
  static constexpr std::array<double, 2> kDashes{6.0, 3.0};
  static constexpr std::array<double, 2> kDots{1.5, 2.5};
  static constexpr std::array<double, 4> kDashDots{8.0, 3.0, 1.5, 3.0};
  switch (index % 4) {
    case 1:
      return kDashes;
    case 2:
      return kDots;
    case 3:
      return kDashDots;
    default:
      return {};
  }
}

}  // namespace tieline::report
