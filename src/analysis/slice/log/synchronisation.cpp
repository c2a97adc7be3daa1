#include "slice/log/synchronisation.h"

#include <algorithm>

namespace heddle::slice {

using format::EventClass;
using format::EventKind;

bool Synchronisation::is_known(EventKind kind) {
  const EventClass about = format::class_of(kind);
  return format::is_synchronisation(kind) || about == EventClass::Thread || about == EventClass::Signal ||
         about == EventClass::External;
}

Synchronisation::Thread& Synchronisation::thread(std::uint64_t number) {
  constexpr std::uint64_t kThreadsMax = 1 << 20;
  if (number >= kThreadsMax) number = 0;  // the record is damaged
  if (threads_.size() <= number) threads_.resize(number + 1);
  return threads_[number];
}

void Synchronisation::take(const trace::Event& record, NodeId node, Dependences& found) {
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
  switch (format::class_of(record.kind)) {
    case EventClass::Lock:
      if (!format::takes_lock(record.kind)) return release(format::is_shared(record.kind));
      return acquire(format::has_succeeded(record.kind, record.flags, record.value));
    case EventClass::Barrier:
      if (format::releases(record.kind)) return release(true);
      for (const NodeId arrival : object.released) found.add(arrival);
      object.by_many = false;  // the next arrival begins another round
      self.last_wait = node;
      return;
    case EventClass::Once:
      if (format::releases(record.kind)) return release(false);
      if (!format::acquires(record.kind)) return;
      acquire(false);
      self.last_wait = node;
      return;
    case EventClass::Condition:
    case EventClass::Futex:
      // A signal may wake several threads or none. The last one before a thread wakes is taken as its cause.
      if (format::releases(record.kind)) object.last_sent = node;
      if (!format::acquires(record.kind)) return;
      found.add(object.last_sent);
      self.last_wait = node;
      return;
    case EventClass::Semaphore:
      return format::releases(record.kind) ? send() : receive();
    default:
      return take_thread_event(record, node, found);
  }
}

void Synchronisation::take_thread_event(const trace::Event& record, NodeId node, Dependences& found) {
  Thread& self = thread(number(record.thread));
  switch (record.kind) {
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

void SynchronisationHistory::take(const trace::Event& record) {
  const std::uint32_t thread = number(record.thread);
  const Synchronisation::Context before = at_end(thread);
  const NodeId node = count() + 1;
  found_.clear();
  synchronisation_.take(record, node, found_);
  for (const NodeId on : found_.nodes()) dependences_.push_back(on);
  events_.push_back({before, static_cast<std::uint32_t>(dependences_.size())});
  if (record.kind != format::EventKind::Begin) return;
  if (beginnings_.size() <= thread) beginnings_.resize(thread + 1);
  beginnings_[thread] = node;
}

}  // namespace heddle::slice
