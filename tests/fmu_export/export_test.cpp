// Exported FMUs, imported again beside the native components that they were made of.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "tieline/simulation.hpp"

#include "fmu_export/exporter.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fmu_export {
namespace export_test {

namespace fs = std::filesystem;

/// Two masses on a line, the first of them on a spring, a force on the second: a file in a folder of its own.
class ExportedFmu : public testing::Test {
 protected:
  static constexpr const char* kFirst = R"(
    <Component name="a" kind="network"><Network>
      <Ground name="ground"/> <Mass name="body" mass="{m}"/>
      <Spring name="spring" from="ground" to="body" stiffness="2e5"/> <Interface name="end" node="body"/>
    </Network></Component>)";

  [[nodiscard]] static std::string pair(const std::string& first, const std::string& more = "") {
    return R"(<CompositeModel name="pair"><Parameters> <Parameter name="m" value="2" unit="kg"/> </Parameters><Components>)" +
           first + R"(
    <Component name="b" kind="network"><Network>
      <Mass name="body" mass="3"/> <Load name="load" node="body" force="{100*sin(200*t)}"/>
      <Interface name="end" node="body"/>
    </Network></Component></Components>
    <Connections> <Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e6" delay="2e-4"/>
    </Connections> <Simulation stop="0.04" tolerance="1e-9")" +
           more + "/></CompositeModel>";
  }
  [[nodiscard]] static std::string fmu_in_pair(const std::string& file, const std::string& attributes = "") {
    return "<Component name=\"a\" kind=\"fmu\" file=\"" + file + "\" isolate=\"false\" " + attributes +
           "><Fmu mode=\"co_simulation\"/> <Interface name=\"end\" domain=\"translation\"/></Component>";
  }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  /// Errors, one per line.
  std::string try_export(Request request) {
    request.library = TIELINE_FMU_FOLDER;
    if (request.out.empty()) request.out = folder_.path() / "out.fmu";
    document::Diagnostics diagnostics;
    const auto manifest = fmu_export::export_fmu(request, diagnostics);
    std::string text;
    for (const auto& entry : diagnostics.all()) {
      if (entry.severity == document::Severity::error) text += entry.message + "\n";
    }
    EXPECT_EQ(manifest.has_value(), text.empty());
    EXPECT_EQ(fs::exists(request.out), text.empty()) << "an archive is whole, or there is none";
    return text;
  }
  /// The first mass as an FMU, made once.
  std::string export_first(int version, const std::vector<std::string>& waves = {}) {
    const std::string name = (waves.empty() ? "force" : "wave") + std::to_string(version) + ".fmu";
    const fs::path made = shared().path() / name;
    if (!fs::exists(made)) {
      const std::string model = write("pair.xml", pair(kFirst));
      EXPECT_EQ(try_export({.model = model, .out = made, .component = "a", .fmi_version = version, .waves = waves}),
                "");
    }
    fs::copy_file(made, folder_.path() / name);
    return name;
  }
  static const support::TemporaryFolder& shared() {
    static const support::TemporaryFolder folder;
    return folder;
  }
  /// Position and velocity of both at the end.
  std::vector<double> outcome(const std::string& text, const std::vector<Setting>& settings = {}) {
    Simulation run = Simulation::load(write("run.xml", text));
    run.set(settings);
    run.advance_to(run.stop_time());
    return {run.get("a.end.position"), run.get("a.end.velocity"), run.get("b.end.position"), run.get("b.end.velocity")};
  }
  /// Largest difference, as a share of the largest velocity and of the position that belongs to it.
  static double difference(const std::vector<double>& x, const std::vector<double>& y) {
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(x[i] - y[i]) / std::abs(y[i % 2 == 0 ? 2 : 3]));
    return worst;
  }

  support::TemporaryFolder folder_;
};

TEST_F(ExportedFmu, WithTheLawInsideAgreesToTheToleranceOfSolvers) {
  const std::string file = export_first(3, {"end"});
  // Some 400 windows, in each of which both solvers err by 1e-9 at most.
  EXPECT_LT(difference(outcome(pair(fmu_in_pair(file))), outcome(pair(kFirst))), 4e-7);
}

TEST_F(ExportedFmu, WithAForceConvergesWithTheSecondOrder) {
  const std::string file = export_first(3);
  const auto exact = outcome(pair(kFirst));
  const double coarse = difference(outcome(pair(fmu_in_pair(file, "step=\"1e-4\""))), exact);
  const double fine = difference(outcome(pair(fmu_in_pair(file, "step=\"5e-5\""))), exact);
  EXPECT_GT(coarse / fine, 3.0) << coarse << " and " << fine;
  EXPECT_LT(coarse / fine, 5.0) << coarse << " and " << fine;
}

TEST_F(ExportedFmu, WithAForceThatRunsStraightConvergesWithTheThirdOrderAtLeast) {
  const std::string file = export_first(2);
  const auto exact = outcome(pair(kFirst));
  const double coarse = difference(outcome(pair(fmu_in_pair(file, "step=\"5e-5\""))), exact);
  // Of a free mass it would be the fourth; the spring's force is a part of what the law does not know.
  EXPECT_LT(difference(outcome(pair(fmu_in_pair(file, "step=\"2.5e-5\""))), exact), coarse / 7.0) << coarse;
}

TEST_F(ExportedFmu, TakesParametersBeforeItStarts) {
  const std::string file = export_first(2);
  const std::string heavy = fmu_in_pair(file);
  const std::string set = heavy.substr(0, heavy.find("<Interface")) + "<Start variable=\"m\" value=\"5\"/>" +
                          heavy.substr(heavy.find("<Interface"));
  const auto expected = outcome(pair(kFirst), {{"m", "5"}});
  EXPECT_LT(difference(outcome(pair(set)), expected), 1e-5);
  EXPECT_GT(difference(outcome(pair(heavy)), expected), 1e-2);
}

TEST_F(ExportedFmu, ContinuesFromItsStateWithTheSameBits) {
  for (const int version : {2, 3}) {
    const std::string file =
        export_first(version, version == 3 ? std::vector<std::string>{"end"} : std::vector<std::string>{});
    Simulation run = Simulation::load(write("run.xml", pair(fmu_in_pair(file), " save_interval=\"1e-3\"")));
    run.advance_to(0.013);
    const std::string state = run.save();
    run.advance_to(0.03);
    const double position = run.get("a.end.position"), velocity = run.get("b.end.velocity");
    run.restore(state);
    run.advance_to(0.03);
    EXPECT_EQ(run.get("a.end.position"), position) << version;
    EXPECT_EQ(run.get("b.end.velocity"), velocity) << version;
    // In another process, or another instance, too.
    Simulation other = Simulation::load(write("run.xml", pair(fmu_in_pair(file), " save_interval=\"1e-3\"")));
    other.restore(state);
    other.advance_to(0.03);
    EXPECT_EQ(other.get("a.end.position"), position) << version;
  }
}

TEST_F(ExportedFmu, InstancesDoNotDisturbEachOther) {
  const std::string file = export_first(3, {"end"});
  const auto second = [](std::string text) {
    for (const char* name : {"\"a\"", "\"a.end\"", "\"b\"", "\"b.end\"", "\"rod\""}) {
      const std::string from = name, to = from.substr(0, 2) + "2" + from.substr(2);
      for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    }
    return text;
  };
  const std::string one = pair(fmu_in_pair(file)), two = second(one);
  const auto part = [](const std::string& text, const std::string& tag) {
    const std::size_t begin = text.find("<" + tag + ">") + tag.size() + 2;
    return text.substr(begin, text.find("</" + tag + ">") - begin);
  };
  std::string both = one;
  both.insert(both.find("</Components>"), part(two, "Components"));
  both.insert(both.find("</Connections>"), part(two, "Connections"));
  Simulation run = Simulation::load(write("both.xml", both));
  run.advance_to(run.stop_time());
  const auto alone = outcome(one);
  EXPECT_EQ(run.get("a.end.position"), alone[0]);
  EXPECT_EQ(run.get("a2.end.position"), alone[0]);
  EXPECT_EQ(run.get("b2.end.velocity"), alone[3]);
}

TEST_F(ExportedFmu, AFaultInsideIsTheErrorOfAStep) {
  const std::string model = write("fault.xml", R"(<CompositeModel name="fault"><Components>
    <Component name="c" kind="network"><Network> <Mass name="body" mass="1"/>
      <Load name="load" node="body" force="{1/(0.0501-t)^3}"/> <Interface name="end" node="body"/>
    </Network></Component></Components><Simulation stop="0.1"/></CompositeModel>)");
  ASSERT_EQ(try_export({.model = model, .component = "c", .fmi_version = 2}), "");
  Simulation run = Simulation::load(write("run.xml", R"(<CompositeModel name="m"><Components>
    <Component name="f" kind="fmu" file="out.fmu" isolate="false" step="0.01"><Fmu mode="co_simulation"/>
      <Interface name="end" domain="translation"/></Component></Components><Simulation stop="0.1"/></CompositeModel>)"));
  try {
    run.advance_to(0.1);
    FAIL() << "the run went through";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("component 'f'"), std::string::npos) << error.what();
  }
}

TEST_F(ExportedFmu, RefusesWhatItCannotContain) {
  const std::string model = write("pair.xml", pair(kFirst));
  EXPECT_NE(try_export({.model = model, .component = "aa"}).find("there is no component 'aa'"), std::string::npos);
  EXPECT_NE(try_export({.model = model, .component = "a", .waves = {"and"}}).find("did you mean 'end'"),
            std::string::npos);
  EXPECT_NE(try_export({.model = model, .outputs = {"b.body.positio"}}).find("did you mean 'b.body.position'"),
            std::string::npos);
  EXPECT_NE(try_export({.model = model, .parameters = {"mm"}}).find("did you mean 'm'"), std::string::npos);
  const std::string program = write("program.xml", R"(<CompositeModel name="p"><Components>
    <Component name="tool" kind="process" command="./tool"> <Interface name="end" domain="translation"/> </Component>
    </Components><Simulation stop="1"/></CompositeModel>)");
  EXPECT_NE(try_export({.model = program}).find("is a program"), std::string::npos);
  const std::string table = write("rows.csv", "time, f\n0, 1\n1, 2\n");
  const std::string absolute = write("absolute.xml", R"(<CompositeModel name="p"><Components>
    <Component name="c" kind="network"><Network><Mass name="m" mass="1"/><Interface name="end" node="m"/></Network>
    </Component></Components><Connections><Open interface="c.end" as="force" file=")" +
                                                         table + R"(" variable="f"/>
    </Connections><Simulation stop="1"/></CompositeModel>)");
  EXPECT_NE(try_export({.model = absolute}).find("absolute path"), std::string::npos);
}

TEST_F(ExportedFmu, KnowsParametersThatChangeTheStructure) {
  // A chain of n masses inside, which nobody sees, and a signal of k numbers, which everybody sees.
  const std::string model = write("chain.xml", R"(<CompositeModel name="p"><Parameters>
    <Parameter name="n" value="2"/> <Parameter name="k" value="2"/> <Parameter name="m" value="1"/></Parameters>
    <Components> <Repeat index="i" count="{n}">
      <Component name="c{i}" kind="network"><Network><Mass name="m" mass="{m}"/></Network></Component></Repeat>
    <Component name="s" kind="blocks"><Blocks><Input name="u" size="{k}"/><Gain name="g" input="u" gain="2"/>
      <Output name="y" of="g"/></Blocks></Component></Components><Simulation stop="1"/></CompositeModel>)");
  const Request request{.model = model, .fmi_version = 3, .library = TIELINE_FMU_FOLDER};
  Request wanted = request;
  wanted.out = folder_.path() / "out.fmu";
  document::Diagnostics diagnostics;
  const auto manifest = fmu_export::export_fmu(wanted, diagnostics);
  ASSERT_TRUE(manifest) << diagnostics.all().front().message;
  std::map<std::string, bool> structural;
  for (const ExportedVariable& variable : manifest->variables) {
    if (variable.role == Role::parameter) structural[variable.name] = variable.is_structural;
  }
  EXPECT_EQ(structural, (std::map<std::string, bool>{{"n", true}, {"m", false}}));
  bool is_named = false;
  for (const auto& entry : diagnostics.all())
    is_named = is_named || entry.message.find("parameter 'k' changes the inputs") != std::string::npos;
  EXPECT_TRUE(is_named);
}

TEST_F(ExportedFmu, BringsTablesAlong) {
  write("rows.csv", "time, f\n0, 1\n1, 2\n");
  const std::string model = write("relative.xml", R"(<CompositeModel name="p"><Components>
    <Component name="c" kind="network"><Network><Mass name="m" mass="1"/><Interface name="end" node="m"/></Network>
    </Component></Components><Connections><Open interface="c.end" as="force" file="rows.csv" variable="f"/>
    </Connections><Simulation stop="1"/></CompositeModel>)");
  EXPECT_EQ(try_export({.model = model, .outputs = {"c.m.velocity"}}), "");
  fs::remove(folder_.path() / "rows.csv");
  Simulation run = Simulation::load(write("run.xml", R"(<CompositeModel name="m"><Components>
    <Component name="f" kind="fmu" file="out.fmu" isolate="false"><Fmu mode="co_simulation"/></Component></Components>
    <Simulation stop="1"/></CompositeModel>)"));
  run.advance_to(1.0);
  // A force that grows from 1 N to 2 N.
  EXPECT_NEAR(run.get("f.c.m.velocity.value"), 1.5, 1e-6);
}

TEST_F(ExportedFmu, BringsIrregularitiesOfRailsAlong) {
  write("rail.csv", "distance [m],left_height [m],left_lateral [m]\n0,0,0\n50,0,0\n100,0,0\n");
  const std::string model = write("wheel.xml", R"(<CompositeModel name="p"><Components>
    <Component name="c" kind="multibody"><Multibody><Body name="w" mass="1850" inertia="967, 123, 967"/>
    <Frame name="l" position="0, 0.7465, 0"/> <WheelRail name="left" side="left" from="l" to="w" radius="0.43"
    half_span="0.7465" speed="5" irregularities="rail.csv"/></Multibody></Component></Components>
    <Simulation stop="1e-3"/></CompositeModel>)");
  EXPECT_EQ(try_export({.model = model, .outputs = {"c.w.position.z"}}), "");
  EXPECT_EQ(try_export({.model = model, .component = "c"}), "");
}

TEST_F(ExportedFmu, KeepsUnitsAndOnlyTheParametersThatAComponentUses) {
  const std::string model = write("units.xml", R"(<CompositeModel name="p"><Parameters>
    <Parameter name="stiff" value="2e4" unit="N/m" description="of the spring"/>
    <Parameter name="other" value="1"/> <Parameter name="m" value="2" unit="kg"/></Parameters><Components>
    <Component name="c" kind="network"><Parameter name="damp" value="3" unit="N s/m"/><Network>
      <Ground name="ground"/> <Mass name="body" mass="{m}"/>
      <Spring name="spring" from="ground" to="body" stiffness="{stiff}"/>
      <Damper name="damper" from="ground" to="body" damping="{damp}"/>
      <Interface name="end" node="body"/></Network></Component>
    <Component name="d" kind="network"><Network><Mass name="body" mass="{other}"/></Network></Component>
    </Components><Simulation stop="1"/></CompositeModel>)");
  Request wanted{.model = model, .out = folder_.path() / "out.fmu", .component = "c", .outputs = {"c.body.velocity"}};
  wanted.library = TIELINE_FMU_FOLDER;
  document::Diagnostics diagnostics;
  const auto manifest = fmu_export::export_fmu(wanted, diagnostics);
  ASSERT_TRUE(manifest) << diagnostics.all().front().message;
  std::vector<std::string> parameters;
  std::string unit;
  for (const ExportedVariable& variable : manifest->variables) {
    if (variable.role == Role::parameter)
      parameters.push_back(variable.name + " " + variable.unit + " " + variable.description);
    if (variable.name == "c.body.velocity") unit = variable.unit;
  }
  EXPECT_EQ(parameters, (std::vector<std::string>{"stiff N/m of the spring", "m kg ", "damp N s/m "}));
  EXPECT_EQ(unit, "m/s");
}

/// Three arms on lines in space, each a body; `arm` is the third one's component, and `line` what its lines say beside.
std::string pendulum(const std::string& arm, const std::string& line, const std::string& simulation = "") {
  const auto native = [](int number, double x) {
    return fmt::format(R"(<Component name="arm{}" kind="multibody"><Multibody gravity="0, -9.81, 0">
      <Body name="bar" mass="1" center="0.25, 0, 0" inertia="1e-3, 0.02, 0.02"><Frame name="root"/>
      <Frame name="tip" position="0.5, 0, 0"/></Body>
      <Interface name="root" frame="bar.root"/><Interface name="tip" frame="bar.tip"/></Multibody>
      <Placement position="{}, 0, 0"/></Component>)",
                       number, x);
  };
  const auto hinge = [&](const char* name, const char* from, const char* to) {
    return fmt::format(R"(<Connection name="{}" from="{}" to="{}" coupling="line" delay="2e-4" stiffness="1e5" {}/>)",
                       name, from, to, line);
  };
  return R"(<CompositeModel name="pendulum"><Components>
    <Component name="hanger" kind="multibody"><Multibody><Body name="block" mass="10" inertia="1, 1, 1">
      <Frame name="pin"/></Body><Interface name="pin" frame="block.pin"/></Multibody></Component>)" +
         native(1, 0.0) + native(2, 0.5) + (arm.empty() ? native(3, 1.0) : arm) + "</Components><Connections>" +
         hinge("hinge1", "hanger.pin", "arm1.root") + hinge("hinge2", "arm1.tip", "arm2.root") +
         hinge("hinge3", "arm2.tip", "arm3.root") + R"(</Connections><Simulation stop="0.05" tolerance="1e-9" )" +
         simulation + "/></CompositeModel>";
}

/// Largest difference of where the second arm's end is, and of how it moves, as a share of its speed.
double pendulum_difference(const fs::path& with, const fs::path& native) {
  Simulation one = Simulation::load(with), other = Simulation::load(native);
  double worst = 0.0;
  for (Simulation* const run : {&one, &other}) run->advance_to(run->stop_time());
  const double speed = std::abs(other.get("arm2.bar.velocity.y"));
  EXPECT_GT(speed, 0.1);
  for (const std::string body : {"arm1.bar", "arm2.bar"}) {
    for (const std::string axis : {"x", "y", "z"}) {
      for (const std::string what : {".position.", ".velocity."})
        worst = std::max(worst, std::abs(one.get(body + what + axis) - other.get(body + what + axis)) / speed);
    }
  }
  return worst;
}

TEST_F(ExportedFmu, InSpaceWithTheLawInsideTheTriplePendulumAgreesToTheToleranceOfSolvers) {
  const std::string line = R"(free_axes="rx, ry, rz")";
  const fs::path native = write("pendulum.xml", pendulum("", line));
  ASSERT_EQ(try_export({.model = native, .component = "arm3", .fmi_version = 3, .waves = {"root"}}), "");
  const std::string arm = R"(<Component name="arm3" kind="fmu" file="out.fmu" isolate="false">
    <Fmu mode="co_simulation"/><Interface name="root" domain="mechanical3d" position="1, 0, 0"/></Component>)";
  // Some 500 windows, in each of which solvers err by 1e-9 at most.
  EXPECT_LT(pendulum_difference(write("with.xml", pendulum(arm, line)), native), 5e-7);
}

TEST_F(ExportedFmu, ForModelExchangeTheTriplePendulumOnHingesAgreesToTheToleranceOfSolvers) {
  const std::string line = R"(stiffness_rotation="1e3" free_axes="rz")";
  const fs::path native = write("pendulum.xml", pendulum("", line));
  ASSERT_EQ(try_export({.model = native, .component = "arm3", .fmi_version = 2, .is_exchange = true}), "");
  const std::string arm = R"(<Component name="arm3" kind="fmu" file="out.fmu" isolate="false">
    <Fmu mode="model_exchange"/><Interface name="root" domain="mechanical3d" position="1, 0, 0"/></Component>)";
  EXPECT_LT(pendulum_difference(write("with.xml", pendulum(arm, line)), native), 5e-7);
}

}  // namespace export_test
}  // namespace tieline::fmu_export
