#include "transport/socket_stream.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "transport/attachment_access.hpp"
#include "transport/frame.hpp"

namespace tieline::transport {
namespace {

core::Error connection_closed() {
  return {.code = core::ErrorCode::peer_lost, .message = "the partner has closed the connection"};
}

bool would_wait(int reason) { return reason == EAGAIN || reason == EWOULDBLOCK; }

/// What a failed call on a socket means.
core::Error socket_error(const char* what) {
  const bool is_lost =
      errno == EPIPE || errno == ECONNRESET || errno == ETIMEDOUT || errno == EHOSTUNREACH || errno == ENETUNREACH;
  return system_error(what, is_lost ? core::ErrorCode::peer_lost : core::ErrorCode::input_output);
}

/// Has the system ask a partner that is silent whether it is still there, and give up what it does not take.
bool watch_partner(const Descriptor& socket) {
  constexpr int probes = 3;
  const int on = 1;
  const int idle = static_cast<int>(kSilentTime.count()) / 2, between = idle / probes;
  const unsigned longest = static_cast<unsigned>(std::chrono::milliseconds(kSilentTime).count());
  const auto set = [&](int level, int option, const auto& value) {
    return ::setsockopt(socket.get(), level, option, &value, sizeof value) == 0;
  };
  return set(SOL_SOCKET, SO_KEEPALIVE, on) && set(IPPROTO_TCP, TCP_KEEPIDLE, idle) &&
         set(IPPROTO_TCP, TCP_KEEPINTVL, between) && set(IPPROTO_TCP, TCP_KEEPCNT, probes) &&
         set(IPPROTO_TCP, TCP_USER_TIMEOUT, longest);
}

/// Control data for as many attachments as may come beside one piece.
union ControlBuffer {
  cmsghdr align;
  std::array<char, CMSG_SPACE(kMostAttachments * sizeof(int))> bytes;
};

}  // namespace

core::Result<std::unique_ptr<SocketStream>> SocketStream::adopt(Descriptor socket, SocketOptions options) {
  if (auto ready = make_nonblocking(socket); !ready) return std::move(ready.error());
  int domain = 0;
  socklen_t size = sizeof domain;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return system_error("adopting a socket");
  if (domain == AF_INET || domain == AF_INET6) {
    const int on = 1;
    if (::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) < 0) {
      return system_error("setting up a socket");
    }
    if (options.notices_breaks && !watch_partner(socket)) return system_error("setting up a socket");
  }
  return std::unique_ptr<SocketStream>(new SocketStream(std::move(socket), options));
}

core::Result<std::pair<std::unique_ptr<SocketStream>, std::unique_ptr<SocketStream>>> SocketStream::pair(
    SocketOptions options) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0)
    return system_error("making a socket pair");
  Descriptor first(ends[0]), second(ends[1]);
  auto a = adopt(std::move(first), options);
  if (!a) return std::move(a.error());
  auto b = adopt(std::move(second), options);
  if (!b) return std::move(b.error());
  return std::pair{std::move(*a), std::move(*b)};
}

core::Result<std::size_t> SocketStream::write_some(std::span<const std::byte> bytes) { return write_with(bytes, {}); }

core::Result<std::size_t> SocketStream::write_with(std::span<const std::byte> bytes,
                                                   std::span<const Attachment> attachments) {
  if (!socket_) return connection_closed();
  if (bytes.empty()) return std::size_t{0};
  if (attachments.size() > kMostAttachments) {
    return core::Error{.code = core::ErrorCode::unsupported, .message = "too many attachments for one message"};
  }
  for (;;) {
    ssize_t count = 0;
    if (attachments.empty()) {
      count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      std::array<int, kMostAttachments> numbers{};
      for (std::size_t i = 0; i < attachments.size(); ++i) numbers[i] = AttachmentAccess::number(attachments[i]);
      const std::size_t size = attachments.size() * sizeof(int);
      ControlBuffer control{};
      iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
      msghdr message{};
      message.msg_iov = &piece;
      message.msg_iovlen = 1;
      message.msg_control = control.bytes.data();
      message.msg_controllen = CMSG_SPACE(size);
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(size);
      std::memcpy(CMSG_DATA(header), numbers.data(), size);
      count = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (count >= 0) return static_cast<std::size_t>(count);
    if (would_wait(errno)) return std::size_t{0};
    if (errno != EINTR) return socket_error("writing to a partner");
  }
}

core::Result<std::size_t> SocketStream::read_some(std::span<std::byte> bytes) {
  if (!socket_) return connection_closed();
  if (bytes.empty() || std::exchange(is_drained_, false)) return std::size_t{0};
  return receive(bytes);
}

core::Result<std::size_t> SocketStream::receive(std::span<std::byte> bytes) {
  for (;;) {
    ControlBuffer control;
    iovec piece{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (options_.most_attachments > 0) {
      message.msg_control = control.bytes.data();
      message.msg_controllen = control.bytes.size();
    }
    const ssize_t count = options_.most_attachments > 0
                              ? ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)
                              : ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0) {
      if (would_wait(errno)) return std::size_t{0};
      if (errno == EINTR) continue;
      return socket_error("reading from a partner");
    }
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t numbers = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < numbers; ++i) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(header) + i * sizeof number, sizeof number);
        Attachment attachment = AttachmentAccess::make(Descriptor(number));
        if (received_.size() < options_.most_attachments) received_.push_back(std::move(attachment));
      }
    }
    if (count == 0) return connection_closed();
    // A piece also ends where attachments stand beside the next one.
    is_drained_ = static_cast<std::size_t>(count) < bytes.size() && options_.most_attachments == 0;
    return static_cast<std::size_t>(count);
  }
}

Attachment SocketStream::take_attachment() {
  if (received_.empty()) return {};
  Attachment oldest = std::move(received_.front());
  received_.pop_front();
  return oldest;
}

Waitable SocketStream::waitable(Interest interest) const {
  return Waitable(socket_.get(), static_cast<short>((interest.input ? POLLIN : 0) | (interest.room ? POLLOUT : 0)));
}

bool SocketStream::woken(bool is_ready, Interest) {
  if (!is_ready) return false;
  is_drained_ = false;
  return true;
}

bool SocketStream::is_cut() const {
  pollfd state{socket_.get(), POLLRDHUP, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

void SocketStream::close() {
  // The partner must find the end even where another process still holds a copy of this descriptor.
  if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
  socket_.reset();
  received_.clear();
}

}  // namespace tieline::transport
