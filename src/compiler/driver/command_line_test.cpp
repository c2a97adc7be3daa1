#include "driver/command_line.h"

#include <gtest/gtest.h>

#include "driver/response_file.h"

namespace heddle::instrument {
namespace {

CommandLine read(const std::string& text) { return read_command_line(split_response_text(text)); }

TEST(CommandLine, compiles_and_links_a_source_file) {
  const CommandLine line = read("-O2 a.cpp -o a");
  EXPECT_TRUE(line.compiles);
  EXPECT_TRUE(line.links);
}

TEST(CommandLine, finds_the_output_file_and_stdin) {
  EXPECT_EQ(read("a.cpp").output, "a.out");
  EXPECT_EQ(read("-o a a.cpp").output, "a");
  EXPECT_EQ(read("-ob a.cpp").output, "b");
  EXPECT_TRUE(read("-x c++ -").reads_stdin);
  EXPECT_FALSE(read("a.cpp -lm").reads_stdin);
}

TEST(CommandLine, does_not_link_with_an_option_that_stops_earlier) {
  for (const char* text : {"-c a.c", "-S a.c", "-E a.c", "-MM a.c", "-fsyntax-only a.c", "-r a.o b.o"})
    EXPECT_FALSE(read(text).links) << text;
  EXPECT_TRUE(read("-MMD -MF a.d a.c").links);
}

TEST(CommandLine, does_not_compile_objects_and_assembly) {
  for (const char* text : {"a.o libb.a -o a", "-c a.s", "-c a.S", "-x assembler -c -"})
    EXPECT_FALSE(read(text).compiles) << text;
}

TEST(CommandLine, takes_the_language_from_the_option) {
  EXPECT_TRUE(read("-x c++ -").compiles);
  EXPECT_TRUE(read("-xc -c -").compiles);
  EXPECT_FALSE(read("-x c a.txt -x none b.o -c").links);
}

TEST(CommandLine, does_not_link_a_precompiled_header) {
  EXPECT_FALSE(read("-x c++-header all.h -o all.pch").links);
  EXPECT_FALSE(read("all.hpp").links);
}

TEST(CommandLine, neither_compiles_nor_links_without_input) {
  for (const char* text : {"--version", "-v", "-dumpmachine", "-print-search-dirs", "-o x", "-isystem a.c -v"}) {
    EXPECT_FALSE(read(text).compiles) << text;
    EXPECT_FALSE(read(text).links) << text;
  }
  EXPECT_TRUE(read("-Wl,--version").links);
}

TEST(CommandLine, detects_options_that_choose_debug_information) {
  for (const char* text : {"-g a.c", "-g0 a.c", "-ggdb3 a.c", "-gdwarf-4 a.c", "-gline-tables-only a.c"})
    EXPECT_TRUE(read(text).chooses_debug_info) << text;
  for (const char* text : {"a.c", "-gz a.c", "-gsplit-dwarf a.c", "-gcc-toolchain a.c"})
    EXPECT_FALSE(read(text).chooses_debug_info) << text;
}

TEST(CommandLine, refuses_builds_that_the_runtime_cannot_control) {
  for (const char* text :
       {"-static a.c", "-static-pie a.c", "--target=x86_64-linux-musl a.c", "-target aarch64-linux-musl -c a.c",
        "-fsanitize=thread a.c", "-fsanitize=undefined,memory a.c"})
    EXPECT_TRUE(read(text).refusal) << text;
  for (const char* text : {"-static-libstdc++ -static-libgcc a.c", "-fsanitize=address,undefined a.c",
                           "-fsanitize=thread -fno-sanitize=thread a.c", "-static --version"})
    EXPECT_FALSE(read(text).refusal) << text;
}

TEST(ResponseFile, keeps_blanks_in_quotes_and_after_backslashes) {
  EXPECT_EQ(split_response_text("-DA=\"b c\" 'd e'\n f\\ g \"\""),
            (std::vector<std::string>{"-DA=b c", "d e", "f g", ""}));
}

TEST(ResponseFile, passes_an_unreadable_file_to_the_compiler) {
  EXPECT_EQ(expand_response_files({"@/nonexistent/x.rsp"}), (std::vector<std::string>{"@/nonexistent/x.rsp"}));
}

}  // namespace
}  // namespace heddle::instrument
