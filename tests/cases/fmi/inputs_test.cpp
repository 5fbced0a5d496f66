// What reaches an FMU from files, functions, native components and other FMUs: the same bits in this process and in
// another, discrete values at events alone, and names of any kind.

#include <gtest/gtest.h>

#include "tieline/fmu_run.hpp"

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_inputs_test {

const char* const kModes[] = {"model_exchange", "co_simulation"};

/// An FMU of the tests in a mode, with an interface of its own process or in this one.
std::string component(const std::string& name, const std::filesystem::path& file, const std::string& mode,
                      bool is_isolated, const std::string& more = "") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" isolate=\"{}\"{}><Fmu mode=\"{}\"/>{}</Component>", name,
      file.string(), is_isolated, mode == kModes[1] ? " step=\"0.01\"" : "", mode, more);
}

// ---- files

/// Every kind of input; two rows at 0.25 s are a jump.
const char* const kRows =
    "time,u,k,valve/open,the count [n],kind.of=one,\"level, \"\"set\"\"\"\n"
    "0,0,1,false,1,plain,0.5\n"
    "0.25,1,1,false,1,plain,0.5\n"
    "0.25,3,2,true,-3,odd,1.5\n"
    "0.5,3,2,true,4,plain,1.5\n"
    "1,0,2,false,4,plain,2.5\n";

double straight_u(double t) { return t < 0.25 ? 4.0 * t : t < 0.5 ? 3.0 : 6.0 - 6.0 * t; }
double integral_u(double t) {
  if (t <= 0.25) return 2.0 * t * t;
  if (t <= 0.5) return 0.125 + 3.0 * (t - 0.25);
  return 0.875 + 6.0 * (t - 0.5) - 3.0 * (t * t - 0.25);
}

std::string open_end(const std::string& variable, const std::string& column, const std::string& more = "") {
  return fmt::format("<Open interface=\"i.{}\" as=\"signal\" file=\"rows.csv\" variable=\"{}\"{}/>", variable, column,
                     more);
}

std::string driven_inbox(int version, const std::string& mode, bool is_isolated) {
  const std::string level = "level, &quot;set&quot;";
  return composite(component("i", fmu_file("inbox", version), mode, is_isolated),
                   open_end("u", "u") + open_end("k", "k") + open_end("valve/open", "valve/open") +
                       open_end("the count [n]", "the count [n]") + open_end("kind.of=one", "kind.of=one") +
                       open_end(level, "&quot;level, &quot;&quot;set&quot;&quot;&quot;"),
                   "stop=\"1\" write_interval=\"0.02\" tolerance=\"1e-9\"");
}

RunRecord run_with_rows(const std::string& model, const std::string& rows = kRows) {
  ModelFiles files(model);
  files.write("rows.csv", rows);
  return run_model(files.path());
}

/// Held from each row to the next; at the jumps themselves either side may have been recorded.
void expect_held(const RunRecord& run, const std::string& variable, double first, double second, double third,
                 const std::string& what) {
  for (std::size_t i = 0; i < run.times(variable).size(); ++i) {
    const double t = run.times(variable)[i];
    if (std::abs(t - 0.25) < 1e-9 || std::abs(t - 0.5) < 1e-9 || t > 1.0 - 1e-9) continue;
    EXPECT_EQ(run.values(variable)[i], t < 0.25 ? first : t < 0.5 ? second : third) << what << " at " << t;
  }
}

TEST(FmuInputs, RowsOfAFileReachEveryKindOfInput) {
  for (const int version : {2, 3}) {
    for (const std::string mode : kModes) {
      for (const bool is_isolated : {false, true}) {
        const std::string what = fmt::format("FMI {}, {}, isolated {}", version, mode, is_isolated);
        const RunRecord run = run_with_rows(driven_inbox(version, mode, is_isolated));
        expect_held(run, "i.valve/open seen.value", 0.0, 1.0, 1.0, what);
        expect_held(run, "i.the count [n] seen.value", 1.0, -3.0, 4.0, what);
        expect_held(run, "i.kind.of=one+more.value", 1.0, 7.0, 1.0, what);
        expect_held(run, "i.level, \"seen\".value", 0.5, 1.5, 1.5, what);
        EXPECT_EQ(largest_value(run, "i.violations.value"), 0.0) << what;
        const bool is_exchange = mode == kModes[0];
        // A step of co-simulation holds its inputs, and the jump of k lies on a point.
        EXPECT_LE(largest_deviation(run, "i.u.value", straight_u), 2.0 + 1e-9) << what;
        EXPECT_LE(largest_deviation(run, "i.x", integral_u), is_exchange ? 1e-7 : 0.03) << what;
        EXPECT_EQ(run.values("i.u.value").front(), 0.0) << what;
        if (!is_exchange) continue;
        for (std::size_t i = 0; i < run.times("i.y.value").size(); ++i) {
          const double t = run.times("i.y.value")[i];
          if (std::abs(t - 0.25) < 1e-9) continue;
          EXPECT_NEAR(run.values("i.y.value")[i], (t < 0.25 ? 1.0 : 2.0) * straight_u(t), 1e-9) << what << " at " << t;
        }
      }
      EXPECT_TRUE(have_same_bits(run_with_rows(driven_inbox(version, mode, false)),
                                 run_with_rows(driven_inbox(version, mode, true))))
          << version << ", " << mode;
    }
  }
}

// FMI 1.0 has no tunable parameters; its discrete inputs are seen after an event, too.
TEST(FmuInputs, RowsOfAFileReachFmi1) {
  for (const std::string mode : kModes) {
    const bool is_exchange = mode == kModes[0];
    const auto text = [&](bool is_isolated) {
      const auto file = is_exchange ? fmu_file("inbox", 1) : cs_fmu_file("inbox", 1);
      return composite(component("i", file, mode, is_isolated),
                       open_end("u", "u") + open_end("valve/open", "valve/open") +
                           open_end("the count [n]", "the count [n]") + open_end("kind.of=one", "kind.of=one") +
                           open_end("level, &quot;set&quot;", "&quot;level, &quot;&quot;set&quot;&quot;&quot;"),
                       "stop=\"1\" write_interval=\"0.02\" tolerance=\"1e-9\"");
    };
    for (const bool is_isolated : {false, true}) {
      const std::string what = fmt::format("{}, isolated {}", mode, is_isolated);
      const RunRecord run = run_with_rows(text(is_isolated));
      expect_held(run, "i.valve/open seen.value", 0.0, 1.0, 1.0, what);
      expect_held(run, "i.the count [n] seen.value", 1.0, -3.0, 4.0, what);
      expect_held(run, "i.kind.of=one+more.value", 1.0, 7.0, 1.0, what);
      expect_held(run, "i.level, \"seen\".value", 0.5, 1.5, 1.5, what);
      EXPECT_LE(largest_deviation(run, "i.x", integral_u), is_exchange ? 1e-7 : 0.03) << what;
    }
    EXPECT_TRUE(have_same_bits(run_with_rows(text(false)), run_with_rows(text(true)))) << mode;
  }
}

TEST(FmuInputs, JoinsAreAsStated) {
  const auto run = [](const std::string& join) {
    return run_with_rows(composite(component("i", fmu_file("inbox", 3), kModes[0], false), open_end("u", "u", join),
                                   "stop=\"1\" write_interval=\"0.02\" tolerance=\"1e-9\""),
                         "time,u\n0,0\n0.5,2\n1,8\n");
  };
  const auto held = [](double t) { return t < 0.5 ? 0.0 : 2.0 * (t - 0.5); };
  EXPECT_LE(largest_deviation(run(" join=\"hold\""), "i.x", held), 1e-9);
  const auto straight = [](double t) {
    const double late = t - 0.5;
    return late < 0.0 ? 2.0 * t * t : 0.5 + 2.0 * late + 6.0 * late * late;
  };
  EXPECT_LE(largest_deviation(run(""), "i.x", straight), 1e-7);
  EXPECT_LE(largest_deviation(run(" join=\"linear\""), "i.x", straight), 1e-7);
  // The parabola 8 t^2 is what a cubic makes of these rows.
  EXPECT_LE(largest_deviation(run(" join=\"cubic\""), "i.x", [](double t) { return 8.0 * t * t * t / 3.0; }), 1e-8);
}

std::string problems_with(const std::string& model, const std::string& rows) {
  ModelFiles files(model);
  files.write("rows.csv", rows);
  try {
    (void)Simulation::load(files.path());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(FmuInputs, RowsThatDoNotFitAreNamed) {
  const auto inbox = [](const std::string& ends) {
    return composite(component("i", fmu_file("inbox", 2), kModes[0], false), ends, "stop=\"1\"");
  };
  const std::string joined = problems_with(inbox(open_end("the count [n]", "n", " join=\"linear\"")), "t,n\n0,1\n");
  EXPECT_NE(joined.find("'i.the count [n]' changes in steps only"), std::string::npos) << joined;
  const std::string broken = problems_with(inbox(open_end("the count [n]", "n")), "t,n\n0,1\n1,0.5\n");
  EXPECT_NE(broken.find("rows.csv:3:3: error: 0.5 is not a value of 'i.the count [n]'"), std::string::npos) << broken;
  const std::string item = problems_with(inbox(open_end("kind.of=one", "n")), "t,n\n0,plain\n1,round\n");
  EXPECT_NE(item.find("rows.csv:3:3: error: 'round' is not a number"), std::string::npos) << item;
  const std::string unit = problems_with(inbox(open_end("u", "n")), "t,n [bar]\n0,1\n");
  EXPECT_NE(unit.find("column 'n' has the unit 'bar', but 'i.u' is measured in 'N'"), std::string::npos) << unit;
  const std::string parameter = problems_with(inbox(open_end("x", "n")), "t,n\n0,1\n");
  EXPECT_NE(parameter.find("has no interface 'x'"), std::string::npos) << parameter;
}

TEST(FmuInputs, UnitsOfColumnsAreConverted) {
  const RunRecord run = run_with_rows(composite(component("i", fmu_file("inbox", 2), kModes[0], false),
                                                open_end("u", "push"), "stop=\"1\" tolerance=\"1e-9\""),
                                      "time [ms];push [kN]\n0;1\n1000;2\n");
  EXPECT_LE(largest_deviation(run, "i.u.value", [](double t) { return 1000.0 + 1000.0 * t; }), 1e-9);
}

// ---- where signals come from

/// A signal of each type: its variables, and a function of time that has values of the type.
struct Kind {
  std::string in{}, out{}, function{};
  int least_version = 2;
};
const std::vector<Kind> kKinds{
    {"float64_in", "float64_out", "1+t", 2},           {"int32_in", "int32_out", "1+3*step(t-0.3)", 2},
    {"boolean_in", "boolean_out", "1-step(t-0.3)", 2}, {"choice_in", "choice_out", "2+3*step(t-0.3)", 2},
    {"vector_in[2]", "vector_out[2]", "1+t", 3},       {"float32_in", "float32_out", "1+t", 3},
    {"uint8_in", "uint8_out", "200*step(t-0.3)", 3}};

std::string source_block(const std::vector<Kind>& kinds) {
  std::string blocks;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    blocks += fmt::format("<Source name=\"w{0}\" value=\"{{{1}}}\"/><Output name=\"y{0}\" of=\"w{0}\"/>", i,
                          kinds[i].function);
  }
  return "<Component name=\"s\" kind=\"blocks\"><Blocks>" + blocks + "</Blocks></Component>";
}

/// All kinds of signals from a source into an FMU: "blocks", "function", "file" or "fmu".
std::string fed(const std::string& source, int version, const std::string& mode, bool is_isolated,
                const std::string& delay) {
  std::string ends, components = component("f", fmu_file("feedthrough", version), mode, is_isolated);
  std::vector<Kind> kinds;
  std::copy_if(kKinds.begin(), kKinds.end(), std::back_inserter(kinds),
               [&](const Kind& kind) { return kind.least_version <= version; });
  if (source == "blocks") components += source_block(kinds);
  if (source == "fmu") components += component("g", fmu_file("feedthrough", version), mode, is_isolated);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Kind& kind = kinds[i];
    const auto open = [&](const std::string& name, const std::string& what) {
      return fmt::format("<Open interface=\"{}.{}\" as=\"signal\" {}/>", name, kind.in, what);
    };
    const std::string function = fmt::format("value=\"{{{}}}\"", kind.function);
    if (source == "blocks") ends += fmt::format("<Connection from=\"s.y{}\" to=\"f.{}\"{}/>", i, kind.in, delay);
    if (source == "function") ends += open("f", function);
    if (source == "file") ends += open("f", fmt::format("file=\"rows.csv\" variable=\"{}\"", kind.in));
    if (source == "fmu") {
      ends += open("g", function);
      ends += fmt::format("<Connection from=\"g.{}\" to=\"f.{}\"{}/>", kind.out, kind.in, delay);
    }
  }
  return composite(components, ends, "stop=\"0.5\" write_interval=\"0.013\" tolerance=\"1e-9\"");
}

const char* const kFeedRows =
    "time,float64_in,int32_in,boolean_in,choice_in,vector_in[2],float32_in,uint8_in\n"
    "0,1,1,1,2,1,1,0\n"
    "0.3,1.3,4,0,5,1.3,1.3,200\n"
    "0.5,1.5,4,0,5,1.5,1.5,200\n";

struct Feeding {
  std::string source{}, delay{};
};
const std::vector<Feeding> kFeedings{{"blocks", ""}, {"blocks", " delay=\"0.02\""}, {"function", ""}, {"file", ""},
                                     {"fmu", ""},    {"fmu", " delay=\"0.02\""}};

TEST(FmuInputs, HaveTheSameBitsInAnotherProcess) {
  for (const Feeding& feeding : kFeedings) {
    for (const int version : {2, 3}) {
      for (const std::string mode : kModes) {
        const std::string what = fmt::format("{}{}, FMI {}, {}", feeding.source, feeding.delay, version, mode);
        const RunRecord here = run_with_rows(fed(feeding.source, version, mode, false, feeding.delay), kFeedRows);
        const RunRecord apart = run_with_rows(fed(feeding.source, version, mode, true, feeding.delay), kFeedRows);
        EXPECT_TRUE(have_same_bits(here, apart)) << what;
        // The first sample arrives, and is not lost.
        EXPECT_EQ(apart.values("f.float64_in.value").front(), 1.0) << what;
        EXPECT_EQ(apart.values("f.float64_out.value").front(), 1.0) << what;
        EXPECT_EQ(apart.values("f.choice_out.value").front(), 2.0) << what;
        EXPECT_EQ(apart.values("f.int32_out.value").back(), 4.0) << what;
      }
    }
  }
}

TEST(FmuInputs, HaveTheSameBitsAfterACheckpoint) {
  for (const Feeding& feeding : kFeedings) {
    for (const std::string mode : kModes) {
      for (const bool is_isolated : {false, true}) {
        const std::string what = fmt::format("{}{}, {}, isolated {}", feeding.source, feeding.delay, mode, is_isolated);
        ModelFiles files(fed(feeding.source, 3, mode, is_isolated, feeding.delay));
        files.write("rows.csv", kFeedRows);
        const TemporaryFolder folder;
        {
          Simulation broken = Simulation::load(files.path());
          broken.record_to(folder.path());
          broken.checkpoint_every(0.15);
          broken.advance_to(0.3);
        }
        Simulation resumed = Simulation::resume(folder.path());
        resumed.advance_to(0.5);
        resumed.finish();
        const RunRecord whole =
            run_model(files.path(), {}, [](Simulation& simulation) { simulation.checkpoint_every(0.15); });
        EXPECT_TRUE(have_same_bits(whole, read_run(folder.path()))) << what;
      }
    }
  }
}

// ---- tunable parameters

TEST(FmuInputs, ATunableParameterFollowsASignal) {
  for (const int version : {2, 3}) {
    for (const std::string mode : kModes) {
      const RunRecord run = run_text(composite(
          component("i", fmu_file("inbox", version), mode, false) +
              "<Component name=\"s\" kind=\"blocks\"><Blocks><Source name=\"w\" value=\"{1+step(t-0.3)}\"/><Output "
              "name=\"y\" of=\"w\"/></Blocks></Component>",
          "<Connection from=\"s.y\" to=\"i.k\"/><Open interface=\"i.u\" as=\"signal\" value=\"2\"/>",
          "stop=\"1\" write_interval=\"0.02\""));
      for (std::size_t i = 0; i < run.times("i.y.value").size(); ++i) {
        const double t = run.times("i.y.value")[i];
        if (std::abs(t - 0.3) < 0.011) continue;
        EXPECT_EQ(run.values("i.y.value")[i], t < 0.3 ? 2.0 : 4.0) << version << ", " << mode << " at " << t;
      }
      EXPECT_EQ(largest_value(run, "i.violations.value"), 0.0) << version << ", " << mode;
    }
  }
}

// ---- a single FMU

RunRecord run_single(const std::filesystem::path& fmu, const FmuRunOptions& options) {
  return run_model(fmu, {}, [&](Simulation& simulation) { simulation.set(settings_of(options)); });
}

TEST(FmuInputs, ASingleFmuIsDrivenByAFile) {
  ModelFiles files;
  files.write("rows.csv", kRows);
  for (const std::string mode : kModes) {
    const RunRecord run = run_single(
        fmu_file("inbox", 2), {.mode = mode, .step = 0.01, .write_interval = 0.02, .input = files.path("rows.csv")});
    expect_held(run, "inbox.the count [n] seen.value", 1.0, -3.0, 4.0, mode);
    expect_held(run, "inbox.kind.of=one+more.value", 1.0, 7.0, 1.0, mode);
    EXPECT_EQ(largest_value(run, "inbox.violations.value"), 0.0) << mode;
    EXPECT_EQ(run.series.count("inbox.events"), 0u);
  }
}

/// A vector as a MAT file of version 4 has it: five whole numbers, its name, its values.
std::string mat_vector(const std::string& name, const std::vector<double>& values) {
  const std::int32_t head[5] = {0, static_cast<std::int32_t>(values.size()), 1, 0,
                                static_cast<std::int32_t>(name.size()) + 1};
  return std::string(reinterpret_cast<const char*>(head), sizeof head) + name + '\0' +
         std::string(reinterpret_cast<const char*>(values.data()), sizeof(double) * values.size());
}

TEST(FmuInputs, ASingleFmuIsDrivenByAMatFileAsByText) {
  ModelFiles files;
  files.write("rows.csv", kRows);
  files.write("rows.mat", mat_vector("time", {0, 0.25, 0.25, 0.5, 1}) + mat_vector("u", {0, 1, 3, 3, 0}) +
                              mat_vector("k", {1, 1, 2, 2, 2}) + mat_vector("valve/open", {0, 0, 1, 1, 0}) +
                              mat_vector("the count [n]", {1, 1, -3, 4, 4}) +
                              mat_vector("kind.of=one", {1, 1, 7, 1, 1}) +
                              mat_vector("level, \"set\"", {0.5, 0.5, 1.5, 1.5, 2.5}));
  for (const int version : {2, 3}) {
    for (const std::string mode : kModes) {
      const auto run = [&](const char* file) {
        return run_single(fmu_file("inbox", version), {.mode = mode, .step = 0.01, .input = files.path(file)});
      };
      const RunRecord driven = run("rows.mat");
      EXPECT_TRUE(have_same_bits(driven, run("rows.csv"))) << version << ", " << mode;
      EXPECT_EQ(largest_value(driven, "inbox.violations.value"), 0.0) << version << ", " << mode;
    }
  }
}

TEST(FmuInputs, ASingleFmuRecordsWhatIsAskedFor) {
  const auto fmu = fmu_file("inbox", 3);
  EXPECT_TRUE(run_single(fmu, {.record = {"all"}}).series.contains("inbox.events"));
  EXPECT_TRUE(run_single(fmu, {.record = {"all"}}).series.contains("inbox.k"));
  const RunRecord some = run_single(fmu, {.record = {"*seen*", "inbox.u", "k"}});
  EXPECT_EQ(some.series.size(), 5u);
  EXPECT_TRUE(some.series.contains("inbox.level, \"seen\".value"));
  EXPECT_TRUE(some.series.contains("inbox.u.value"));
  EXPECT_TRUE(some.series.contains("inbox.k"));
  try {
    (void)run_single(fmu, {.record = {"violation"}});
    FAIL() << "it has run";
  } catch (const ModelError& error) {
    const std::string expected = "no variable of the FMU is called 'violation' (did you mean 'violations'?)";
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

TEST(FmuInputs, ColumnsAndInputsThatDoNotMeetAreReported) {
  ModelFiles files;
  const auto problems = [&](const std::string& rows, std::vector<ColumnAssignment> assignments) {
    files.write("rows.csv", rows);
    Simulation simulation = Simulation::load(fmu_file("inbox", 2));
    std::string text;
    try {
      simulation.set(settings_of({.input = files.path("rows.csv"), .assignments = std::move(assignments)}));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    for (const std::string& warning : simulation.warnings()) text += warning + "\n";
    return text;
  };
  const std::string near = problems("time,U,valve/opn,k\n0,1,1,1\n", {});
  EXPECT_NE(near.find("'U' (did you mean 'u'? --map U=u)"), std::string::npos) << near;
  EXPECT_NE(near.find("'valve/opn' (did you mean 'valve/open'? --map valve/opn=valve/open)"), std::string::npos)
      << near;
  EXPECT_NE(near.find("inputs that no column drives"), std::string::npos) << near;
  const std::string none = problems("time,a,b\n0,1,1\n", {});
  EXPECT_NE(none.find("no column has the name of an input"), std::string::npos) << none;
  const std::string wrong = problems("time,a,b\n0,1,1\n", {{"c", "u"}, {"a", "uu"}, {"b", "x"}});
  EXPECT_NE(wrong.find("has no column 'c'"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("the FMU has no variable 'uu' (did you mean 'u'?)"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("'x' cannot be driven"), std::string::npos) << wrong;
  const std::string twice = problems("time,a,u\n0,1,1\n", {{"a", "u"}});
  EXPECT_NE(twice.find("'u' is driven by two columns, 'a' and 'u'"), std::string::npos) << twice;
}

}  // namespace fmi_inputs_test
}  // namespace tieline::support
