#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace tieline::core {

/// What went wrong, for a program to decide on; the message is for people.
enum class ErrorCode {
  bad_input,       ///< the model or a value from the user cannot be used
  step_failed,     ///< a solver could not continue
  beyond_horizon,  ///< a component asked for the future of an input
  not_finite,      ///< NaN or infinity came out of a model
  unsupported,     ///< the component cannot do what was asked
  input_output,    ///< a file could not be read or written
  cancelled,       ///< the user stopped the run
  peer_lost,       ///< the partner of a connection is gone
  deadline,        ///< a partner did not answer in time
  protocol,        ///< a partner sent what it must not
  busy,            ///< somebody else is using it
};

/// A foreseeable failure with its place: component, port and simulated time where known.
struct Error {
  ErrorCode code = ErrorCode::step_failed;
  std::string message{};
  std::string component{};
  std::string port{};
  double time = std::numeric_limits<double>::quiet_NaN();  ///< simulated [s]

  /// One sentence: "component 'a', port 'b', t = 0.1 s: message".
  [[nodiscard]] std::string describe() const;
};

/// The error of an input that cannot be used.
[[nodiscard]] inline Error bad_input(std::string message) {
  return {.code = ErrorCode::bad_input, .message = std::move(message)};
}

/// A value or an error, with the interface of std::expected (which gcc 12 does not have).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] T& value() & { return std::get<0>(content_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(content_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] Error& error() { return std::get<1>(content_); }
  [[nodiscard]] const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

/// Success costs no more than a null pointer: a window is a handful of calls that return this.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}

  [[nodiscard]] bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] Error& error() { return *error_; }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::unique_ptr<Error> error_{};
};

}  // namespace tieline::core
