#include "processes/letter.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>

#include "core/system_reason.hpp"
#include "transport/bytes.hpp"

namespace tieline::processes {
namespace {

namespace fs = std::filesystem;

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::string_view kMagic = "TIELINEL";
constexpr std::uint16_t kVersion = 1;
// What a letter says beside its files [bytes]; environments are long.
constexpr std::uint32_t kLongestLetter = 4U << 20;
constexpr std::uint32_t kLongestPath = 4096;
constexpr std::size_t kPiece = std::size_t{1} << 20;

Error cannot(const std::string& what, const fs::path& file) {
  return {.code = ErrorCode::input_output,
          .message = fmt::format("cannot {} '{}': {}", what, file.string(), core::system_reason(errno))};
}

Error unreadable(const char* why) {
  return {.code = ErrorCode::protocol, .message = fmt::format("the letter of the run cannot be read: {}", why)};
}

/// A file as it travels.
struct Enclosed {
  std::string path{};  ///< absolute, as on the machine it comes from
  bool is_executable = false;
  std::uint64_t size = 0;
};

std::vector<fs::path> files_below(const std::set<std::string>& names) {
  std::set<fs::path> all;
  for (const std::string& name : names) {
    std::error_code failure;
    const fs::path file = fs::absolute(name, failure).lexically_normal();
    if (!fs::is_directory(file, failure)) {
      if (fs::is_regular_file(file, failure)) all.insert(file);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(file, failure)) {
      if (entry.is_regular_file(failure)) all.insert(entry.path());
    }
  }
  return {all.begin(), all.end()};
}

void write_bytes(std::ostream& out, const transport::ByteBuffer& buffer) {
  const auto bytes = buffer.bytes();
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Exactly as many bytes as were announced: what changes meanwhile is an error.
Result<void> copy_bytes(std::istream& in, std::ostream& out, std::uint64_t size, std::vector<char>& piece) {
  while (size > 0) {
    const auto next = static_cast<std::streamsize>(std::min<std::uint64_t>(size, piece.size()));
    if (!in.read(piece.data(), next)) return unreadable("a file is shorter than announced");
    if (!out.write(piece.data(), next)) {
      return Error{.code = ErrorCode::input_output,
                   .message = fmt::format("a file of the run cannot be written: {}", core::system_reason(errno))};
    }
    size -= static_cast<std::uint64_t>(next);
  }
  return {};
}

Result<void> enclose(std::ostream& out, const fs::path& file, std::vector<char>& piece) {
  std::ifstream in(file, std::ios::binary);
  std::error_code failure;
  const std::uint64_t size = fs::file_size(file, failure);
  if (!in || failure) return cannot("read", file);
  const auto rights = fs::status(file, failure).permissions();
  transport::ByteBuffer buffer;
  transport::Encoder encoder(buffer);
  encoder.u8(1);
  encoder.text(file.string());
  encoder.u8((rights & fs::perms::owner_exec) != fs::perms::none ? 1 : 0);
  encoder.u64(size);
  write_bytes(out, buffer);
  auto copied = copy_bytes(in, out, size, piece);
  if (!copied) copied.error().message = fmt::format("'{}' cannot be sent: {}", file.string(), copied.error().message);
  return copied;
}

template <class T>
Result<T> read_number(std::istream& in) {
  std::array<std::byte, sizeof(T)> bytes{};
  if (!in.read(reinterpret_cast<char*>(bytes.data()), sizeof(T))) return unreadable("it ends too early");
  return transport::load_wire<T>(bytes.data());
}

Result<std::string> read_text(std::istream& in, std::uint32_t longest) {
  const auto size = read_number<std::uint32_t>(in);
  if (!size) return size.error();
  if (*size > longest) return unreadable("a text in it is too long");
  std::string text(*size, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) return unreadable("it ends too early");
  return text;
}

/// Whether a path stays below the folder that it is put into.
bool is_whole(const fs::path& path) {
  if (!path.is_absolute() || path.lexically_normal() != path) return false;
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; }) &&
         path.has_filename() && path.string().find('\0') == std::string::npos;
}

Result<void> unpack(std::istream& in, const fs::path& folder, std::vector<char>& piece) {
  auto path = read_text(in, kLongestPath);
  if (!path) return std::move(path.error());
  const auto is_executable = read_number<std::uint8_t>(in);
  if (!is_executable) return is_executable.error();
  const auto size = read_number<std::uint64_t>(in);
  if (!size) return size.error();
  if (!is_whole(*path)) return unreadable("a file in it would be outside of the run's folder");
  const fs::path file = folder / fs::path(*path).relative_path();
  std::error_code failure;
  fs::create_directories(file.parent_path(), failure);
  if (fs::exists(fs::symlink_status(file, failure))) return unreadable("a file is twice in it");
  std::ofstream out(file, std::ios::binary);
  if (!out) return cannot("write", file);
  if (auto copied = copy_bytes(in, out, *size, piece); !copied) return copied;
  out.close();
  if (!out) return cannot("write", file);
  if (*is_executable != 0) fs::permissions(file, fs::perms::owner_all, failure);
  return {};
}

/// A new folder that its owner alone can enter.
Result<fs::path> make_folder(const std::string& work_folder) {
  const char* const home = std::getenv("HOME");
  fs::path above = fs::path(home == nullptr ? "/" : home) / work_folder / "runs";
  std::error_code failure;
  fs::create_directories(above, failure);
  std::string name = (above / "run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return cannot("make a folder of the run in", above);
  return fs::path(name);
}

}  // namespace

Result<void> write_letter(const fs::path& file, const Letter& letter, const std::set<std::string>& files) {
  transport::ByteBuffer buffer;
  transport::Encoder encoder(buffer);
  for (const std::string* each : {&letter.master, &letter.component, &letter.card, &letter.work_folder}) {
    encoder.text(*each);
  }
  encoder.raw(letter.token.bytes());
  encoder.count(letter.environment.size());
  for (const auto& [name, value] : letter.environment) {
    encoder.text(name);
    encoder.text(value);
  }
  const mode_t before = ::umask(077);
  std::error_code failure;
  fs::remove(file, failure);
  std::ofstream out(file, std::ios::binary);
  ::umask(before);
  if (!out) return cannot("write", file);
  transport::ByteBuffer head;
  transport::Encoder opening(head);
  opening.raw(std::as_bytes(std::span(kMagic)));
  opening.u16(kVersion);
  opening.u32(static_cast<std::uint32_t>(buffer.size()));
  write_bytes(out, head);
  write_bytes(out, buffer);
  std::vector<char> piece(kPiece);
  for (const fs::path& each : files_below(files)) {
    if (auto enclosed = enclose(out, each, piece); !enclosed) return enclosed;
  }
  out.put('\0');
  out.close();
  if (!out) return cannot("write", file);
  return {};
}

OpenedLetter::OpenedLetter(OpenedLetter&& other) noexcept
    : letter_(std::move(other.letter_)), folder_(std::exchange(other.folder_, {})) {}

OpenedLetter::~OpenedLetter() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Result<OpenedLetter> OpenedLetter::read(std::istream& stream) {
  std::array<char, kMagic.size()> magic{};
  if (!stream.read(magic.data(), magic.size()) || std::string_view(magic.data(), magic.size()) != kMagic) {
    return unreadable("this is none");
  }
  const auto version = read_number<std::uint16_t>(stream);
  if (!version) return version.error();
  if (*version != kVersion) return unreadable("it is of another version of Tieline than this host has");
  const auto fields = read_text(stream, kLongestLetter);
  if (!fields) return fields.error();
  transport::Decoder decoder(std::as_bytes(std::span(*fields)));
  OpenedLetter opened;
  Letter& letter = opened.letter_;
  for (std::string* each : {&letter.master, &letter.component, &letter.card, &letter.work_folder}) {
    *each = decoder.text();
  }
  const auto token = decoder.raw(transport::Token::kSize);
  std::array<std::byte, transport::Token::kSize> bytes{};
  std::copy(token.begin(), token.end(), bytes.begin());
  letter.token = transport::Token(bytes);
  const std::size_t count = decoder.count(8);
  for (std::size_t i = 0; i < count && !decoder.failed(); ++i) {
    const std::string name(decoder.text());
    letter.environment.emplace_back(name, decoder.text());
  }
  if (!decoder.is_complete()) return unreadable("its fields do not fit");
  auto folder = make_folder(letter.work_folder);
  if (!folder) return std::move(folder.error());
  opened.folder_ = std::move(*folder);
  std::vector<char> piece(kPiece);
  while (true) {
    const auto more = read_number<std::uint8_t>(stream);
    if (!more) return more.error();
    if (*more == 0) return opened;
    if (auto unpacked = unpack(stream, opened.folder_, piece); !unpacked) return unpacked.error();
  }
}

fs::path OpenedLetter::place_of(const std::string& path) const {
  return folder_ / fs::path(path).lexically_normal().relative_path();
}

}  // namespace tieline::processes
