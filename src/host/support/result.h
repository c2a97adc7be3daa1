#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "support/check.h"

namespace heddle {

// The exit codes of every verb (docs/user/cli.md).
enum class ExitCode : int { Done = 0, Found = 1, Usage = 2, Uncontrolled = 3 };

// One line for the user: the problem, and what to type instead.
struct Error {
  std::string message;
  ExitCode exit_code = ExitCode::Usage;
};

// A value, or the error that prevented it. Errors propagate to cli/, which prints them and chooses the exit code.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() {
    HEDDLE_CHECK(ok());
    return std::get<T>(state_);
  }
  const T& value() const {
    HEDDLE_CHECK(ok());
    return std::get<T>(state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    HEDDLE_CHECK(!ok());
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// The result of an operation without a value.
using Status = Result<std::monostate>;
inline Status ok_status() { return std::monostate{}; }

}  // namespace heddle
