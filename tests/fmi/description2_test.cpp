// FMI 2.0, as several exporters write it.

#include <gtest/gtest.h>
#include <limits>

#include "fmi/description_files.hpp"

namespace tieline::fmi {
namespace description2_test {

using Floats = std::vector<double>;
using Integers = std::vector<std::int64_t>;

TEST(Description2, ReadsAllOfAWellMadeFile) {
  const auto read = read_text(description_text("dymola_style.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  const Description& description = *read.description;
  EXPECT_EQ(description.version, 2);
  EXPECT_EQ(description.version_text, "2.0");
  EXPECT_EQ(description.model_name, "Machines.Drive");
  EXPECT_EQ(description.token, "{1b7c6f6e-9a0f-4a51-8f0f-0d3c1f7a2b11}");
  EXPECT_EQ(description.description, "A drive & its load");
  EXPECT_EQ(description.model_version, "4.0.1");
  EXPECT_TRUE(description.has_structured_names);
  EXPECT_EQ(description.event_indicator_count, 2u);
  EXPECT_EQ(description.log_categories.size(), 2u);
  EXPECT_EQ(description.experiment.stop_time, 1.5);
  EXPECT_EQ(description.experiment.tolerance, 1e-6);
  EXPECT_FALSE(description.experiment.step_size);
  // Two units are used that are not defined; nothing else is odd.
  EXPECT_EQ(read.diagnostics.warning_count(), 2u) << read.diagnostics.describe();
  EXPECT_TRUE(read.says("modelDescription.xml:61:7: warning: 'J': the unit 'kg.m2' is not defined"))
      << read.diagnostics.describe();
}

TEST(Description2, DescribesHowTheFmuIsRun) {
  const auto read = read_text(description_text("dymola_style.xml"));
  ASSERT_TRUE(read.description);
  const auto& exchange = *read.description->model_exchange;
  EXPECT_EQ(exchange.model_identifier, "Machines_Drive");
  EXPECT_TRUE(exchange.can_not_use_memory_management_functions);
  EXPECT_TRUE(exchange.can_get_and_set_state);
  EXPECT_TRUE(exchange.can_serialize_state);
  EXPECT_TRUE(exchange.provides_directional_derivatives);
  EXPECT_TRUE(exchange.needs_completed_integrator_step) << "unless it is said to be unnecessary";
  EXPECT_FALSE(exchange.needs_execution_tool);
  const auto& simulation = *read.description->co_simulation;
  EXPECT_TRUE(simulation.can_handle_variable_step_size);
  EXPECT_TRUE(simulation.can_interpolate_inputs);
  EXPECT_EQ(simulation.max_output_derivative_order, 1u);
  EXPECT_FALSE(simulation.provides_directional_derivatives);
  const auto other = read_text(description_text("jmodelica_style.xml"));
  ASSERT_TRUE(other.description) << other.diagnostics.describe();
  EXPECT_FALSE(other.description->model_exchange->needs_completed_integrator_step);
  EXPECT_FALSE(other.description->co_simulation);
}

TEST(Description2, FillsDeclaredTypesIn) {
  const auto read = read_text(description_text("dymola_style.xml"));
  EXPECT_EQ(read["phi"].unit, "rad");
  EXPECT_EQ(read["phi"].display_unit, "deg");
  EXPECT_EQ(read["phi"].quantity, "Angle");
  EXPECT_EQ(read["T"].min, 100.0) << "what the variable says itself counts";
  EXPECT_EQ(read["T"].nominal, 300.0);
  EXPECT_TRUE(read["T"].has_nominal);
  EXPECT_EQ(read["J"].nominal, 1.0);
  EXPECT_EQ(read["mode"].type, Type::enumeration);
  EXPECT_EQ(std::get<Integers>(read["mode"].start), Integers{2});
  const TypeDefinition& mode = read.description->types[read["mode"].declared_type];
  ASSERT_EQ(mode.items.size(), 2u);
  EXPECT_EQ(mode.items[1].name, "on");
  EXPECT_EQ(mode.items[1].value, 2);
}

TEST(Description2, KnowsUnits) {
  const auto read = read_text(description_text("dymola_style.xml"));
  const Unit* torque = read.description->unit_named("N.m");
  ASSERT_NE(torque, nullptr);
  EXPECT_EQ(*torque->base, (BaseUnit{.kg = 1, .m = 2, .s = -2}));
  const Unit* kelvin = read.description->unit_named("K");
  ASSERT_EQ(kelvin->display_units.size(), 1u);
  EXPECT_EQ(kelvin->display_units[0].offset, -273.15);
  EXPECT_EQ(read.description->unit_named("furlong"), nullptr);
}

TEST(Description2, KnowsTheStandardsDefaults) {
  const auto read = read_text(description_text("dymola_style.xml"));
  EXPECT_EQ(read["J"].causality, Causality::parameter);
  EXPECT_EQ(read["J"].variability, Variability::tunable);
  EXPECT_EQ(read["J"].initial, Initial::exact);
  EXPECT_EQ(read["der(phi)"].causality, Causality::local);
  EXPECT_EQ(read["der(phi)"].variability, Variability::continuous);
  EXPECT_EQ(read["der(phi)"].initial, Initial::calculated);
  EXPECT_EQ(read["tau"].initial, Initial::none);
  EXPECT_EQ(read["mode"].variability, Variability::fixed);
  EXPECT_EQ(read["active"].variability, Variability::discrete);
  const auto other = read_text(description_text("jmodelica_style.xml"));
  EXPECT_EQ(other["c"].initial, Initial::calculated);
  EXPECT_EQ(other["zero"].initial, Initial::exact);
  EXPECT_EQ(other["zero"].variability, Variability::constant);
}

TEST(Description2, ResolvesReferencesToIndices) {
  const auto read = read_text(description_text("dymola_style.xml"));
  const Description& description = *read.description;
  EXPECT_EQ(read["der(w)"].derivative_of, description.index_of("w"));
  EXPECT_TRUE(read["w"].reinit);
  EXPECT_EQ(read["w"].reference, read["w_alias"].reference);
  EXPECT_EQ(read["w"].line, 71);
  ASSERT_EQ(description.structure.derivatives.size(), 2u);
  const Unknown& derivative = description.structure.derivatives[1];
  EXPECT_EQ(derivative.variable, description.index_of("der(w)"));
  ASSERT_EQ(derivative.dependencies->size(), 2u);
  EXPECT_EQ((*derivative.dependencies)[1].variable, description.index_of("tau"));
  EXPECT_EQ((*derivative.dependencies)[1].kind, DependencyKind::tunable);
  ASSERT_EQ(description.structure.outputs.size(), 2u);
  EXPECT_TRUE(description.structure.outputs[0].dependencies->empty()) << "told to depend on nothing";
  EXPECT_FALSE(description.structure.initial_unknowns[0].dependencies) << "not told";
}

TEST(Description2, TakesAClockedModel) {
  const auto read = read_text(description_text("openmodelica_style.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_EQ(read["y"].previous, read.description->index_of("x"));
  EXPECT_EQ(read["p"].variability, Variability::fixed);
  EXPECT_EQ(read["n"].variability, Variability::discrete);
  EXPECT_TRUE(
      read.says("'p': variability 'continuous' is not valid with a parameter of type Float64; 'fixed' is assumed"))
      << read.diagnostics.describe();
  EXPECT_FALSE(read.says("'n'")) << read.diagnostics.describe();
  EXPECT_TRUE(read.says("'x' (local) has no start value"));
  // Outputs that the structure forgets are outputs all the same.
  EXPECT_EQ(read.description->structure.outputs.size(), 4u);
  EXPECT_TRUE(read.says("output 'v[1]' is missing in <ModelStructure>"));
}

TEST(Description2, FindsArraysThatWereTakenApart) {
  const auto read = read_text(description_text("openmodelica_style.xml"));
  const Description& description = *read.description;
  const auto at = [&](std::string_view name) { return Scalar{description.index_of(name), 0}; };
  EXPECT_EQ(description.scalars_of("v"), (std::vector{at("v[1]"), at("v[2]"), at("v[3]")}));
  EXPECT_EQ(description.scalars_of("k"), (std::vector{at("k[1,1]"), at("k[1,2]"), at("k[2,1]"), at("k[2,2]")}));
  EXPECT_EQ(description.scalars_of("der(s)"), (std::vector{at("der(s[1])"), at("der(s[2])")}));
  EXPECT_EQ(description.scalars_of("k[2, 1]"), std::vector{at("k[2,1]")});
  EXPECT_EQ(description.scalars_of("x"), std::vector{at("x")});
  EXPECT_TRUE(description.scalars_of("nothing").empty());
  EXPECT_TRUE(description.scalars_of("x[1]").empty());
  EXPECT_NE(description.suggestion("v[4]").find("did you mean 'v["), std::string::npos);
  const auto zero_based = read_text(description_text("simulink_style.xml"));
  EXPECT_EQ(zero_based.description->scalars_of("In2").size(), 2u);
}

TEST(Description2, TakesOddNumbers) {
  const auto read = read_text(description_text("simulink_style.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_EQ(std::get<Floats>(read["Kp"].start), Floats{1.0});
  EXPECT_EQ(std::get<Integers>(read["In2[0]"].start), Integers{1});
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(read["bus.flag"].start).front(), 0);
  EXPECT_EQ(std::get<std::vector<std::string>>(read["file"].start).front(), "a b\nc");
  EXPECT_EQ(std::get<Floats>(read["limit"].start), Floats{std::numeric_limits<double>::infinity()});
  EXPECT_EQ(read["time"].causality, Causality::independent);
  EXPECT_TRUE(read.description->co_simulation->can_be_instantiated_only_once_per_process);
  EXPECT_TRUE(read.says("'Kp': '1.0f' is an unusual way to write a start value"));
  EXPECT_EQ(read.diagnostics.warning_count(), 3u) << read.diagnostics.describe();
}

TEST(Description2, TakesWhatIsWrongWithAWarning) {
  const auto read = read_text(description_text("twenty_sim_style.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  const Description& description = *read.description;
  EXPECT_TRUE(description.co_simulation->can_handle_variable_step_size) << "'True'";
  EXPECT_EQ(description.event_indicator_count, 0u);
  EXPECT_FALSE(description.experiment.stop_time);
  EXPECT_FALSE(description.experiment.step_size);
  EXPECT_EQ(std::get<Floats>(read["valve"].start), Floats{0.0});
  EXPECT_EQ(read["level"].variability, Variability::continuous);
  EXPECT_EQ(read["area"].variability, Variability::fixed);
  EXPECT_EQ(read["area"].initial, Initial::exact);
  EXPECT_EQ(read["area"].min, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(read["tank\\height"].causality, Causality::local);
  EXPECT_EQ(read["tank\\height"].nominal, 1.0);
  EXPECT_EQ(description.structure.outputs.size(), 1u);
  for (const char* words :
       {"variableNamingConvention is 'Structured'", "stopTime is ignored", "stepSize is 0",
        "'area': variability 'discrete' is not valid", "'area': initial=\"approx\" is not valid",
        "'area': min 5 and max 1 are in the wrong order", "causality 'internal' is not known",
        "variability 'sometimes' is not valid", "the declared type 'Height' does not exist",
        "the unit 'm' is not defined", "a nominal value of 0 is ignored", "2 kinds for 1 dependencies",
        "output number 2 is variable number '99'", "numberOfEventIndicators='' is not a whole number",
        "'level' (output) has no start value"}) {
    EXPECT_TRUE(read.says(words)) << words << "\n" << read.diagnostics.describe();
  }
}

TEST(Description2, TakesASmallFile) {
  const auto read = read_text(description_text("fmusdk_style.xml"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_EQ(read.diagnostics.all().size(), 0u) << read.diagnostics.describe();
  EXPECT_EQ(read["counter"].type, Type::int32);
}

}  // namespace description2_test
}  // namespace tieline::fmi
