#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "secure/lasting_stream.hpp"
#include "secure/tls_stream.hpp"
#include "transport/bell.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

namespace tieline::secure {

/// A door at which others connect over TLS, for new streams and to continue those that it has given out. A thread of
/// its own completes handshakes, so that a connection that is made again finds its stream whatever its owner computes
/// meanwhile. Nobody keeps others out by connecting and saying nothing: only so many wait, each for a short time.
///
/// It must live as long as broken streams of it are to be healed.
class LastingDoor final : public transport::Door {
 public:
  /// `address` is what others connect to.
  [[nodiscard]] static core::Result<std::unique_ptr<LastingDoor>> open(std::shared_ptr<const TlsContext> context,
                                                                       std::unique_ptr<transport::Door> door,
                                                                       std::string address,
                                                                       std::shared_ptr<Caretaker> caretaker,
                                                                       LastingOptions options);
  ~LastingDoor() override;

  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] transport::Waitable waitable() const override { return come_.waitable(); }
  [[nodiscard]] core::Result<std::unique_ptr<transport::Stream>> accept() override;
  [[nodiscard]] std::vector<std::string> take_refusals() override;

 private:
  struct Guest {
    std::unique_ptr<TlsStream> stream{};
    transport::Clock::time_point deadline{};
    std::array<std::byte, kPieceHeader + transport::Token::kSize> piece{};
    std::size_t have = 0;
    std::size_t place = 0;  ///< in the waiter
  };
  LastingDoor(std::shared_ptr<const TlsContext> context, std::unique_ptr<transport::Door> door, std::string address,
              std::shared_ptr<Caretaker> caretaker, LastingOptions options);
  // All of these run in the thread.
  void run();
  void take_in();
  void hear();
  /// True once it has left, or has been given on.
  [[nodiscard]] bool hear(Guest& guest);
  void meet(Guest& guest);
  void dismiss(std::size_t index);
  void refuse(const std::string& reason);
  /// Forgets streams that are no more.
  void tidy();

  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<transport::Door> door_;
  std::string address_;
  std::shared_ptr<Caretaker> caretaker_;
  LastingOptions options_;
  transport::Bell come_, own_bell_;
  transport::Waiter waiter_{{.spin = {}}};
  std::size_t door_place_ = 0, bell_place_ = 0;
  std::vector<Guest> guests_;

  std::mutex mutex_;  ///< guards what follows
  std::deque<std::unique_ptr<transport::Stream>> waiting_;
  std::vector<std::string> refusals_;
  std::map<std::string, std::weak_ptr<Meeting>> meetings_;  ///< by number
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace tieline::secure
