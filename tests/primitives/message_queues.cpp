// System V semaphores and messages, and POSIX message queues, between two threads.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include <cerrno>
#include <thread>

#include "expect.h"

namespace {

constexpr int kRounds = 10;

void semaphores_count() {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  EXPECT(set >= 0);
  std::jthread giver([=] {
    for (int i = 0; i < kRounds; ++i) {
      sembuf up{0, 1, 0};
      EXPECT(semop(set, &up, 1) == 0);
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    sembuf down{0, -1, 0};
    EXPECT(semop(set, &down, 1) == 0);
  }
  giver.join();
  EXPECT(semctl(set, 0, IPC_RMID) == 0);
}

void messages_keep_their_order() {
  struct Message {
    long type;
    int number;
  };
  const int queue = msgget(IPC_PRIVATE, 0600);
  EXPECT(queue >= 0);
  std::jthread sender([=] {
    for (int i = 0; i < kRounds; ++i) {
      const Message message{1, i};
      EXPECT(msgsnd(queue, &message, sizeof message.number, 0) == 0);
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    Message message{};
    EXPECT(msgrcv(queue, &message, sizeof message.number, 0, 0) == sizeof message.number);
    EXPECT(message.number == i);
  }
  sender.join();
  EXPECT(msgctl(queue, IPC_RMID, nullptr) == 0);
}

void a_full_queue_blocks_its_sender() {
  mq_attr attributes{};
  attributes.mq_maxmsg = 2;
  attributes.mq_msgsize = sizeof(int);
  // The name is taken for a moment only; programs that run side by side wait for each other.
  const char* name = "/heddle_primitive";
  mqd_t queue;
  while ((queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attributes)) < 0) {
    EXPECT(errno == EEXIST);
    std::this_thread::yield();
  }
  mq_unlink(name);
  std::jthread sender([=] {
    for (int i = 0; i < kRounds; ++i) EXPECT(mq_send(queue, reinterpret_cast<const char*>(&i), sizeof i, 0) == 0);
  });
  for (int i = 0; i < kRounds; ++i) {
    int number = -1;
    EXPECT(mq_receive(queue, reinterpret_cast<char*>(&number), sizeof number, nullptr) == sizeof number);
    EXPECT(number == i);
  }
  sender.join();
  mq_close(queue);
}

}  // namespace

int main() {
  semaphores_count();
  messages_keep_their_order();
  a_full_queue_blocks_its_sender();
  return finish();
}
