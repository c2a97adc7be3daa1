// log4j-deadlock, repaired: a message is formatted before any lock is taken.
//
// usage: fixed [shops] [orders per shop]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

// A message that is formatted on demand.
using Message = std::function<std::string()>;

struct LoggingEvent {
  const std::string& logger;
  const Message& message;
};

class ConsoleAppender {
 public:
  void do_append(const LoggingEvent& event) {
    std::lock_guard guard(mutex_);
    const std::string line = event.logger + " - " + event.message() + "\n";
    written_ += line.size();
    ++lines_;
  }

  std::size_t lines() {
    std::lock_guard guard(mutex_);
    return lines_;
  }

 private:
  std::recursive_mutex mutex_;
  std::size_t written_ = 0;
  std::size_t lines_ = 0;
};

class Logger {
 public:
  Logger(std::string name, Logger* parent) : name_(std::move(name)), parent_(parent) {}

  void add_appender(ConsoleAppender* appender) {
    std::lock_guard guard(mutex_);
    appenders_.push_back(appender);
  }

  void info(const Message& message) {
    const std::string text = message();
    call_appenders({name_, [&text] { return text; }});
  }

 private:
  // The appenders of the logger and of all its ancestors.
  void call_appenders(const LoggingEvent& event) {
    for (Logger* logger = this; logger != nullptr; logger = logger->parent_) {
      std::lock_guard guard(logger->mutex_);
      for (ConsoleAppender* appender : logger->appenders_) appender->do_append(event);
    }
  }

  const std::string name_;
  Logger* const parent_;
  std::recursive_mutex mutex_;
  std::vector<ConsoleAppender*> appenders_;
};

struct Logging {
  Logging() {
    orders.add_appender(&console);
    prices.add_appender(&console);
  }

  ConsoleAppender console;
  Logger root{"root", nullptr};
  Logger orders{"shop.orders", &root};
  Logger prices{"shop.prices", &root};
};

class PriceList {
 public:
  explicit PriceList(Logging& logging) : logging_(logging) {}

  std::size_t price_of(std::size_t article) {
    logging_.prices.info([article] { return "article " + std::to_string(article) + " looked up"; });
    return 100 + article;
  }

 private:
  Logging& logging_;
};

// Takes orders and logs each; the text of an order contains its price.
void take_orders(Logging& logging, PriceList& prices, std::size_t orders) {
  for (std::size_t article = 0; article < orders; ++article) {
    logging.orders.info([&prices, article] {
      return "order of article " + std::to_string(article) + " for " + std::to_string(prices.price_of(article));
    });
  }
}

void answer_enquiries(PriceList& prices, std::size_t enquiries) {
  for (std::size_t article = 0; article < enquiries; ++article) assert(prices.price_of(article) == 100 + article);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t shops = argument(argc, argv, 1, 1);
  const std::size_t orders = argument(argc, argv, 2, 1);

  Logging logging;
  PriceList prices(logging);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < shops; ++i) {
    threads.emplace_back([&logging, &prices, orders] { take_orders(logging, prices, orders); });
    threads.emplace_back([&prices, orders] { answer_enquiries(prices, orders); });
  }
  for (std::thread& thread : threads) thread.join();

  assert(logging.console.lines() == 3 * shops * orders);
  std::puts("all logged");
  return 0;
}
