#include "driver/command_line.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

namespace heddle::instrument {
namespace {

using std::string_view;

// Options whose value is the next argument. (An option with an attached value is one argument.)
constexpr string_view kTakesValue[] = {
    "-o",         "-x",           "-D",        "-U",           "-I",
    "-L",         "-B",           "-F",        "-T",           "-u",
    "-z",         "-e",           "-MF",       "-MT",          "-MQ",
    "-MJ",        "-include",     "-imacros",  "-include-pch", "-isystem",
    "-iquote",    "-idirafter",   "-iprefix",  "-iwithprefix", "-iwithprefixbefore",
    "-isysroot",  "-cxx-isystem", "--sysroot", "--param",      "-target",
    "-arch",      "-Xclang",      "-Xlinker",  "-Xassembler",  "-Xpreprocessor",
    "-Xanalyzer", "-mllvm",       "-l",        "-rpath",       "--serialize-diagnostics",
    "-framework", "--config",     "-dumpdir",  "-ivfsoverlay", "-working-directory",
};

// Options that stop the compiler before linking.
constexpr string_view kStopsEarly[] = {
    "-c",
    "-S",
    "-E",
    "-M",
    "-MM",
    "-r",
    "-fsyntax-only",
    "--precompile",
    "-emit-ast",
    "--analyze",
    "--relocatable",
    "-Wl,-r",
    "-Wl,--relocatable",
    "--preprocess",
    "--compile",
    "--assemble",
};

// Options that turn debug information on or off; other options that begin with -g only change its form.
constexpr string_view kDebugPrefixes[] = {"-g0",   "-g1",    "-g2",   "-g3",   "-ggdb",  "-gdwarf", "-gline",
                                          "-gmlt", "-glldb", "-gsce", "-gdbx", "-gfull", "-gused",  "-gcodeview"};

constexpr string_view kSourceSuffixes[] = {"c",  "i",  "cc",  "cp", "cxx", "cpp",  "CPP", "c++", "C",
                                           "CC", "ii", "CXX", "m",  "mm",  "cppm", "ixx", "ll",  "bc"};
constexpr string_view kHeaderSuffixes[] = {"h", "H", "hh", "hpp", "hxx", "hp", "h++", "tcc"};

// Sanitizers with a runtime that interposes the same functions as Heddle's.
constexpr string_view kForeignSanitizers[] = {"thread", "memory"};

template <std::size_t N>
bool is_one_of(string_view word, const string_view (&set)[N]) {
  return std::find(std::begin(set), std::end(set), word) != std::end(set);
}

template <std::size_t N>
bool starts_with_one_of(string_view word, const string_view (&set)[N]) {
  return std::any_of(std::begin(set), std::end(set), [&](string_view prefix) { return word.starts_with(prefix); });
}

enum class InputKind { Source, Header, Other };

InputKind kind_of_input(string_view path, string_view language) {
  if (!language.empty() && language != "none") {
    if (language.starts_with("assembler")) return InputKind::Other;
    return language.ends_with("-header") ? InputKind::Header : InputKind::Source;
  }
  const std::size_t dot = path.rfind('.');
  const string_view suffix = dot == string_view::npos ? string_view() : path.substr(dot + 1);
  if (is_one_of(suffix, kSourceSuffixes)) return InputKind::Source;
  return is_one_of(suffix, kHeaderSuffixes) ? InputKind::Header : InputKind::Other;
}

class Reader {
 public:
  CommandLine read(std::span<const std::string> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const string_view argument = arguments[i];
      const string_view next = i + 1 < arguments.size() ? string_view(arguments[i + 1]) : string_view();
      if (argument.size() < 2 || argument[0] != '-') {
        read_input(argument);
      } else if (argument == "--") {
        for (const std::string& input : arguments.subspan(i + 1)) read_input(input);
        break;
      } else {
        read_option(argument, next);
        if (is_one_of(argument, kTakesValue)) ++i;
      }
    }
    return finish();
  }

 private:
  void read_input(string_view path) {
    has_input_ = true;
    if (path == "-") line_.reads_stdin = true;
    const InputKind kind = kind_of_input(path, language_);
    line_.compiles |= kind == InputKind::Source || kind == InputKind::Header;
    stops_early_ |= kind == InputKind::Header;
  }

  void read_option(string_view option, string_view next) {
    if (option == "-x") language_ = next;
    if (option == "-o") line_.output = next;
    if (option.starts_with("-o") && option.size() > 2) line_.output = option.substr(2);
    if (option.starts_with("-x") && option.size() > 2) language_ = option.substr(2);
    if (is_one_of(option, kStopsEarly)) stops_early_ = true;
    if (option == "-g" || starts_with_one_of(option, kDebugPrefixes)) line_.chooses_debug_info = true;
    if (option.starts_with("-Wl,") || option.starts_with("-l") || option == "-Xlinker") has_linker_input_ = true;
    if (option == "-Xlinker" && next == "-r") stops_early_ = true;
    if (option == "-static" || option == "-static-pie" || option == "--static") static_option_ = option;
    if (option == "-target" || option == "--target") target_ = next;
    if (option.starts_with("--target=")) target_ = option.substr(9);
    if (option.starts_with("-fsanitize=")) change_sanitizers(option.substr(11), true);
    if (option.starts_with("-fno-sanitize=")) change_sanitizers(option.substr(14), false);
  }

  void change_sanitizers(string_view names, bool enable) {
    while (!names.empty()) {
      const string_view name = names.substr(0, names.find(','));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      if (enable)
        sanitizers_.insert(name);
      else if (name == "all")
        sanitizers_.clear();
      else
        sanitizers_.erase(name);
    }
  }

  CommandLine finish() {
    line_.links = (has_input_ || has_linker_input_) && !stops_early_;
    if (has_input_) line_.refusal = find_refusal();
    return line_;
  }

  std::optional<std::string> find_refusal() const {
    if (!static_option_.empty())
      return std::string(static_option_) +
             " is not possible: the runtime interposes functions of libc; link dynamically "
             "(-static-libgcc and -static-libstdc++ are fine)";
    if (target_.find("musl") != string_view::npos)
      return "target " + std::string(target_) +
             " is not possible: the runtime needs glibc; use --target=x86_64-linux-gnu";
    for (string_view name : kForeignSanitizers)
      if (sanitizers_.contains(name))
        return "-fsanitize=" + std::string(name) +
               " is not possible: it takes over the same calls; leave it out "
               "(-fsanitize=address and -fsanitize=undefined are fine)";
    return std::nullopt;
  }

  CommandLine line_;
  bool has_input_ = false;
  bool has_linker_input_ = false;
  bool stops_early_ = false;
  string_view language_;
  string_view static_option_;
  string_view target_;
  std::set<string_view> sanitizers_;
};

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& arguments) { return Reader().read(arguments); }

}  // namespace heddle::instrument
