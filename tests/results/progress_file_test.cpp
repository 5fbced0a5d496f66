#include "results/progress_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/atomic_file.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace progress_file_test {

TEST(ProgressFile, ComesBackAsItWas) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / kProgressFileName;
  RunProgressFile before;
  before.phase = RunPhase::failed;
  before.error = "component 'left': no";
  before.process = this_process();
  before.began = 1.5, before.updated = 3.5, before.moved = 2.5;
  before.model = "pair", before.model_file = "/models/pair.xml";
  before.start = 0.5, before.stop = 2.0, before.reached = 1.25, before.speed = 0.125, before.windows = 42;
  before.slowest = "left", before.waits_for = "right", before.held_up = {"a", "b"};
  before.checkpoint = 1.0;
  ASSERT_TRUE(write_progress(before, file));
  const auto after = read_progress(file);
  ASSERT_TRUE(after) << after.error().describe();
  EXPECT_EQ(after->phase, before.phase);
  EXPECT_EQ(after->error, before.error);
  EXPECT_EQ(after->process.id, ::getpid());
  EXPECT_EQ(after->process.birth, before.process.birth);
  EXPECT_EQ(after->process.host, before.process.host);
  EXPECT_EQ(after->moved, 2.5);
  EXPECT_EQ(after->model_file, before.model_file);
  EXPECT_EQ(after->reached, 1.25);
  EXPECT_EQ(after->windows, 42U);
  EXPECT_EQ(after->held_up, before.held_up);
  EXPECT_EQ(after->checkpoint, 1.0);
  EXPECT_FALSE(after->resumed_from);
}

TEST(ProgressFile, WhatIsNoneIsRefused) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / kProgressFileName;
  EXPECT_FALSE(read_progress(file));
  for (const char* text : {"", "{", "[]", "{\"state\": 3}", "{\"state\": \"running\"}"}) {
    ASSERT_TRUE(core::replace_file(file, text));
    const auto read = read_progress(file);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("does not contain the progress"), std::string::npos);
  }
}

TEST(ProcessState, IsSeenFromOutside) {
  ProcessIdentity own = this_process();
  EXPECT_EQ(state_of(own), ProcessState::running);
  ++own.birth;  // an earlier process had the same number
  EXPECT_EQ(state_of(own), ProcessState::gone);
  own.host += "-elsewhere";
  EXPECT_EQ(state_of(own), ProcessState::unknown);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(state_of({this_process().host, child, 0}), ProcessState::gone);
}

}  // namespace progress_file_test
}  // namespace tieline::results
