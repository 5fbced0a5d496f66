#include "checkpoints/fingerprint.hpp"

#include <map>

#include "core/atomic_file.hpp"

namespace tieline::checkpoints {

namespace fs = std::filesystem;

std::vector<ModelFile> fingerprints_of(const std::set<std::string>& files) {
  std::map<std::string, std::uint64_t> known;
  for (const std::string& file : files) {
    const std::string path = fs::weakly_canonical(file).string();
    if (known.contains(path)) continue;
    const auto content = core::read_whole(file);
    known[path] = fingerprint(content ? *content : "");
  }
  std::vector<ModelFile> result;
  for (const auto& [path, number] : known) result.push_back({path, number});
  return result;
}

}  // namespace tieline::checkpoints
