#pragma once
// The descriptors of the program: which processes can make one ready, and which descriptors belong together. A wait for
// a descriptor that only threads of the program can make ready may be a deadlock; other waits depend on real time.
#include <cstdint>

namespace heddle::runtime {

// The processes that can make a descriptor ready. Ordered from the outside in.
enum class Reach : std::uint8_t {
  Outside,  // only other processes: inherited descriptors, a pipe whose other end only a child has open
  Shared,   // this process and others: sockets, descriptors that a child has a copy of
  Inside,   // only this process
};

enum class ChannelKind : std::uint8_t { Pipe, Socket, Counter, Poller, Queue };

// An object behind descriptors of the program that its threads can wait for. Both ends of a pipe are one channel, so
// that strategies and reports see one object. Its address is the object of its events.
struct Channel {
  ChannelKind kind;
  bool paired;                   // data written to one end is read at the other: pipe, socketpair
  bool inherited;                // a child process has a copy
  Reach reach;                   // at creation; see reach_of()
  std::uint32_t descriptors[2];  // number of open descriptors in this process, per end
  Channel* next_spare;
};

// True if the program has a channel open.
bool channels_exist();
// nullptr: the program did not create the descriptor under control.
Channel* channel_of(int descriptor);
Reach reach_of(int descriptor);
// True if only threads of this process can make the descriptor ready. Unlike reach_of() it determines the peer of a
// socket, which costs a system call for each open socket.
bool is_reached_from_inside_only(int descriptor);

void add_channel(ChannelKind kind, Reach reach, int descriptor);
void add_pair(ChannelKind kind, int first, int second);
void add_duplicate(int from, int to);
void remove_descriptor(int descriptor);
void remove_descriptors(std::uint32_t first, std::uint32_t last);
// A poller becomes ready when a descriptor that it watches does.
void add_to_poller(int poller, int watched);
// A child process has copies of the open descriptors; if it `executes`, not of those marked close-on-exec.
void descriptors_were_inherited(bool executes);

bool is_nonblocking(int descriptor);
bool is_stream_socket(int descriptor);
// True if one of `events` (as in poll) or an error is present. False where an exact replay must block.
bool is_ready(int descriptor, short events);

}  // namespace heddle::runtime
