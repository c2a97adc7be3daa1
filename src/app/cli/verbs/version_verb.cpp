// heddle version: version and commit of this build, and its clang and glibc.
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "cli/commit.h"
#include "cli/common_options.h"
#include "cli/verb.h"
#include "report/run_json.h"

namespace heddle::cli {
namespace {

std::string glibc_at_build() { return fmt::format("{}.{}", __GLIBC__, __GLIBC_MINOR__); }

std::string version_json() {
  const bool known = kCommit[0] != '\0';
  report::Json json;
  json["version"] = HEDDLE_VERSION;
  json["commit"] = known ? report::Json(kCommit) : report::Json(nullptr);
  json["modified"] = known ? report::Json(kCommitModified) : report::Json(nullptr);
  json["clang"] = HEDDLE_PASS_CLANG;
  json["glibc"] = glibc_at_build();
  json["glibc_running"] = ::gnu_get_libc_version();
  return report::dump(json);
}

}  // namespace

std::string version_text() {
  const std::string running = ::gnu_get_libc_version();
  std::string text = "heddle " HEDDLE_VERSION;
  text += kCommit[0] == '\0' ? " (commit unknown)"
                             : fmt::format(" (commit {}{})", kCommit, kCommitModified ? ", modified" : "");
  text += "\nclang " HEDDLE_PASS_CLANG ": the compiler that the pass was built for";
  text += "\nglibc " + glibc_at_build() + (running == glibc_at_build() ? "" : ", running on " + running);
  return text;
}

void add_version_verb(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("version", "Version, commit, and the clang and glibc that Heddle was built for");
  command->footer("Example: heddle version --json");
  add_output_options(*command, invocation);
  command->callback([&invocation] {
    invocation.action = [&invocation]() -> Result<ExitCode> {
      print_json(invocation.json ? version_json() : version_text());
      return ExitCode::Done;
    };
  });
}

}  // namespace heddle::cli
