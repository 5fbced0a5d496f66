#include "core/archive.hpp"

#include <gtest/gtest.h>

#include "core/port.hpp"

namespace tieline::core {
namespace archive_test {

TEST(Archive, GivesBackWhatWasPut) {
  ArchiveWriter writer;
  writer.tag("head");
  writer.put(42);
  writer.put(0.1);
  writer.put_text("words");
  const std::vector<double> values{1.0, -0.0, 1e300};
  writer.put_span<double>(values);
  writer.put_span<double>({});

  ArchiveReader reader(writer.bytes());
  reader.expect_tag("head");
  EXPECT_EQ(reader.get<int>(), 42);
  EXPECT_EQ(reader.get<double>(), 0.1);
  EXPECT_EQ(reader.get_text(), "words");
  EXPECT_EQ(reader.get_vector<double>(), values);
  EXPECT_FALSE(reader.at_end());
  EXPECT_TRUE(reader.get_vector<double>().empty());
  EXPECT_TRUE(reader.at_end());
}

TEST(Archive, RefusesAnotherTag) {
  ArchiveWriter writer;
  writer.tag("left");
  ArchiveReader reader(writer.bytes());
  try {
    reader.expect_tag("right");
    FAIL() << "accepted";
  } catch (const ArchiveError& error) {
    EXPECT_NE(std::string(error.what()).find("'right'"), std::string::npos) << error.what();
  }
}

TEST(Archive, RefusesEveryTruncation) {
  ArchiveWriter writer;
  writer.tag("t");
  writer.put(1.5);
  writer.put_span<double>(std::vector<double>{1.0, 2.0});
  for (std::size_t length = 0; length < writer.bytes().size(); ++length) {
    ArchiveReader reader(std::string_view(writer.bytes()).substr(0, length));
    const auto read = [&] {
      reader.expect_tag("t");
      (void)reader.get<double>();
      (void)reader.get_vector<double>();
    };
    EXPECT_THROW(read(), ArchiveError) << length;
  }
}

TEST(Archive, RefusesCountsThatCannotBe) {
  ArchiveWriter writer;
  writer.put(~std::size_t{0});
  writer.put(1.0);
  EXPECT_THROW((void)ArchiveReader(writer.bytes()).get_vector<double>(), ArchiveError);
  EXPECT_THROW((void)ArchiveReader(writer.bytes()).get_text(), ArchiveError);
  std::vector<double> two(2);
  EXPECT_THROW(ArchiveReader(writer.bytes()).get_span<double>(two), ArchiveError);
}

TEST(Archive, KeepsTracksBitByBit) {
  wave::Track track(wave::Interpolation::quintic);
  // Integrals that pushing would not reproduce.
  const std::vector<wave::Knot> knots{
      {0.0, 0.3, 1.0, 0.5}, {0.1, 0.4, 1.1, 0.4}, {0.1, 0.4, 2.0, 0.0}, {0.3, 0.7, 2.5, 9.0}};
  track.assign(wave::Interpolation::quintic, knots);
  ArchiveWriter writer;
  save_track(writer, track);
  wave::Track other;
  ArchiveReader reader(writer.bytes());
  restore_track(reader, other);
  ASSERT_EQ(other.size(), knots.size());
  EXPECT_EQ(other.interpolation(), wave::Interpolation::quintic);
  for (std::size_t i = 0; i < knots.size(); ++i) {
    EXPECT_EQ(other.knot(i).t, knots[i].t);
    EXPECT_EQ(other.knot(i).integral, knots[i].integral);
    EXPECT_EQ(other.knot(i).value, knots[i].value);
    EXPECT_EQ(other.knot(i).rate, knots[i].rate);
  }
  EXPECT_EQ(other.next_break(0.0), 0.1);
}

}  // namespace archive_test
}  // namespace tieline::core
