#pragma once
// What is typed wrong, and the line to type instead.
#include "cli/verb.h"
#include "support/result.h"

namespace heddle::cli {

// Options that the verb does not have, values that are missing, a program that does not stand after --.
Status check_words(const CLI::App& verb, const Invocation& invocation);

// Of what CLI11 still finds wrong after that.
Error parse_error(const CLI::ParseError& error, const CLI::App& verb);

// Of the files and the program that were typed, before the verb does anything.
Status check_paths(const CLI::App& verb, const Invocation& invocation);
Status check_program(const CLI::App& verb, const Invocation& invocation);

// There has to be a program after -- and there is none.
Error missing_program(const Invocation& invocation);

}  // namespace heddle::cli
