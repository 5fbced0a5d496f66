#include "transport/shared_memory_factory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "transport/attachment_access.hpp"
#include "transport/shared_stream.hpp"
#include "transport/socket_door.hpp"

namespace tieline::transport {
namespace {

/// The memory, and an end of the socket pair.
constexpr std::size_t kSharedPieces = 2;

class SharedMemoryFactory final : public StreamFactory {
 public:
  [[nodiscard]] std::string_view name() const override { return "shared_memory"; }
  [[nodiscard]] std::string_view address_form() const override { return "local:NAME"; }
  [[nodiscard]] bool reads(std::string_view address) const override {
    return is_endpoint(Endpoint::Kind::local, address);
  }
  [[nodiscard]] core::Result<std::unique_ptr<Door>> open_door() const override {
    auto listener = Listener::local();
    if (!listener) return std::move(listener.error());
    return std::unique_ptr<Door>(std::make_unique<SocketDoor>(std::move(*listener), ::geteuid()));
  }
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> connect(const std::string& address, const ConnectOptions& options,
                                                              const Until& until) const override {
    return connect_socket(Endpoint::Kind::local, address, options, until);
  }

  [[nodiscard]] std::size_t attachments_each() const override { return kSharedPieces; }
  [[nodiscard]] core::Result<std::array<Offer, 2>> offer(const std::string&) const override {
    auto parts = make_shared_parts();
    if (!parts) return std::move(parts.error());
    Descriptor copy(::fcntl(parts->memory.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy) return system_error("connecting processes through shared memory");
    std::array<Offer, 2> ends;
    ends[1].is_second = true;
    ends[0].attachments.push_back(AttachmentAccess::make(std::move(copy)));
    ends[1].attachments.push_back(AttachmentAccess::make(std::move(parts->memory)));
    for (std::size_t i = 0; i < ends.size(); ++i) {
      ends[i].attachments.push_back(AttachmentAccess::make(std::move(parts->sockets[i])));
    }
    return ends;
  }
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> adopt(std::vector<Attachment> attachments,
                                                            bool is_second) const override {
    if (attachments.size() != kSharedPieces) {
      return core::Error{.code = core::ErrorCode::protocol, .message = "the memory of a link was not passed on"};
    }
    Descriptor memory = AttachmentAccess::take(std::move(attachments[0]));
    Descriptor socket = AttachmentAccess::take(std::move(attachments[1]));
    auto stream = SharedStream::adopt(std::move(memory), std::move(socket), is_second ? Side::second : Side::first);
    if (!stream) return std::move(stream.error());
    return std::unique_ptr<Stream>(std::move(*stream));
  }
};

}  // namespace

const StreamFactory& shared_memory_factory() {
  static const SharedMemoryFactory factory;
  return factory;
}

}  // namespace tieline::transport
