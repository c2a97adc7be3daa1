#include "clip/module_identity.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "binary/elf_file.h"
#include "support/bytes.h"

namespace heddle::clip {

std::string build_id_text(const format::ModuleReport& module) {
  return hex_text({module.build_id, std::min<std::size_t>(module.build_id_size, sizeof module.build_id)});
}

std::string module_path(const format::ModuleReport& module) {
  return {module.path, ::strnlen(module.path, sizeof module.path)};
}

std::vector<ModuleIdentity> module_identities(const format::SessionResult& result) {
  std::vector<ModuleIdentity> identities;
  const std::uint32_t count = std::min(result.module_count, format::kModulesMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    const format::ModuleReport& module = result.modules[i];
    identities.push_back({module_path(module), build_id_text(module), module.first_site != 0});
  }
  return identities;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name") && !line.starts_with("CPU part")) continue;
    const std::size_t value = line.find(": ");
    if (value != std::string::npos) return line.substr(value + 2);
  }
  return {};
}

std::vector<std::string> find_foreign_parts(const ClipHead& head) {
  std::vector<std::string> parts;
  for (const ModuleIdentity& module : head.modules) {
    const bool runtime = module.path.find("/libheddle_rt.so") != std::string::npos;
    const bool is_file = module.path.starts_with("/");
    if (module.instrumented || runtime || !is_file || module.build_id.empty() || module.build_id == head.build_id) {
      continue;
    }
    const Result<binary::ElfFile> here = binary::ElfFile::open(module.path);
    if (!here) {
      parts.push_back(module.path + " is not on this machine");
    } else if (here->build_id() != module.build_id) {
      parts.push_back(module.path + " is another build than the clip's");
    }
  }
  const std::string processor = processor_name();
  if (!head.processor.empty() && head.processor != processor) {
    parts.push_back("the processor is " + processor + ", the clip's was " + head.processor);
  }
  return parts;
}

}  // namespace heddle::clip
