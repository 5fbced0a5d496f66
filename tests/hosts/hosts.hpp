#pragma once

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "results/reader.hpp"

/// Help for tests of runs on several hosts.
namespace tieline::cli::hosts_test {

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Three bodies in a row, each with a solver of its own.
inline std::string chain_model(double stop, const std::string& of_second = "") {
  const auto body = [](const std::string& name, double mass, const std::string& more, const std::string& rest) {
    std::string interfaces;
    for (const char* end : {"left", "right"}) {
      if (!holds(rest, std::string("no ") + end))
        interfaces += fmt::format("<Interface name=\"{}\" node=\"body\"/>", end);
    }
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\"{}><Network><Mass name=\"body\" mass=\"{}\"/>{}{}</Network>"
        "</Component>\n",
        name, more, mass, interfaces,
        holds(rest, "load") ? "<Load name=\"push\" node=\"body\" "
                              "force=\"{F*sin(300*t)}\"/>"
                            : "");
  };
  return "<CompositeModel name=\"chain\">\n<Parameters><Parameter name=\"F\" "
         "value=\"100\"/></Parameters>\n<Components>\n" +
         body("first", 1.0, "", "no left load") + body("second", 2.0, of_second, "") +
         body("third", 3.0, "", "no right") +
         "</Components>\n<Connections>\n"
         "<Connection name=\"ab\" from=\"first.right\" to=\"second.left\" coupling=\"line\" stiffness=\"1e6\" "
         "delay=\"1e-3\"/>\n"
         "<Connection name=\"bc\" from=\"second.right\" to=\"third.left\" coupling=\"line\" stiffness=\"2e6\" "
         "delay=\"1e-3\"/>\n"
         "</Connections>\n<Simulation stop=\"" +
         fmt::format("{}", stop) + "\"/>\n</CompositeModel>\n";
}

class Hosts : public testing::Test, protected Workplace {
 protected:
  Hosts() { ::unsetenv("TIELINE_SSH"); }

  [[nodiscard]] std::string site(const std::string& hosts) const {
    return write("site.xml", "<Site break_deadline=\"20\">\n" + hosts + "</Site>\n").string();
  }
  /// Hosts that are other addresses of this machine.
  [[nodiscard]] std::string loopback_site() const {
    std::string hosts = "<Host name=\"here\" address=\"127.0.0.1\"/>\n";
    for (int i = 2; i <= 3; ++i) {
      hosts += fmt::format("<Host name=\"h{}\" start=\"here\" address=\"127.0.0.{}\" work_folder=\"{}\"/>\n", i, i,
                           path(fmt::format("work{}", i)).string());
    }
    return site(hosts);
  }
  void expect_same_bits(const std::string& first, const std::string& second) const {
    const auto one = results::ResultReader::open(path(first)), two = results::ResultReader::open(path(second));
    ASSERT_TRUE(one && two);
    ASSERT_FALSE(one->tables().empty());
    ASSERT_EQ(one->tables().size(), two->tables().size());
    for (std::size_t i = 0; i < one->tables().size(); ++i) {
      const auto rows = one->rows(i), others = two->rows(i);
      ASSERT_TRUE(rows && others);
      EXPECT_GT(*rows, 10U);
      EXPECT_EQ(*rows, *others) << one->tables()[i].owner;
      const auto x = one->read_rows(i, {0, *rows}), y = two->read_rows(i, {0, *others});
      ASSERT_TRUE(x && y);
      EXPECT_EQ(*x, *y) << one->tables()[i].owner;
    }
  }
  /// Files of runs that a host still has.
  [[nodiscard]] std::size_t left_at(int host) const {
    std::error_code failure;
    const auto runs = path(fmt::format("work{}", host)) / "runs";
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(runs, failure)) count += entry.exists() ? 1 : 0;
    return failure ? 1000 : count;
  }
  static void expect_success(const Outcome& outcome) { EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err; }
};

/// Machines of network namespaces on one cable, with ssh. They go with this object.
class Machines {
 public:
  explicit Machines(const Workplace& place, const std::filesystem::path& folder) : folder_(folder) {
    (void)place;
    id_ = fmt::format("tl{}", ::getpid());
  }
  ~Machines() { (void)run("down"); }
  /// Empty, or why there are none.
  std::string up() { return run("up"); }
  [[nodiscard]] std::string name(int number) const { return fmt::format("{}n{}", id_, number); }
  [[nodiscard]] static std::string address(int number) { return fmt::format("10.201.7.{}", number); }
  [[nodiscard]] std::filesystem::path client() const { return folder_ / "ssh_config"; }

 private:
  std::string run(const std::string& what) const {
    const std::string script = TIELINE_SOURCE_DIR "/tests/hosts/machines.sh";
    Process process({"/bin/bash", script, what, id_, folder_.string()}, folder_);
    const auto outcome = process.wait();
    if (!outcome) return "machines.sh does not end";
    return outcome->exit_code == 0 ? "" : outcome->out + outcome->err + "?";
  }

  std::filesystem::path folder_;
  std::string id_;
};

}  // namespace tieline::cli::hosts_test
