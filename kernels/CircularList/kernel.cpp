// CircularList. The jobs of a round-robin dispatcher are in a circular list: a dispatcher takes the
// job at the head, runs it for one time slice and appends it at the tail. Taking and appending each
// hold the list's lock, but the two are not atomic: a second dispatcher that takes and appends the
// next job in between overtakes the first, and the jobs stay out of order. Source: the
// synthetic atomicity violation of Bugaboo (Table 1). Repair: one critical section around the turn.
//
// usage: kernel [dispatchers] [turns per dispatcher] [jobs]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Job {
  std::size_t number = 0;
  std::size_t slices = 0;
  Job* next = nullptr;
  Job* previous = nullptr;
};

class CircularList {
 public:
  // Null: all jobs are taken.
  Job* remove_head() {
    std::lock_guard guard(mutex_);
    return unlink_head();
  }

  void append(Job* job) {
    std::lock_guard guard(mutex_);
    link_tail(job);
  }

  const Job* head() const { return head_; }

 private:
  // Null: there is no job.
  Job* unlink_head() {
    Job* job = head_;
    if (job == nullptr) return nullptr;
    if (job->next == job) {
      head_ = nullptr;
    } else {
      job->previous->next = job->next;
      job->next->previous = job->previous;
      head_ = job->next;
    }
    job->next = nullptr;
    job->previous = nullptr;
    return job;
  }

  void link_tail(Job* job) {
    if (head_ == nullptr) {
      job->next = job;
      job->previous = job;
      head_ = job;
      return;
    }
    job->previous = head_->previous;
    job->next = head_;
    head_->previous->next = job;
    head_->previous = job;
  }

  std::mutex mutex_;
  Job* head_ = nullptr;
};

bool give_turn(CircularList& list) {
  Job* job = list.remove_head();
  if (job == nullptr) return false;
  ++job->slices;
  list.append(job);
  return true;
}

void dispatch(CircularList& list, std::size_t turns, std::size_t* given) {
  for (std::size_t i = 0; i < turns; ++i) *given += give_turn(list) ? 1 : 0;
}

// True if the jobs have their original order, with any job as the first of the circle.
void check_order(const CircularList& list, std::size_t jobs, std::size_t turns) {
  const Job* job = list.head();
  std::size_t slices = 0;
  for (std::size_t i = 0; i < jobs; ++i, job = job->next) {
    assert(job->next->number == (job->number + 1) % jobs);
    slices += job->slices;
  }
  assert(job == list.head());
  assert(slices == turns);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t dispatchers = argument(argc, argv, 1, 2);
  const std::size_t turns = argument(argc, argv, 2, 2);
  const std::size_t job_count = argument(argc, argv, 3, 4);

  std::vector<Job> jobs(job_count);
  CircularList list;
  for (std::size_t i = 0; i < job_count; ++i) {
    jobs[i].number = i;
    list.append(&jobs[i]);
  }

  std::vector<std::size_t> given(dispatchers);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < dispatchers; ++i) threads.emplace_back(dispatch, std::ref(list), turns, &given[i]);
  for (std::thread& thread : threads) thread.join();

  std::size_t all_given = 0;
  for (std::size_t turns_given : given) all_given += turns_given;
  check_order(list, job_count, all_given);
  std::printf("%zu turns given\n", all_given);
  return 0;
}
