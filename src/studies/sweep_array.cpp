#include "studies/sweep_array.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "core/atomic_file.hpp"
#include "processes/host_start.hpp"
#include "processes/slurm.hpp"

namespace tieline::studies {
namespace {

namespace fs = std::filesystem;
namespace slurm = processes::slurm;
using core::Result;

constexpr const char* kTasksFile = "slurm-tasks.txt";
constexpr const char* kJobFile = "slurm-job.txt";
// As shells report the end of a program by a signal.
constexpr int kSignalCode = 128;
// Slurm's controller serves many.
constexpr std::chrono::seconds kQuestionEvery{3};

/// Of one line, since the script reads the tasks by lines.
std::string word_of(std::string word) {
  std::replace(word.begin(), word.end(), '\n', ' ');
  return processes::shell_quoted(word);
}

fs::path whole(const fs::path& folder) { return fs::absolute(folder).lexically_normal(); }

std::string script_of(const fs::path& folder, std::size_t tasks, int stride) {
  // The end of a task is a file that is moved into place, so that nobody reads a half of it.
  return fmt::format(R"sh(one() {{
  folder=$1
  shift
  [ -f "$folder/{0}" ] && return
  begin=$(date +%s.%N)
  "$@" </dev/null >"$folder/output.txt" 2>&1
  code=$?
  echo "$code $begin $(date +%s.%N)" >"$folder/{0}.new" && mv "$folder/{0}.new" "$folder/{0}"
}}
cd {1} || exit 1
task=$SLURM_ARRAY_TASK_ID
while [ "$task" -lt {2} ]; do
  eval "one $(sed -n "$((task + 1))p" {3})"
  task=$((task + {4}))
done
)sh",
                     kTaskEndFile, processes::shell_quoted(fs::current_path().string()), tasks,
                     processes::shell_quoted((folder / kTasksFile).string()), stride);
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::optional<TaskEnd> read_task_end(const fs::path& folder) {
  std::ifstream in(folder / kTaskEndFile);
  int code = -1;
  double begin = 0.0, end = 0.0;
  if (!(in >> code >> begin >> end)) return std::nullopt;
  TaskEnd result{.end = {.exit_code = code}, .seconds = std::max(0.0, end - begin)};
  if (code > kSignalCode) result.end = {.exit_code = -1, .signal = code - kSignalCode};
  return result;
}

Result<SlurmArray> SlurmArray::submit(const std::vector<ArrayTask>& tasks, const ArrayOptions& options) {
  SlurmArray array;
  const fs::path folder = whole(options.folder);
  std::string lines;
  for (const ArrayTask& task : tasks) {
    const std::string own = whole(task.folder).string();
    std::error_code failure;
    fs::create_directories(own, failure);
    if (failure) return core::bad_input(fmt::format("cannot create '{}': {}", own, failure.message()));
    lines += word_of(own);
    for (const std::string& word : task.command) lines += " " + word_of(word);
    lines += '\n';
    array.folders_.insert(own);
  }
  if (auto written = core::replace_file(folder / kTasksFile, lines); !written) return written.error();
  const int count = std::min(static_cast<int>(tasks.size()), slurm::largest_array());
  slurm::Job job{.name = options.name,
                 .script = script_of(folder, tasks.size(), count),
                 .file = folder / "slurm.sh",
                 .log = folder / "slurm-%a.log",
                 .wants = options.wants,
                 .array = count,
                 .at_once = options.at_once,
                 .cores_per_task = options.cores_per_task};
  job.wants.nodes = 1;
  auto number = slurm::submit(job);
  if (!number) return number.error();
  array.job_ = std::move(*number);
  if (auto written = core::replace_file(folder / kJobFile, array.job_ + "\n"); !written) return written.error();
  return array;
}

Result<std::optional<SlurmArray>> SlurmArray::find(const fs::path& folder) {
  SlurmArray array;
  std::istringstream(text_of(folder / kJobFile)) >> array.job_;
  if (array.job_.empty()) return std::optional<SlurmArray>();
  const auto state = slurm::look_at(array.job_);
  if (!state) return state.error();
  if (!*state || (*state)->has_ended()) return std::optional<SlurmArray>();
  std::istringstream lines(text_of(folder / kTasksFile));
  for (std::string line; std::getline(lines, line);) {
    // The first word, which has no quotes inside unless a folder's name has some: such a folder is not found.
    if (const auto end = line.find('\'', 1); end != std::string::npos) array.folders_.insert(line.substr(1, end - 1));
  }
  return std::optional<SlurmArray>(std::move(array));
}

bool SlurmArray::has(const fs::path& folder) const { return folders_.contains(whole(folder).string()); }

Result<std::optional<std::string>> SlurmArray::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return std::optional<std::string>();
  next_look_ = now + kQuestionEvery;
  const auto state = slurm::look_at(job_);
  if (!state) return state.error();
  if (!*state) return std::optional<std::string>("it is not known any more");
  if (!(*state)->has_ended()) return std::optional<std::string>();
  return std::optional<std::string>((*state)->state);
}

Result<void> SlurmArray::cancel() const { return slurm::cancel(job_); }

}  // namespace tieline::studies
