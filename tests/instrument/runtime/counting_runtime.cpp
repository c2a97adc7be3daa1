// A libheddle_rt.so for the tests of the pass: counts the calls of the hooks, and overwrites every register that a hook
// may overwrite. HEDDLE_TEST_ARM=1 arms every site; HEDDLE_TEST_REPORT=FILE writes what was registered and seen, as
// JSON.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "abi/hooks.h"

namespace {

struct Module {
  HeddleSite* sites_begin;
  HeddleSite* sites_end;
  std::uint8_t* armed_begin;
  std::uint8_t* armed_end;
  bool is_loaded;
  std::size_t function_bytes;
  std::size_t misplaced_bytes;
};

struct Seen {
  std::uint64_t hits = 0;
  std::uint64_t bytes = 0;
  std::uint64_t last_value = 0;
};

// Never destroyed: hooks come until the last destructor of the program has run.
struct State {
  std::vector<Module> modules;
  std::vector<Seen> seen = std::vector<Seen>(1);  // by HeddleSite::index
};
State& state() {
  static State* instance = new State;
  return *instance;
}

std::uint8_t* byte_of(HeddleSite* site) {
  return reinterpret_cast<std::uint8_t*>(site) + site->armed;
}

void arm(Module& module) {
  for (HeddleSite* site = module.sites_begin; site != module.sites_end; ++site) {
    std::uint8_t* byte = byte_of(site);
    if (byte < module.armed_begin || byte >= module.armed_end || *byte != 0) {
      ++module.misplaced_bytes;
      continue;
    }
    *byte = 1;
    const bool is_last = site + 1 == module.sites_end || byte_of(site + 1) != byte + 1;
    if (!is_last) continue;
    ++module.function_bytes;
    if (byte + 1 >= module.armed_end || byte[1] != 0) ++module.misplaced_bytes;
    byte[1] = 1;
  }
}

Seen& see(HeddleSite* site) {
  Seen& seen = state().seen[site->index];
  ++seen.hits;
  return seen;
}

// REQUIRES nothing of its caller's registers but what preserve_most lets a function lose.
inline void spoil_registers() {
  asm volatile(
      "movq $-1, %%r11\n\t"
      "pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm1, %%xmm1\n\tpcmpeqd %%xmm2, %%xmm2\n\tpcmpeqd %%xmm3, %%xmm3\n\t"
      "pcmpeqd %%xmm4, %%xmm4\n\tpcmpeqd %%xmm5, %%xmm5\n\tpcmpeqd %%xmm6, %%xmm6\n\tpcmpeqd %%xmm7, %%xmm7\n\t"
      "pcmpeqd %%xmm8, %%xmm8\n\tpcmpeqd %%xmm9, %%xmm9\n\tpcmpeqd %%xmm10, %%xmm10\n\tpcmpeqd %%xmm11, %%xmm11\n\t"
      "pcmpeqd %%xmm12, %%xmm12\n\tpcmpeqd %%xmm13, %%xmm13\n\tpcmpeqd %%xmm14, %%xmm14\n\tpcmpeqd %%xmm15, "
      "%%xmm15\n\t" ::
          : "r11", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
            "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  if (__builtin_cpu_supports("avx")) asm volatile("vzeroall" ::: "memory");
}

void write_text(std::FILE* file, const char* key, const char* text) {
  std::fprintf(file, "\"%s\": \"", key);
  for (; *text; ++text) std::fprintf(file, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  std::fprintf(file, "\", ");
}

void write_site(std::FILE* file, HeddleSite* site, std::size_t module) {
  const auto text_at = [&](std::int32_t offset) {
    return offset == 0 ? "" : reinterpret_cast<const char*>(site) + offset;
  };
  const Seen& seen = state().seen[site->index];
  std::fprintf(file, "{\"module\": %zu, \"name\": \"%016lx\", ", module, site->name);
  write_text(file, "file", text_at(site->file));
  write_text(file, "function", text_at(site->function));
  write_text(file, "chain", text_at(site->chain));
  std::fprintf(file,
               "\"line\": %u, \"column\": %u, \"function_line\": %u, \"kind\": %u, \"order\": %u, \"size\": %u, "
               "\"hits\": %lu, \"bytes\": %lu, \"last_value\": %lu}",
               site->line, site->column, site->function_line, site->kind & 15, site->kind >> 4, site->size, seen.hits,
               seen.bytes, seen.last_value);
}

__attribute__((destructor)) void write_report() {
  const char* path = std::getenv("HEDDLE_TEST_REPORT");
  if (!path) return;
  std::FILE* file = std::fopen(path, "w");
  if (!file) std::abort();
  std::fprintf(file, "{\"modules\": [");
  const char* comma = "";
  for (const Module& module : state().modules) {
    std::fprintf(file,
                 "%s\n{\"rows\": %zu, \"armed_bytes\": %zu, \"function_bytes\": %zu, \"misplaced_bytes\": %zu, "
                 "\"is_loaded\": %s}",
                 comma, static_cast<std::size_t>(module.sites_end - module.sites_begin),
                 static_cast<std::size_t>(module.armed_end - module.armed_begin), module.function_bytes,
                 module.misplaced_bytes, module.is_loaded ? "true" : "false");
    comma = ",";
  }
  std::fprintf(file, "],\n\"sites\": [");
  comma = "";
  // A module that was unloaded by dlclose may be gone; those that end with the process are still mapped.
  for (std::size_t index = 0; index < state().modules.size(); ++index) {
    const Module& module = state().modules[index];
    if (std::getenv("HEDDLE_TEST_UNLOADS") && !module.is_loaded) continue;
    for (HeddleSite* site = module.sites_begin; site != module.sites_end; ++site) {
      std::fprintf(file, "%s\n", comma);
      write_site(file, site, index);
      comma = ",";
    }
  }
  std::fprintf(file, "]}\n");
  std::fclose(file);
}

}  // namespace

void __heddle_access(void*, HeddleSite* site) {
  see(site);
  spoil_registers();
}

void __heddle_write(void*, HeddleSite* site, std::uint64_t value) {
  see(site).last_value = value;
  spoil_registers();
}

void __heddle_range(void*, HeddleSite* site, std::uint64_t size) {
  see(site).bytes += size;
  spoil_registers();
}

void __heddle_string(void*, HeddleSite* site, const char* string) {
  see(site).bytes += __builtin_strlen(string) + 1;
  spoil_registers();
}

void __heddle_register_module(HeddleSite* sites_begin, HeddleSite* sites_end, std::uint8_t* armed_begin,
                              std::uint8_t* armed_end, std::uint32_t abi_version) {
  if (abi_version != HEDDLE_ABI_VERSION) std::abort();
  State& registered = state();
  for (HeddleSite* site = sites_begin; site != sites_end; ++site) {
    site->index = static_cast<std::uint32_t>(registered.seen.size());
    registered.seen.emplace_back();
  }
  registered.modules.push_back({sites_begin, sites_end, armed_begin, armed_end, true, 0, 0});
  if (std::getenv("HEDDLE_TEST_ARM")) arm(registered.modules.back());
}

void __heddle_unregister_module(HeddleSite* sites_begin) {
  for (Module& module : state().modules)
    if (module.sites_begin == sites_begin) module.is_loaded = false;
}
