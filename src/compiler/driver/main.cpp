// heddle-cc and heddle-c++: compile with clang and the pass, and link with the runtime.
//
// The driver reads the command line only as far as it must (command_line.h), refuses builds that the runtime cannot
// control, and adds its own options in front of the user's, so that the user's options override them. Then it replaces
// itself with clang by exec, so that exit codes, signals and output are clang's. HEDDLE_BUILD and HEDDLE_HOOKS choose
// the kind of build:
//
//   instrumented   the default: hooks at the sites, the runtime first in the link line
//   branches       also hooks at every block, for the analysis of core dumps and for slices
//   production     no hooks and no runtime: only what makes a core of the program readable
//
// HEDDLE_HOOKS=iterations and HEDDLE_HOOKS=calls add hooks to an instrumented build that let a run skip code.
//
// The exception to exec is one command that compiles and links a production build. The driver verifies the result and,
// if loop counters have gaps, builds it again with more expensive counters (verified_build.h).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "driver/command_line.h"
#include "driver/response_file.h"
#include "driver/verified_build.h"
#include "support/result.h"

namespace heddle::instrument {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", HEDDLE_DRIVER_NAME, message.c_str());
  std::exit(static_cast<int>(ExitCode::Usage));
}

// The files of the driver have fixed positions relative to it: bin/heddle-cc, bin/heddle-verify, lib/heddle/.
std::string find_verifier() {
  std::error_code ignored;
  return (fs::read_symlink("/proc/self/exe", ignored).parent_path() / "heddle-verify").string();
}

fs::path find_library_directory() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path directory = self.parent_path().parent_path() / "lib" / "heddle";
  if (error || !fs::exists(directory / "heddle_instrument.so", error))
    fail("cannot find " + (directory / "heddle_instrument.so").string() + "; install Heddle again");
  return directory;
}

std::string find_clang() {
  if (const char* chosen = std::getenv("HEDDLE_CLANG"); chosen && *chosen) return chosen;
  return access(HEDDLE_DEFAULT_CLANG, X_OK) == 0 ? HEDDLE_DEFAULT_CLANG : "clang-" HEDDLE_LLVM_VERSION;
}

enum class Build { Instrumented, Branches, Production };

// Reads HEDDLE_BUILD and HEDDLE_HOOKS, and refuses unknown words.
Build chosen_build() {
  const char* build = std::getenv("HEDDLE_BUILD");
  const char* hooks = std::getenv("HEDDLE_HOOKS");
  const std::string kind = build ? build : "";
  if (!kind.empty() && kind != "production" && kind != "instrumented")
    fail("unknown HEDDLE_BUILD '" + kind + "'; use production or instrumented");
  bool branches = false;
  std::istringstream names(hooks ? hooks : "");
  for (std::string name; std::getline(names, name, ',');) {
    if (name != "iterations" && name != "branches" && name != "calls")
      fail("unknown HEDDLE_HOOKS '" + name + "'; use branches, calls or iterations");
    branches |= name == "branches";
  }
  if (kind == "production") return Build::Production;
  return branches ? Build::Branches : Build::Instrumented;
}

// INVARIANT: options that change the code before the end of the optimiser are the same here and in a build with
// HEDDLE_HOOKS=branches. The blocks of both builds therefore have the same numbers.
std::vector<std::string> production_options(const CommandLine& line, const fs::path& library) {
  std::vector<std::string> options;
  if (line.compiles) {
    options = {"-fbasic-block-address-map",
               "-mllvm",
               "-enable-tail-merge=false",
               "-fpass-plugin=" + (library / "heddle_production.so").string(),
               "-cxx-isystem",
               library / "include",
               "-idirafter",
               library / "api"};
    if (!line.chooses_debug_info) options.push_back("-g");
  }
  if (line.links) {
    // Pulls descent.c out of the archive even if only libstdc++ calls pthread_create.
    options.push_back("-Wl,-u,pthread_create");
    if (const char* counts = std::getenv("HEDDLE_COUNT_POINTS"); counts != nullptr && std::string(counts) == "1")
      options.push_back("-Wl,-u,__heddle_points");
    options.push_back((library / "libheddle_production.a").string());
    options.push_back("-Wl,--build-id=sha1");
  }
  return options;
}

std::vector<std::string> options_to_add(const CommandLine& line, const fs::path& library) {
  const Build build = chosen_build();
  if (build == Build::Production) return production_options(line, library);
  std::vector<std::string> options;
  if (line.compiles) {
    if (build == Build::Branches) options.push_back("-fpass-plugin=" + (library / "heddle_blocks.so").string());
    options.push_back("-fpass-plugin=" + (library / "heddle_instrument.so").string());
    // -idirafter: the folder of heddle/*.h is searched last, so that a prefix like /usr does not reorder the system's
    // folders.
    options.insert(options.end(),
                   {"-fno-omit-frame-pointer", "-isystem", library / "include", "-idirafter", library / "api"});
    if (!line.chooses_debug_info) options.push_back(build == Build::Branches ? "-g" : "-g1");
  }
  if (line.links) {
    // First in the link line, so that the runtime's symbols precede those of libc and libstdc++.
    options.insert(options.end(),
                   {"-L" + library.string(), "-Wl,--push-state,--no-as-needed", "-lheddle_rt", "-Wl,--pop-state",
                    "-Wl,-rpath," + library.string(), "-Wl,-z,now", "-Wl,--build-id=sha1"});
  }
  return options;
}

[[noreturn]] void become_clang(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fail("cannot run " + command[0] + "; install clang-" HEDDLE_LLVM_VERSION " or set HEDDLE_CLANG");
}

}  // namespace
}  // namespace heddle::instrument

int main(int argc, char** argv) {
  using namespace heddle::instrument;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const CommandLine line = read_command_line(expand_response_files(arguments));
  if (line.refusal) fail(*line.refusal);

  std::vector<std::string> command = {find_clang(), "--driver-mode=" HEDDLE_DRIVER_MODE};
  if (line.compiles || line.links) {
    const std::vector<std::string> added = options_to_add(line, find_library_directory());
    // Before the user's options, which override them.
    command.push_back("--start-no-unused-arguments");
    command.insert(command.end(), added.begin(), added.end());
    command.push_back("--end-no-unused-arguments");
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (line.compiles && line.links && !line.reads_stdin && chosen_build() == Build::Production &&
      std::getenv("HEDDLE_COUNTER_GAPS") == nullptr)
    return build_verified(command, find_verifier(), line.output);
  become_clang(command);
}
