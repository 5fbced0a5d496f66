#include "results/trial_copy.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "support/instrumented.hpp"

namespace tieline::results {
namespace trial_copy_test {

using Text = core::Result<std::string>;

TEST(TrialCopy, ReturnsTheAnswer) {
  const std::string large(300'000, 'x');
  int changed = 0;
  const auto trial = try_in_copy(0, [&]() -> Text {
    changed = 1;
    return large;
  });
  ASSERT_TRUE(trial);
  EXPECT_TRUE(trial->was_made);
  EXPECT_EQ(trial->answer, large);
  EXPECT_EQ(changed, 0) << "the action ran in this process";
}

TEST(TrialCopy, ReturnsTheError) {
  const auto trial =
      try_in_copy(0, []() -> Text { return core::Error{.code = core::ErrorCode::bad_input, .message = "a 1 b"}; });
  ASSERT_FALSE(trial);
  EXPECT_EQ(trial.error().code, core::ErrorCode::bad_input);
  EXPECT_EQ(trial.error().message, "a 1 b");
}

std::string failure_of(const std::function<Text()>& action) {
  const auto trial = try_in_copy(0, action);
  return trial ? "no error" : trial.error().message;
}

TEST(TrialCopy, NamesACrash) {
  EXPECT_EQ(failure_of([]() -> Text {
              std::raise(SIGSEGV);
              return std::string();
            }),
            "reading it crashes (signal 11)");
}

TEST(TrialCopy, EndsWhatDoesNotEnd) {
  EXPECT_EQ(failure_of([]() -> Text {
              volatile bool is_on = true;
              while (is_on) {
              }
              return std::string();
            }),
            "reading it does not end");
}

TEST(TrialCopy, LimitsMemory) {
  if (support::kIsInstrumented) return;  // sanitizers allocate in ways of their own
  EXPECT_EQ(failure_of([]() -> Text {
              std::vector<std::unique_ptr<char[]>> all;
              for (int i = 0; i < 64; ++i) all.push_back(std::make_unique_for_overwrite<char[]>(std::size_t{64} << 20));
              return std::string();
            }),
            "reading it crashes (signal 6)");
}

}  // namespace trial_copy_test
}  // namespace tieline::results
