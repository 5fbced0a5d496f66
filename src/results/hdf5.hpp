#pragma once

#include <hdf5.h>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"

// Writer and reader may be in one process, on different threads.
#ifndef H5_HAVE_THREADSAFE
#error "a thread-safe build of HDF5 is needed"
#endif

namespace tieline::results {

/// Owns an HDF5 identifier; closes it with the function of its kind.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  ~Hdf5Handle() { (void)close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this != &other) {
      (void)close();
      id_ = std::exchange(other.id_, -1);
      closer_ = other.closer_;
    }
    return *this;
  }

  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool is_valid() const { return id_ >= 0; }
  /// False if HDF5 could not close it.
  bool close() { return id_ < 0 || closer_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Closer closer_ = nullptr;
};

/// This thread's turn with HDF5: no other thread of ours is inside it, so that a copy of the process can use it, too
/// (trial_copy.hpp). Meanwhile HDF5 prints nothing; the text of its last failure is had by `hdf5_error`.
class Hdf5Turn {
 public:
  Hdf5Turn() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Turn() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5Turn(const Hdf5Turn&) = delete;
  Hdf5Turn& operator=(const Hdf5Turn&) = delete;

 private:
  static std::recursive_mutex& mutex();

  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An input/output error made of what was tried and the innermost reason that HDF5 gives on this thread.
[[nodiscard]] core::Error hdf5_error(std::string_view what);

/// Attribute of an object: a list of UTF-8 texts of any length.
[[nodiscard]] bool write_texts(hid_t object, const char* name, const std::vector<std::string>& texts);
[[nodiscard]] core::Result<std::vector<std::string>> read_texts(hid_t object, const char* name);

}  // namespace tieline::results
