#include "support/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/duration.h"

namespace heddle {
namespace {

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = ::testing::TempDir() + "heddle_files_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(Files, reads_what_was_written) {
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(write_file(path("x"), content).ok());
  EXPECT_EQ(*read_file(path("x")), content);
}

TEST_F(Files, a_write_leaves_no_temporary_file) {
  ASSERT_TRUE(write_file(path("x"), "one").ok());
  ASSERT_TRUE(write_file(path("x"), "two").ok());
  EXPECT_EQ(*read_file(path("x")), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, reports_why_a_path_cannot_be_used) {
  EXPECT_NE(read_file(path("missing")).error().message.find("No such file"), std::string::npos);
  EXPECT_NE(read_file(folder_).error().message.find("is a directory"), std::string::npos);
  EXPECT_NE(check_writable_path(folder_).error().message.find("is a directory"), std::string::npos);
  EXPECT_NE(check_writable_path(path("no/such/file")).error().message.find("no directory"), std::string::npos);
}

TEST_F(Files, refuses_to_write_where_no_file_can_be_created) {
  ASSERT_TRUE(write_file(path("file"), "").ok());
  EXPECT_NE(check_writable_path(path("file/x")).error().message.find("no directory"), std::string::npos);
  EXPECT_NE(check_writable_path("/proc/x").error().message.find("/proc"), std::string::npos);
  EXPECT_NE(check_writable_directory("/proc/x/y").error().message.find("/proc"), std::string::npos);
  EXPECT_NE(check_writable_directory(path("file")).error().message.find("is not a directory"), std::string::npos);
  EXPECT_NE(check_writable_directory(path("file/a/b")).error().message.find("is not a directory"), std::string::npos);
  EXPECT_FALSE(check_writable_directory("").ok());
}

TEST_F(Files, a_check_of_a_path_creates_no_file) {
  EXPECT_TRUE(check_writable_path(path("new")).ok());
  EXPECT_TRUE(check_writable_directory(path("a/b/c")).ok());
  EXPECT_TRUE(check_writable_directory(folder_).ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 0);
}

TEST_F(Files, writes_into_a_device_and_behind_a_link_instead_of_replacing_them) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const UniqueFd reader(::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(write_file(path("pipe"), "hello").ok());
  char text[5];
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 5);
  EXPECT_EQ(std::string_view(text, 5), "hello");
  std::filesystem::create_symlink("behind", path("link"));
  ASSERT_TRUE(write_file(path("link"), "one").ok());
  ASSERT_TRUE(write_file(path("link"), "two").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("behind")), "two");
}

TEST(UnnamedFile, reads_the_content_up_to_a_limit) {
  Result<UniqueFd> file = make_unnamed_file();
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::write(file->get(), "hello", 5), 5);
  EXPECT_EQ(read_all(file->get(), 100), "hello");
  EXPECT_EQ(read_all(file->get(), 2), "he");
}

TEST(Duration, accepts_the_usual_units) {
  EXPECT_EQ(parse_duration("1.5")->count(), 1500);
  EXPECT_EQ(parse_duration("30s")->count(), 30'000);
  EXPECT_EQ(parse_duration("250ms")->count(), 250);
  EXPECT_EQ(parse_duration("2m")->count(), 120'000);
  EXPECT_EQ(parse_duration("0")->count(), 0);
  EXPECT_EQ(parse_duration("0.1ms")->count(), 1) << "0 would mean no limit";
}

TEST(Duration, rejects_an_invalid_duration) {
  for (const char* text : {"", "s", "-1s", "3 days", "1e300", "nan"}) EXPECT_FALSE(parse_duration(text).ok()) << text;
}

}  // namespace
}  // namespace heddle
