#pragma once
#include <string>

#include "cli/verb.h"

namespace heddle::cli {

// Formats the help of each verb, with the program after -- in its usage line, and the overview of the tool.
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(const Invocation& invocation);

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;

 private:
  const Invocation& invocation_;
};

}  // namespace heddle::cli
