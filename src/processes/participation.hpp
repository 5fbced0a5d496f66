#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/temporary_folder.hpp"
#include "assembly/assembly.hpp"
#include "model/reader.hpp"
#include "model/site.hpp"
#include "participant/fleet.hpp"
#include "participant/relay.hpp"
#include "processes/fleet_driver.hpp"
#include "processes/network.hpp"
#include "processes/placement.hpp"
#include "processes/reported_rows.hpp"
#include "secure/identity.hpp"
#include "transport/link_setup.hpp"

namespace tieline::processes {

/// What a run is asked for beside its model, as far as other processes are concerned.
struct ParticipationOptions {
  bool isolates_all = false;                          ///< every native node in a runner of its own
  std::optional<model::Transport> transport{};        ///< in place of the model's
  std::optional<model::Routing> routing{};            ///< in place of the model's
  core::SandboxLevel sandbox{};                       ///< of third-party code: at least this
  std::filesystem::path site_file{};                  ///< stated; empty: looked for
  PlacementWishes place{};                            ///< on which hosts components are computed
  MeasuredCosts costs{};                              ///< by which hosts are chosen
  bool is_on_slurm = false;                           ///< hosts are the nodes of the present allocation
  std::filesystem::path runner{};                     ///< the program that runs nodes; empty: looked for
  std::vector<std::string> recorded{};                ///< components of which all that comes to them is kept
  std::function<void(const std::string&)> on_note{};  ///< lines for people; from another thread
};

/// A model that is to run.
struct ParticipationModel {
  const assembly::CheckedModel& checked;
  std::filesystem::path file{};  ///< of the model
  std::vector<model::Override> overrides{};
  std::filesystem::path folder{};  ///< of the results; empty: nothing is recorded
};

/// What a node of a run is doing.
struct Standing {
  std::string name{};
  std::string waits_for{};  ///< empty: it computes
  bool is_done = false;     ///< it has come as far as it is to come
};

/// Who holds whom up: those that compute and are waited for, then those that wait. "'a' computes; 'b' waits for 'a'"
[[nodiscard]] std::string describe_standings(std::vector<Standing> all);

/// A run's other processes: which nodes they compute, and how these are started, joined and brought to an end.
///
/// Call order: `launch` (nothing if the model needs no other process), `adopt` the assembly before its engine
/// starts, `begin` once it has started or was restored, `run_to` in place of the engine's own, `end`. One thread.
class Participation {
 public:
  /// Starts all programs, and waits until they have registered. Null if all is computed here. What the model has
  /// wrong goes to the diagnostics.
  static core::Result<std::unique_ptr<Participation>> launch(const ParticipationModel& model,
                                                             const ParticipationOptions& options,
                                                             const std::atomic<bool>* cancel,
                                                             document::Diagnostics& diagnostics);
  ~Participation();

  /// Where everything would be computed, as tables. What the model has wrong goes to the diagnostics.
  static core::Result<std::string> describe_plan(const assembly::CheckedModel& checked,
                                                 const ParticipationOptions& options,
                                                 document::Diagnostics& diagnostics);

  /// Gives the components that stand for tools what these have registered; every mistake at once.
  core::Result<void> adopt(assembly::Assembly& assembly);
  /// Begins with the programs that are tried before the run starts, to find how it starts at rest. Before the engine
  /// starts; not where a run continues.
  core::Result<void> begin_trials(assembly::Assembly& assembly);
  /// Hands states over, and joins everybody by links.
  core::Result<void> begin(assembly::Assembly& assembly);
  core::Result<void> run_to(core::Tick tick, const engine::RunOptions& options);
  /// Names of what other processes compute.
  [[nodiscard]] std::vector<std::string> elsewhere() const;
  /// Whether everybody is well.
  [[nodiscard]] core::Result<void> status() const { return fleet_->status(); }
  /// The other host that an error tells of, where it is lost or does not answer; empty: none.
  [[nodiscard]] std::string lost_host(const core::Error& error) const;
  /// Lets everybody go. Sentences on those that did not go well.
  std::vector<std::string> end(const std::optional<core::Error>& error);

 private:
  /// A node that another process computes.
  struct Member {
    int node = -1;
    std::string name{};
    std::vector<int> components{};
    bool is_tool = false;
    bool is_driven = false;             ///< a tool in a group, which this process computes
    bool is_hosted = false;             ///< its components are nowhere else, and are started there
    const model::Host* host = nullptr;  ///< another one, that computes it; null: this machine
    const transport::StreamFactory* streams = nullptr;
    bool keeps_tracks = false;              ///< what comes to it through links is kept
    std::unique_ptr<FleetDriver> driver{};  ///< of a tool
    bool has_begun = false;                 ///< before the others, for trials
    std::set<std::string> tables{};         ///< that it may write to
  };

  Participation(const assembly::CheckedModel& checked, ParticipationOptions options)
      : checked_(checked), options_(std::move(options)) {}
  void choose_members(const ParticipationModel& model, document::Diagnostics& diagnostics);
  /// The nodes of the components that are to be recorded; what cannot be is reported.
  [[nodiscard]] std::set<int> recorded_nodes(document::Diagnostics& diagnostics) const;
  /// The hosts of all nodes, and how they are joined where there are several (participation_hosts.cpp).
  [[nodiscard]] core::Result<PlacementPlan> find_hosts(const std::set<int>& recorded,
                                                       document::Diagnostics& diagnostics);
  core::Result<void> join_hosts(document::Diagnostics& diagnostics);
  /// What a process at a place needs to be one of the run.
  core::Result<NetworkCard> card_for(const secure::Outside& outside) const;
  /// Gives an invitee its way to another host, or what it needs here to be linked with those that are elsewhere.
  core::Result<void> send_out(const Member& member, const ParticipationModel& model, participant::Invitee& invitee);
  void remove_letters() const;
  core::Result<std::vector<participant::Invitee>> invitees(const ParticipationModel& model,
                                                           document::Diagnostics& diagnostics);
  /// The connections of a tool's interfaces, and what is recorded, go into its `begin`.
  void brief_tool(const Member& member, transport::Begin& begin) const;
  /// The model's settings, or what was asked for instead.
  [[nodiscard]] const transport::StreamFactory& streams_of(const Member& member) const;
  [[nodiscard]] bool is_routed() const;
  [[nodiscard]] int member_at(int node) const;
  [[nodiscard]] bool is_program(int component) const {
    return checked_.blueprints[static_cast<std::size_t>(component)]->is_program;
  }
  /// A wait that ends after so long [s], or with the present run.
  [[nodiscard]] transport::Until within(double seconds) const;

  /// The ends of links that one member is to have.
  using Offers = std::vector<transport::LinkOffer>;
  /// An end of a link in this process: for a node of its own, or to be passed on.
  struct OwnEnd {
    transport::LinkOffer offer{};
    engine::NodePair pair{};
    int relayed_with = -1;  ///< index of the other end, where this process only passes on
  };
  core::Result<void> offer_link(const engine::NodePair& pair, std::vector<Offers>& offers);
  /// A link between two members.
  core::Result<void> offer_direct(const engine::NodePair& pair, const transport::StreamFactory& streams,
                                  Offers& at_first, Offers& at_second);
  /// A link between a member, whose node is the pair's partner, and this process; its own end is put with the others.
  core::Result<void> offer_leg(const engine::NodePair& pair, const transport::StreamFactory& streams, Offers& to);
  core::Result<void> join_own_ends();
  /// The tables that a member may write to.
  [[nodiscard]] std::set<std::string> tables_of(const Member& member) const;
  core::Result<void> write_rows(std::size_t member, const transport::Rows& rows);
  /// Has a member start under these inputs; what its ports report then.
  core::Result<std::string> start_member(std::size_t member, const std::string& tracks);
  void refuse_local_kinds(const std::vector<int>& own, document::Diagnostics& diagnostics) const;
  void refuse_fmus_beside_tools(const std::vector<int>& own, document::Diagnostics& diagnostics) const;
  /// Who is confined strictly has no network, and cannot be linked through it.
  void refuse_strict_beside_tcp(document::Diagnostics& diagnostics) const;
  core::Result<void> take_parked(std::size_t member, const transport::Parked& parked);
  [[nodiscard]] core::Result<engine::NodeState> state_of(std::size_t member);
  [[nodiscard]] core::Result<transport::Begin> begin_of(std::size_t member);
  core::Result<void> send_begin(std::size_t member, transport::Begin& begin);
  core::Result<void> await_ready(std::size_t member, const transport::Until& until);
  /// Waits until all members have parked, and looks after the run meanwhile.
  core::Result<void> await_parked(const engine::RunOptions& options);
  core::Result<void> check_progress();
  /// Sends the end of the run to all processes, once a component has asked for it.
  core::Result<void> pass_ending();
  /// What each node is doing.
  [[nodiscard]] std::vector<Standing> standings() const;

  const assembly::CheckedModel& checked_;
  ParticipationOptions options_;
  [[nodiscard]] std::filesystem::path tracks_file_of(const Member& member) const;
  model::Site site_{};
  std::optional<secure::Authority> authority_{};  ///< of the run's certificates, where it is on several hosts
  std::unique_ptr<Network> network_ = std::make_unique<Network>();
  std::vector<Member> members_;
  std::filesystem::path run_folder_;
  std::filesystem::path tracks_folder_;
  std::optional<archive::TemporaryFolder> temporary_folder_{};  ///< where the run has no folder of its own
  std::unique_ptr<participant::Fleet> fleet_;
  std::optional<transport::LinkSetup> link_setup_{};
  std::uint32_t next_link_ = 1;
  std::vector<OwnEnd> own_ends_;
  std::unique_ptr<participant::Relay> relay_{};
  assembly::Assembly* assembly_ = nullptr;
  std::atomic<results::ResultWriter*> writer_{nullptr};  ///< for rows, from the fleet's thread, once all may send some
  ReportedRows rows_;                                    ///< the fleet's thread's
  std::atomic<engine::Engine*> engine_{nullptr};         ///< for progress, from the fleet's thread
  std::chrono::nanoseconds spin_{0};
  std::atomic<const std::atomic<bool>*> cancel_{nullptr};  ///< of the present run
  std::int64_t last_progress_ = -1;
  transport::Clock::time_point last_moved_{};
  transport::PauseWatch pauses_;
  core::Tick limit_ = 0;              ///< how far the present run is to go
  bool ends_early_ = false;           ///< where somebody asks for it
  std::optional<double> sent_end_{};  ///< of the run, as all processes know it [s]
};

}  // namespace tieline::processes
