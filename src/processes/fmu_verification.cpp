#include "processes/fmu_verification.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "archive/temporary_folder.hpp"
#include "core/clean_text.hpp"
#include "fmi/fmu_reader.hpp"
#include "fmi/launch.hpp"
#include "participant/child_process.hpp"
#include "processes/runner_invitee.hpp"

namespace tieline::processes {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using fmi::CheckResult;
using fmi::CheckRow;

// What is sent to the process.
constexpr const char* kFile = "TIELINE_VERIFY_FMU";
constexpr const char* kMode = "TIELINE_VERIFY_MODE";
constexpr const char* kRows = "TIELINE_VERIFY_ROWS";
// Lines of the file of rows: what is begun, or a row; its parts are separated by tabs.
constexpr const char* kBegun = "begun";
// How often the rows are looked at.
constexpr std::chrono::milliseconds kLook{50};

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

/// What the process has written so far.
struct Progress {
  std::vector<CheckRow> rows{};
  std::string begun{};  ///< the check that is under way; empty: none
  std::size_t lines = 0;
};

Progress read_rows(const std::filesystem::path& file) {
  Progress progress;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (in.eof()) break;  // not yet whole
    ++progress.lines;
    std::istringstream parts(line);
    std::string result, check, note;
    std::getline(parts, result, '\t'), std::getline(parts, check, '\t'), std::getline(parts, note);
    if (result == kBegun) {
      progress.begun = check;
      continue;
    }
    progress.begun.clear();
    CheckRow row{check, CheckResult::failed, core::clean_line(note, 400)};
    for (const CheckResult each :
         {CheckResult::passed, CheckResult::warned, CheckResult::failed, CheckResult::skipped}) {
      if (result == name_of(each)) row.result = each;
    }
    progress.rows.push_back(std::move(row));
  }
  return progress;
}

CheckRow broken(const Progress& progress, const std::string& how, const std::filesystem::path& log) {
  std::string note = how;
  if (const std::string last = participant::tail_of(log, 3, 300); !last.empty()) note += "; " + one_line(last);
  return {progress.begun.empty() ? "instance" : progress.begun, CheckResult::failed, note};
}

}  // namespace

Result<std::vector<CheckRow>> verify_fmu(const std::filesystem::path& file, bool is_model_exchange,
                                         const VerificationOptions& options) {
  const auto folder = archive::TemporaryFolder::make("tieline", "for the rows of the checks");
  if (!folder) return folder.error();
  const auto rows = folder->path() / "rows", log = folder->path() / "log";
  std::ofstream(rows).flush();
  auto child =
      participant::ChildProcess::start({.command = {runner_program(options.program).string(), "runner"},
                                        .environment = {{kFile, std::filesystem::absolute(file).string()},
                                                        {kMode, is_model_exchange ? "model_exchange" : "co_simulation"},
                                                        {kRows, rows.string()},
                                                        // What it unpacks goes with this folder, however it ends.
                                                        {"TMPDIR", folder->path().string()}},
                                        .log = log});
  if (!child) return child.error();
  std::size_t lines = 0;
  auto last_news = std::chrono::steady_clock::now();
  while (true) {
    const auto end = child->wait_for(kLook);
    Progress progress = read_rows(rows);
    if (end) {
      const bool is_over = end->exit_code == 0 && progress.begun.empty();
      if (!is_over) progress.rows.push_back(broken(progress, "the FMU's process " + end->describe(), log));
      return std::move(progress.rows);
    }
    const auto now = std::chrono::steady_clock::now();
    if (progress.lines > lines) last_news = now;
    lines = progress.lines;
    if (options.cancel != nullptr && options.cancel->load()) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    }
    if (now - last_news < options.deadline) continue;
    child->kill();
    const double seconds = std::chrono::duration<double>(options.deadline).count();
    progress.rows.push_back(broken(progress, fmt::format("the FMU has not answered within {:g} s", seconds), log));
    return std::move(progress.rows);
  }
}

std::optional<int> serve_verification() {
  const char* const file = std::getenv(kFile);
  const char* const mode = std::getenv(kMode);
  const char* const rows = std::getenv(kRows);
  if (file == nullptr || mode == nullptr || rows == nullptr) return std::nullopt;
  std::FILE* const out = std::fopen(rows, "w");
  if (out == nullptr) return 2;
  const auto write = [out](const std::string& line) {
    fmt::print(out, "{}\n", line);
    std::fflush(out);
  };
  document::Diagnostics diagnostics;
  auto spec = fmi::read_fmu({.file = file, .mode = mode}, diagnostics);
  const auto fail = [&](const std::string& check, const std::string& why) {
    write(fmt::format("{}\t{}\t{}", name_of(CheckResult::failed), check, one_line(why)));
    return 0;
  };
  if (!spec) return fail("description", diagnostics.describe());
  write(fmt::format("{}\tbinary", kBegun));
  auto unpacked = fmi::unpack(*spec);
  if (!unpacked) return fail("binary", unpacked.error().message);
  write(fmt::format("{}\tbinary\tfor this platform", name_of(CheckResult::passed)));
  // From here on third-party code runs: all that this process needs is open.
  auto sandbox = participant::Sandbox::prepare({.level = core::SandboxLevel::standard, .writable = {*unpacked}});
  if (!sandbox || !sandbox->confine_thread() || !sandbox->confine_process()) {
    return fail("sandbox", sandbox ? "the process cannot be confined" : sandbox.error().message);
  }
  fmi::Verification verification(
      std::move(*spec), [&](const std::string& check) { write(fmt::format("{}\t{}", kBegun, check)); },
      [&](const CheckRow& row) {
        write(fmt::format("{}\t{}\t{}", name_of(row.result), row.check, one_line(row.note)));
      });
  (void)verification.run();
  std::fclose(out);
  return 0;
}

}  // namespace tieline::processes
