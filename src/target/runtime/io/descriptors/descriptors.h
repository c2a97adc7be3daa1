#pragma once
// What the runtime knows of the program's descriptors: who could make one ready, and which belong together. It decides
// whether waiting for one is a matter among the program's threads (and may be a deadlock) or a matter of real time.
#include <cstdint>

namespace heddle::runtime {

// From where a descriptor can become ready. Ordered: what is reached from further away comes first.
enum class Reach : std::uint8_t {
  Outside,  // not by a thread of this process: inherited ones, a pipe whose other end only a child has
  Shared,   // by threads of this process and by others: sockets, what a child has a copy of
  Inside,   // by threads of this process alone
};

enum class ChannelKind : std::uint8_t { Pipe, Socket, Counter, Poller, Queue };

// Something made by the program that its threads can wait for. Both ends of a pipe are one channel, so that strategies
// and reports see one object. Its address is the object of its events.
struct Channel {
  ChannelKind kind;
  bool paired;                   // what one end takes, the other gives: pipe, socketpair
  bool inherited;                // a child process has a copy
  Reach reach;                   // as made; see reach_of()
  std::uint32_t descriptors[2];  // open here, per end
  Channel* next_spare;
};

// Pipes, sockets and the like that the program has open.
bool channels_exist();
// nullptr: not made by the program under control.
Channel* channel_of(int descriptor);
Reach reach_of(int descriptor);
// Nobody but a thread of this process can make it ready. Beyond reach_of() it finds out where a socket is connected to,
// which costs a system call for each socket.
bool is_reached_from_inside_only(int descriptor);

void add_channel(ChannelKind kind, Reach reach, int descriptor);
void add_pair(ChannelKind kind, int first, int second);
void add_duplicate(int from, int to);
void remove_descriptor(int descriptor);
void remove_descriptors(std::uint32_t first, std::uint32_t last);
// A poller can be made ready by whatever it watches.
void add_to_poller(int poller, int watched);
// A child process has got copies. `executes`: not of those that are marked close-on-exec.
void descriptors_were_inherited(bool executes);

bool is_nonblocking(int descriptor);
bool is_stream_socket(int descriptor);
// Whether one of `events` (as in poll) holds now, or an error does.
bool is_ready(int descriptor, short events);

}  // namespace heddle::runtime
