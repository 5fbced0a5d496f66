#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string>

#include "core/result.hpp"

/// Objects of OpenSSL with owners, and its errors as ours.
namespace tieline::secure {

template <class T, void (*release)(T*)>
struct Release {
  void operator()(T* object) const { release(object); }
};

inline void free_bio(BIO* bio) { BIO_free_all(bio); }

using OwnedKey = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY, EVP_PKEY_free>>;
using OwnedCertificate = std::unique_ptr<X509, Release<X509, X509_free>>;
using OwnedBio = std::unique_ptr<BIO, Release<BIO, free_bio>>;
using OwnedContext = std::unique_ptr<SSL_CTX, Release<SSL_CTX, SSL_CTX_free>>;
using OwnedSsl = std::unique_ptr<SSL, Release<SSL, SSL_free>>;

/// What OpenSSL has noted last, as a sentence; its notes are forgotten. Empty if there are none.
[[nodiscard]] std::string take_reason();

/// "what: reason".
[[nodiscard]] core::Error openssl_error(const std::string& what, core::ErrorCode code = core::ErrorCode::input_output);

/// Of a PEM text; null if there is none in it.
[[nodiscard]] OwnedKey key_of(const std::string& text);
[[nodiscard]] OwnedCertificate certificate_of(const std::string& text);

}  // namespace tieline::secure
