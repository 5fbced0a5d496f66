#include "report/animation.hpp"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/animation_page.hpp"
#include "results/sample_results.hpp"

namespace tieline::report {
namespace animation_test {

using results::SampleResults;
using results::Tables;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// The contents of the element of that id.
std::string embedded(const std::string& page, const std::string& id) {
  const auto element = page.find("<script id=\"" + id + "\"");
  EXPECT_NE(element, std::string::npos) << id;
  const auto begin = page.find('>', element) + 1;
  return page.substr(begin, page.find("</script>", begin) - begin);
}

/// Straight from the definition: six bits a digit.
std::vector<float> decoded(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : base64) {
    if (c == '=') break;
    const auto value = digits.find(c);
    for (int i = 5; i >= 0; --i) bits += value >> i & 1u ? '1' : '0';
  }
  std::string bytes;
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8)
    bytes += static_cast<char>(std::stoul(bits.substr(i, 8), nullptr, 2));
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

class Animation : public ::testing::Test {
 protected:
  Animation() {
    core::Scene own;
    own.bodies.push_back({.name = "body"});
    scene_.components.push_back({"c", own});
  }
  static Tables tables() {
    results::SampleTable table{{"c", {}}, {}};
    for (const char* name : {"position.x", "position.y", "position.z", "orientation.w", "orientation.x",
                             "orientation.y", "orientation.z"}) {
      table.declaration.columns.push_back({std::string("body.") + name, ""});
    }
    for (int i = 0; i <= 10; ++i) table.rows.push_back({0.1 * i, {0.3 * i, -1.0, 1e-3 * i, 1, 0, 0, 0}});
    return {table};
  }

  SampleResults results_{tables()};
  results::RunScene scene_{.model = "m"};
};

TEST_F(Animation, HoldsTheFramesAsTheyAre) {
  const auto reader = results_.open();
  const auto file = results_.folder() / "run.html";
  const AnimationOptions options{.title = "run", .motion = {.frames = 11}};
  const auto facts = write_animation(reader, scene_, options, file);
  ASSERT_TRUE(facts) << facts.error().describe();
  EXPECT_EQ(facts->frames, 11u);
  EXPECT_EQ(facts->bodies, 1u);
  const std::string page = text_of(file);
  const auto motion = nlohmann::json::parse(embedded(page, "tieline-motion"));
  EXPECT_EQ(motion.at("title"), "run");
  EXPECT_EQ(motion.at("count"), 11);
  EXPECT_EQ(motion.at("bodies").at("c.body"), 0);
  EXPECT_EQ(embedded(page, "tieline-scene"), results::to_json(scene_));
  EXPECT_EQ(decoded(embedded(page, "tieline-frames")), sample_motion(reader, scene_, options.motion)->values);
}

TEST_F(Animation, TextCannotBreakThePage) {
  const auto reader = results_.open();
  const auto file = results_.folder() / "run.html";
  const std::string title = "</script><b>&\"";
  ASSERT_TRUE(write_animation(reader, scene_, {.title = title, .notes = {"<!--"}}, file));
  const std::string page = text_of(file);
  EXPECT_EQ(page.find(title), std::string::npos);
  const auto motion = nlohmann::json::parse(embedded(page, "tieline-motion"));
  EXPECT_EQ(motion.at("title"), title);
  EXPECT_EQ(motion.at("notes").at(0), "<!--");
}

TEST_F(Animation, AFailureLeavesNoFile) {
  const auto reader = results_.open();
  EXPECT_FALSE(write_animation(reader, {"m", {}}, {}, results_.folder() / "none.html"));
  EXPECT_FALSE(std::filesystem::exists(results_.folder() / "none.html"));
  EXPECT_FALSE(write_animation(reader, scene_, {}, results_.folder() / "no-folder" / "a.html"));
}

// The page stands alone: it fetches nothing, and says whose work it contains.
TEST_F(Animation, PageNeedsNothingElse) {
  const auto made = animation_page();
  ASSERT_TRUE(made) << made.error().describe();
  const std::string& page = *made;
  EXPECT_NE(page.find(kAnimationDataMark), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_NE(page.find("Permission is hereby granted, free of charge"), std::string::npos);
  EXPECT_NE(page.find("three.js authors"), std::string::npos);
}

}  // namespace animation_test
}  // namespace tieline::report
