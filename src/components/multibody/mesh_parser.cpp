// Surfaces in the formats of CAD programs: STL, binary and as text, and OBJ.

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <unordered_map>

#include "components/multibody/mesh.hpp"
#include "document/expression.hpp"

namespace tieline::components {
namespace {

using Eigen::Vector3d;
namespace fs = std::filesystem;

// Of binary STL [bytes]: a heading, the number of triangles, and for each triangle its normal, three corners and two
// bytes that nobody uses.
constexpr std::size_t kHeading = 80, kCount = 4, kNormal = 12, kTriangle = 50, kFloat = 4;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

bool is_word(std::string_view word, std::string_view expected) {
  return std::equal(word.begin(), word.end(), expected.begin(), expected.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

/// A part of a file for a message: it may hold any bytes.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
  return result;
}

/// The surface that grows corner by corner; equal corners are one vertex.
class MeshBuilder {
 public:
  std::uint32_t vertex(Vector3d place) {
    place += Vector3d::Zero();  // -0 is 0
    const auto [found, is_new] =
        numbers_.try_emplace({place.x(), place.y(), place.z()}, static_cast<std::uint32_t>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(place);
    return found->second;
  }
  /// False if there are too many.
  bool add(const std::array<std::uint32_t, 3>& corners) {
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) return true;
    if (mesh_.triangles.size() >= kMostTriangles) return false;
    mesh_.triangles.push_back(corners);
    return true;
  }
  core::Mesh take() { return std::move(mesh_); }

 private:
  using Key = std::array<double, 3>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (const double part : key) {
        hash = (hash ^ std::bit_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 32;
      }
      return static_cast<std::size_t>(hash);
    }
  };
  core::Mesh mesh_;
  std::unordered_map<Key, std::uint32_t, Hash> numbers_;
};

std::string too_many() { return fmt::format("it has more than {} triangles", kMostTriangles); }

/// The words of a text, and the line of the last one.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  /// The next word; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && is_blank(text_[at_])) line_ += text_[at_++] == '\n' ? 1 : 0;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  [[nodiscard]] int line() const { return line_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

class TextStl {
 public:
  TextStl(std::string_view text, std::string& problem) : words_(text), problem_(problem) {}

  std::optional<core::Mesh> run() {
    while (problem_.empty()) {
      const std::string_view word = words_.next();
      if (word.empty()) return builder_.take();
      if (is_word(word, "solid") || is_word(word, "endsolid")) {
        words_.skip_line();
      } else if (is_word(word, "facet")) {
        read_facet();
      } else {
        fail("'facet' or 'endsolid'", word);
      }
    }
    return std::nullopt;
  }

 private:
  void read_facet() {
    if (!expect("normal")) return;
    // The order of the corners determines the side; normals are often left out.
    for (int i = 0; i < 3; ++i) (void)words_.next();
    if (!expect("outer") || !expect("loop")) return;
    std::array<std::uint32_t, 3> corners{};
    for (std::uint32_t& corner : corners) {
      Vector3d place;
      if (!expect("vertex") || !read_place(place)) return;
      corner = builder_.vertex(place);
    }
    if (!expect("endloop") || !expect("endfacet")) return;
    if (!builder_.add(corners)) problem_ = too_many();
  }
  bool read_place(Vector3d& place) {
    for (int i = 0; i < 3; ++i) {
      const std::string_view word = words_.next();
      const auto number = document::parse_number(word);
      if (!number) return fail("a finite number", word);
      place[i] = *number;
    }
    return true;
  }
  bool expect(std::string_view expected) {
    const std::string_view word = words_.next();
    return is_word(word, expected) || fail(fmt::format("'{}'", expected), word);
  }
  bool fail(const std::string& expected, std::string_view found) {
    problem_ = found.empty() ? fmt::format("line {}: the file ends where {} is expected", words_.line(), expected)
                             : fmt::format("line {}: expected {}, found '{}'", words_.line(), expected, shown(found));
    return false;
  }

  Words words_;
  std::string& problem_;
  MeshBuilder builder_;
};

std::uint32_t binary_count(std::string_view bytes) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    count |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[kHeading + i])) << (8 * i);
  }
  return count;
}

std::size_t binary_size(std::string_view bytes) { return kHeading + kCount + kTriangle * binary_count(bytes); }

float binary_float(std::string_view bytes, std::size_t at) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kFloat; ++i) {
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return std::bit_cast<float>(bits);
}

std::optional<core::Mesh> parse_binary_stl(std::string_view bytes, std::string& problem) {
  MeshBuilder builder;
  for (std::size_t at = kHeading + kCount; at < bytes.size(); at += kTriangle) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t i = 0; i < 3; ++i) {
      Vector3d place;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t where = at + kNormal + (3 * i + k) * kFloat;
        const auto number = static_cast<double>(binary_float(bytes, where));
        if (!std::isfinite(number)) {
          problem = fmt::format("byte {}: a coordinate is {}, not a finite number", where, number);
          return std::nullopt;
        }
        place[static_cast<Eigen::Index>(k)] = number;
      }
      corners[i] = builder.vertex(place);
    }
    if (!builder.add(corners)) {
      problem = too_many();
      return std::nullopt;
    }
  }
  return builder.take();
}

std::optional<core::Mesh> parse_stl(std::string_view bytes, std::string& problem) {
  // Binary files may begin with "solid", too; their size identifies them.
  const bool has_count = bytes.size() >= kHeading + kCount;
  if (has_count && bytes.size() == binary_size(bytes)) return parse_binary_stl(bytes, problem);
  if (is_word(Words(bytes).next(), "solid")) return TextStl(bytes, problem).run();
  problem = has_count ? fmt::format(
                            "byte {}: the header announces {} triangles, which take {} bytes, but the file has {}: it "
                            "is truncated, or not STL",
                            kHeading, binary_count(bytes), binary_size(bytes), bytes.size())
                      : "it is not STL: it does not start with 'solid', and is too short for a binary file";
  return std::nullopt;
}

class Obj {
 public:
  explicit Obj(std::string& problem) : problem_(problem) {}

  std::optional<core::Mesh> run(std::string_view text) {
    bool has_faces = false;
    for (std::size_t at = 0; at < text.size() && problem_.empty();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++line_;
      Words words(text.substr(at, end - at));
      const std::string_view keyword = words.next();
      if (keyword == "v") read_vertex(words);
      if (keyword == "f") read_face(words), has_faces = true;
      at = end + 1;
    }
    if (problem_.empty() && !has_faces) problem_ = "it contains no faces: is it an OBJ file?";
    if (!problem_.empty()) return std::nullopt;
    return builder_.take();
  }

 private:
  void read_vertex(Words& words) {
    Vector3d place;
    for (int i = 0; i < 3; ++i) {
      const std::string_view word = words.next();
      const auto number = document::parse_number(word);
      if (!number) return fail("three finite numbers", word);
      place[i] = *number;
    }
    vertices_.push_back(builder_.vertex(place));
  }
  void read_face(Words& words) {
    corners_.clear();
    for (std::string_view word = words.next(); !word.empty() && word.front() != '#'; word = words.next()) {
      // "vertex/texture/normal", of which the first counts; negative ones count back from the last vertex.
      const auto number = document::parse_number(word.substr(0, word.find('/')));
      if (!number || *number != std::floor(*number)) return fail("the number of a vertex", word);
      const auto count = static_cast<double>(vertices_.size());
      const double from_first = *number < 0.0 ? count + *number : *number - 1.0;
      if (!(from_first >= 0.0 && from_first < count)) {
        problem_ =
            fmt::format("line {}: there is no vertex {}; {} are known there", line_, shown(word), vertices_.size());
        return;
      }
      corners_.push_back(vertices_[static_cast<std::size_t>(from_first)]);
    }
    if (corners_.size() < 3) return fail("three corners or more", words.next());
    // A fan: its signed parts make up the polygon, whether it is convex or not.
    for (std::size_t i = 2; i < corners_.size(); ++i) {
      if (!builder_.add({corners_[0], corners_[i - 1], corners_[i]})) problem_ = too_many();
    }
  }
  void fail(std::string_view expected, std::string_view found) {
    problem_ = found.empty() ? fmt::format("line {}: expected {}, but the line ends", line_, expected)
                             : fmt::format("line {}: expected {}, found '{}'", line_, expected, shown(found));
  }

  std::string& problem_;
  int line_ = 0;
  MeshBuilder builder_;
  std::vector<std::uint32_t> vertices_, corners_;
};

}  // namespace

std::optional<MeshFormat> mesh_format(const fs::path& file) {
  const std::string ending = file.extension().string();
  if (is_word(ending, ".stl")) return MeshFormat::stl;
  if (is_word(ending, ".obj")) return MeshFormat::obj;
  return std::nullopt;
}

std::optional<core::Mesh> parse_mesh(std::string_view bytes, MeshFormat format, std::string& problem) {
  problem.clear();
  return format == MeshFormat::stl ? parse_stl(bytes, problem) : Obj(problem).run(bytes);
}

std::optional<core::Mesh> load_mesh(const fs::path& file, std::string& problem) {
  const auto refuse = [&](std::string reason) {
    problem = std::move(reason);
    return std::nullopt;
  };
  std::error_code failure;
  if (!fs::exists(file, failure)) return refuse("the file does not exist");
  if (!fs::is_regular_file(file, failure)) return refuse("this is not a file");
  const auto format = mesh_format(file);
  if (!format) return refuse("a mesh is a file whose name ends with .stl or .obj");
  const auto size = fs::file_size(file, failure);
  if (failure) return refuse("the file cannot be read");
  if (size > kLargestMeshFile) {
    return refuse(fmt::format("the file has {} bytes; the limit is {}", size, kLargestMeshFile));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return refuse("the file cannot be read");
  return parse_mesh(bytes, *format, problem);
}

}  // namespace tieline::components
