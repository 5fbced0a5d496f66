#include "participant/fleet.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

#include "core/system_reason.hpp"

namespace tieline::participant {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Clock;
using transport::Message;

// How long a report of a lost partner waits for what became of the partner itself.
constexpr std::chrono::milliseconds kSecondHandWait{1500};
// Unknown connections that may be open at once, beside those who are awaited.
constexpr std::size_t kMostStrangers = 64;
// How often a wait looks up for requests to stop.
constexpr std::chrono::milliseconds kLookUp{50};

Error cannot_prepare(const std::string& why) {
  return {.code = ErrorCode::input_output, .message = "cannot start the processes of the run: " + why};
}

}  // namespace

Result<std::unique_ptr<Fleet>> Fleet::launch(FleetSettings settings, std::vector<Invitee> invitees) {
  std::unique_ptr<Fleet> fleet(new Fleet(std::move(settings), std::move(invitees)));
  if (auto drawn = fleet->draw_tokens(); !drawn) return drawn.error();
  if (auto opened = fleet->open_doors(); !opened) return opened.error();
  try {
    fleet->thread_ = std::thread([raw = fleet.get()] { raw->run(); });
  } catch (const std::system_error& error) {
    return cannot_prepare(core::reason_of_no_process(error.code().value()));
  }
  return fleet;
}

Fleet::Fleet(FleetSettings settings, std::vector<Invitee> invitees) : settings_(std::move(settings)) {
  for (Invitee& invitee : invitees) {
    members_.push_back(std::make_unique<Member>());
    members_.back()->invitee = std::move(invitee);
  }
}

Result<void> Fleet::draw_tokens() {
  for (auto& member : members_) {
    auto token = transport::Token::random();
    if (!token) return token.error();
    member->token = *token;
  }
  return {};
}

bool Fleet::has_own_token(const transport::Hello& hello) const {
  const Member* owner = nullptr;
  const Member* named = nullptr;
  for (const auto& member : members_) {
    if (member->token.equals(hello.token)) owner = member.get();
    if (member->invitee.name == hello.name) named = member.get();
  }
  return owner != nullptr && (named == nullptr || named == owner);
}

Result<void> Fleet::open_doors() {
  if (bell_.failure() != 0) return cannot_prepare(core::system_reason(bell_.failure()));
  bell_place_ = waiter_.add(bell_.waitable());
  for (const auto& member : members_) {
    const transport::StreamFactory* const streams = member->invitee.streams;
    if (std::any_of(doors_.begin(), doors_.end(), [&](const OpenDoor& open) { return open.streams == streams; })) {
      continue;
    }
    auto door = streams->open_door();
    if (!door) return std::move(door.error());
    const std::size_t place = waiter_.add((*door)->waitable());
    doors_.push_back({streams, std::move(*door), place});
    if (!transports_.empty()) transports_ += ' ';
    transports_ += streams->name();
  }
  for (auto& member : members_) member->invitee.setup.transports = transports_;
  reception_.emplace(
      waiter_, [this](const transport::Hello& hello) { return has_own_token(hello); },
      kMostStrangers + members_.size());
  return {};
}

const std::string& Fleet::address_for(const Member& member) const {
  const auto open = std::find_if(doors_.begin(), doors_.end(),
                                 [&](const OpenDoor& each) { return each.streams == member.invitee.streams; });
  return open->door->address();
}

Fleet::~Fleet() {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  is_parting_ = true;
  part_by_ = Clock::now();
  end_thread(std::move(lock));
}

Result<void> Fleet::await_registrations(const std::atomic<bool>* cancel) {
  std::unique_lock lock(mutex_);
  const auto is_complete = [&] {
    return std::all_of(members_.begin(), members_.end(), [](const auto& member) { return member->is_registered; });
  };
  while (!is_complete()) {
    if (failure_) return *failure_;
    if (cancel != nullptr && cancel->load()) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    }
    changed_.wait_for(lock, kLookUp);
  }
  return {};
}

Result<void> Fleet::send(std::size_t index, Message type, const std::function<void(transport::Encoder)>& fill,
                         std::vector<transport::Attachment> attachments) {
  const std::lock_guard lock(mutex_);
  Member& member = *members_[index];
  if (failure_) return *failure_;
  fill(member.writer.begin(static_cast<std::uint16_t>(type)));
  for (transport::Attachment& attachment : attachments) {
    if (auto attached = member.writer.attach(std::move(attachment)); !attached) return attached;
  }
  if (auto ended = member.writer.end(); !ended) {
    ended.error().component = member.invitee.name;
    return ended;
  }
  bell_.ring();
  return {};
}

Result<transport::ReceivedMessage> Fleet::await(std::size_t index, Message type, const transport::Until& until) {
  std::unique_lock lock(mutex_);
  Member& member = *members_[index];
  auto deadline = until.deadline;
  transport::PauseWatch pauses;
  while (true) {
    const auto found = std::find_if(member.inbox.begin(), member.inbox.end(),
                                    [&](const auto& message) { return message.type == type; });
    if (found != member.inbox.end()) {
      transport::ReceivedMessage message = std::move(*found);
      member.inbox.erase(found);
      member.inbox_bytes -= message.payload.size();
      return message;
    }
    if (failure_) return *failure_;
    if (until.is_cancelled()) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    }
    pauses.extend(deadline);
    const auto now = Clock::now();
    if (now >= deadline) {
      return Error{.code = ErrorCode::deadline, .message = "did not answer in time", .component = member.invitee.name};
    }
    changed_.wait_until(lock, std::min(deadline, now + kLookUp));
  }
}

Result<void> Fleet::status() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  return {};
}

Error Fleet::cause_of(const Error& error) const {
  if (error.code != ErrorCode::peer_lost) return error;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kSecondHandWait, [&] { return failure_.has_value(); });
  return failure_.value_or(error);
}

transport::Beat Fleet::last_beat(std::size_t member) const {
  const std::lock_guard lock(mutex_);
  return members_[member]->beat;
}

std::vector<transport::ReportedFact> Fleet::facts(std::size_t member) const {
  const std::lock_guard lock(mutex_);
  return members_[member]->facts;
}

std::vector<Departure> Fleet::dismiss() { return part(Message::leave, ""); }

std::vector<Departure> Fleet::stop(const std::string& reason) { return part(Message::stop, reason); }

std::vector<Departure> Fleet::part(Message farewell, const std::string& reason) {
  std::unique_lock lock(mutex_);
  is_parting_ = true;
  part_by_ = Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings_.shutdown_deadline));
  for (auto& member : members_) {
    if (member->stream == nullptr) continue;
    transport::Encoder encoder = member->writer.begin(static_cast<std::uint16_t>(farewell));
    if (farewell == Message::stop) encoder.text(reason);
    if (auto ended = member->writer.end(); !ended) member->writer.clear();
  }
  end_thread(std::move(lock));
  std::vector<Departure> departures;
  for (const auto& member : members_) {
    departures.push_back({member->invitee.name, member->end, member->was_killed, member->lives_on});
  }
  return departures;
}

bool Fleet::has_left(const Member& member) const {
  // A program that is not ours, or that runs elsewhere on behalf of ours, is only waited for.
  const bool is_gone = member.is_lost || !member.has_joined || Clock::now() >= part_by_;
  return is_gone && (!member.child || member.is_over || member.lives_on);
}

void Fleet::end_thread(std::unique_lock<std::mutex> lock) {
  if (!thread_.joinable()) return;
  bell_.ring();
  while (!std::all_of(members_.begin(), members_.end(), [&](const auto& member) { return has_left(*member); })) {
    changed_.wait_for(lock, kLookUp);
  }
  must_end_ = true;
  bell_.ring();
  lock.unlock();
  thread_.join();
}

void Fleet::note(const std::string& line) {
  if (settings_.on_note) settings_.on_note(line);
}

void Fleet::fail(Error error, bool is_second_hand) {
  if (failure_ || is_parting_) return;
  if (is_second_hand) {
    if (!second_hand_) {
      second_hand_ = std::move(error);
      second_hand_at_ = Clock::now() + kSecondHandWait;
    }
    return;
  }
  failure_ = std::move(error);
  has_failed_ = true;
  ask_all_to_stop(failure_->describe());
  changed_.notify_all();
}

}  // namespace tieline::participant
