// A mass that is an FMU behaves as one of ours: on lines, glued, and however its interface was found.

#include <fstream>
#include <gtest/gtest.h>

#include "support/fmu_model.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::support {
namespace fmi_mass_test {

const std::string kExact = "stop=\"0.05\" tolerance=\"1e-10\" solver=\"dopri5\"";
const std::string kMapped =
    "<Interface name=\"end\" domain=\"translation\"><Map position=\"x\" velocity=\"v\" force=\"f\"/></Interface>";
const std::string kHammer =
    network_component("b", "<Mass name=\"body\" mass=\"5\" velocity=\"1\"/><Interface name=\"p\" node=\"body\"/>");

std::string mass_on_line(const std::filesystem::path& file, const std::string& attributes = "",
                         const std::string& simulation = kExact) {
  return composite(fmu_component("a", file, start("m", "10") + kMapped, attributes) + kHammer,
                   line_between("a.end", "b.p"), simulation);
}

RunRecord native_mass_on_line() {
  return run_text(composite(
      network_component("a",
                        "<Ground name=\"w\"/><Mass name=\"body\" mass=\"10\" position=\"0.1\"/><Spring name=\"s\" "
                        "from=\"w\" to=\"body\" stiffness=\"100\" free_length=\"0\"/><Damper name=\"d\" from=\"w\" "
                        "to=\"body\" damping=\"0.5\"/><Interface name=\"end\" node=\"body\"/>") +
          kHammer,
      line_between("a.end", "b.p"), kExact));
}

// The same solver on the same equations, of forces of 2 kN and speeds of 1 m/s, at a tolerance of 1e-10; but that the
// native mass is solved for without what the wave alone makes of it.
TEST(FmuMass, OnALineIsTheNativeMass) {
  const RunRecord native = native_mass_on_line();
  for (const int version : {1, 2, 3}) {
    const RunRecord run = run_text(mass_on_line(fmu_file("mass", version)));
    EXPECT_LE(largest_difference(run, native, "a.end.force"), 1e-7) << version;
    EXPECT_LE(largest_difference(run, native, "a.end.velocity"), 1e-12) << version;
    EXPECT_LE(largest_difference(run, native, "b.body.position"), 1e-13) << version;
    EXPECT_LE(largest_difference(run, "a.x", native, "a.body.position"), 1e-13) << version;
  }
}

TEST(FmuMass, HasTheSameBitsInThisProcess) {
  for (const int version : {1, 2, 3}) {
    const RunRecord elsewhere = run_text(mass_on_line(fmu_file("mass", version)));
    const RunRecord here = run_text(mass_on_line(fmu_file("mass", version), "isolate=\"false\""));
    EXPECT_TRUE(have_same_bits(here, elsewhere)) << version;
  }
}

TEST(FmuMass, HasTheSameBitsOverEveryTransport) {
  const ModelFiles model(mass_on_line(fmu_file("mass", 3)));
  const RunRecord first = run_model(model.path());
  for (const char* routing : {"direct", "master"}) {
    const RunRecord other = run_model(model.path(), {.threads = 2}, [&](Simulation& simulation) {
      simulation.use_processes({.transport = "tcp", .routing = routing});
    });
    EXPECT_TRUE(have_same_bits(first, other)) << routing;
  }
}

TEST(FmuMass, FoundByItsTerminalIsTheSame) {
  const RunRecord mapped = run_text(mass_on_line(fmu_file("mass", 3)));
  const RunRecord found =
      run_text(composite(fmu_component("a", fmu_file("mass", 3),
                                       start("m", "10") + "<Interface name=\"flange\" domain=\"translation\"/>") +
                             kHammer,
                         line_between("a.flange", "b.p"), kExact));
  EXPECT_TRUE(has_same_bits(mapped.values("a.end.force"), found.values("a.flange.force")));
  EXPECT_TRUE(has_same_bits(mapped.values("b.body.velocity"), found.values("b.body.velocity")));
}

TEST(FmuMass, UnpackedIsTheSame) {
  const RunRecord packed = run_text(mass_on_line(fmu_file("mass", 2)));
  const RunRecord folder = run_text(mass_on_line(fmu_file("mass", 2).replace_extension()));
  EXPECT_TRUE(have_same_bits(packed, folder));
}

// Implicit solvers take Jacobians from the FMU's directional derivatives; the lines' waves are theirs to interpolate.
TEST(FmuMass, ImplicitSolversAgree) {
  const RunRecord native = native_mass_on_line();
  for (const char* solver : {"radau5", "cvode-bdf"}) {
    const RunRecord run = run_text(
        mass_on_line(fmu_file("mass", 3), "", fmt::format("stop=\"0.05\" tolerance=\"1e-10\" solver=\"{}\"", solver)));
    EXPECT_LE(largest_difference(run, native, "a.end.velocity"), 1e-6) << solver;
  }
}

// The FMU has the line's law inside: it gets waves and reports motion only.
TEST(FmuMass, ThatTakesWavesIsTheNativeMass) {
  const RunRecord native = run_text(composite(
      network_component("a", "<Mass name=\"body\" mass=\"10\"/><Interface name=\"end\" node=\"body\"/>") + kHammer,
      line_between("a.end", "b.p"), kExact));
  for (const int version : {1, 2, 3}) {
    const RunRecord run = run_text(
        composite(fmu_component("a", fmu_file("wave_mass", version),
                                start("m", "10") +
                                    "<Interface name=\"end\" domain=\"translation\"><Map position=\"x\" velocity=\"v\" "
                                    "wave=\"wave\" impedance=\"impedance\"/></Interface>") +
                      kHammer,
                  line_between("a.end", "b.p"), kExact));
    EXPECT_LE(largest_difference(run, native, "a.end.force"), 1e-7) << version;
    EXPECT_LE(largest_difference(run, native, "a.end.velocity"), 1e-12) << version;
  }
}

/// 1 kg on a spring as an FMU and 2 kg with a damper, glued, are 3 kg on both.
TEST(FmuMass, GluedIsOneBody) {
  const std::string settings = "stop=\"1\" write_interval=\"0.02\" tolerance=\"1e-11\"";
  const RunRecord whole = run_text(composite(
      network_component("b",
                        "<Ground name=\"g\"/><Mass name=\"m\" mass=\"3\" velocity=\"1\"/><Damper name=\"d\" from=\"g\" "
                        "to=\"m\" damping=\"2\"/><Spring name=\"k\" from=\"g\" to=\"m\" stiffness=\"100\"/>"),
      "", settings));
  for (const int version : {1, 2, 3}) {
    const RunRecord run = run_text(composite(
        fmu_component("a", fmu_file("mass", version), start("x", "0") + start("v", "1") + start("c", "0") + kMapped) +
            network_component("b",
                              "<Ground name=\"g\"/><Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Damper name=\"d\" "
                              "from=\"g\" to=\"m\" damping=\"2\"/><Interface name=\"end\" node=\"m\"/>"),
        "<Connection name=\"joint\" from=\"a.end\" to=\"b.end\" coupling=\"glue\"/>", settings,
        "<Gluing step=\"0.01\"/>"));
    EXPECT_LE(largest_difference(run, whole, "b.m.position"), 1e-8) << version;
    EXPECT_LE(largest_difference(run, "a.end.position", run, "b.m.position"), 1e-8) << version;
  }
}

/// Runs up to a time, leaving checkpoints, and finishes there.
void run_to(const std::filesystem::path& model, const std::filesystem::path& folder, double until) {
  Simulation simulation = Simulation::load(model);
  simulation.checkpoint_every(0.01);
  simulation.record_to(folder);
  simulation.advance_to(until);
  simulation.finish();
}

TEST(FmuMass, ContinuesFromACheckpointWithTheSameBits) {
  for (const char* attributes : {"", "isolate=\"false\""}) {
    const ModelFiles model(mass_on_line(fmu_file("mass", 3), attributes));
    const TemporaryFolder unbroken, broken;
    run_to(model.path(), unbroken.path(), 0.05);
    run_to(model.path(), broken.path(), 0.025);
    Simulation resumed = Simulation::resume(broken.path());
    resumed.advance_to(0.05);
    resumed.finish();
    EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(broken.path()))) << attributes;
  }
}

// As a type of a library, within a nested model, with parameters of the model in its start values.
TEST(FmuMass, AsATypeInANestedModel) {
  ModelFiles files;
  files.write("parts.xml",
              fmt::format("<Library name=\"parts\"><Type name=\"Block\" kind=\"fmu\" "
                          "file=\"{}\"><Parameters><Parameter name=\"weight\" value=\"1\"/></Parameters><Fmu "
                          "mode=\"model_exchange\"/><Start variable=\"m\" value=\"{{weight}}\"/>{}</Type></Library>",
                          fmu_file("mass", 3).string(), kMapped));
  files.write("inner.xml",
              "<CompositeModel name=\"inner\"><Parameters><Parameter "
              "name=\"w\" value=\"1\"/></Parameters><Components><Component name=\"a\" type=\"parts.Block\"><Parameter "
              "name=\"weight\" value=\"{2*w}\"/></Component></Components><Interfaces><Interface name=\"end\" "
              "of=\"a.end\"/></Interfaces></CompositeModel>");
  const auto outer = files.write(
      "outer.xml",
      composite("<Component name=\"n\" kind=\"composite\" file=\"inner.xml\"><Parameter name=\"w\" value=\"5\"/>"
                "</Component>" +
                    kHammer,
                line_between("n.end", "b.p"), kExact));
  const RunRecord flat = run_text(mass_on_line(fmu_file("mass", 3)));
  EXPECT_TRUE(has_same_bits(flat.values("a.end.force"), run_model(outer).values("n.a.end.force")));
  const RunRecord set = run_model(outer, {}, [](Simulation& simulation) { simulation.set("n.a.m", 20.0); });
  EXPECT_GT(largest_difference(flat, "a.end.force", set, "n.a.end.force"), 1.0);
}

/// The FMU of a mass, unpacked, whose numbers are in other units: x in mm, forces in kN.
std::filesystem::path in_other_units(int version, const std::filesystem::path& folder,
                                     const std::string& force = "kN") {
  const auto copy = folder / fmt::format("units{}", version);
  std::filesystem::remove_all(copy);
  std::filesystem::copy(std::filesystem::path(TIELINE_TEST_FMUS) / fmt::format("mass_fmi{}", version), copy,
                        std::filesystem::copy_options::recursive);
  std::ifstream file(copy / "modelDescription.xml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace(R"(<Unit name="m"> <BaseUnit m="1"/>)", R"(<Unit name="mm"> <BaseUnit m="1" factor="0.001"/>)");
  replace(R"(<Unit name="m/s"> <BaseUnit m="1" s="-1"/>)",
          R"(<Unit name="mm/s"> <BaseUnit m="1" s="-1" factor="0.001"/>)");
  replace(R"(<Unit name="m/s2"> <BaseUnit m="1" s="-2"/>)",
          R"(<Unit name="mm/s2"> <BaseUnit m="1" s="-2" factor="0.001"/>)");
  if (force == "kN") {
    replace(R"(<Unit name="N"> <BaseUnit kg="1" m="1" s="-2"/>)",
            R"(<Unit name="kN"> <BaseUnit kg="1" m="1" s="-2" factor="1000"/>)");
  } else {
    replace(R"(<Unit name="N"> <BaseUnit kg="1" m="1" s="-2"/>)", R"(<Unit name="W"> <BaseUnit kg="1" m="2" s="-3"/>)");
  }
  replace(R"(unit="m")", R"(unit="mm")"), replace(R"(unit="m/s")", R"(unit="mm/s")");
  replace(R"(unit="m/s2")", R"(unit="mm/s2")"), replace(R"(unit="N")", fmt::format("unit=\"{}\"", force));
  std::ofstream(copy / "modelDescription.xml") << text;
  return copy;
}

// m = 1e-5 kN s^2/mm is 10 kg, k = 1e-4 kN/mm is 100 N/m, c = 5e-7 kN s/mm is 0.5 N s/m; x starts at 100 mm.
TEST(FmuMass, InOtherUnitsIsTheSame) {
  const TemporaryFolder folder;
  const RunRecord native = native_mass_on_line();
  for (const int version : {2, 3}) {
    for (const char* const mode : {"model_exchange", "co_simulation"}) {
      const std::string fmu = fmt::format(
          "<Component name=\"a\" kind=\"fmu\" file=\"{}\"><Fmu mode=\"{}\"/>{}{}</Component>",
          in_other_units(version, folder.path()).string(), mode,
          start("m", "1e-5") + start("k", "1e-4") + start("c", "5e-7") + start("x", "100") + start("step", "1e-5"),
          kMapped);
      const RunRecord run = run_text(composite(fmu + kHammer, line_between("a.end", "b.p"), kExact));
      const bool is_exact = std::string(mode) == "model_exchange";
      EXPECT_LE(largest_difference(run, native, "a.end.force"), is_exact ? 1e-6 : 20.0) << version << mode;
      EXPECT_LE(largest_difference(run, native, "a.end.position"), is_exact ? 1e-11 : 1e-4) << version << mode;
    }
  }
}

// What the FMU counts to the left is positive here, and zero where the FMU has 0.3 m.
TEST(FmuMass, WithAnotherSignAndZeroIsTheSame) {
  const auto turned = [](const std::string& of_map) {
    return composite(
        fmu_component(
            "a", fmu_file("mass", 3),
            start("m", "10") + start("x", "-0.1") +
                "<Interface name=\"end\" domain=\"translation\"><Map position=\"x\" velocity=\"v\" force=\"f\" " +
                of_map + "/></Interface>") +
            kHammer,
        line_between("a.end", "b.p"), kExact);
  };
  const RunRecord native = native_mass_on_line(), run = run_text(turned("sign=\"-1\" offset=\"0.05\""));
  EXPECT_LE(largest_difference(run, native, "a.end.force"), 1e-7);
  EXPECT_LE(largest_difference(run, native, "a.end.velocity"), 1e-12);
  EXPECT_NEAR(run.values("a.end.position").front(), 0.15, 1e-14);
  EXPECT_NEAR(run.values("a.end.position").back() - 0.05, native.values("a.end.position").back(), 1e-12);
  EXPECT_LT(run.connection("rod").energy_residual_relative, 1e-5);
  const std::string wrong = complaint_of(turned("offset=\"far\""));
  EXPECT_NE(wrong.find("offset=\"far\" is not a number"), wrong.npos) << wrong;
}

TEST(FmuMass, UnitsOfAnotherQuantityAreNamed) {
  const TemporaryFolder folder;
  const std::string text =
      complaint_of(composite(fmu_component("a", in_other_units(3, folder.path(), "W"), kMapped) + kHammer,
                             line_between("a.end", "b.p"), kExact));
  EXPECT_NE(
      text.find("interface 'end': variable 'f' of its force is measured in 'W' (kg m^2/s^3); expected a unit of the "
                "same quantity as N"),
      text.npos)
      << text;
  EXPECT_NE(text.find("model.xml:2:"), text.npos) << text;
}

}  // namespace fmi_mass_test
}  // namespace tieline::support
