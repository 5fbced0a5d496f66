#include "secure/identity.hpp"

#include <array>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "secure/openssl.hpp"

namespace tieline::secure {
namespace {

using core::Result;

// Elliptic curves: small certificates, and keys that are made in no time.
constexpr const char* kCurve = "P-256";
constexpr int kVersion3 = 2;
// A positive number that nobody else gives.
constexpr std::size_t kSerialBytes = 16;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string pem_of(X509* certificate) {
  const OwnedBio bio(BIO_new(BIO_s_mem()));
  return bio && PEM_write_bio_X509(bio.get(), certificate) == 1 ? text_of(bio.get()) : std::string();
}

std::string pem_of(EVP_PKEY* key) {
  const OwnedBio bio(BIO_new(BIO_s_mem()));
  const bool is_done = bio && PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  return is_done ? text_of(bio.get()) : std::string();
}

bool add_extension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  const bool is_added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return is_added;
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, kSerialBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] &= 0x7F;
  BIGNUM* const number = BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr);
  const bool is_set = number != nullptr && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return is_set;
}

/// All but the signature and what the certificate may be used for.
OwnedCertificate blank(EVP_PKEY* key, const char* name, const Validity& validity) {
  OwnedCertificate certificate(X509_new());
  if (!certificate) return certificate;
  X509* const raw = certificate.get();
  X509_NAME* const subject = X509_get_subject_name(raw);
  const bool is_filled =
      X509_set_version(raw, kVersion3) == 1 && set_serial(raw) &&
      X509_gmtime_adj(X509_getm_notBefore(raw), static_cast<long>(validity.begin.count())) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(raw), static_cast<long>(validity.end.count())) != nullptr &&
      X509_set_pubkey(raw, key) == 1 &&
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name), -1, -1,
                                 0) == 1;
  if (!is_filled) certificate.reset();
  return certificate;
}

core::Error cannot_make() { return openssl_error("making the certificates of the run"); }

}  // namespace

std::string take_reason() {
  const unsigned long code = ERR_peek_last_error();
  std::string reason;
  if (code != 0) {
    const char* const text = ERR_reason_error_string(code);
    reason = text != nullptr ? text : "error " + std::to_string(code);
  }
  ERR_clear_error();
  return reason;
}

core::Error openssl_error(const std::string& what, core::ErrorCode code) {
  const std::string reason = take_reason();
  return {.code = code, .message = reason.empty() ? what + " failed" : what + ": " + reason};
}

OwnedKey key_of(const std::string& text) {
  const OwnedBio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  // A key that is locked by a password is no key: nobody is asked.
  const auto refuse = [](char*, int, int, void*) { return -1; };
  return OwnedKey(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse, nullptr) : nullptr);
}

OwnedCertificate certificate_of(const std::string& text) {
  const OwnedBio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  return OwnedCertificate(bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr);
}

struct Authority::Keys {
  OwnedKey key{};
  OwnedCertificate certificate{};
  std::string text{};
};

Authority::Authority(std::unique_ptr<Keys> keys) : keys_(std::move(keys)) {}
Authority::Authority(Authority&&) noexcept = default;
Authority& Authority::operator=(Authority&&) noexcept = default;
Authority::~Authority() = default;

Result<Authority> Authority::make() {
  auto keys = std::make_unique<Keys>();
  keys->key.reset(EVP_EC_gen(kCurve));
  if (!keys->key) return cannot_make();
  keys->certificate = blank(keys->key.get(), "Tieline run", {});
  X509* const raw = keys->certificate.get();
  const bool is_made = raw != nullptr && X509_set_issuer_name(raw, X509_get_subject_name(raw)) == 1 &&
                       add_extension(raw, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                       add_extension(raw, NID_key_usage, "critical,keyCertSign") &&
                       X509_sign(raw, keys->key.get(), EVP_sha256()) > 0;
  if (!is_made) return cannot_make();
  keys->text = pem_of(raw);
  if (keys->text.empty()) return cannot_make();
  return Authority(std::move(keys));
}

Result<Identity> Authority::issue(const Validity& validity) const {
  const OwnedKey key(EVP_EC_gen(kCurve));
  if (!key) return cannot_make();
  const OwnedCertificate certificate = blank(key.get(), "Tieline participant", validity);
  X509* const raw = certificate.get();
  const bool is_made = raw != nullptr &&
                       X509_set_issuer_name(raw, X509_get_subject_name(keys_->certificate.get())) == 1 &&
                       add_extension(raw, NID_basic_constraints, "critical,CA:FALSE") &&
                       add_extension(raw, NID_key_usage, "critical,digitalSignature") &&
                       add_extension(raw, NID_ext_key_usage, "clientAuth,serverAuth") &&
                       X509_sign(raw, keys_->key.get(), EVP_sha256()) > 0;
  Identity identity{is_made ? pem_of(raw) : "", is_made ? pem_of(key.get()) : "", keys_->text};
  if (identity.certificate.empty() || identity.key.empty()) return cannot_make();
  return identity;
}

}  // namespace tieline::secure
