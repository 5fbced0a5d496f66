#pragma once

#include <string>

namespace tieline::fmi {

/// The instances that live in this process, by the pointers that their FMUs get as environments: some FMUs call back
/// with another pointer, or with none, which must not be followed. From any thread.
class Environments {
 public:
  static void add(void* environment, const std::string& instance_name);
  static void remove(void* environment);

  struct Found {
    void* environment = nullptr;  ///< null: nobody can be meant
    bool is_foreign = false;      ///< the pointer was not the one that the FMU was given
  };
  /// Whom a pointer means: the instance that was added with it; otherwise the one of that name (null: unknown), or the
  /// only one that there is.
  [[nodiscard]] static Found find(const void* environment, const char* instance_name);
};

}  // namespace tieline::fmi
