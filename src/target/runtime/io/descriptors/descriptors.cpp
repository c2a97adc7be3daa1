#include "runtime/io/descriptors/descriptors.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/memory/arena.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/strategy_setup.h"

namespace heddle::runtime {
namespace {

constexpr GrowingArray<DescriptorEntry>& entries = rt.io.entries;

void set_entry(int descriptor, Channel* channel, std::uint8_t end) {
  while (entries.size() <= static_cast<std::size_t>(descriptor)) entries.push_back({nullptr, 0});
  remove_descriptor(descriptor);
  entries[static_cast<std::size_t>(descriptor)] = {channel, end};
  ++channel->descriptors[end];
}

const DescriptorEntry* entry_of(int descriptor) {
  if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= entries.size()) return nullptr;
  const DescriptorEntry& entry = entries[static_cast<std::size_t>(descriptor)];
  return entry.channel == nullptr ? nullptr : &entry;
}

bool same_address(const sockaddr_storage& a, const sockaddr_storage& b) {
  if (a.ss_family != b.ss_family) return false;
  if (a.ss_family == AF_INET) {
    const auto& x = reinterpret_cast<const sockaddr_in&>(a);
    const auto& y = reinterpret_cast<const sockaddr_in&>(b);
    return x.sin_port == y.sin_port && x.sin_addr.s_addr == y.sin_addr.s_addr;
  }
  if (a.ss_family == AF_INET6) {
    const auto& x = reinterpret_cast<const sockaddr_in6&>(a);
    const auto& y = reinterpret_cast<const sockaddr_in6&>(b);
    return x.sin6_port == y.sin6_port && __builtin_memcmp(&x.sin6_addr, &y.sin6_addr, sizeof x.sin6_addr) == 0;
  }
  return false;
}

bool read_address(long call, int descriptor, sockaddr_storage& address) {
  address = {};
  socklen_t size = sizeof address;
  return raw_syscall(call, descriptor, &address, &size) == 0;
}

// True if the socket is connected to a socket of this process.
bool peer_is_here(int descriptor) {
  sockaddr_storage peer;
  if (!read_address(SYS_getpeername, descriptor, peer)) return false;
  if (peer.ss_family == AF_UNIX) {
    ucred credentials{};
    socklen_t size = sizeof credentials;
    return raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
           credentials.pid == process_id();
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Channel* channel = entries[i].channel;
    sockaddr_storage own;
    if (channel != nullptr && channel->kind == ChannelKind::Socket &&
        read_address(SYS_getsockname, static_cast<int>(i), own) && same_address(own, peer))
      return true;
  }
  return false;
}

}  // namespace

bool channels_exist() {
  for (const DescriptorEntry& entry : entries)
    if (entry.channel != nullptr) return true;
  return false;
}

Channel* channel_of(int descriptor) {
  const DescriptorEntry* entry = entry_of(descriptor);
  return entry == nullptr ? nullptr : entry->channel;
}

Reach reach_of(int descriptor) {
  const DescriptorEntry* entry = entry_of(descriptor);
  if (entry == nullptr) return Reach::Outside;
  const Channel& channel = *entry->channel;
  if (channel.inherited) {
    const bool other_end_elsewhere = channel.paired && channel.descriptors[1 - entry->end] == 0;
    return other_end_elsewhere ? Reach::Outside : Reach::Shared;
  }
  return channel.reach;
}

bool is_reached_from_inside_only(int descriptor) {
  const Channel* channel = channel_of(descriptor);
  if (channel == nullptr || channel->inherited) return false;
  return channel->reach == Reach::Inside || (channel->kind == ChannelKind::Socket && peer_is_here(descriptor));
}

void add_channel(ChannelKind kind, Reach reach, int descriptor) {
  Channel* channel = rt.io.spare_channels.take();
  channel->kind = kind;
  channel->reach = reach;
  set_entry(descriptor, channel, 0);
}

void add_pair(ChannelKind kind, int first, int second) {
  Channel* channel = rt.io.spare_channels.take();
  channel->kind = kind;
  channel->reach = Reach::Inside;
  channel->paired = true;
  set_entry(first, channel, 0);
  set_entry(second, channel, 1);
}

void add_duplicate(int from, int to) {
  if (from == to) return;
  const DescriptorEntry* entry = entry_of(from);
  if (entry == nullptr) {
    remove_descriptor(to);
    return;
  }
  const DescriptorEntry copy = *entry;
  set_entry(to, copy.channel, copy.end);
}

void remove_descriptor(int descriptor) {
  const DescriptorEntry* entry = entry_of(descriptor);
  if (entry == nullptr) return;
  Channel* channel = entry->channel;
  --channel->descriptors[entry->end];
  entries[static_cast<std::size_t>(descriptor)].channel = nullptr;
  if (channel->descriptors[0] + channel->descriptors[1] != 0) return;
  forget_object(channel);
  rt.io.spare_channels.give(channel);
}

void remove_descriptors(std::uint32_t first, std::uint32_t last) {
  for (std::size_t i = first; i < entries.size() && i <= last; ++i) remove_descriptor(static_cast<int>(i));
}

void add_to_poller(int poller, int watched) {
  Channel* channel = channel_of(poller);
  if (channel == nullptr) return;
  const Reach reach = reach_of(watched);
  if (reach < channel->reach) channel->reach = reach == Reach::Outside ? Reach::Shared : reach;
}

void descriptors_were_inherited(bool executes) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Channel* channel = entries[i].channel;
    if (channel == nullptr || (executes && (raw_syscall(SYS_fcntl, i, F_GETFD) & FD_CLOEXEC) != 0)) continue;
    channel->inherited = true;
  }
}

bool is_stream_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return raw_syscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

bool is_nonblocking(int descriptor) {
  const long flags = raw_syscall(SYS_fcntl, descriptor, F_GETFL);
  return flags < 0 || (flags & O_NONBLOCK) != 0;
}

bool is_ready(int descriptor, short events) {
  if (recorded_to_block().value_or(false)) return false;
  pollfd query{descriptor, events, 0};
  return raw_syscall(SYS_poll, &query, 1, 0) != 0;
}

}  // namespace heddle::runtime
