#include "secure/tls_stream.hpp"

#include <openssl/err.h>
#include <optional>

#include "secure/openssl.hpp"

namespace tieline::secure {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Interest;
using transport::Stream;

constexpr const char* kCiphers = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

/// The stream below a BIO, and its last error, which OpenSSL would drop.
struct Below {
  std::unique_ptr<Stream> stream{};
  std::optional<Error> error{};
  bool is_closed = false;
};

Below& below(BIO* bio) { return *static_cast<Below*>(BIO_get_data(bio)); }

int write_below(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  Below& to = below(bio);
  auto count = to.stream->write_some(std::as_bytes(std::span(data, static_cast<std::size_t>(size))));
  if (!count) {
    to.error = std::move(count.error());
    return -1;
  }
  if (*count > 0) return static_cast<int>(*count);
  BIO_set_retry_write(bio);
  return -1;
}

int read_below(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  if (size <= 0) return 0;
  Below& from = below(bio);
  auto count = from.stream->read_some(std::as_writable_bytes(std::span(data, static_cast<std::size_t>(size))));
  if (!count) {
    from.error = std::move(count.error());
    return -1;
  }
  if (*count > 0) return static_cast<int>(*count);
  BIO_set_retry_read(bio);
  return -1;
}

long control_below(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

/// How a BIO reads and writes a stream. Made once; OpenSSL frees nothing of it.
const BIO_METHOD* stream_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream");
    if (made != nullptr) {
      BIO_meth_set_write(made, write_below);
      BIO_meth_set_read(made, read_below);
      BIO_meth_set_ctrl(made, control_below);
    }
    return made;
  }();
  return method;
}

Error partner_gone() { return {.code = ErrorCode::peer_lost, .message = "the partner has closed the connection"}; }

/// What a partner's certificate lacks.
std::string certificate_fault(long result) {
  switch (result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "its certificate has expired, or the clock of one machine is wrong";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "its certificate is not valid yet: the clock of one machine is wrong";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return "its certificate is not of this run";
    default:
      return std::string("its certificate is refused: ") + X509_verify_cert_error_string(result);
  }
}

std::string handshake_fault(SSL* ssl) {
  const unsigned long code = ERR_peek_last_error();
  const int reason = ERR_GET_REASON(code);
  if (const long result = SSL_get_verify_result(ssl); result != X509_V_OK) return certificate_fault(result);
  switch (reason) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return "it has no certificate";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
      return "it does not offer TLS 1.3, and nothing older is accepted";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNEXPECTED_MESSAGE:
    case SSL_R_BAD_RECORD_TYPE:
      return "it does not speak TLS";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
      return "it refuses our certificate: this is another run";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "it finds our certificate expired: the clock of one machine is wrong";
    default: {
      const std::string text = take_reason();
      return text.empty() ? "the connection cannot be secured" : "the connection cannot be secured: " + text;
    }
  }
}

}  // namespace

struct TlsContext::Parts {
  OwnedContext context{};
};

TlsContext::TlsContext(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const Identity& identity) {
  auto parts = std::make_unique<Parts>();
  parts->context.reset(SSL_CTX_new(TLS_method()));
  SSL_CTX* const context = parts->context.get();
  const auto certificate = certificate_of(identity.certificate), authority = certificate_of(identity.authority);
  const auto key = key_of(identity.key);
  if (context == nullptr || !certificate || !authority || !key) {
    return openssl_error("reading the certificates of the run", ErrorCode::bad_input);
  }
  const bool is_set = SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
                      SSL_CTX_set_ciphersuites(context, kCiphers) == 1 &&
                      SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
                      SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1 &&
                      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) == 1 &&
                      SSL_CTX_set_num_tickets(context, 0) == 1;
  if (!is_set) return openssl_error("using the certificates of the run", ErrorCode::bad_input);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_verify_depth(context, 1);
  SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(context, 1);
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(parts)));
}

struct TlsStream::State {
  std::shared_ptr<const TlsContext> context{};
  Below below{};
  OwnedSsl ssl{};
  bool is_open = false;         ///< the handshake is over
  bool waits_for_room = false;  ///< of the last call: what it waits for
};

TlsStream::TlsStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsStream::~TlsStream() = default;

Result<std::unique_ptr<TlsStream>> TlsStream::make(const std::shared_ptr<const TlsContext>& context,
                                                   std::unique_ptr<Stream> inner, Side side) {
  auto state = std::make_unique<State>();
  state->context = context;
  state->below.stream = std::move(inner);
  state->ssl.reset(SSL_new(context->parts().context.get()));
  BIO* const bio = stream_method() == nullptr ? nullptr : BIO_new(stream_method());
  if (!state->ssl || bio == nullptr) {
    BIO_free(bio);
    return openssl_error("securing a connection");
  }
  BIO_set_data(bio, &state->below);
  BIO_set_init(bio, 1);
  SSL_set_bio(state->ssl.get(), bio, bio);
  if (side == Side::connects) {
    SSL_set_connect_state(state->ssl.get());
  } else {
    SSL_set_accept_state(state->ssl.get());
  }
  return std::unique_ptr<TlsStream>(new TlsStream(std::move(state)));
}

bool TlsStream::is_open() const { return state_->is_open; }

Result<bool> TlsStream::handshake() {
  State& state = *state_;
  if (state.below.is_closed) return partner_gone();
  if (state.is_open) return true;
  ERR_clear_error();
  const int result = SSL_do_handshake(state.ssl.get());
  if (result == 1) return state.is_open = true;
  const int reason = SSL_get_error(state.ssl.get(), result);
  state.waits_for_room = reason == SSL_ERROR_WANT_WRITE;
  if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return false;
  if (state.below.error) return *state.below.error;
  return Error{.code = ErrorCode::protocol, .message = "the partner is refused: " + handshake_fault(state.ssl.get())};
}

Result<void> TlsStream::complete_handshake(const transport::Until& until) {
  transport::Waiter waiter({.spin = {}});
  (void)waiter.add(*this);
  while (true) {
    const auto is_done = handshake();
    if (!is_done) return is_done.error();
    if (*is_done) return {};
    const auto outcome = waiter.wait(until);
    if (!outcome) return outcome.error();
    if (*outcome == transport::Waiter::Outcome::cancelled) {
      return Error{.code = ErrorCode::cancelled, .message = "cancelled while connecting"};
    }
    if (*outcome == transport::Waiter::Outcome::deadline) {
      return Error{.code = ErrorCode::deadline, .message = "the partner did not answer in time"};
    }
  }
}

Result<std::size_t> TlsStream::write_some(std::span<const std::byte> bytes) {
  const auto is_done = handshake();
  if (!is_done) return is_done.error();
  if (!*is_done || bytes.empty()) return std::size_t{0};
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &count);
  if (result == 1) return count;
  const int reason = SSL_get_error(state_->ssl.get(), result);
  state_->waits_for_room = reason == SSL_ERROR_WANT_WRITE;
  if (reason == SSL_ERROR_WANT_WRITE || reason == SSL_ERROR_WANT_READ) return std::size_t{0};
  if (state_->below.error) return *state_->below.error;
  return openssl_error("writing to a partner", ErrorCode::peer_lost);
}

Result<std::size_t> TlsStream::read_some(std::span<std::byte> bytes) {
  const auto is_done = handshake();
  if (!is_done) return is_done.error();
  if (!*is_done || bytes.empty()) return std::size_t{0};
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_read_ex(state_->ssl.get(), bytes.data(), bytes.size(), &count);
  if (result == 1) return count;
  const int reason = SSL_get_error(state_->ssl.get(), result);
  if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE) return std::size_t{0};
  if (reason == SSL_ERROR_ZERO_RETURN) return partner_gone();
  if (state_->below.error) return *state_->below.error;
  // With TLS 1.3 a partner refuses our certificate after we have finished: its reason is found here.
  return Error{.code = ErrorCode::protocol, .message = "the partner is refused: " + handshake_fault(state_->ssl.get())};
}

Interest TlsStream::needed(Interest asked) const {
  if (state_->is_open) return asked;
  return {.input = !state_->waits_for_room, .room = state_->waits_for_room};
}

transport::Waitable TlsStream::waitable(Interest interest) const {
  return state_->below.stream->waitable(needed(interest));
}

bool TlsStream::arm(Interest interest) {
  if (state_->is_open && interest.input && SSL_pending(state_->ssl.get()) > 0) return false;
  return state_->below.stream->arm(needed(interest));
}

void TlsStream::disarm() { state_->below.stream->disarm(); }

bool TlsStream::woken(bool is_ready, Interest interest) {
  return state_->below.stream->woken(is_ready, needed(interest));
}

bool TlsStream::is_cut() const { return state_->below.stream->is_cut(); }

void TlsStream::close() {
  if (state_->below.is_closed) return;
  ERR_clear_error();
  if (state_->is_open) (void)SSL_shutdown(state_->ssl.get());
  ERR_clear_error();
  state_->below.is_closed = true;
  state_->below.stream->close();
}

}  // namespace tieline::secure
