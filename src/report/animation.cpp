#include "report/animation.hpp"

#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "core/atomic_file.hpp"
#include "report/animation_page.hpp"
#include "report/base64.hpp"

namespace tieline::report {
namespace {

using Json = nlohmann::ordered_json;

// Numbers go to the page as they lie in memory; browsers run on machines of this byte order.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(float) == 4);

std::string motion_json(const Motion& motion, const AnimationOptions& options) {
  Json json{{"title", options.title}, {"notes", options.notes}, {"start", motion.start},
            {"end", motion.end},      {"count", motion.count},  {"width", motion.width}};
  for (const std::string& note : motion.notes) json["notes"].push_back(note);
  const auto add = [&](const char* name, const std::vector<Motion::Place>& places) {
    json[name] = Json::object();
    for (const Motion::Place& place : places) json[name][place.name] = place.column;
  };
  add("bodies", motion.bodies);
  add("interfaces", motion.interfaces);
  add("curves", motion.curves);
  add("loads", motion.loads);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "</script>" in a name must not end the element that holds it.
void write_json(std::ostream& out, std::string_view id, std::string_view json) {
  fmt::memory_buffer head;
  fmt::format_to(std::back_inserter(head), "<script id=\"{}\" type=\"application/json\">", id);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  for (const char c : json) {
    if (c == '<') {
      out << "\\u003c";
    } else {
      out << c;
    }
  }
  out << "</script>\n";
}

}  // namespace

core::Result<AnimationFacts> write_animation(const results::ResultReader& reader, const results::RunScene& scene,
                                             const AnimationOptions& options, const std::filesystem::path& file) {
  const auto made = animation_page();
  if (!made) return made.error();
  const std::string_view page = *made;
  const auto motion = sample_motion(reader, scene, options.motion);
  if (!motion) return motion.error();
  const auto mark = page.find(kAnimationDataMark);
  const auto written = core::replace_file(file, [&](const std::filesystem::path& temporary) -> core::Result<void> {
    std::ofstream out(temporary, std::ios::binary);
    out << page.substr(0, mark);
    write_json(out, "tieline-scene", results::to_json(scene));
    write_json(out, "tieline-motion", motion_json(*motion, options));
    out << "<script id=\"tieline-frames\" type=\"text/plain\">";
    write_base64(out, std::as_bytes(std::span(motion->values)));
    out << "</script>" << page.substr(mark + kAnimationDataMark.size());
    out.close();
    if (out) return {};
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno))};
  });
  if (!written) return written.error();
  return AnimationFacts{motion->start, motion->end, motion->count, motion->bodies.size(), motion->notes};
}

}  // namespace tieline::report
