#include "tests/support/core_writer.h"

#include <sys/procfs.h>

#include <csignal>
#include <cstdlib>

#include "binary/elf_file.h"
#include "tests/support/byte_writer.h"

namespace heddle::test_support {
namespace {

constexpr std::uint64_t kPage = 4096;

void put_note(ByteWriter& notes, const CoreNote& note) {
  notes.u32(5);
  notes.u32(note.bytes.size() + note.claimed_bytes);
  notes.u32(note.type);
  notes.text("CORE");
  notes.align(4);
  notes.bytes(note.bytes);
  notes.align(4);
}

template <typename T>
std::vector<std::uint8_t> bytes_of(const T& value) {
  ByteWriter bytes;
  bytes.object(value);
  return bytes.take();
}

std::vector<std::uint8_t> status_of(const CoreThread& thread) {
  prstatus_t status{};
  status.pr_pid = thread.id;
  status.pr_cursig = static_cast<short>(thread.signal);
  status.pr_info.si_signo = thread.signal;
  static_assert(sizeof status.pr_reg == sizeof thread.registers);
  std::memcpy(&status.pr_reg, &thread.registers, sizeof thread.registers);
  return bytes_of(status);
}

std::vector<std::uint8_t> mapped_files(const Core& core) {
  ByteWriter bytes;
  bytes.u64(core.mappings.size());
  bytes.u64(kPage);
  for (const CoreMapping& mapping : core.mappings) {
    bytes.u64(mapping.begin);
    bytes.u64(mapping.end);
    bytes.u64(mapping.offset / kPage);
  }
  for (const CoreMapping& mapping : core.mappings) bytes.text(mapping.path);
  return bytes.take();
}

std::vector<std::uint8_t> all_notes(const Core& core) {
  ByteWriter notes;
  for (std::size_t i = 0; i < core.threads.size(); ++i) {
    put_note(notes, {NT_PRSTATUS, status_of(core.threads[i])});
    siginfo_t signal{};
    signal.si_signo = core.threads[i].signal;
    if (i == 0) put_note(notes, {NT_SIGINFO, bytes_of(signal)});
  }
  const std::uint64_t auxiliary[] = {AT_PHDR, core.program_headers, AT_PHNUM, core.program_header_count, AT_NULL, 0};
  put_note(notes, {NT_AUXV, bytes_of(auxiliary)});
  put_note(notes, {NT_FILE, mapped_files(core)});
  for (const CoreNote& note : core.notes) put_note(notes, note);
  return notes.take();
}

}  // namespace

void Core::abort_unmapped() { std::abort(); }

std::vector<std::uint8_t> core_bytes(const Core& core) {
  const std::vector<std::uint8_t> notes = all_notes(core);
  ByteWriter file;
  file.object(binary::make_elf_head(ET_CORE, core.segments.size() + 1));
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(Elf64_Ehdr) + (core.segments.size() + 1) * sizeof segment;
  segment.p_filesz = notes.size();
  file.object(segment);
  std::uint64_t offset = segment.p_offset + notes.size();
  for (const CoreSegment& memory : core.segments) {
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_flags = PF_R | PF_W;
    load.p_offset = offset;
    load.p_vaddr = memory.address;
    load.p_filesz = load.p_memsz = memory.bytes.size();
    file.object(load);
    offset += memory.bytes.size();
  }
  file.bytes(notes);
  for (const CoreSegment& memory : core.segments) file.bytes(memory.bytes);
  return file.take();
}

Core core_of(const std::string& path, std::uint64_t base) {
  Core core;
  core.mappings.push_back({base, base + kDataBegin, 0, path});
  core.program_headers = base + kProgramHeaders;
  core.program_header_count = kProgramHeaderCount;
  core.add_memory(base + kDataBegin, kDataEnd - kDataBegin);
  core.add_memory(kStackBegin, kStackEnd - kStackBegin);
  return core;
}

CoreThread thread_at(std::uint64_t rip, std::uint64_t rbp, std::uint64_t thread_pointer) {
  CoreThread thread;
  thread.registers.rip = rip;
  thread.registers.rbp = rbp;
  thread.registers.rsp = rbp - 0x100;
  thread.registers.fs_base = thread_pointer;
  return thread;
}

}  // namespace heddle::test_support
