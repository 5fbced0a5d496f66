// In place of the room `secure`: an exported FMU runs on one machine, and contains no OpenSSL.

#include "secure/identity.hpp"
#include "secure/tls_factory.hpp"

namespace tieline::secure {
namespace {

core::Error refused() {
  return {.code = core::ErrorCode::unsupported, .message = "an exported FMU computes its model on one machine"};
}

}  // namespace

struct Authority::Keys {};
Authority::Authority(std::unique_ptr<Keys> keys) : keys_(std::move(keys)) {}
Authority::Authority(Authority&&) noexcept = default;
Authority& Authority::operator=(Authority&&) noexcept = default;
Authority::~Authority() = default;
core::Result<Authority> Authority::make() { return refused(); }
core::Result<Identity> Authority::issue(const Validity&) const { return refused(); }

struct TlsContext::Parts {};
TlsContext::~TlsContext() = default;
Caretaker::~Caretaker() = default;

core::Result<std::unique_ptr<TlsFactory>> TlsFactory::make(const Identity&, Outside, LastingOptions) {
  return refused();
}
bool TlsFactory::reads(std::string_view) const { return false; }
core::Result<std::unique_ptr<transport::Door>> TlsFactory::open_door() const { return refused(); }
core::Result<std::unique_ptr<transport::Stream>> TlsFactory::connect(const std::string&,
                                                                     const transport::ConnectOptions&,
                                                                     const transport::Until&) const {
  return refused();
}

}  // namespace tieline::secure
