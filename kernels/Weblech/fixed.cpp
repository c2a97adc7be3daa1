// Weblech, repaired: testing whether the queue is empty and taking from it are one critical section.
//
// usage: fixed [spiders] [pages]
#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct UrlToDownload {
  std::string url;
  unsigned depth;
};

// A site in memory: page i links to the pages 2i+1 and 2i+2, and to the start page.
class WebSite {
 public:
  explicit WebSite(std::size_t pages) : pages_(pages) {}

  static std::string url_of(std::size_t page) { return "/page" + std::to_string(page) + ".html"; }

  std::string get(const std::string& url) const {
    const std::size_t page = std::strtoul(url.c_str() + std::string("/page").size(), nullptr, 10);
    std::string html = "<a href=\"" + url_of(0) + "\">";
    for (std::size_t link = 2 * page + 1; link <= 2 * page + 2 && link < pages_; ++link) {
      html += "<a href=\"" + url_of(link) + "\">";
    }
    return html;
  }

 private:
  const std::size_t pages_;
};

std::vector<std::string> parse_links(const std::string& html) {
  const std::string opening = "href=\"";
  std::vector<std::string> links;
  for (std::size_t at = html.find(opening); at != std::string::npos; at = html.find(opening, at)) {
    at += opening.size();
    links.push_back(html.substr(at, html.find('"', at) - at));
  }
  return links;
}

class Spider {
 public:
  explicit Spider(const WebSite& site) : site_(site) {
    scheduled_.insert(WebSite::url_of(0));
    queue_.push_back(std::make_unique<UrlToDownload>(UrlToDownload{WebSite::url_of(0), 0}));
  }

  // The main loop of a thread, until the queue is empty and no thread downloads.
  void run() {
    while (const std::unique_ptr<UrlToDownload> next = next_in_queue()) {
      const unsigned depth = next->depth + 1;
      std::vector<std::unique_ptr<UrlToDownload>> found;
      for (const std::string& link : parse_links(site_.get(next->url))) {
        if (schedule(link)) found.push_back(std::make_unique<UrlToDownload>(UrlToDownload{link, depth}));
      }
      finish_download(std::move(found));
    }
  }

  std::size_t downloaded() const { return downloaded_; }

 private:
  // Waits for work. Null: the crawl is over.
  std::unique_ptr<UrlToDownload> next_in_queue() {
    std::unique_lock guard(queue_mutex_);
    queue_changed_.wait(guard, [&] { return !queue_.empty() || downloads_in_progress_ == 0; });
    if (queue_.empty()) return nullptr;
    std::unique_ptr<UrlToDownload> next = std::move(queue_.front());
    queue_.pop_front();
    ++downloads_in_progress_;
    return next;
  }

  // False: the URL was scheduled before.
  bool schedule(const std::string& url) {
    std::lock_guard guard(scheduled_mutex_);
    return scheduled_.insert(url).second;
  }

  void finish_download(std::vector<std::unique_ptr<UrlToDownload>> found) {
    std::lock_guard guard(queue_mutex_);
    for (auto& url : found) queue_.push_back(std::move(url));
    --downloads_in_progress_;
    ++downloaded_;
    queue_changed_.notify_all();
  }

  const WebSite& site_;
  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<std::unique_ptr<UrlToDownload>> queue_;
  std::size_t downloads_in_progress_ = 0;
  std::size_t downloaded_ = 0;
  std::mutex scheduled_mutex_;
  std::set<std::string> scheduled_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t spiders = argument(argc, argv, 1, 2);
  const std::size_t pages = std::max<std::size_t>(1, argument(argc, argv, 2, 2));

  const WebSite site(pages);
  Spider spider(site);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < spiders; ++i) threads.emplace_back([&] { spider.run(); });
  for (std::thread& thread : threads) thread.join();

  assert(spider.downloaded() == pages);
  std::printf("%zu pages mirrored\n", pages);
  return 0;
}
