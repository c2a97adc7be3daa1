#define _GNU_SOURCE
#include "production/core_writer.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <ucontext.h>
#include <unistd.h>

enum { kPage = 4096, kMappingsMax = 8192, kMapsBytes = 4 << 20, kFilesBytes = 1 << 20 };

struct Mapping {
  uint64_t begin, end, offset;
  const char* path;  // into the text of /proc/self/maps; "" for none
  int readable, writable, executable, dumped;
};

static struct Mapping mappings[kMappingsMax];
static unsigned mapping_count;
static char maps_text[kMapsBytes];
static char files_note[kFilesBytes];
static unsigned files_note_bytes;
static char buffer[1 << 16];
static unsigned buffered;
static uint64_t position;
static int output;

static void flush(void) {
  for (unsigned at = 0; at < buffered;) {
    const long wrote = syscall(SYS_write, output, buffer + at, buffered - at);
    if (wrote <= 0) break;
    at += (unsigned)wrote;
  }
  buffered = 0;
}

static void put(const void* bytes, uint64_t size) {
  const char* from = bytes;
  position += size;
  while (size > 0) {
    uint64_t part = sizeof buffer - buffered;
    if (part > size) part = size;
    memcpy(buffer + buffered, from, part);
    buffered += (unsigned)part;
    from += part;
    size -= part;
    if (buffered == sizeof buffer) flush();
  }
}

static void pad_to(uint64_t alignment) {
  static const char zeros[kPage];
  put(zeros, (alignment - position % alignment) % alignment);
}

static uint64_t parse_hex(const char** text) {
  uint64_t value = 0;
  for (;; ++*text) {
    const char digit = **text;
    if (digit >= '0' && digit <= '9')
      value = value * 16 + (uint64_t)(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      value = value * 16 + (uint64_t)(digit - 'a' + 10);
    else
      return value;
  }
}

// True for memory that a reader cannot take from the mapped files: anonymous and writable memory, and small read-only
// mappings, which may contain relocated data.
static int is_dumped(const struct Mapping* mapping) {
  if (!mapping->readable || strcmp(mapping->path, "[vvar]") == 0 || strcmp(mapping->path, "[vsyscall]") == 0) return 0;
  if (mapping->path[0] != '/') return 1;
  return mapping->writable || (!mapping->executable && mapping->end - mapping->begin <= 1 << 20);
}

// Reads at most `room` bytes of a file. Returns their number.
static uint64_t read_file(const char* path, char* into, uint64_t room) {
  const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  uint64_t size = 0;
  for (long got; size < room && (got = syscall(SYS_read, file, into + size, room - size)) > 0;) size += (uint64_t)got;
  syscall(SYS_close, file);
  return size;
}

static void read_mappings(void) {
  maps_text[read_file("/proc/self/maps", maps_text, kMapsBytes - 1)] = 0;
  for (char* line = maps_text; *line != 0 && mapping_count < kMappingsMax;) {
    char* end = strchr(line, '\n');
    if (end == NULL) break;
    *end = 0;
    struct Mapping* mapping = &mappings[mapping_count++];
    const char* at = line;
    mapping->begin = parse_hex(&at);
    ++at;
    mapping->end = parse_hex(&at);
    ++at;
    mapping->readable = at[0] == 'r';
    mapping->writable = at[1] == 'w';
    mapping->executable = at[2] == 'x';
    at += 5;
    mapping->offset = parse_hex(&at);
    for (int field = 0; field < 2; ++field) {  // device, inode
      while (*at == ' ') ++at;
      while (*at != ' ' && *at != 0) ++at;
    }
    while (*at == ' ') ++at;
    mapping->path = at;
    mapping->dumped = is_dumped(mapping);
    line = end + 1;
  }
}

static void make_files_note(void) {
  uint64_t* words = (uint64_t*)files_note;
  uint64_t count = 0;
  unsigned bytes = 16;
  for (unsigned i = 0; i < mapping_count; ++i)
    if (mappings[i].path[0] == '/') ++count;
  if (16 + count * 24 >= kFilesBytes) return;
  words[0] = count;
  words[1] = kPage;
  for (unsigned i = 0; i < mapping_count; ++i) {
    if (mappings[i].path[0] != '/') continue;
    const uint64_t entry[3] = {mappings[i].begin, mappings[i].end, mappings[i].offset / kPage};
    memcpy(files_note + bytes, entry, sizeof entry);
    bytes += sizeof entry;
  }
  for (unsigned i = 0; i < mapping_count; ++i) {
    if (mappings[i].path[0] != '/') continue;
    const unsigned length = (unsigned)strlen(mappings[i].path) + 1;
    if (bytes + length > kFilesBytes) return;
    memcpy(files_note + bytes, mappings[i].path, length);
    bytes += length;
  }
  files_note_bytes = bytes;
}

static uint64_t note_bytes(uint64_t size) { return sizeof(Elf64_Nhdr) + 8 + (size + 3) / 4 * 4; }

static void put_note(unsigned type, const void* bytes, unsigned size) {
  const Elf64_Nhdr head = {5, size, type};
  put(&head, sizeof head);
  put("CORE\0\0\0", 8);
  put(bytes, size);
  pad_to(4);
}

static void put_thread(const struct HeddleCrashThread* thread, int signal) {
  prstatus_t status;
  memset(&status, 0, sizeof status);
  status.pr_pid = thread->id;
  status.pr_cursig = (short)signal;
  status.pr_info.si_signo = signal;
  const uint64_t* from = thread->registers;
  struct user_regs_struct to;
  memset(&to, 0, sizeof to);
  to.r15 = from[REG_R15], to.r14 = from[REG_R14], to.r13 = from[REG_R13], to.r12 = from[REG_R12];
  to.rbp = from[REG_RBP], to.rbx = from[REG_RBX], to.r11 = from[REG_R11], to.r10 = from[REG_R10];
  to.r9 = from[REG_R9], to.r8 = from[REG_R8], to.rax = from[REG_RAX], to.rcx = from[REG_RCX];
  to.rdx = from[REG_RDX], to.rsi = from[REG_RSI], to.rdi = from[REG_RDI], to.rip = from[REG_RIP];
  to.eflags = from[REG_EFL], to.rsp = from[REG_RSP], to.cs = 0x33, to.ss = 0x2b;
  to.orig_rax = ~0ull, to.fs_base = thread->thread_pointer;
  memcpy(&status.pr_reg, &to, sizeof to);
  put_note(NT_PRSTATUS, &status, sizeof status);
}

static void put_memory(const struct Mapping* mapping) {
  flush();
  for (uint64_t at = mapping->begin; at < mapping->end;) {
    // The kernel reads the memory, so that an unreadable page is an error and not another crash.
    const long wrote = syscall(SYS_write, output, at, mapping->end - at);
    if (wrote > 0) {
      at += (uint64_t)wrote;
      continue;
    }
    const uint64_t next = (at / kPage + 1) * kPage;
    if (syscall(SYS_lseek, output, next - at, SEEK_CUR) < 0) return;
    at = next;
  }
  position += mapping->end - mapping->begin;
}

static void put_file_header(void) {
  Elf64_Ehdr head;
  memset(&head, 0, sizeof head);
  memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = ET_CORE;
  head.e_machine = EM_X86_64;
  head.e_version = EV_CURRENT;
  head.e_phoff = head.e_ehsize = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = (Elf64_Half)(mapping_count + 1);
  put(&head, sizeof head);
}

// Writes the program headers. Returns the size of the file.
static uint64_t put_segments(uint64_t notes_bytes) {
  Elf64_Phdr segment;
  memset(&segment, 0, sizeof segment);
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(Elf64_Ehdr) + (mapping_count + 1) * sizeof segment;
  segment.p_filesz = notes_bytes;
  segment.p_align = 4;
  put(&segment, sizeof segment);
  uint64_t offset = (segment.p_offset + segment.p_filesz + kPage - 1) / kPage * kPage;
  for (unsigned i = 0; i < mapping_count; ++i) {
    memset(&segment, 0, sizeof segment);
    segment.p_type = PT_LOAD;
    segment.p_offset = offset;
    segment.p_vaddr = mappings[i].begin;
    segment.p_memsz = mappings[i].end - mappings[i].begin;
    segment.p_filesz = mappings[i].dumped ? segment.p_memsz : 0;
    segment.p_flags =
        (mappings[i].readable ? PF_R : 0u) | (mappings[i].writable ? PF_W : 0u) | (mappings[i].executable ? PF_X : 0u);
    segment.p_align = kPage;
    put(&segment, sizeof segment);
    offset += segment.p_filesz;
  }
  return offset;
}

void heddle_crash_write_core(const char* path, const struct HeddleCrashThread* threads, unsigned count, int signal) {
  output = (int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (output < 0 || count == 0) return;
  read_mappings();
  make_files_note();
  static char auxiliary[4096];
  const uint64_t auxiliary_bytes = read_file("/proc/self/auxv", auxiliary, sizeof auxiliary);
  put_file_header();
  const uint64_t file_bytes =
      put_segments(count * note_bytes(sizeof(prstatus_t)) + note_bytes(auxiliary_bytes) + note_bytes(files_note_bytes));
  for (unsigned i = 0; i < count; ++i) put_thread(&threads[i], i == 0 ? signal : 0);
  put_note(NT_AUXV, auxiliary, (unsigned)auxiliary_bytes);
  put_note(NT_FILE, files_note, files_note_bytes);
  pad_to(kPage);
  for (unsigned i = 0; i < mapping_count; ++i)
    if (mappings[i].dumped) put_memory(&mappings[i]);
  flush();
  syscall(SYS_ftruncate, output, file_bytes);
  syscall(SYS_close, output);
}
