#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/result.hpp"

namespace tieline::secure {

/// What a process proves itself by to others of its run, and whom it believes. All are PEM texts; the key is a secret.
struct Identity {
  std::string certificate{};
  std::string key{};
  std::string authority{};  ///< the certificate of the run, which has signed all others

  [[nodiscard]] bool is_there() const { return !certificate.empty(); }
};

/// When a certificate is valid, from now on. Clocks of machines differ, but no run lasts for ever.
struct Validity {
  std::chrono::seconds begin = -std::chrono::hours(24);
  std::chrono::seconds end = std::chrono::hours(24 * 365);
};

/// Signs the certificates of one run. Its key is nowhere but in this object, and goes with it.
class Authority {
 public:
  [[nodiscard]] static core::Result<Authority> make();
  Authority(Authority&&) noexcept;
  Authority& operator=(Authority&&) noexcept;
  ~Authority();

  /// A new key with its certificate, for a process that connects and accepts.
  [[nodiscard]] core::Result<Identity> issue(const Validity& validity = {}) const;

 private:
  struct Keys;
  explicit Authority(std::unique_ptr<Keys> keys);

  std::unique_ptr<Keys> keys_;
};

}  // namespace tieline::secure
