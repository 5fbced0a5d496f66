#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz/targets.hpp"
#include "transport/frame.hpp"
#include "transport/hello.hpp"
#include "transport/stream.hpp"

namespace tieline::fuzz {
namespace {

using namespace transport;

/// A partner that has sent these bytes, in pieces of a few sizes, and is gone.
class SentBytes final : public Stream {
 public:
  SentBytes(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  core::Result<std::size_t> write_some(std::span<const std::byte> bytes) override { return bytes.size(); }
  core::Result<std::size_t> read_some(std::span<std::byte> bytes) override {
    is_empty_next_ = !is_empty_next_;
    if (is_empty_next_) return std::size_t{0};
    if (bytes_.empty()) return core::Error{.code = core::ErrorCode::peer_lost};
    const std::size_t count = std::min({bytes.size(), bytes_.size(), piece_});
    std::memcpy(bytes.data(), bytes_.data(), count);
    bytes_.remove_prefix(count);
    return count;
  }
  [[nodiscard]] Waitable waitable(Interest) const override { return {}; }
  bool arm(Interest) override { return false; }
  void disarm() override {}
  bool woken(bool, Interest) override { return true; }
  void close() override {}

 private:
  std::string_view bytes_;
  std::size_t piece_;
  bool is_empty_next_ = false;
};

/// Reads a payload as its own bytes ask for; whatever is read lies within it.
void read_values(std::span<const std::byte> payload) {
  Decoder decoder(payload);
  std::vector<double> numbers;
  std::size_t seen = 0;
  while (!decoder.failed() && decoder.left() > 0) {
    switch (decoder.u8() % 8) {
      case 0:
        seen += decoder.text().size();
        break;
      case 1:
        seen += decoder.bytes().size();
        break;
      case 2:
        decoder.doubles(numbers);
        seen += 8 * numbers.size();
        break;
      case 3:
        numbers.resize(3);
        decoder.raw_doubles(numbers);
        break;
      case 4:
        seen += decoder.boolean() ? 1 : 0;
        break;
      case 5:
        if (decoder.count(16) > payload.size() / 16) __builtin_trap();
        break;
      case 6:
        (void)decoder.i64();
        break;
      default:
        (void)decoder.u16();
    }
  }
  if (seen > payload.size()) __builtin_trap();
}

/// All frames until the end; returns their total size.
std::size_t read_frames(std::string_view input, std::size_t piece) {
  SentBytes stream(input, piece);
  FrameReader reader(4096);
  std::size_t total = 0;
  for (;;) {
    const auto frame = reader.next(stream);
    if (!frame) break;
    if (!*frame) continue;
    total += kFrameHeaderSize + (*frame)->payload.size();
    read_values((*frame)->payload);
  }
  if (total > input.size()) __builtin_trap();
  return total;
}

void receive_hello(std::string_view input, std::size_t piece) {
  SentBytes stream(input, piece);
  // All zeros, so that inputs with a good token are found.
  HelloReceiver receiver(Token(), Clock::time_point::max());
  while (receiver.state() == HelloReceiver::State::waiting) (void)receiver.advance(stream, Clock::time_point());
  if (receiver.state() == HelloReceiver::State::refused) {
    if (receiver.reason().empty() || receiver.fault() == HelloFault::none) __builtin_trap();
    return;
  }
  const std::string& name = receiver.hello().name;
  if (name.empty() || name.size() > kLongestName) __builtin_trap();
  if (receiver.welcome(stream) != HelloReceiver::State::welcomed) __builtin_trap();
  FrameReader rest = receiver.take_reader(4096);
  for (;;) {
    if (!rest.next(stream)) break;
  }
}

}  // namespace

void read_wire(std::string_view input) {
  // However it is cut, the same frames come out.
  const std::size_t total = read_frames(input, input.size());
  for (const std::size_t piece : {1, 7, 100}) {
    if (read_frames(input, piece) != total) __builtin_trap();
  }
  receive_hello(input, input.size());
  receive_hello(input, 3);
}

}  // namespace tieline::fuzz
