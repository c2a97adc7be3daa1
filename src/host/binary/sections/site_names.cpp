#include "binary/sections/site_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "abi/site_name.h"

namespace heddle::binary {
namespace {

constexpr std::size_t kHashDigits = 16;

}  // namespace

std::string name_with_hash(const std::string& name, std::uint64_t hash) {
  return fmt::format("{}#={:016x}", name.substr(0, name.rfind('#')), hash);
}

std::uint64_t hash_of_site_name(const std::string& name) {
  const std::size_t mark = name.rfind("#=");
  if (mark != std::string::npos && name.size() - mark - 2 == kHashDigits) {
    std::uint64_t hash = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + mark + 2, end, hash, 16);
    if (error == std::errc{} && rest == end) return hash;
  }
  return site_name_hash(name);
}

std::vector<std::uint64_t> site_name_hashes(const std::vector<std::string>& names) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(names.size());
  for (const std::string& name : names) hashes.push_back(hash_of_site_name(name));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

}  // namespace heddle::binary
