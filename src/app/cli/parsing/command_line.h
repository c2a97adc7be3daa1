#pragma once
// Checks the command line; errors contain the line to type instead.
#include "cli/verb.h"
#include "support/result.h"

namespace heddle::cli {

// Finds unknown options, missing values, and a program that is not after --.
Status check_words(const CLI::App& verb, const Invocation& invocation);

// Converts an error of CLI11, for problems that check_words() does not find.
Error parse_error(const CLI::ParseError& error, const CLI::App& verb);

// Check the given files and the program before the verb starts.
Status check_paths(const CLI::App& verb, const Invocation& invocation);
Status check_program(const CLI::App& verb, const Invocation& invocation);

// The error for a missing program after --.
Error missing_program(const Invocation& invocation);

}  // namespace heddle::cli
