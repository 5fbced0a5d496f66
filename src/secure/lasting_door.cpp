#include "secure/lasting_door.hpp"

#include <algorithm>

#include "transport/bytes.hpp"

namespace tieline::secure {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Clock;
using transport::Token;

// How long somebody may take to prove who it is, and how many may be at that at once.
constexpr std::chrono::seconds kGreetingTime{5};
constexpr std::size_t kMostGuests = 128;
// Connections that are taken in before anything else is done.
constexpr int kMostAtOnce = 64;
// Streams that wait to be accepted: each has proven that it is of this run.
constexpr std::size_t kMostWaiting = 1024;
constexpr std::size_t kMostRefusals = 16;
// How often streams that are no more are forgotten.
constexpr std::chrono::seconds kTidying{10};

}  // namespace

Result<std::unique_ptr<LastingDoor>> LastingDoor::open(std::shared_ptr<const TlsContext> context,
                                                       std::unique_ptr<transport::Door> door, std::string address,
                                                       std::shared_ptr<Caretaker> caretaker, LastingOptions options) {
  std::unique_ptr<LastingDoor> made(
      new LastingDoor(std::move(context), std::move(door), std::move(address), std::move(caretaker), options));
  try {
    made->thread_ = std::thread([raw = made.get()] { raw->run(); });
  } catch (const std::system_error& error) {
    return Error{.code = ErrorCode::input_output, .message = std::string("no thread for a door: ") + error.what()};
  }
  return made;
}

LastingDoor::LastingDoor(std::shared_ptr<const TlsContext> context, std::unique_ptr<transport::Door> door,
                         std::string address, std::shared_ptr<Caretaker> caretaker, LastingOptions options)
    : context_(std::move(context)),
      door_(std::move(door)),
      address_(std::move(address)),
      caretaker_(std::move(caretaker)),
      options_(options) {
  door_place_ = waiter_.add(door_->waitable());
  bell_place_ = waiter_.add(own_bell_.waitable());
}

LastingDoor::~LastingDoor() {
  is_ending_ = true;
  own_bell_.ring();
  if (thread_.joinable()) thread_.join();
}

Result<std::unique_ptr<transport::Stream>> LastingDoor::accept() {
  const std::lock_guard lock(mutex_);
  come_.silence();
  if (waiting_.empty()) return std::unique_ptr<transport::Stream>();
  auto next = std::move(waiting_.front());
  waiting_.pop_front();
  if (!waiting_.empty()) come_.ring();
  return next;
}

std::vector<std::string> LastingDoor::take_refusals() {
  const std::lock_guard lock(mutex_);
  return std::exchange(refusals_, {});
}

void LastingDoor::refuse(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (refusals_.size() < kMostRefusals) refusals_.push_back(reason);
  come_.ring();
}

void LastingDoor::run() {
  while (!is_ending_) {
    auto next = Clock::now() + kTidying;
    for (const Guest& guest : guests_) next = std::min(next, guest.deadline);
    if (auto waited = waiter_.wait({.deadline = next}); !waited) return;
    if (waiter_.is_ready(bell_place_)) own_bell_.silence();
    if (waiter_.is_ready(door_place_)) take_in();
    hear();
    tidy();
  }
}

void LastingDoor::take_in() {
  for (int count = 0; count < kMostAtOnce; ++count) {
    auto stream = door_->accept();
    if (!stream || *stream == nullptr) return;
    auto secured = TlsStream::make(context_, std::move(*stream), TlsStream::Side::accepts);
    if (!secured) continue;
    if (guests_.size() >= kMostGuests) dismiss(0);
    guests_.push_back({.stream = std::move(*secured), .deadline = Clock::now() + kGreetingTime});
    guests_.back().place = waiter_.add(*guests_.back().stream);
  }
}

void LastingDoor::dismiss(std::size_t index) {
  waiter_.remove(guests_[index].place);
  guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(index));
}

void LastingDoor::hear() {
  for (std::size_t i = 0; i < guests_.size();) {
    if (hear(guests_[i])) {
      dismiss(i);
    } else {
      ++i;
    }
  }
}

bool LastingDoor::hear(Guest& guest) {
  auto count = guest.stream->read_some(std::span(guest.piece).subspan(guest.have));
  if (!count) {
    if (count.error().code == ErrorCode::protocol) refuse(count.error().message);
    return true;
  }
  guest.have += *count;
  if (guest.have == guest.piece.size()) {
    waiter_.remove(guest.place);
    guest.place = waiter_.add(transport::Waitable());
    meet(guest);
    return true;
  }
  if (*count > 0) return hear(guest);
  if (Clock::now() < guest.deadline) return false;
  refuse("no introduction came in time");
  return true;
}

void LastingDoor::meet(Guest& guest) {
  const auto size = transport::load_wire<std::uint32_t>(guest.piece.data());
  const auto kind = static_cast<PieceKind>(transport::load_wire<std::uint32_t>(guest.piece.data() + 4));
  std::array<std::byte, Token::kSize> bytes{};
  std::copy(guest.piece.begin() + kPieceHeader, guest.piece.end(), bytes.begin());
  const Token number(bytes);
  if (size != Token::kSize) return refuse("the introduction cannot be read");
  const std::lock_guard lock(mutex_);
  std::weak_ptr<Meeting>& known = meetings_[number.text()];
  const auto meeting = known.lock();
  if (kind == PieceKind::open && meeting == nullptr && waiting_.size() < kMostWaiting) {
    const auto made = std::make_shared<Meeting>(number);
    known = made;
    waiting_.push_back(std::make_unique<LastingStream>(std::move(guest.stream), made, nullptr, caretaker_, options_));
    return come_.ring();
  }
  if (kind == PieceKind::resume && meeting != nullptr) return meeting->leave(std::move(guest.stream));
  if (meeting == nullptr) meetings_.erase(number.text());
  std::array<std::byte, kPieceHeader> answer{};
  transport::store_wire(answer.data() + 4, static_cast<std::uint32_t>(PieceKind::unknown));
  (void)guest.stream->write_some(answer);
}

void LastingDoor::tidy() {
  const std::lock_guard lock(mutex_);
  std::erase_if(meetings_, [](const auto& each) { return each.second.expired(); });
}

}  // namespace tieline::secure
