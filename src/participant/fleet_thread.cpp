// What the fleet's thread does: programs, doors, connections and clocks.

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "core/clean_text.hpp"
#include "core/descriptor.hpp"
#include "core/nearest_name.hpp"
#include "participant/fleet.hpp"

namespace tieline::participant {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Clock;
using transport::Message;

// How long a program may take to end after its connection has, so that its end can be reported with the loss.
constexpr std::chrono::milliseconds kEndWait{1000};
// Exit code of a way to start programs that has lost its own connection, as ssh has it.
constexpr int kBrokenStart = 255;
// Refused connections that are reported one by one.
constexpr std::size_t kMostReported = 10;
// Messages that a participant may send beside what it was asked for, before it is taken for broken, and their bytes.
constexpr std::size_t kMostWaiting = 1024;
constexpr std::size_t kMostWaitingBytes = 2 * transport::kLargestPayload;
// Messages of one participant that are read before others have their turn.
constexpr int kMostAtOnce = 256;
// Turns of a participant whose program has ended.
constexpr int kLastTurns = 64;
// Lines that a participant may log, and their length; what it says of an error may be longer [bytes].
constexpr std::size_t kMostLogged = 1000;
constexpr std::size_t kLongestLogged = 500;
constexpr std::size_t kLongestError = 4000;
constexpr std::size_t kLongestFact = 1000;
// Facts that a participant may report.
constexpr std::size_t kMostFacts = 1024;
constexpr std::chrono::milliseconds kLongestWait{200};
// Between a request by a signal and the end by force.
constexpr std::chrono::seconds kGrace{1};

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

/// Whether its program was started, or it was invited.
bool has_begun(const auto& member) { return member.start_by != Clock::time_point{}; }

}  // namespace

std::string Fleet::whereabouts(const Member& member) {
  return member.invitee.host.empty() ? "" : fmt::format(" (on host '{}')", member.invitee.host);
}

std::string Fleet::tail_of_log(const Member& member) const {
  if (!member.invitee.launch || member.invitee.launch->log.empty()) return "";
  const std::string tail = tail_of(member.invitee.launch->log);
  if (tail.empty()) return fmt::format("; its log {} is empty", member.invitee.launch->log.string());
  return fmt::format("; the end of its log ({}):\n{}", member.invitee.launch->log.string(), tail);
}

void Fleet::start_program(Member& member) {
  const Invitee& invitee = member.invitee;
  member.start_by = Clock::now() + seconds(invitee.start_deadline);
  if (invitee.arrange) {
    auto arranged = invitee.arrange(address_for(member), member.token);
    if (!arranged) {
      arranged.error().component = invitee.name;
      return fail(arranged.error());
    }
    if (arranged->command.empty()) return;
    member.invitee.launch = std::move(*arranged);
  }
  if (!invitee.launch) return invite(member);
  Launch launch = *invitee.launch;
  if (!invitee.arrange) {
    launch.environment["TIELINE_MASTER"] = address_for(member);
    launch.environment["TIELINE_TOKEN"] = member.token.text();
    launch.environment["TIELINE_COMPONENT"] = invitee.name;
  }
  auto child = ChildProcess::start(launch);
  if (!child) {
    child.error().component = invitee.name;
    return fail(child.error());
  }
  member.child.emplace(std::move(*child));
  member.child_place = waiter_.add(transport::Waitable(member.child->end_of_life()));
}

void Fleet::invite(const Member& member) {
  const std::string text =
      fmt::format("export TIELINE_MASTER='{}'\nexport TIELINE_TOKEN='{}'\nexport TIELINE_COMPONENT='{}'\n",
                  address_for(member), member.token.text(), member.invitee.name);
  if (settings_.folder.empty()) return;
  const auto file = settings_.folder / (member.invitee.name + ".join");
  std::error_code ignored;
  std::filesystem::create_directories(settings_.folder, ignored);
  std::filesystem::remove(file, ignored);
  // Whoever reads it may join: only the owner may.
  const core::Descriptor opened(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (!opened || ::write(opened.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail({.code = ErrorCode::input_output,
                 .message = fmt::format("cannot write '{}', which describes how to join", file.string()),
                 .component = member.invitee.name});
  }
  note(fmt::format(
      "waiting for component '{}', which its owner starts: `. {}` sets the environment that it needs to join",
      member.invitee.name, file.string()));
}

void Fleet::start_programs() {
  // One at a time: those that have started are not kept waiting at the door until the last has.
  const auto next = std::find_if(members_.begin(), members_.end(), [](const auto& m) { return !has_begun(*m); });
  if (next != members_.end() && !failure_ && !is_parting_) start_program(**next);
}

void Fleet::run() {
  std::unique_lock lock(mutex_);
  while (!must_end_) {
    start_programs();
    const auto deadline = next_deadline(Clock::now());
    for (auto& member : members_) {
      if (member->stream != nullptr) waiter_.want(member->stream_place, {.room = member->writer.has_pending()});
    }
    lock.unlock();
    auto waited = waiter_.wait({.deadline = deadline});
    lock.lock();
    if (!waited) {
      fail(waited.error());
      break;
    }
    if (const auto pause = pauses_.look(); pause > Clock::duration::zero()) forgive(pause);
    if (waiter_.is_ready(bell_place_)) bell_.silence();
    for (const OpenDoor& open : doors_) {
      if (waiter_.is_ready(open.place)) take_in(*open.door);
    }
    reception_->hear([this](transport::Reception::Guest& guest) { meet(guest); });
    const auto now = Clock::now();
    for (auto& member : members_) {
      if (member->child && !member->is_over && waiter_.is_ready(member->child_place)) look_at_child(*member);
      const bool has_input =
          member->has_unread || (member->stream != nullptr && waiter_.is_ready(member->stream_place));
      if (member->stream != nullptr && has_input) read(*member);
      if (member->stream != nullptr && member->writer.has_pending()) write(*member);
      look_at_clock(*member, now);
      if (is_parting_) end_program(*member, now);
    }
    if (second_hand_ && now >= second_hand_at_) fail(*second_hand_);
  }
  std::error_code ignored;
  for (const auto& member : members_) {
    member->child.reset();
    member->stream.reset();
    member->is_over = true;
    if (!member->invitee.launch && !member->invitee.arrange && !settings_.folder.empty()) {
      std::filesystem::remove(settings_.folder / (member->invitee.name + ".join"), ignored);
    }
  }
}

Clock::time_point Fleet::next_deadline(Clock::time_point now) const {
  const bool have_all_begun =
      std::all_of(members_.begin(), members_.end(), [](const auto& m) { return has_begun(*m); });
  const bool has_unread = std::any_of(members_.begin(), members_.end(),
                                      [](const auto& m) { return m->stream != nullptr && m->has_unread; });
  return !has_unread && (have_all_begun || failure_ || is_parting_) ? now + kLongestWait : now;
}

void Fleet::take_in(transport::Door& door) {
  auto taken = reception_->take_in(door, [this](transport::Reception::Guest& guest) { meet(guest); });
  if (!taken) return fail(taken.error());
  note_others();
}

void Fleet::note_others() {
  const bool have_others_come =
      std::any_of(doors_.begin(), doors_.end(), [](const OpenDoor& open) { return open.door->closed_to_others() > 0; });
  if (have_others_come && !std::exchange(has_noted_others_, true)) {
    note("another user of this machine tries to connect to this run; such connections are closed at once");
  }
  if (reception_->closed() > 0 && !std::exchange(has_noted_crowd_, true)) {
    note("too many connections are open that have not said who they are; the oldest are closed");
  }
  note_refusals();
}

void Fleet::note_refusals() {
  for (const OpenDoor& open : doors_) {
    for (const std::string& reason : open.door->take_refusals()) {
      if (++refused_ <= kMostReported) note(fmt::format("refused a connection: {}", reason));
    }
  }
}

void Fleet::meet(transport::Reception::Guest& guest) {
  using State = transport::HelloReceiver::State;
  if (guest.receiver.state() == State::verified) welcome(guest);
  if (guest.receiver.state() == State::refused && ++refused_ <= kMostReported) {
    note(fmt::format("refused a connection: {}", guest.receiver.reason()));
  }
}

void Fleet::welcome(transport::Reception::Guest& guest) {
  const transport::Hello& hello = guest.receiver.hello();
  std::vector<std::string> names;
  Member* found = nullptr;
  for (auto& member : members_) {
    names.push_back(member->invitee.name);
    if (member->invitee.name == hello.name) found = member.get();
  }
  if (hello.role != transport::Role::participant) {
    guest.receiver.refuse(*guest.stream, "links are not accepted here");
  } else if (found == nullptr) {
    const std::string nearest = core::nearest_name(hello.name, names);
    const std::string guess = nearest.empty() ? nearest : fmt::format("; did you mean '{}'?", nearest);
    guest.receiver.refuse(*guest.stream, fmt::format("this run has no participant '{}'{}", hello.name, guess));
  } else if (found->has_joined) {
    guest.receiver.refuse(*guest.stream, fmt::format("component '{}' has already joined", hello.name));
  } else if (is_parting_ || failure_) {
    guest.receiver.refuse(*guest.stream, "the run is over");
  } else {
    using State = transport::HelloReceiver::State;
    if (guest.receiver.welcome(*guest.stream) != State::welcomed) return;  // it has gone again
    found->has_joined = true;
    found->reader = guest.receiver.take_reader();
    found->stream = std::move(guest.stream);
    found->stream_place = waiter_.add(*found->stream);
    found->last_heard = Clock::now();
    encode(found->writer.begin(static_cast<std::uint16_t>(Message::setup)), found->invitee.setup);
    if (auto ended = found->writer.end(); !ended) return fail(ended.error());
    write(*found);
    read(*found);
  }
}

void Fleet::read(Member& member) {
  member.has_unread = false;
  try {
    for (int count = 0; member.stream != nullptr; ++count) {
      if (count == kMostAtOnce) {
        member.has_unread = true;
        return;
      }
      const std::uint64_t before = member.reader.received();
      auto frame = member.reader.next(*member.stream);
      if (!frame) return lose(member, frame.error());
      if (*frame || member.reader.received() != before) member.last_heard = Clock::now();
      if (!*frame) return;
      take(member, **frame);
    }
  } catch (const std::bad_alloc&) {
    lose(member, {.code = ErrorCode::protocol, .message = "sent more than this machine's memory can take"});
  }
}

std::size_t Fleet::index_of(const Member& member) const {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const auto& m) { return m.get() == &member; });
  return static_cast<std::size_t>(found - members_.begin());
}

void Fleet::take(Member& member, const transport::Frame& frame) {
  const auto type = static_cast<Message>(frame.type);
  const auto unreadable = [&] {
    lose(member, {.code = ErrorCode::protocol, .message = "sent a message that cannot be read"});
  };
  switch (type) {
    case Message::beat:
      if (auto beat = transport::decode<transport::Beat>(frame.payload)) {
        member.beat = std::move(*beat);
        if (settings_.on_beat) settings_.on_beat(index_of(member), member.beat);
        return;
      }
      return unreadable();
    case Message::rows:
      if (const auto rows = transport::decode<transport::Rows>(frame.payload)) {
        if (!settings_.on_rows) return;
        if (auto written = settings_.on_rows(index_of(member), *rows); !written) lose(member, written.error());
        return;
      }
      return unreadable();
    case Message::log: {
      transport::Decoder decoder(frame.payload);
      const std::uint8_t level = decoder.u8();
      const std::string text(decoder.text());
      if (!decoder.is_complete()) return unreadable();
      constexpr std::array<const char*, 3> kLevels{"", "warning: ", "error: "};
      if (++member.logged <= kMostLogged) {
        note(fmt::format("{}: {}{}", member.invitee.name, kLevels[std::min<std::size_t>(level, 2)],
                         core::clean_line(text, kLongestLogged)));
      }
      if (member.logged == kMostLogged) note(fmt::format("{}: (further messages are not shown)", member.invitee.name));
      return;
    }
    case Message::fact:
      if (auto fact = transport::decode<transport::ReportedFact>(frame.payload);
          fact && member.facts.size() < kMostFacts) {
        fact->name = core::clean_line(fact->name, kLongestFact);
        fact->text = core::clean_line(fact->text, kLongestFact);
        std::erase_if(member.facts, [&](const auto& each) { return each.name == fact->name; });
        member.facts.push_back(std::move(*fact));
        return;
      }
      return unreadable();
    case Message::ended:
      if (auto ending = transport::decode<core::Ending>(frame.payload)) {
        for (std::string* text : {&ending->component, &ending->reason}) *text = core::clean_line(*text, kLongestFact);
        if (settings_.on_ended) settings_.on_ended(*ending);
        return;
      }
      return unreadable();
    case Message::failed:
      if (auto error = transport::decode<Error>(frame.payload)) {
        member.is_reported = true;
        error->message = core::clean_lines(error->message, kLongestError);
        for (std::string* name : {&error->component, &error->port}) *name = core::clean_line(*name, kLongestFact);
        const bool is_second_hand = error->code == ErrorCode::peer_lost || error->code == ErrorCode::cancelled;
        if (error->component.empty()) error->component = member.invitee.name;
        if (!is_parting_) fail(std::move(*error), is_second_hand);
        return;
      }
      return unreadable();
    case Message::registered:
      if (auto registration = transport::decode<transport::Registration>(frame.payload);
          registration && !member.is_registered) {
        for (auto& each : registration->interfaces) {
          each.interface.name = core::clean_line(each.interface.name, kLongestFact);
        }
        member.registration = std::move(*registration);
        member.is_registered = true;
        return changed_.notify_all();
      }
      return unreadable();
    case Message::ready:
    case Message::parked:
    case Message::saved:
    case Message::driven:
    case Message::done:
    case Message::started:
      if (member.inbox.size() >= kMostWaiting || member.inbox_bytes + frame.payload.size() > kMostWaitingBytes) {
        return lose(member, {.code = ErrorCode::protocol,
                             .message = fmt::format("sends messages that nobody has asked for: {} wait to be read",
                                                    member.inbox.size())});
      }
      member.inbox_bytes += frame.payload.size();
      member.inbox.push_back({.type = type, .payload = {frame.payload.begin(), frame.payload.end()}});
      return changed_.notify_all();
    default:
      lose(member,
           {.code = ErrorCode::protocol, .message = fmt::format("sent a message of the unknown type {}", frame.type)});
  }
}

void Fleet::write(Member& member) {
  auto flushed = member.writer.flush(*member.stream);
  if (!flushed) lose(member, flushed.error());
}

void Fleet::lose(Member& member, const Error& error) {
  if (member.stream == nullptr) return;
  waiter_.remove(member.stream_place);
  member.stream.reset();
  member.is_lost = true;
  member.lost_at = Clock::now();
  changed_.notify_all();
  if (error.code == ErrorCode::peer_lost) return;  // look_at_clock reports it, once the program's end is known
  Error named = error;
  named.component = member.invitee.name;
  fail(std::move(named));
}

void Fleet::look_at_child(Member& member) {
  if (member.end) {
    waiter_.remove(member.child_place);
    member.is_over = true;
    return changed_.notify_all();
  }
  // What it had to say is read first: it may have reported why it ends. Others that it has started may go on for ever.
  for (int turn = 0; turn < kLastTurns && member.stream != nullptr && (turn == 0 || member.has_unread); ++turn) {
    read(member);
  }
  member.end = member.child->wait();
  waiter_.remove(member.child_place);
  // What it has started may live on; its end is that of the connection.
  member.child_place = waiter_.add(transport::Waitable(member.child->end_of_life(), 0));
  changed_.notify_all();
  if (is_parting_ || failure_) return;
  if (!member.has_joined) {
    return fail({.code = ErrorCode::peer_lost,
                 .message = fmt::format("its program{} {} before it joined{}", whereabouts(member),
                                        member.end->describe(), tail_of_log(member)),
                 .component = member.invitee.name});
  }
  // A start script may leave its program running: as long as the connection stands, nothing is lost.
  if (member.stream == nullptr) member.lost_at = Clock::now() - kEndWait;
  // Elsewhere its program is what has ended, unless only the way of starting it broke.
  if (!member.invitee.host.empty() && member.end->exit_code != kBrokenStart && member.stream != nullptr) {
    lose(member, {.code = ErrorCode::peer_lost, .message = "its program has ended"});
  }
}

void Fleet::look_at_clock(Member& member, Clock::time_point now) {
  if (is_parting_ || failure_) return;
  const std::string& name = member.invitee.name;
  if (member.is_lost && !member.is_reported && (now >= member.lost_at + kEndWait || member.end)) {
    const std::string where = whereabouts(member);
    const std::string how = member.end
                                ? fmt::format("its program{} {} before the run was over", where, member.end->describe())
                                : fmt::format("it{} closed its connection before the run was over", where);
    return fail({.code = ErrorCode::peer_lost, .message = how + tail_of_log(member), .component = name});
  }
  if (has_begun(member) && !member.is_registered && now >= member.start_by) {
    return fail({.code = ErrorCode::deadline,
                 .message = fmt::format("it{} has not {} within {:g} s (the start deadline){}", whereabouts(member),
                                        member.has_joined ? "registered its interfaces" : "joined",
                                        member.invitee.start_deadline, tail_of_log(member)),
                 .component = name});
  }
  const double silence = settings_.silence_deadline + member.invitee.longest_break;
  if (member.stream != nullptr && now >= member.last_heard + seconds(silence)) {
    return fail(
        {.code = ErrorCode::deadline,
         .message = fmt::format("no message{} for {:g} s (the silence deadline): it is stopped, or its machine is{}",
                                whereabouts(member), silence, tail_of_log(member)),
         .component = name});
  }
}

void Fleet::ask_all_to_stop(const std::string& reason) {
  for (auto& member : members_) {
    if (member->stream == nullptr) continue;
    member->writer.begin(static_cast<std::uint16_t>(Message::stop)).text(reason);
    if (auto ended = member->writer.end(); !ended) member->writer.clear();
  }
  bell_.ring();
}

void Fleet::end_program(Member& member, Clock::time_point now) {
  if (!member.child || member.is_over) return;
  const bool is_late = now >= part_by_;
  if (is_late && !member.end) member.was_killed = true;
  const bool has_left_others = member.end && member.stream == nullptr;
  if (!member.asked_at && (is_late || has_left_others || !member.has_joined)) {
    member.child->ask_to_stop();
    member.asked_at = now;
  }
  if (member.asked_at && !member.killed_at && is_late && now >= *member.asked_at + kGrace) {
    member.child->kill();
    member.killed_at = now;
  }
  if (member.killed_at && now >= *member.killed_at + kKillTime) {
    member.lives_on = true;
    changed_.notify_all();
  }
}

void Fleet::forgive(Clock::duration pause) {
  const auto now = Clock::now();
  for (auto& member : members_) {
    member->last_heard = now;
    for (Clock::time_point* time : {&member->start_by, &member->lost_at}) {
      if (*time != Clock::time_point{}) *time += pause;
    }
    for (auto* time : {&member->asked_at, &member->killed_at}) {
      if (*time) **time += pause;
    }
  }
  reception_->put_off(pause);
  part_by_ += pause;
  second_hand_at_ += pause;
}

}  // namespace tieline::participant
