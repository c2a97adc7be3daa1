#include "slice/log/synchronisation.h"

#include <algorithm>

namespace heddle::slice {

using format::EventKind;

bool Synchronisation::is_known(EventKind kind) {
  return (kind >= EventKind::Lock && kind <= EventKind::OnceSeen) ||
         (kind >= EventKind::Fork && kind <= EventKind::Detach) || kind == EventKind::SignalSent ||
         kind == EventKind::SignalReceived || kind == EventKind::ExternalWait || kind == EventKind::Sleep ||
         kind == EventKind::Arrived;
}

Synchronisation::Thread& Synchronisation::thread(std::uint64_t number) {
  constexpr std::uint64_t kThreadsMax = 1 << 20;
  if (number >= kThreadsMax) number = 0;  // a broken record
  if (threads_.size() <= number) threads_.resize(number + 1);
  return threads_[number];
}

void Synchronisation::take(const trace::RingRecord& record, NodeId node, Dependences& found) {
  Thread& self = thread(number(record.thread));
  Object& object = this->object(record.object);
  const auto acquire = [&](bool holds) {
    for (const NodeId release : object.released) found.add(release);
    if (!self.held.empty()) found.add(self.held.back().node);
    if (holds) self.held.push_back({record.object, node});
  };
  const auto release = [&](bool one_of_many) {
    const auto held = std::find_if(self.held.rbegin(), self.held.rend(),
                                   [&](const Held& other) { return other.object == record.object; });
    if (held != self.held.rend()) {
      found.add(held->node);
      self.held.erase(std::next(held).base());
    }
    if (!one_of_many || !object.by_many) object.released.clear();
    object.by_many = one_of_many;
    object.released.push_back(node);
  };
  const auto send = [&] {
    object.sent.push_back(node);
    object.last_sent = node;
  };
  const auto receive = [&] {
    found.add(object.sent.empty() ? object.last_sent : object.sent.front());
    if (!object.sent.empty()) object.sent.pop_front();
    self.last_wait = node;
  };
  const bool failed = (record.flags & format::kFailed) != 0;
  switch (record.kind) {
    case EventKind::Lock:
    case EventKind::ReadLock:
      return acquire(!failed);
    case EventKind::TryLock:
    case EventKind::TryReadLock:
      return acquire(record.value == 1);
    case EventKind::Unlock:
      return release(false);
    case EventKind::ReadUnlock:
    case EventKind::BarrierArrive:
      return release(true);
    case EventKind::BarrierLeave:
      for (const NodeId arrival : object.released) found.add(arrival);
      object.by_many = false;  // who arrives from now on begins another round
      self.last_wait = node;
      return;
    case EventKind::OnceEnd:
      return release(false);
    case EventKind::OnceSeen:
      acquire(false);
      self.last_wait = node;
      return;
    case EventKind::Signal:
    case EventKind::FutexWake:
    case EventKind::Broadcast:
      // One of them may wake many, or nobody: the last before a thread woke is the one that woke it.
      object.last_sent = node;
      return;
    case EventKind::Woken:
    case EventKind::FutexWait:
      found.add(object.last_sent);
      self.last_wait = node;
      return;
    case EventKind::SemaphorePost:
      return send();
    case EventKind::SemaphoreWait:
      return receive();
    case EventKind::Fork:
      thread(record.object).fork = node;
      return;
    case EventKind::Begin:
      found.add(self.fork);
      self.last_wait = node;
      return;
    case EventKind::Exit:
      self.exit = node;
      return;
    case EventKind::Join:
      found.add(thread(record.object).exit);
      self.last_wait = node;
      return;
    case EventKind::SignalSent:
      thread(record.object).signal = node;
      return;
    case EventKind::SignalReceived:
      found.add(self.signal);
      return;
    default:
      return;
  }
}

}  // namespace heddle::slice
