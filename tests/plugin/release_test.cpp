// What the owner of a tool does not release is not among the bytes that leave its process.

#include "plugin/release.hpp"

#include <cmath>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <thread>

#include "plugin/fake_master.hpp"
#include "plugin/tools.hpp"
#include "support/temporary_folder.hpp"
#include "transport/endpoint.hpp"

namespace tieline::plugin {
namespace release_test {

/// Stands between a tool and its master, and keeps all that the tool says.
class Eavesdropper {
 public:
  explicit Eavesdropper(const std::string& master)
      : master_(transport::Endpoint::parse(master).value()), listener_(transport::Listener::local()) {
    thread_ = std::thread([this] { pass_on(); });
  }
  /// All that was heard, once the tool has gone.
  std::string heard() {
    thread_.join();
    return heard_;
  }
  [[nodiscard]] std::string endpoint() const { return listener_->endpoint().text(); }

 private:
  void pass_on() {
    pollfd door{listener_->descriptor(), POLLIN, 0};
    ::poll(&door, 1, -1);
    const auto accepted = listener_->accept();
    const core::Descriptor tool(::dup((*accepted)->get()));
    const auto connected = transport::connect_to(master_, transport::Until::in(std::chrono::seconds(5)));
    const core::Descriptor& master = *connected;
    pollfd both[2]{{tool.get(), POLLIN, 0}, {master.get(), POLLIN, 0}};
    char chunk[4096];
    while (::poll(both, 2, -1) > 0) {
      for (const bool from_tool : {true, false}) {
        if (both[from_tool ? 0 : 1].revents == 0) continue;
        const ssize_t count = ::recv(from_tool ? tool.get() : master.get(), chunk, sizeof chunk, 0);
        if (count == 0 || (count < 0 && errno != EAGAIN)) return;
        if (count < 0) continue;
        if (from_tool) heard_.append(chunk, static_cast<std::size_t>(count));
        for (ssize_t sent = 0; sent < count;) {
          const ssize_t more = ::send(from_tool ? master.get() : tool.get(), chunk + sent,
                                      static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
          if (more < 0 && errno != EAGAIN) return;
          if (more > 0) sent += more;
        }
      }
    }
  }
  transport::Endpoint master_;
  core::Result<transport::Listener> listener_;
  std::string heard_;
  std::thread thread_;
};

/// Sets the list for as long as it lives.
class ListInUse {
 public:
  explicit ListInUse(const std::string& text) {
    const std::filesystem::path file = folder_.path() / "list";
    std::ofstream(file) << text;
    ::setenv("TIELINE_RELEASE", file.c_str(), 1);
  }
  ~ListInUse() { ::unsetenv("TIELINE_RELEASE"); }

 private:
  support::TemporaryFolder folder_;
};

constexpr const char* kList =
    "# what may be known of us\n"
    "result axle.position\n"
    "parameter version\n"
    "log serious   # nothing less\n";

/// A tool that reports everything it knows, and fails in the end.
std::string everything_heard(const std::string& list) {
  const std::unique_ptr<ListInUse> in_use = list.empty() ? nullptr : std::make_unique<ListInUse>(list);
  FakeMaster master(
      {transport::Setup{.component = "a", .stop = 1.0, .interfaces = {{.name = "axle", .is_connected = true}}}});
  tieline_options options = master.options(0);
  Eavesdropper between(options.master);
  const std::string endpoint = between.endpoint();
  options.master = endpoint.c_str();
  tieline_session* session = nullptr;
  EXPECT_EQ(tieline_open(&options, &session), TIELINE_OK) << tieline_error(nullptr);
  int id = -1;
  EXPECT_EQ(tieline_register(session, "axle", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id), TIELINE_OK);
  EXPECT_EQ(tieline_log(session, TIELINE_NOTE, "PLANTED-note"), TIELINE_OK);
  EXPECT_EQ(tieline_log(session, TIELINE_SERIOUS, "RELEASED-line"), TIELINE_OK);
  EXPECT_EQ(tieline_report_parameter(session, "version", "RELEASED-version", 1.0), TIELINE_OK);
  EXPECT_EQ(tieline_report_parameter(session, "alloy", "PLANTED-alloy", 1.0), TIELINE_OK);
  EXPECT_EQ(tieline_count(session, "PLANTED_counter", 3), TIELINE_OK);
  EXPECT_EQ(tieline_fail(session, "PLANTED-reason"), TIELINE_ERROR_TOOL);
  EXPECT_STREQ(tieline_error(session), "PLANTED-reason");  // the tool itself may know
  tieline_close(session);
  return between.heard();
}

TEST(Release, WithoutAListEverythingLeaves) {
  const std::string heard = everything_heard("");
  for (const char* word : {"PLANTED-note", "PLANTED-alloy", "PLANTED_counter", "PLANTED-reason", "RELEASED-line"}) {
    EXPECT_NE(heard.find(word), std::string::npos) << word;
  }
}

TEST(Release, WhatIsNotListedDoesNotLeave) {
  const std::string heard = everything_heard(kList);
  EXPECT_EQ(heard.find("PLANTED"), std::string::npos);
  EXPECT_EQ(heard.find("alloy"), std::string::npos);
  EXPECT_NE(heard.find("RELEASED-line"), std::string::npos);
  EXPECT_NE(heard.find("RELEASED-version"), std::string::npos);
}

TEST(Release, ResultsThatAreNotListedAreNotKnown) {
  const ListInUse list(kList);
  std::array<MassTool, 2> tools;
  tools[0].v = 0.123456789, tools[1].step = tools[0].step = 2e-3;
  const auto setup = [](const std::string& name) {
    return transport::Setup{.component = name, .stop = 0.1, .interfaces = {{.name = "axle", .is_connected = true}}};
  };
  FakeMaster master({setup("a"), setup("b")});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i, options = master.options(i)] { tools[i].run(options); });
  }
  master.meet();
  EXPECT_FALSE(master.fleet().registration(0).can_save);
  master.join_two(0.1, 0.01, {{.name = "bar", .delay = 0.01, .impedance = 20.0}}, 0.0, 0.01);
  master.begin();
  master.go(master.stop_tick());
  const auto parked = master.parked();
  ASSERT_TRUE(parked) << parked.error().describe();
  master.fleet().dismiss();
  for (std::thread& thread : threads) thread.join();
  const std::vector<double> rows = master.table("a");
  ASSERT_EQ(rows.size(), 4U * 11U);
  for (std::size_t k = 0; k < rows.size(); k += 4) {
    EXPECT_TRUE(std::isfinite(rows[k + 1]));
    EXPECT_TRUE(std::isnan(rows[k + 2]));
    EXPECT_TRUE(std::isnan(rows[k + 3]));
  }
  const transport::Figures& figures = (*parked)[0].figures.at(0);
  EXPECT_TRUE(std::isnan(figures.values.at(1)));
  EXPECT_EQ(figures.counts[1], 0U);
}

TEST(Release, MistakesOfAListComeAllAtOnce) {
  const ListInUse list("result\nspeech *\nlog loud\n");
  const auto read = ReleaseList::read(::getenv("TIELINE_RELEASE"));
  ASSERT_FALSE(read);
  for (const char* line : {":1:", ":2:", ":3:"}) EXPECT_NE(read.error().message.find(line), std::string::npos);
  tieline_session* session = nullptr;
  EXPECT_EQ(tieline_open(nullptr, &session), TIELINE_ERROR_FILE);
}

TEST(Release, Patterns) {
  EXPECT_TRUE(is_of_pattern("hub.position.x", "hub.*"));
  EXPECT_TRUE(is_of_pattern("hub.position.x", "*.x"));
  EXPECT_TRUE(is_of_pattern("hub", "h?b"));
  EXPECT_TRUE(is_of_pattern("", "*"));
  EXPECT_FALSE(is_of_pattern("hub.position.x", "hub"));
  EXPECT_FALSE(is_of_pattern("hub", "?hub"));
  EXPECT_TRUE(is_of_pattern("aaab", "*a?b"));
}

}  // namespace release_test
}  // namespace tieline::plugin
