#include "run/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace heddle::run {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1};

std::atomic<int> g_interrupt{0};                       // signal number; 0: none
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler writes it
volatile std::sig_atomic_t g_renewal = 0;
std::array<struct sigaction, kSignals.size()> g_previous;
std::atomic<int> g_depth{0};

void record_signal(int signal) {
  if (signal == SIGUSR1)
    g_renewal = 1;
  else if (signal != SIGCHLD)
    g_interrupt = signal;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (g_depth++ > 0) return;
  struct sigaction action = {};
  action.sa_handler = record_signal;  // without SA_RESTART, so that a signal ends the wait
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &g_previous[i]);
    if (g_previous[i].sa_handler != SIG_IGN || kSignals[i] == SIGCHLD) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (--g_depth > 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &g_previous[i], nullptr);
}

StopToken interrupt_token() { return StopToken(g_interrupt); }

bool take_renewal_request() {
  const bool requested = g_renewal != 0;
  g_renewal = 0;
  return requested;
}

void obey_interrupt() {
  std::fflush(nullptr);  // death by a signal flushes nothing
  std::signal(g_interrupt, SIG_DFL);
  std::raise(g_interrupt);
  std::_Exit(128 + g_interrupt);
}

}  // namespace heddle::run
