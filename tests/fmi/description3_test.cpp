// FMI 3.0: all types, arrays, clocks, terminals.

#include <gtest/gtest.h>
#include <limits>

#include "fmi/description_files.hpp"
#include "fmi/fmu_file.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::fmi {
namespace description3_test {

TEST(Description3, ReadsAllTypes) {
  const auto read = read_text(description_text("reference_feedthrough.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  const auto integer = [&](const char* name) { return std::get<std::vector<std::int64_t>>(read[name].start).front(); };
  const auto count = [&](const char* name) { return std::get<std::vector<std::uint64_t>>(read[name].start).front(); };
  EXPECT_EQ(std::get<std::vector<double>>(read["f32"].start).front(), 1.5);
  EXPECT_EQ(integer("i8"), -128);
  EXPECT_EQ(count("u8"), 255u);
  EXPECT_EQ(integer("i16"), -32768);
  EXPECT_EQ(count("u16"), 65535u);
  EXPECT_EQ(integer("i32"), 4);
  EXPECT_EQ(count("u32"), 4294967295u);
  EXPECT_EQ(integer("i64"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(count("u64"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(read["b"].start), (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(std::get<std::vector<std::string>>(read["s"].start), std::vector<std::string>{"a b"});
  EXPECT_EQ(std::get<std::vector<std::string>>(read["data"].start), std::vector<std::string>{"foo"});
  EXPECT_EQ(read["data"].mime_type, "text/plain");
  EXPECT_EQ(read["data"].max_size, 100u);
  EXPECT_EQ(integer("option"), 2);
  EXPECT_EQ(read["i32"].min, -5.0);
  EXPECT_EQ(read["i32"].variability, Variability::tunable);
  EXPECT_EQ(read["m"].variability, Variability::fixed);
  EXPECT_EQ(read["u"].initial, Initial::exact);
  // The declared type has a unit that is not defined.
  EXPECT_EQ(read.diagnostics.warning_count(), 1u) << read.diagnostics.describe();
}

TEST(Description3, KnowsArrays) {
  const auto read = read_text(description_text("reference_feedthrough.xml"));
  const Description& description = *read.description;
  EXPECT_EQ(read["u"].element_count(), 3u);
  EXPECT_EQ(read["u"].dimensions[0].variable, description.index_of("m"));
  EXPECT_EQ(std::get<std::vector<double>>(read["u"].start), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_TRUE(read["u"].intermediate_update);
  EXPECT_EQ(read["A"].element_count(), 6u);
  EXPECT_EQ(read["A"].dimensions[1].variable, kNone);
  EXPECT_EQ(count_of(read["A"].start), 1u) << "one value for all";
  EXPECT_FALSE(read["A"].can_handle_multiple_set);
  const std::uint32_t index = description.index_of("A");
  EXPECT_EQ(description.scalars_of("A").size(), 6u);
  EXPECT_EQ(description.scalars_of("A[3,1]"), (std::vector{Scalar{index, 4}}));
  EXPECT_TRUE(description.scalars_of("A[4,1]").empty());
  EXPECT_TRUE(description.scalars_of("A[0,1]").empty());
  EXPECT_TRUE(description.scalars_of("A[1]").empty());
  EXPECT_EQ(description.index_of("y_alias"), description.index_of("y"));
  EXPECT_EQ(read["y"].aliases[0].display_unit, "mm");
}

TEST(Description3, DescribesHowTheFmuIsRun) {
  const auto read = read_text(description_text("reference_feedthrough.xml"));
  const auto& simulation = *read.description->co_simulation;
  EXPECT_EQ(simulation.fixed_internal_step_size, 0.1);
  EXPECT_EQ(simulation.recommended_intermediate_input_smoothness, 2);
  EXPECT_TRUE(simulation.provides_intermediate_update);
  EXPECT_TRUE(simulation.might_return_early_from_do_step);
  EXPECT_TRUE(simulation.can_return_early_after_intermediate_update);
  EXPECT_TRUE(simulation.has_event_mode);
  EXPECT_TRUE(simulation.provides_evaluate_discrete_states);
  EXPECT_TRUE(simulation.can_serialize_state);
  const auto& exchange = *read.description->model_exchange;
  EXPECT_TRUE(exchange.provides_adjoint_derivatives);
  EXPECT_TRUE(exchange.provides_per_element_dependencies);
  EXPECT_TRUE(exchange.needs_completed_integrator_step);
}

TEST(Description3, ReadsStatesEventsAndClocks) {
  const auto read = read_text(description_text("reference_ball.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_EQ(read.diagnostics.all().size(), 0u) << read.diagnostics.describe();
  const Description& description = *read.description;
  EXPECT_EQ(description.version_text, "3.0.1");
  EXPECT_TRUE(description.has_scheduled_execution);
  EXPECT_FALSE(description.model_exchange->needs_completed_integrator_step);
  EXPECT_EQ(description.event_indicator_count, 2u) << "an array of two";
  EXPECT_EQ(description.structure.derivatives.size(), 2u);
  EXPECT_EQ(description.structure.discrete_states.size(), 1u);
  EXPECT_EQ(read["der(v)"].derivative_of, description.index_of("v"));
  EXPECT_EQ(read["count"].previous, description.index_of("pre(count)"));
  EXPECT_EQ(read["count"].clocks, std::vector{description.index_of("tick")});
  const Clock& tick = description.clocks[read["tick"].clock];
  EXPECT_EQ(tick.interval, Interval::constant);
  EXPECT_EQ(tick.interval_decimal, 0.5);
  EXPECT_EQ(tick.priority, 2u);
  EXPECT_EQ(tick.resolution, 10u);
  EXPECT_EQ(tick.interval_counter, 5u);
  EXPECT_TRUE(tick.can_be_deactivated);
  EXPECT_EQ(description.clocks[read["hit"].clock].interval, Interval::triggered);
  EXPECT_TRUE(description.units[0].display_units[0].is_inverse);
}

TEST(Description3, ReadsTerminalsOfAnArchive) {
  const support::TemporaryFolder folder;
  const auto file = support::write_file(
      folder.path() / "ball.fmu",
      support::zip_of(
          {{.name = "modelDescription.xml", .content = description_text("reference_ball.xml"), .method = 8},
           {.name = "terminalsAndIcons/terminalsAndIcons.xml", .content = description_text("terminals.xml")}}));
  document::Diagnostics diagnostics;
  auto archive = open_fmu(file, diagnostics);
  ASSERT_TRUE(archive) << diagnostics.describe();
  const auto description = read_description(*archive, diagnostics);
  ASSERT_TRUE(description) << diagnostics.describe();
  ASSERT_EQ(description->terminals.size(), 1u);
  const Terminal& flange = description->terminals[0];
  EXPECT_EQ(flange.name, "flange");
  EXPECT_EQ(flange.kind, "org.modelica.flange");
  EXPECT_EQ(flange.matching_rule, "plug");
  ASSERT_EQ(flange.members.size(), 2u);
  EXPECT_EQ(flange.members[1].variable, description->index_of("v"));
  EXPECT_EQ(flange.members[1].name, "flow");
  EXPECT_EQ(flange.members[1].kind, "inflow");
  ASSERT_EQ(flange.streams.size(), 1u);
  EXPECT_EQ(flange.streams[0].outflow_variable, description->index_of("v"));
  ASSERT_EQ(flange.terminals.size(), 1u);
  EXPECT_EQ(flange.terminals[0].members[0].variable, description->index_of("der(h)"));
  EXPECT_EQ(diagnostics.warning_count(), 1u);
  EXPECT_NE(diagnostics.describe().find("ball.fmu/terminalsAndIcons/terminalsAndIcons.xml:7:7: warning: terminal "
                                        "'flange': there is no variable 'hh' (did you mean 'h'?)"),
            std::string::npos)
      << diagnostics.describe();
}

TEST(Description3, ReportsAnArchiveThatIsNoFmu) {
  const support::TemporaryFolder folder;
  const auto file =
      support::write_file(folder.path() / "no.fmu", support::zip_of({{.name = "readme.txt", .content = "hello"}}));
  document::Diagnostics diagnostics;
  auto archive = open_fmu(file, diagnostics);
  ASSERT_TRUE(archive);
  EXPECT_FALSE(read_description(*archive, diagnostics));
  EXPECT_NE(diagnostics.describe().find("this is not an FMU: it contains no modelDescription.xml"), std::string::npos);
}

}  // namespace description3_test
}  // namespace tieline::fmi
