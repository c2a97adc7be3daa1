#include "runtime/control/modules.h"

#include <link.h>
#include <sys/syscall.h>

#include "base/search.h"
#include "runtime/control/failure.h"
#include "runtime/debug/injection.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/compact.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

using format::ModuleReport;

bool is_listed(std::uint64_t name) {
  const format::SessionConfig& config = session()->config;
  const auto* names = session_input<std::uint64_t>(config.armed_names_offset);
  const std::uint64_t at = search(config.armed_names_count, [&](std::uint64_t i) { return names[i] < name; });
  return at < config.armed_names_count && names[at] == name;
}

bool is_armed(const HeddleSite& site) {
  if (rt.debug.injecting) {
    if (is_injected(site.name)) return true;
    if (!session()->attached || (session()->config.flags & format::kNative) != 0) return false;
  }
  switch (session()->config.arm_mode) {
    case format::ArmMode::All:
      return true;
    case format::ArmMode::None:
      return false;
    case format::ArmMode::Only:
      return is_listed(site.name);
    case format::ArmMode::AllBut:
      return !is_listed(site.name);
  }
  return true;
}

std::uint8_t* armed_byte(HeddleSite& site) { return reinterpret_cast<std::uint8_t*>(&site) + site.armed; }

// Sets the armed bytes and the function bytes of the module (abi/hooks.h).
void arm(const SiteModule& module) {
  bool any = false;
  for (HeddleSite* site = module.begin; site != module.end; ++site) {
    std::uint8_t* byte = armed_byte(*site);
    const bool armed = is_armed(*site);
    *byte = armed;
    any |= armed;
    const bool last_of_function = site + 1 == module.end || armed_byte(site[1]) != byte + 1;
    if (!last_of_function) continue;
    byte[1] = any || injects_calls();
    any = false;
  }
}

std::uint64_t round_up4(std::uint64_t value) { return (value + 3) & ~std::uint64_t{3}; }

void read_build_id(const dl_phdr_info& info, ModuleReport& module) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* note = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
    const char* end = note + header.p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const auto* head = reinterpret_cast<const ElfW(Nhdr)*>(note);
      const char* name = note + sizeof *head;
      const char* content = name + round_up4(head->n_namesz);
      if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && __builtin_memcmp(name, "GNU", 4) == 0) {
        module.build_id_size = head->n_descsz < sizeof module.build_id ? head->n_descsz : sizeof module.build_id;
        __builtin_memcpy(module.build_id, content, module.build_id_size);
        return;
      }
      note = content + round_up4(head->n_descsz);
    }
  }
}

void report_to_host(std::uint32_t module) { ring_write(format::ring_head(format::kModule, 0, 0, 0), module); }

int note_module(dl_phdr_info* info, std::size_t, void*) {
  format::SessionResult& result = session()->result;
  ModuleReport module{};
  module.bias = info->dlpi_addr;
  module.begin = ~std::uint64_t{0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + header.p_memsz > module.end) module.end = begin + header.p_memsz;
  }
  for (std::uint32_t i = 0; i < result.module_count; ++i)
    if (result.modules[i].begin == module.begin && result.modules[i].end == module.end) return 0;
  if (result.module_count == format::kModulesMax) return 0;
  read_build_id(*info, module);
  copy_text(module.path, sizeof module.path, info->dlpi_name);
  if (info->dlpi_name[0] == 0) {
    const long size = raw_syscall(SYS_readlink, "/proc/self/exe", module.path, sizeof module.path - 1);
    module.path[size > 0 ? size : 0] = 0;
  }
  result.modules[result.module_count] = module;
  report_to_host(result.module_count++);
  return 0;
}

void note_sites(const SiteModule& module) {
  format::SessionResult& result = session()->result;
  for (std::uint32_t i = 0; i < result.module_count; ++i) {
    ModuleReport& report = result.modules[i];
    const auto address = reinterpret_cast<std::uint64_t>(module.begin);
    if (address < report.begin || address >= report.end) continue;
    report.first_site = module.first_site;
    report.site_count = static_cast<std::uint32_t>(module.end - module.begin);
    report_to_host(i);
  }
}

}  // namespace

void note_loaded_modules() { dl_iterate_phdr(note_module, nullptr); }

void disarm_all_modules() {
  for (SiteModule& module : rt.control.site_modules)
    for (std::uint8_t* byte = module.armed_begin; byte != module.armed_end; ++byte) *byte = 0;
}

const HeddleSite* site_row(SiteId site) {
  for (SiteModule& module : rt.control.site_modules)
    if (number(site) >= module.first_site && number(site) - module.first_site < module.end - module.begin)
      return module.begin + (number(site) - module.first_site);
  return nullptr;
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

void __heddle_register_module(HeddleSite* sites_begin, HeddleSite* sites_end, std::uint8_t* armed_begin,
                              std::uint8_t* armed_end, std::uint32_t abi_version) {
  if (abi_version != HEDDLE_ABI_VERSION) fail_other_version();
  if ((!session()->attached && !rt.debug.injecting) || sites_begin == sites_end) return;
  const SiteModule module{sites_begin, sites_end, armed_begin, armed_end, rt.control.sites_seen + 1};
  for (HeddleSite* site = sites_begin; site != sites_end; ++site) site->index = ++rt.control.sites_seen;
  rt.control.site_modules.push_back(module);
  arm(module);
  note_loaded_modules();
  note_sites(module);
}

void __heddle_unregister_module(HeddleSite* sites_begin) {
  for (std::size_t i = 0; i < rt.control.site_modules.size(); ++i)
    if (rt.control.site_modules[i].begin == sites_begin) {
      forget_compact_of(sites_begin, rt.control.site_modules[i].end);
      rt.control.site_modules.erase(i);
      return;
    }
}
