#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tieline::core {

/// What a snapshot is taken for.
enum class SnapshotUse {
  resume,  ///< by another run or later: with everything that decides how it continues
  trial,   ///< by the same run, to repeat a step: without what is only learnt, and holds on either side of the step
};

/// Appends plain values to a byte string: the form of every snapshot. `tag` guards against reading out of step.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(SnapshotUse use = SnapshotUse::resume) : use_(use) {}
  [[nodiscard]] SnapshotUse use() const { return use_; }
  /// Empties it, to be written again.
  void clear() { bytes_.clear(); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    bytes_.append(bytes, sizeof(T));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put_span(std::span<const T> values) {
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  /// What another writer wrote, as it is.
  void append(std::string_view bytes) { bytes_.append(bytes); }
  void put_text(std::string_view text) { put_span(std::span<const char>(text)); }
  void tag(std::string_view name) { put_text(name); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  SnapshotUse use_;
  std::string bytes_;
};

/// The snapshot does not belong to this model, or is damaged.
class ArchiveError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads what ArchiveWriter wrote, in the same order; throws ArchiveError on any mismatch.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes, SnapshotUse use = SnapshotUse::resume) : bytes_(bytes), use_(use) {}
  [[nodiscard]] SnapshotUse use() const { return use_; }

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { value = get<T>(); }
  template <class T>
  std::vector<T> get_vector() {
    const auto count = get<std::size_t>();
    if (count > bytes_.size() / sizeof(T)) throw ArchiveError("the snapshot is truncated");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  /// Fills a span of known length.
  template <class T>
  void get_span(std::span<T> values) {
    if (get<std::size_t>() != values.size()) throw ArchiveError("the size of the snapshot does not match the model");
    if (!values.empty()) std::memcpy(values.data(), take(values.size_bytes()), values.size_bytes());
  }
  std::string get_text() {
    const auto chars = get_vector<char>();
    return {chars.begin(), chars.end()};
  }
  void expect_tag(std::string_view name) {
    if (get_text() != name) throw ArchiveError("the snapshot does not match the model at '" + std::string(name) + "'");
  }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  /// What has not been read.
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size()) throw ArchiveError("the snapshot is truncated");
    const char* place = bytes_.data();
    bytes_.remove_prefix(count);
    return place;
  }
  std::string_view bytes_;
  SnapshotUse use_;
};

}  // namespace tieline::core
