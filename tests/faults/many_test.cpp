#include <cstring>
#include <map>

#include "faults/fault_run.hpp"

// More processes than cores, by far.

namespace tieline::faults {
namespace many_test {

/// Masses in a row, each joined to the next by a line; the first is pushed.
std::string chain_of(int masses) {
  std::string components, connections;
  for (int i = 0; i < masses; ++i) {
    const char* const push = i == 0 ? R"(<Load name="push" node="body" force="{sin(200*t)}"/>)" : "";
    components += fmt::format(R"(<Component name="m{0}" kind="network"><Network>
<Mass name="body" mass="{1}"/>{2}<Interface name="left" node="body"/><Interface name="right" node="body"/>
</Network></Component>
)",
                              i, 1.0 + 0.01 * i, push);
    if (i == 0) continue;
    connections += fmt::format(R"(<Connection name="rod{0}" from="m{1}.right" to="m{0}.left" coupling="line"
stiffness="1e4" delay="1e-3"/>
)",
                               i, i - 1);
  }
  return fmt::format(R"(<CompositeModel name="chain"><Components>{}</Components><Connections>{}</Connections>
<Simulation start="0" stop="0.01" write_interval="1e-3"><Processes start_deadline="100" silence_deadline="60"/>
</Simulation></CompositeModel>)",
                     components, connections);
}

/// Every number of every table, by its owner.
std::map<std::string, std::vector<double>> rows_of(const std::filesystem::path& folder) {
  std::map<std::string, std::vector<double>> rows;
  const auto reader = results::ResultReader::open(folder);
  EXPECT_TRUE(reader);
  for (std::size_t table = 0; reader && table < reader->tables().size(); ++table) {
    auto numbers = reader->read_rows(table, {0, reader->rows(table).value()});
    EXPECT_TRUE(numbers);
    if (numbers) rows[reader->tables()[table].owner] = std::move(*numbers);
  }
  return rows;
}

TEST(Many, TwoHundredProcessesGiveTheSameBits) {
  constexpr int kMasses = support::kIsInstrumented ? 40 : 200;
  const FaultRun run;
  run.work().write("model.xml", chain_of(kMasses));
  run.expect_done(run.run());
  const auto here = rows_of(run.results());
  run.expect_done(run.run(std::vector<std::string>{"--isolate"}));
  const auto elsewhere = rows_of(run.results());
  ASSERT_EQ(here.size(), static_cast<std::size_t>(2 * kMasses - 1));
  ASSERT_EQ(elsewhere.size(), here.size());
  for (const auto& [owner, numbers] : here) {
    const auto& others = elsewhere.at(owner);
    ASSERT_EQ(numbers.size(), others.size()) << owner;
    EXPECT_EQ(std::memcmp(numbers.data(), others.data(), numbers.size() * sizeof(double)), 0) << owner;
  }
}

}  // namespace many_test
}  // namespace tieline::faults
