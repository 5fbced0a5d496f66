#include "engine/trace.hpp"

#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <system_error>

namespace tieline::engine {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;
// Rows of the viewer come in two blocks.
constexpr int kThreads = 1;
constexpr int kComponents = 2;

core::Error cannot_write(const std::filesystem::path& file, int reason) {
  return {.code = core::ErrorCode::input_output,
          .message =
              fmt::format("cannot write the trace '{}': {}", file.string(), std::generic_category().message(reason))};
}

std::string json_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) escaped += c;
  }
  return escaped;
}

std::string row_name(const char* what, int block, int row, std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":"{}"}}}})", what, block, row, name);
}

}  // namespace

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

core::Result<std::unique_ptr<Trace>> Trace::create(const std::filesystem::path& file,
                                                   std::vector<std::string> node_names) {
  std::FILE* stream = std::fopen(file.c_str(), "we");
  if (stream == nullptr) return cannot_write(file, errno);
  return std::unique_ptr<Trace>(new Trace(file, stream, std::move(node_names)));
}

Trace::Trace(std::filesystem::path path, std::FILE* file, std::vector<std::string> node_names)
    : path_(std::move(path)), file_(file), names_(std::move(node_names)), start_(now_seconds()) {
  std::string head;
  put(head, row_name("process_name", kThreads, 0, "threads"));
  put(head, row_name("process_name", kComponents, 0, "components"));
  for (std::size_t i = 0; i < names_.size(); ++i) {
    names_[i] = json_text(names_[i]);
    put(head, row_name("thread_name", kComponents, static_cast<int>(i), names_[i]));
  }
  flush(head);
}

Trace::~Trace() { static_cast<void>(close()); }

void Trace::use_workers(int count) {
  while (static_cast<int>(buffers_.size()) < count) {
    const int worker = static_cast<int>(buffers_.size());
    buffers_.emplace_back();
    buffers_.back().reserve(kBufferSize + 1024);
    put(buffers_.back(), row_name("thread_name", kThreads, worker, fmt::format("thread {}", worker)));
  }
}

void Trace::window(int worker, int node, double begin, double end, double t0, double t1) {
  put(buffers_[static_cast<std::size_t>(worker)],
      fmt::format(
          R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}","cat":"window","args":{{"from":{:.9g},"to":{:.9g}}}}})",
          kThreads, worker, (begin - start_) * 1e6, (end - begin) * 1e6, names_[static_cast<std::size_t>(node)], t0,
          t1));
}

void Trace::wait(int worker, int node, double begin, double end, int for_node) {
  const std::string what =
      for_node >= 0 ? "waits for " + names_[static_cast<std::size_t>(for_node)] : std::string("waits for a thread");
  put(buffers_[static_cast<std::size_t>(worker)],
      fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"name":"{}","cat":"wait"}})", kComponents,
                  node, (begin - start_) * 1e6, (end - begin) * 1e6, what));
}

void Trace::put(std::string& buffer, std::string_view event) {
  buffer += ",\n";
  buffer += event;
  if (buffer.size() >= kBufferSize) flush(buffer);
}

void Trace::flush(std::string& buffer) {
  if (buffer.empty()) return;
  const std::lock_guard lock(mutex_);
  // Every event begins with a separator; the very first one becomes the array's beginning.
  if (!has_events_) buffer[0] = '[';
  has_events_ = true;
  if (failure_ == 0 && std::fwrite(buffer.data(), 1, buffer.size(), file_) != buffer.size()) failure_ = errno;
  buffer.clear();
}

core::Result<void> Trace::status() const {
  const std::lock_guard lock(mutex_);
  if (failure_ != 0) return cannot_write(path_, failure_);
  return {};
}

core::Result<void> Trace::close() {
  if (file_ == nullptr) return status();
  for (std::string& buffer : buffers_) flush(buffer);
  if (failure_ == 0 && std::fputs("\n]\n", file_) < 0) failure_ = errno;
  if (std::fclose(file_) != 0 && failure_ == 0) failure_ = errno;
  file_ = nullptr;
  return status();
}

}  // namespace tieline::engine
