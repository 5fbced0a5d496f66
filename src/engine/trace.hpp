#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tieline::engine {

/// A record of who computed when and who waited for whom, in the trace-event format that Chrome and Perfetto read: a
/// JSON array of events. Threads and nodes have a row each; times are wall times since the trace began.
///
/// Each worker fills a small buffer of its own and passes it on to the file when it is full, so memory stays bounded
/// and workers seldom meet. A file without its end (the process was killed) is still read by both viewers.
/// `use_workers` before a run; `window` and `wait` from the worker of that number only; `close` after the run.
class Trace {
 public:
  static core::Result<std::unique_ptr<Trace>> create(const std::filesystem::path& file,
                                                     std::vector<std::string> node_names);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void use_workers(int count);
  /// The worker has computed a node's window from t0 to t1 [s], between these wall times [s].
  void window(int worker, int node, double begin, double end, double t0, double t1);
  /// The node had to wait between these wall times [s], for another node or (-1) for a thread that computes it.
  void wait(int worker, int node, double begin, double end, int for_node);
  /// Whether all could be written so far.
  [[nodiscard]] core::Result<void> status() const;
  core::Result<void> close();

 private:
  Trace(std::filesystem::path path, std::FILE* file, std::vector<std::string> node_names);
  void put(std::string& buffer, std::string_view event);
  void flush(std::string& buffer);

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  std::vector<std::string> names_;    ///< of the nodes, as JSON text
  std::vector<std::string> buffers_;  ///< of the workers
  double start_ = 0.0;                ///< wall time [s]
  mutable std::mutex mutex_;          ///< guards the file
  bool has_events_ = false;
  int failure_ = 0;  ///< errno of the first write that failed
};

/// Wall time of a steady clock [s].
[[nodiscard]] double now_seconds();

}  // namespace tieline::engine
