#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "participant/child_process.hpp"
#include "transport/bell.hpp"
#include "transport/frame.hpp"
#include "transport/membership.hpp"
#include "transport/messages.hpp"
#include "transport/pause_watch.hpp"
#include "transport/reception.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

namespace tieline::participant {

/// One participant of a run, before it has joined.
struct Invitee {
  std::string name{};
  std::optional<Launch> launch{};  ///< how it is started; none: its owner does, and it is awaited
  transport::Setup setup{};
  double start_deadline = 60.0;  ///< to have joined and registered [s]
  /// Of its control connection.
  const transport::StreamFactory* streams = &transport::standard_factories().usual();
  std::string host{};          ///< another machine that computes it; empty: this one
  double longest_break = 0.0;  ///< of its connection, which is no silence [s]
  /// How it is started on another machine, once the address and its token are known; in place of `launch`. What is
  /// returned without a command is awaited. From the fleet's thread.
  std::function<core::Result<Launch>(const std::string& address, const transport::Token& token)> arrange{};
};

struct FleetSettings {
  double silence_deadline = 10.0;  ///< without a sign of life [s]
  double shutdown_deadline = 5.0;  ///< to end by itself once the run is over [s]
  /// Where those that are awaited find how to join: a file each, for its owner's eyes only. Empty: nowhere.
  std::filesystem::path folder{};
  std::function<void(const std::string& line)> on_note{};  ///< from the fleet's thread
  /// Rows of a member, from the fleet's thread; an error ends the run, as that member's.
  std::function<core::Result<void>(std::size_t member, const transport::Rows& rows)> on_rows{};
  std::function<void(std::size_t, const transport::Beat&)> on_beat{};  ///< from the fleet's thread
  std::function<void(const core::Ending&)> on_ended{};  ///< a member asks to end the run; from there, too
};

/// How a participant ended.
struct Departure {
  std::string name{};
  std::optional<ChildEnd> end{};  ///< where it was started here
  bool was_killed = false;        ///< by us, after its deadline
  bool lives_on = false;          ///< its program, or something that this has started, could not be ended
};

/// The master's side of all participants of a run: starts them, lets them join, passes messages, and notices whoever
/// dies, falls silent or misbehaves.
///
/// One thread of its own does all that is with sockets and processes; the calls here may come from any other thread.
/// The first failure counts (`status`), except that a participant's report of a lost partner waits a moment for what
/// became of that partner. After a failure everybody is asked to stop. The destructor ends all that were started.
///
/// A program is asked to end by a message; by a signal (SIGTERM) where it has not joined, where it has ended and left
/// others running, and where the deadline has passed. It is killed (SIGKILL) after that deadline, and no sooner than
/// kGrace after the signal. All of this goes to everything that it has started as well.
///
/// Where this process has not run for a while, deadlines are put off: the others may not have run, either.
class Fleet {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<Fleet>> launch(FleetSettings settings,
                                                                   std::vector<Invitee> invitees);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  /// Of all members: names, with blanks in between.
  [[nodiscard]] const std::string& transports() const { return transports_; }
  [[nodiscard]] const std::string& name(std::size_t member) const { return members_[member]->invitee.name; }

  /// Waits until everybody has registered; `cancel` ends the wait.
  core::Result<void> await_registrations(const std::atomic<bool>* cancel);
  [[nodiscard]] const transport::Registration& registration(std::size_t member) const {
    return members_[member]->registration;
  }

  core::Result<void> send(std::size_t member, transport::Message type,
                          const std::function<void(transport::Encoder)>& fill,
                          std::vector<transport::Attachment> attachments = {});
  /// The member's next message of this type. Members answer in the order of what they are asked. No deadline but those
  /// of the fleet holds where none is given.
  core::Result<transport::ReceivedMessage> await(std::size_t member, transport::Message type,
                                                 const transport::Until& until);

  /// The run's first failure.
  [[nodiscard]] core::Result<void> status() const;
  /// The failure behind an error that a lost partner has caused, which may take a moment to show.
  [[nodiscard]] core::Error cause_of(const core::Error& error) const;
  /// Set once there is a failure, for waits that are to end with it.
  [[nodiscard]] const std::atomic<bool>& failed_flag() const { return has_failed_; }
  [[nodiscard]] transport::Beat last_beat(std::size_t member) const;
  [[nodiscard]] std::vector<transport::ReportedFact> facts(std::size_t member) const;

  /// Lets everybody go, and waits until they have; ends those that do not by the deadline.
  std::vector<Departure> dismiss();
  /// Asks everybody to stop, for a reason, and ends those that do not by the deadline.
  std::vector<Departure> stop(const std::string& reason);

 private:
  struct Member {
    Invitee invitee{};
    transport::Token token{};  ///< its own, which admits it once
    std::optional<ChildProcess> child{};
    std::optional<ChildEnd> end{};
    std::size_t child_place = 0, stream_place = 0;  ///< in the waiter
    std::unique_ptr<transport::Stream> stream{};
    transport::FrameReader reader{};
    transport::FrameWriter writer{};
    transport::Clock::time_point last_heard{};
    transport::Clock::time_point lost_at{};  ///< its connection ended, and its program may report why
    transport::Clock::time_point start_by{};
    bool has_joined = false, is_registered = false, is_lost = false, is_reported = false, was_killed = false;
    bool is_over = false;   ///< its program and all that this has started have ended
    bool lives_on = false;  ///< something of it cannot be ended
    std::optional<transport::Clock::time_point> asked_at{}, killed_at{};  ///< by signals
    transport::Registration registration{};
    transport::Beat beat{};
    std::vector<transport::ReportedFact> facts{};
    std::deque<transport::ReceivedMessage> inbox{};
    std::size_t inbox_bytes = 0;
    std::size_t logged = 0;   ///< lines
    bool has_unread = false;  ///< more than one turn's messages have come
  };
  struct OpenDoor {
    const transport::StreamFactory* streams = nullptr;
    std::unique_ptr<transport::Door> door{};
    std::size_t place = 0;  ///< in the waiter
  };
  Fleet(FleetSettings settings, std::vector<Invitee> invitees);
  core::Result<void> draw_tokens();
  /// Whether it brings the token of who it claims to be. A name that nobody has is refused later, with those that
  /// exist.
  [[nodiscard]] bool has_own_token(const transport::Hello& hello) const;
  /// One for each factory that an invitee uses.
  core::Result<void> open_doors();
  [[nodiscard]] const std::string& address_for(const Member& member) const;
  /// The rest runs in the fleet's thread, under the lock but while it waits.
  void run();
  void start_programs();
  void start_program(Member& member);
  /// Notes the first of those that doors have refused themselves.
  void note_refusals();
  /// Where it runs, for messages: " (on host 'big')", or nothing.
  [[nodiscard]] static std::string whereabouts(const Member& member);
  void invite(const Member& member);
  void take_in(transport::Door& door);
  void meet(transport::Reception::Guest& guest);
  void welcome(transport::Reception::Guest& guest);
  /// Says once that somebody tries to get in, or to keep others out.
  void note_others();
  void read(Member& member);
  void take(Member& member, const transport::Frame& frame);
  [[nodiscard]] std::size_t index_of(const Member& member) const;
  void write(Member& member);
  void look_at_child(Member& member);
  void lose(Member& member, const core::Error& error);
  void look_at_clock(Member& member, transport::Clock::time_point now);
  [[nodiscard]] transport::Clock::time_point next_deadline(transport::Clock::time_point now) const;
  void fail(core::Error error, bool is_second_hand = false);
  void ask_all_to_stop(const std::string& reason);
  /// Brings the program closer to its end, once all part.
  void end_program(Member& member, transport::Clock::time_point now);
  /// Puts all deadlines off.
  void forgive(transport::Clock::duration pause);
  [[nodiscard]] std::string tail_of_log(const Member& member) const;
  [[nodiscard]] std::vector<Departure> part(transport::Message farewell, const std::string& reason);
  /// Whether nothing of a member is left to wait for.
  [[nodiscard]] bool has_left(const Member& member) const;
  /// Waits until all have left, and ends the thread.
  void end_thread(std::unique_lock<std::mutex> lock);
  void note(const std::string& line);

  FleetSettings settings_;
  std::string transports_{};
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<OpenDoor> doors_;
  transport::Waiter waiter_{{.spin = {}}};
  std::optional<transport::Reception> reception_{};
  transport::Bell bell_;
  std::size_t bell_place_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::optional<core::Error> failure_{}, second_hand_{};
  std::atomic<bool> has_failed_{false};
  transport::Clock::time_point second_hand_at_{};
  std::size_t refused_ = 0;
  bool has_noted_others_ = false, has_noted_crowd_ = false;
  bool is_parting_ = false;                 ///< whoever leaves now may
  bool must_end_ = false;                   ///< the thread is to end
  transport::Clock::time_point part_by_{};  ///< then whoever is left is made to
  transport::PauseWatch pauses_;
  std::thread thread_;
};

}  // namespace tieline::participant
