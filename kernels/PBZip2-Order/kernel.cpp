// PBZip2-Order. Main reads blocks into a queue, consumers compress them, a writer writes them in
// order. Main waits for the writer, not for the consumers, and then deletes the queue with its
// mutex and condition variables. A consumer that has passed on the last block returns to the queue
// to test whether all is done; if main is faster, the consumer locks a deleted mutex and
// crashes. Source: PBZip2 0.9.1 (Bugaboo Table 1; the crash of pbzip2 0.9.4 in BTrigger Table 1).
// Repair: main joins the consumers before it deletes the queue.
//
// usage: kernel [consumers] [blocks] [block size in bytes]
#include <pthread.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Block {
  std::size_t number;
  std::string data;
};

struct Queue {
  std::vector<Block*> ring;
  std::size_t first;
  std::size_t count;
  bool all_done;  // the last block has been added
  pthread_mutex_t* mutex;
  pthread_cond_t* not_full;
  pthread_cond_t* not_empty;
};

Queue* queue_init(std::size_t size) {
  auto* queue =
      new Queue{std::vector<Block*>(size), 0, 0, false, new pthread_mutex_t, new pthread_cond_t, new pthread_cond_t};
  pthread_mutex_init(queue->mutex, nullptr);
  pthread_cond_init(queue->not_full, nullptr);
  pthread_cond_init(queue->not_empty, nullptr);
  return queue;
}

void queue_delete(Queue* queue) {
  pthread_mutex_destroy(queue->mutex);
  delete queue->mutex;
  queue->mutex = nullptr;
  pthread_cond_destroy(queue->not_full);
  delete queue->not_full;
  queue->not_full = nullptr;
  pthread_cond_destroy(queue->not_empty);
  delete queue->not_empty;
  queue->not_empty = nullptr;
  delete queue;
}

// The output of the consumers, by block number; the writer waits for the blocks in order.
struct Output {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t stored = PTHREAD_COND_INITIALIZER;
  std::vector<Block*> blocks;
  std::string written;
  std::vector<std::size_t> packed_sizes;
};

Queue* fifo;
Output output;

// Run-length encoding: a count and a byte.
std::string compress(const std::string& data) {
  std::string packed;
  for (std::size_t i = 0; i < data.size();) {
    std::size_t run = 1;
    while (run < 255 && i + run < data.size() && data[i + run] == data[i]) ++run;
    packed += static_cast<char>(run);
    packed += data[i];
    i += run;
  }
  return packed;
}

std::string decompress(const std::string& packed) {
  std::string data;
  for (std::size_t i = 0; i + 1 < packed.size(); i += 2)
    data.append(static_cast<unsigned char>(packed[i]), packed[i + 1]);
  return data;
}

std::string content_of(std::size_t block, std::size_t size) {
  std::string data;
  while (data.size() < size)
    data.append(1 + (data.size() + block) % 7, static_cast<char>('a' + (data.size() + block) % 26));
  data.resize(size);
  return data;
}

void produce(std::size_t blocks, std::size_t block_size) {
  for (std::size_t i = 0; i < blocks; ++i) {
    auto* block = new Block{i, content_of(i, block_size)};
    pthread_mutex_lock(fifo->mutex);
    while (fifo->count == fifo->ring.size()) pthread_cond_wait(fifo->not_full, fifo->mutex);
    fifo->ring[(fifo->first + fifo->count) % fifo->ring.size()] = block;
    ++fifo->count;
    pthread_mutex_unlock(fifo->mutex);
    pthread_cond_signal(fifo->not_empty);
  }
  pthread_mutex_lock(fifo->mutex);
  fifo->all_done = true;
  pthread_mutex_unlock(fifo->mutex);
  pthread_cond_broadcast(fifo->not_empty);
}

// Returns null when all is done.
Block* take_block() {
  pthread_mutex_lock(fifo->mutex);
  while (fifo->count == 0) {
    if (fifo->all_done) {
      pthread_mutex_unlock(fifo->mutex);
      return nullptr;
    }
    pthread_cond_wait(fifo->not_empty, fifo->mutex);
  }
  Block* block = fifo->ring[fifo->first];
  fifo->first = (fifo->first + 1) % fifo->ring.size();
  --fifo->count;
  pthread_mutex_unlock(fifo->mutex);
  pthread_cond_signal(fifo->not_full);
  return block;
}

void store(Block* block) {
  pthread_mutex_lock(&output.mutex);
  output.blocks[block->number] = block;
  pthread_cond_signal(&output.stored);
  pthread_mutex_unlock(&output.mutex);
}

void* consumer(void*) {
  while (Block* block = take_block()) {
    block->data = compress(block->data);
    store(block);
  }
  return nullptr;
}

void* file_writer(void*) {
  for (std::size_t i = 0; i < output.blocks.size(); ++i) {
    pthread_mutex_lock(&output.mutex);
    while (output.blocks[i] == nullptr) pthread_cond_wait(&output.stored, &output.mutex);
    Block* block = output.blocks[i];
    pthread_mutex_unlock(&output.mutex);
    output.written += decompress(block->data);
    output.packed_sizes.push_back(block->data.size());
    delete block;
  }
  return nullptr;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t consumer_count = argument(argc, argv, 1, 2);
  const std::size_t blocks = argument(argc, argv, 2, 2);
  const std::size_t block_size = argument(argc, argv, 3, 8);

  fifo = queue_init(2 * consumer_count);
  output.blocks.resize(blocks);
  std::vector<pthread_t> consumers(consumer_count);
  for (pthread_t& thread : consumers) pthread_create(&thread, nullptr, consumer, nullptr);
  pthread_t writer;
  pthread_create(&writer, nullptr, file_writer, nullptr);
  produce(blocks, block_size);
  pthread_join(writer, nullptr);

  queue_delete(fifo);
  fifo = nullptr;

  std::string expected;
  for (std::size_t i = 0; i < blocks; ++i) expected += content_of(i, block_size);
  pthread_mutex_lock(&output.mutex);
  std::size_t packed_size = 0;
  for (std::size_t size : output.packed_sizes) packed_size += size;
  assert(output.written == expected);
  pthread_mutex_unlock(&output.mutex);
  std::printf("%zu bytes packed into %zu\n", expected.size(), packed_size);
  return 0;
}
