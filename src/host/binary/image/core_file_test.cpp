#include <elf.h>
#include <gtest/gtest.h>
#include <sys/procfs.h>

#include <csignal>

#include "binary/image/core_image.h"
#include "tests/support/core_writer.h"
#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using test_support::Core;
using test_support::core_bytes;
using test_support::CoreThread;
using test_support::read_core;

Core small_core() {
  Core core;
  CoreThread thread;
  thread.id = 41;
  thread.signal = SIGSEGV;
  core.threads.push_back(thread);
  return core;
}

std::string refusal_of(const std::vector<std::uint8_t>& bytes) {
  const Result<CoreImage> image = read_core(bytes);
  if (image) return "it was read";
  const std::string& message = image.error().message;
  return message.substr(message.find(' ') + 1);
}

Elf64_Phdr* segment_of(std::vector<std::uint8_t>& bytes, std::size_t index) {
  return reinterpret_cast<Elf64_Phdr*>(bytes.data() + sizeof(Elf64_Ehdr)) + index;
}

TEST(CoreFile, lists_threads_in_the_order_of_their_notes) {
  Core core = small_core();
  CoreThread other;
  other.id = 42;
  core.threads.push_back(other);
  const Result<CoreImage> image = read_core(core_bytes(core));
  ASSERT_EQ(image->threads.size(), 2u);
  EXPECT_EQ(image->threads[0].id, 41);
  EXPECT_EQ(image->threads[1].id, 42);
  EXPECT_EQ(image->signal, SIGSEGV);
}

TEST(CoreFile, numbers_registers_as_DWARF_does) {
  Core core = small_core();
  user_regs_struct& registers = core.threads[0].registers;
  registers.rax = 100, registers.rdx = 101, registers.rcx = 102, registers.rbx = 103, registers.rsi = 104;
  registers.rdi = 105, registers.rbp = 106, registers.rsp = 107, registers.r8 = 108, registers.r15 = 115;
  registers.rip = 116, registers.fs_base = 117;
  const Result<CoreImage> image = read_core(core_bytes(core));
  const ImageThread& thread = image->threads[0];
  for (std::size_t number : {0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16}) EXPECT_EQ(thread.registers[number], 100 + number);
  EXPECT_EQ(thread.thread_pointer, 117u);
}

TEST(CoreFile, gives_offsets_of_mapped_files_in_bytes) {
  Core core = small_core();
  core.mappings = {{0x1000, 0x3000, 0, "/bin/first"}, {0x3000, 0x4000, 0x2000, "/bin/second"}};
  const Result<CoreImage> image = read_core(core_bytes(core));
  ASSERT_EQ(image->files.size(), 2u);
  EXPECT_EQ(image->files[0].path, "/bin/first");
  EXPECT_EQ(image->files[0].end, 0x3000u);
  EXPECT_EQ(image->files[1].path, "/bin/second");
  EXPECT_EQ(image->files[1].offset, 0x2000u);
}

TEST(CoreFile, finds_the_program_by_the_address_of_its_headers) {
  Core core = small_core();
  core.mappings = {{0x1000, 0x3000, 0, "/lib/library"}, {0x5000, 0x6000, 0, "/bin/program"}};
  core.program_headers = 0x5040;
  const Result<CoreImage> image = read_core(core_bytes(core));
  ASSERT_NE(image->program_file(), nullptr);
  EXPECT_EQ(image->program_file()->path, "/bin/program");
  std::uint64_t bias = 0;
  EXPECT_TRUE(image->bias_of("/bin/program", 0x1000, bias));
  EXPECT_EQ(bias, 0x4000u);
  EXPECT_FALSE(image->bias_of("/bin/other", 0, bias));
}

TEST(CoreFile, reads_an_object_across_adjacent_segments) {
  Core core = small_core();
  core.add_memory(0x1000, 0x1000);
  core.add_memory(0x2000, 0x1000);
  core.put(0x1ffc, 0x11111111u);
  core.put(0x2000, 0x22222222u);
  const Result<CoreImage> image = read_core(core_bytes(core));
  std::uint64_t value = 0;
  EXPECT_TRUE(image->read(0x1ffc, value));
  EXPECT_EQ(value, 0x2222222211111111u);
}

TEST(CoreFile, does_not_read_an_object_beyond_the_end_of_its_segment) {
  Core core = small_core();
  core.add_memory(0x1000, 0x1000);
  const Result<CoreImage> image = read_core(core_bytes(core));
  EXPECT_NE(image->at(0x1ff8, 8), nullptr);
  EXPECT_EQ(image->at(0x1ff9, 8), nullptr);
  EXPECT_EQ(image->at(0xfff, 1), nullptr);
  EXPECT_EQ(image->at(0x1000, ~std::uint64_t{0}), nullptr);
}

TEST(CoreFile, keeps_the_first_of_two_overlapping_segments) {
  Core core = small_core();
  core.add_memory(0x1000, 0x1000);
  core.put(0x1800, std::uint8_t{1});
  core.add_memory(0x1800, 0x1000);
  const Result<CoreImage> image = read_core(core_bytes(core));
  std::uint8_t value = 0;
  EXPECT_TRUE(image->read(0x1800, value));
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(image->at(0x2000, 1), nullptr);
}

TEST(CoreFile, skips_all_notes_from_the_first_one_that_exceeds_its_segment) {
  Core core = small_core();
  core.notes.push_back({NT_PRSTATUS, std::vector<std::uint8_t>(sizeof(prstatus_t)), 4096});
  const Result<CoreImage> image = read_core(core_bytes(core));
  EXPECT_EQ(image->threads.size(), 1u);
}

TEST(CoreFile, skips_a_thread_whose_note_is_too_short) {
  Core core = small_core();
  core.notes.push_back({NT_PRSTATUS, std::vector<std::uint8_t>(sizeof(prstatus_t) - 1)});
  EXPECT_EQ(read_core(core_bytes(core))->threads.size(), 1u);
}

TEST(CoreFile, skips_a_file_list_whose_count_exceeds_its_size) {
  Core core = small_core();
  std::vector<std::uint8_t> list(16 + 24);
  list[0] = 2;
  core.notes.push_back({NT_FILE, list});
  EXPECT_TRUE(read_core(core_bytes(core))->files.empty());
}

TEST(CoreFile, ends_the_file_list_where_its_names_end) {
  Core core = small_core();
  std::vector<std::uint8_t> list(16 + 2 * 24);
  list[0] = 2;                      // files
  list[8] = 1;                      // bytes of a page
  list[16 + 8] = list[40 + 8] = 1;  // ends
  for (const char letter : std::string("/a")) list.push_back(static_cast<std::uint8_t>(letter));
  core.notes.push_back({NT_FILE, list});
  const Result<CoreImage> image = read_core(core_bytes(core));
  ASSERT_EQ(image->files.size(), 1u);
  EXPECT_EQ(image->files[0].path, "/a");
}

TEST(CoreFile, rejects_a_core_without_threads) {
  EXPECT_EQ(refusal_of(core_bytes(Core())),
            "is damaged: it has no threads; copy the core again from where it was written");
}

TEST(CoreFile, rejects_a_core_that_is_cut_off_in_a_segment) {
  Core core = small_core();
  core.add_memory(0x1000, 0x1000);
  std::vector<std::uint8_t> bytes = core_bytes(core);
  const std::size_t whole = bytes.size();
  bytes.resize(whole - 1);
  EXPECT_EQ(refusal_of(bytes), "is cut off after " + std::to_string(whole - 1) + " of " + std::to_string(whole) +
                                   " bytes, so its variables cannot be trusted; get a whole one with `ulimit -c "
                                   "unlimited` and enough room on the disk");
}

TEST(CoreFile, rejects_a_segment_whose_end_overflows) {
  Core core = small_core();
  core.add_memory(0x1000, 0x1000);
  std::vector<std::uint8_t> bytes = core_bytes(core);
  segment_of(bytes, 1)->p_vaddr = ~std::uint64_t{0} - 8;
  EXPECT_EQ(refusal_of(bytes),
            "is damaged: a segment has an impossible size; copy the core again from where it was written");
}

TEST(CoreFile, rejects_a_core_of_another_architecture) {
  std::vector<std::uint8_t> bytes = core_bytes(small_core());
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_AARCH64;
  EXPECT_EQ(refusal_of(bytes), "is the core of another kind of machine; only x86-64 cores can be read");
}

TEST(CoreFile, rejects_a_program) {
  EXPECT_EQ(refusal_of(test_support::program_bytes({})),
            "is an ELF file, but not a core; pass the core first and the program with --program");
}

TEST(CoreImage, reads_memory_that_the_dump_omits_from_the_mapped_file) {
  const test_support::WrittenProgram program({});
  Core core = test_support::core_of(program.path());
  core.threads.emplace_back();
  Result<CoreImage> image = read_core(core_bytes(core));
  EXPECT_EQ(image->at(test_support::kLoadBase + test_support::kCodeBegin, 1), nullptr);
  image->add_file_contents(program.path());
  const std::uint8_t* code = image->at(test_support::kLoadBase + test_support::kCodeBegin, 1);
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(*code, 0x90);
  EXPECT_EQ(image->program_build_id(), "01020304");
}

TEST(CoreImage, prefers_the_memory_of_the_dump_over_the_mapped_file) {
  const test_support::WrittenProgram program({});
  Core core = test_support::core_of(program.path());
  core.threads.emplace_back();
  core.add_memory(test_support::kLoadBase + test_support::kCodeBegin, 0x10);
  core.put(test_support::kLoadBase + test_support::kCodeBegin, std::uint8_t{0xcc});
  Result<CoreImage> image = read_core(core_bytes(core));
  image->add_file_contents(program.path());
  const std::uint64_t code = test_support::kLoadBase + test_support::kCodeBegin;
  EXPECT_EQ(*image->at(code, 1), 0xcc);
  EXPECT_EQ(*image->at(code + 0x10, 1), 0x90);
}

TEST(CoreImage, is_unchanged_by_writing_and_reading) {
  Core core = small_core();
  core.mappings = {{0x5000, 0x6000, 0x1000, "/bin/program"}};
  core.program_headers = 0x5040;
  core.program_header_count = 3;
  core.threads[0].registers.r13 = 113;
  core.threads[0].registers.fs_base = 0x7000;
  core.add_memory(0x1000, 0x1800);
  core.put(0x2000, 42u);
  core.add_memory(0x9000, 0x1000);
  const Result<CoreImage> before = read_core(core_bytes(core));
  const Result<ScratchFolder> folder = ScratchFolder::make();
  ASSERT_TRUE(write_core_file(*before, folder->file("written")).ok());
  const Result<CoreImage> after = read_core_file(folder->file("written"));
  ASSERT_TRUE(after.ok()) << after.error().message;
  ASSERT_EQ(after->threads.size(), 1u);
  EXPECT_EQ(after->threads[0].id, 41);
  EXPECT_EQ(after->threads[0].registers, before->threads[0].registers);
  EXPECT_EQ(after->threads[0].thread_pointer, 0x7000u);
  ASSERT_EQ(after->files.size(), 1u);
  EXPECT_EQ(after->files[0].path, "/bin/program");
  EXPECT_EQ(after->files[0].offset, 0x1000u);
  EXPECT_EQ(after->program_headers, 0x5040u);
  EXPECT_EQ(after->program_header_count, 3u);
  ASSERT_EQ(after->segments().size(), 2u);
  EXPECT_EQ(after->segments()[0].end, 0x2800u);
  std::uint32_t value = 0;
  EXPECT_TRUE(after->read(0x2000, value));
  EXPECT_EQ(value, 42u);
  EXPECT_NE(after->at(0x9fff, 1), nullptr);
}

TEST(CoreImage, has_no_build_id_if_the_program_headers_are_unreadable) {
  Core core = small_core();
  core.program_headers = 0x7000;
  core.program_header_count = 3;
  EXPECT_EQ(read_core(core_bytes(core))->program_build_id(), "");
}

}  // namespace
}  // namespace heddle::binary
