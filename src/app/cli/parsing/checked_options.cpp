#include "cli/parsing/checked_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "support/closest_word.h"
#include "support/duration.h"
#include "support/files.h"

namespace heddle::cli {
namespace {

// "--jobs" of "-j,--jobs", and "CLIP" of "CLIP".
std::string shown_name(const std::string& names) {
  const std::size_t dashes = names.find("--");
  return dashes == std::string::npos ? names : names.substr(dashes, names.find(',', dashes) - dashes);
}

[[noreturn]] void refuse(const std::string& message) { throw CLI::ValidationError(message); }

std::string bounds_text(Bounds bounds) {
  if (bounds.most == std::numeric_limits<std::uint64_t>::max()) return fmt::format("from {}", bounds.least);
  return fmt::format("from {} to {}", bounds.least, bounds.most);
}

// Decimal, or hexadecimal with 0x.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::uint64_t number_in(const std::string& text, const std::string& name, Bounds bounds) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number < bounds.least || *number > bounds.most)
    refuse(fmt::format("{} {} is not possible; give a whole number {}, or leave {} out", name,
                       text.empty() ? "''" : text, bounds_text(bounds), name));
  return *number;
}

std::chrono::milliseconds duration_in(const std::string& text, const std::string& name, Zero zero) {
  const Result<std::chrono::milliseconds> duration = parse_duration(text);
  if (!duration) refuse(name + ": " + duration.error().message + (zero == Zero::NoBound ? ", or 0 for no limit" : ""));
  if (zero == Zero::Refused && duration->count() == 0)
    refuse(name + " " + text + " leaves no time; write 30s, 500ms or 2m");
  return *duration;
}

void add_check(CLI::App& verb, Invocation& invocation, const Needed& needed, std::function<Status()> check) {
  invocation.traits[&verb].path_checks.push_back(
      [needed, check = std::move(check)] { return needed && !needed() ? ok_status() : check(); });
}

Status check_in_place(const std::string& path) {
  if (Status writable = check_writable_path(path); !writable) return writable;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || ::access(path.c_str(), W_OK) == 0) return ok_status();
  return Error{"cannot write " + path + ": it is not writable"};
}

}  // namespace

CLI::Option* add_number_option(CLI::App& verb, const std::string& name, const std::string& what, Bounds bounds,
                               const std::function<void(std::uint64_t)>& keep) {
  const auto parse = [=](const std::string& text) { keep(number_in(text, shown_name(name), bounds)); };
  return verb.add_option_function<std::string>(name, parse, what)->type_name("N");
}

CLI::Option* add_share(CLI::App& verb, const std::string& name, double& value, const std::string& what) {
  const auto parse = [=, &value](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 1) return;
    refuse(fmt::format("{} {} is not possible; give a number from 0 to 1, as 0.9", name, text));
  };
  return verb.add_option_function<std::string>(name, parse, what)->type_name("SHARE");
}

CLI::Option* add_number_list(CLI::App& verb, const std::string& name, std::vector<std::uint32_t>& values,
                             const std::string& what, Bounds bounds) {
  bounds.most = std::min<std::uint64_t>(bounds.most, std::numeric_limits<std::uint32_t>::max());
  const auto parse = [=, &values](const std::vector<std::string>& texts) {
    values.clear();
    for (const std::string& text : texts)
      values.push_back(static_cast<std::uint32_t>(number_in(text, shown_name(name), bounds)));
  };
  return verb.add_option_function<std::vector<std::string>>(name, parse, what)
      ->type_name("N,N")
      ->delimiter(',')
      ->allow_extra_args(false);
}

CLI::Option* add_choice(CLI::App& verb, const std::string& name, std::string& value, const std::string& what,
                        const std::vector<std::string>& words) {
  const auto parse = [=, &value](const std::string& word) {
    value = word;
    if (std::find(words.begin(), words.end(), word) != words.end()) return;
    const std::vector<std::string> meant = closest_words(word, words);
    const std::string shown = word.empty() ? "''" : word;
    if (meant.empty())
      refuse(fmt::format("{} {} is not possible; take {}", shown_name(name), shown, alternatives_text(words)));
    refuse(fmt::format("{} {} is not possible; did you mean {}?", shown_name(name), shown, alternatives_text(meant)));
  };
  std::string type;
  for (const std::string& word : words) type += (type.empty() ? "" : "|") + word;
  return verb.add_option_function<std::string>(name, parse, what)->type_name(type);
}

CLI::Option* add_duration(CLI::App& verb, const std::string& name, std::optional<std::chrono::milliseconds>& value,
                          const std::string& what, Zero zero) {
  const auto parse = [=, &value](const std::string& text) { value = duration_in(text, shown_name(name), zero); };
  return verb.add_option_function<std::string>(name, parse, what)->type_name("TIME");
}

CLI::Option* add_input(CLI::App& verb, Invocation& invocation, const std::string& name, std::string& path,
                       const std::string& what, const std::vector<FileKind>& kinds, const Needed& needed) {
  CLI::Option* option = verb.add_option(name, path, what)->type_name("FILE");
  add_check(verb, invocation, needed,
            [option, &path, kinds] { return option->count() == 0 ? ok_status() : check_kind(path, kinds); });
  return option;
}

CLI::Option* add_inputs(CLI::App& verb, Invocation& invocation, const std::string& name,
                        std::vector<std::string>& paths, const std::string& what, const std::vector<FileKind>& kinds) {
  CLI::Option* option = verb.add_option(name, paths, what)->type_name("FILE");
  add_check(verb, invocation, {}, [&paths, kinds] {
    for (const std::string& path : paths)
      if (Status sound = check_kind(path, kinds); !sound) return sound;
    return ok_status();
  });
  return option;
}

CLI::Option* add_output_file(CLI::App& verb, Invocation& invocation, const std::string& name, std::string& path,
                             const std::string& what, const Needed& needed, Writing writing) {
  CLI::Option* option = verb.add_option(name, path, what)->type_name("FILE");
  add_check(verb, invocation, needed, [=, &path] {
    if (option->count() == 0 && path.empty()) return ok_status();
    const Status writable = writing == Writing::InPlace ? check_in_place(path) : check_writable_path(path);
    return writable ? writable : Error{shown_name(name) + ": " + writable.error().message};
  });
  return option;
}

CLI::Option* add_output_directory(CLI::App& verb, Invocation& invocation, const std::string& name, std::string& path,
                                  const std::string& what, const Needed& needed, const std::string& inside) {
  CLI::Option* option = verb.add_option(name, path, what)->type_name("DIR");
  add_check(verb, invocation, needed, [=, &path] {
    if (option->count() == 0 && path.empty()) return ok_status();
    const std::string folder = path.empty() || inside.empty() ? path : (std::filesystem::path(path) / inside).string();
    const Status writable = check_writable_directory(folder);
    return writable ? writable : Error{writable.error().message + "; name another directory with " + shown_name(name)};
  });
  return option;
}

}  // namespace heddle::cli
