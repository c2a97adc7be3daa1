#include "binary/program_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <string_view>

#include "binary/elf_file.h"
#include "support/files.h"

namespace heddle::binary {
namespace {

bool is_executable_file(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string search_path(const std::string& program) {
  const char* folders = std::getenv("PATH");
  std::istringstream stream(folders != nullptr ? folders : "/usr/bin:/bin");
  std::string folder;
  while (std::getline(stream, folder, ':')) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + program;
    if (is_executable_file(candidate)) return candidate;
  }
  return {};
}

bool defines_name(const ElfFile& elf, std::string_view name) {
  const std::span<const std::uint8_t> names = elf.section(".dynstr").bytes;
  const std::string_view text(reinterpret_cast<const char*>(names.data()), names.size());
  return text.find('\0' + std::string(name) + '\0') != std::string_view::npos;
}

Status check_executable(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return Error{"cannot run " + path + ": " + std::strerror(errno)};
  if (S_ISDIR(status.st_mode)) return Error{path + " is a directory; name a program"};
  if (!is_executable_file(path)) return Error{path + " is not executable; name a program, or chmod +x it"};
  return ok_status();
}

}  // namespace

Result<ProgramFile> find_program(const std::string& program) {
  if (program.empty()) return Error{"the program is missing; put it after --"};
  ProgramFile file;
  if (program.find('/') != std::string::npos) {
    if (Status executable = check_executable(program); !executable) return executable.error();
    file.path = absolute_path(program);
  } else {
    const std::string found = search_path(program);
    if (found.empty()) {
      const bool here = ::access(program.c_str(), F_OK) == 0;
      return Error{"there is no program " + program + " in PATH" + (here ? "; write ./" + program : "")};
    }
    file.path = absolute_path(found);
  }
  const Result<ElfFile> elf = ElfFile::open(file.path);
  if (!elf) return file;
  file.elf = true;
  file.dynamic = elf->has_interpreter();
  file.build_id = elf->build_id();
  for (const std::string& library : elf->needed_libraries()) {
    file.has_runtime |= library == "libheddle_rt.so";
    file.sanitized |= library.starts_with("libclang_rt.asan") || library.starts_with("libclang_rt.ubsan");
  }
  file.sanitized |= defines_name(*elf, "__sanitizer_set_death_callback");
  return file;
}

Status check_controllable(const ProgramFile& program, bool preload) {
  if (!program.elf || program.has_runtime) return ok_status();
  if (!program.dynamic) {
    return Error{program.path + " is linked statically and cannot be controlled; link it dynamically with heddle-c++",
                 ExitCode::Uncontrolled};
  }
  if (preload) return ok_status();
  return Error{program.path +
                   " is not instrumented; build it with CC=heddle-cc CXX=heddle-c++, or add --preload to "
                   "control its synchronisation only",
               ExitCode::Uncontrolled};
}

}  // namespace heddle::binary
