// CircularList, repaired: a job is taken from the head and appended at the tail in one critical
// section.
//
// usage: fixed [dispatchers] [turns per dispatcher] [jobs]
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
  // False: there is no job.
  bool give_turn() {
    std::lock_guard guard(mutex_);
    Job* job = unlink_head();
    if (job == nullptr) return false;
    ++job->slices;
    link_tail(job);
    return true;
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

void dispatch(CircularList& list, std::size_t turns, std::size_t* given) {
  for (std::size_t i = 0; i < turns; ++i) *given += list.give_turn() ? 1 : 0;
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
