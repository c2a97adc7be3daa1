// Shop. Customers buy from the shelves of a shop which a supplier fills. Buying has two stages: to
// find a shelf that has the article, and to take it from that shelf. Each stage holds the shop's
// lock, but the lock is released in between: another customer can take the article first, and the
// shelf is then empty, or has been filled with something else. Source: Shop of
// the IBM ConTest benchmark (PECAN Table 1; the "two-stage access" bug pattern). Repair: finding and
// taking are one critical section.
//
// usage: kernel [customers] [articles per customer]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Article {
  std::string name;
  long price;
};

class Shop {
 public:
  explicit Shop(std::size_t shelves) : shelves_(shelves) {}

  // Waits for an empty shelf.
  void supply(Article article) {
    std::unique_lock guard(mutex_);
    std::size_t shelf = shelves_.size();
    changed_.wait(guard, [&] { return (shelf = find("")) < shelves_.size(); });
    shelves_[shelf] = std::move(article);
    changed_.notify_all();
  }

  // Waits until the article is in stock.
  Article buy(const std::string& name) {
    const std::size_t shelf = shelf_of(name);
    std::optional<Article> article = take_from(shelf);
    assert(article && article->name == name);
    return *article;
  }

 private:
  std::size_t shelf_of(const std::string& name) {
    std::unique_lock guard(mutex_);
    std::size_t shelf = shelves_.size();
    changed_.wait(guard, [&] { return (shelf = find(name)) < shelves_.size(); });
    return shelf;
  }

  std::optional<Article> take_from(std::size_t shelf) {
    std::lock_guard guard(mutex_);
    std::optional<Article> article = std::move(shelves_[shelf]);
    shelves_[shelf].reset();
    changed_.notify_all();
    return article;
  }

  // The first shelf with that article; without a name, the first empty one. REQUIRES: the lock is held.
  std::size_t find(const std::string& name) const {
    std::size_t shelf = 0;
    while (shelf < shelves_.size() && (shelves_[shelf] ? shelves_[shelf]->name : "") != name) ++shelf;
    return shelf;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<Article>> shelves_;
};

constexpr const char* kNames[] = {"bread", "milk"};
constexpr long kPrice = 5;

// All customers buy the same articles in the same order.
const char* wanted(std::size_t article) {
  return kNames[article % std::size(kNames)];
}

void supply(Shop& shop, std::size_t customers, std::size_t articles) {
  for (std::size_t i = 0; i < articles; ++i) {
    for (std::size_t customer = 0; customer < customers; ++customer) shop.supply({wanted(i), kPrice});
  }
}

class Customer {
 public:
  void visit(Shop& shop, std::size_t articles) {
    for (std::size_t i = 0; i < articles; ++i) paid_ += shop.buy(wanted(i)).price;
  }

  long paid() const { return paid_; }

 private:
  long paid_ = 0;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t customer_count = argument(argc, argv, 1, 2);
  const std::size_t articles = argument(argc, argv, 2, 1);

  // One shelf for each customer and article name, so that every wait for an empty shelf ends.
  Shop shop(customer_count * std::size(kNames));
  std::vector<Customer> customers(customer_count);
  std::thread supplier([&] { supply(shop, customer_count, articles); });
  std::vector<std::thread> threads;
  for (Customer& customer : customers) {
    threads.emplace_back([&shop, &customer, articles] { customer.visit(shop, articles); });
  }
  supplier.join();
  for (std::thread& thread : threads) thread.join();

  for (const Customer& customer : customers) assert(customer.paid() == static_cast<long>(articles) * kPrice);
  std::puts("customers served");
  return 0;
}
