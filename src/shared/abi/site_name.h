#pragma once
// The name of a site as text: the pass hashes it into HeddleSite::name, clips store it, reports show it. For the pass
// and the host; the runtime knows only the hash.
#include <cstdint>
#include <string>
#include <string_view>

#include "abi/hooks.h"
#include "base/hash.h"

namespace heddle {

struct SiteName {
  std::string_view file;
  std::uint32_t line;
  std::uint32_t column;
  std::uint8_t kind;  // as in HeddleSite
  std::string_view function;
  std::string_view chain;    // empty: not inlined
  std::uint32_t occurrence;  // from 0, among the sites of one function that are equal in all members above
};

// "file:line:column kind function[<chain]#occurrence"; `kind` is a number.
inline std::string site_name_text(const SiteName& name) {
  std::string text(name.file);
  text += ':' + std::to_string(name.line) + ':' + std::to_string(name.column) + ' ' + std::to_string(name.kind) + ' ';
  text += name.function;
  if (!name.chain.empty()) (text += '<') += name.chain;
  return text += '#' + std::to_string(name.occurrence);
}

inline std::uint64_t site_name_hash(std::string_view text) {
  const std::uint64_t hash = hash_bytes(text.data(), text.size());
  return hash == 0 ? 1 : hash;
}

}  // namespace heddle
