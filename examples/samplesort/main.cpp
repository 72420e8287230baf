// SPDX-License-Identifier: BSD-3-Clause
// Sample sort (Frazer and McKellar, 1970): every thread sorts its keys and gives samples of them; splitters are chosen
// from these; every thread sends the keys between two splitters to the thread that is to have them, which merges.
//
//   samplesort --nodes 4 --n 10000000 --verify
//
//   sort --> splitters --> exchange --> take --> taken --> all taken --> merge --> largest share
//   everywhere merge      everywhere    leaf     reduce    reduce        everywhere reduce
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <ovlp/ovlp.hpp>
#include <vector>

using Keys = ovlp::buffer<std::uint64_t>;
using Samples = std::vector<std::uint64_t>;
struct Part {
  std::size_t to;
  Keys keys;
};
struct Sorter {
  Keys keys;
  std::vector<Keys> parts;  ///< that have come, each sorted
};
using Here = ovlp::here<Sorter>;

/// Of the unsorted keys. Source: the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t key(std::uint64_t i) {
  i *= 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

std::size_t fill(Here& here, std::size_t n) {
  std::size_t const first = here.index() * n / here.size(), last = (here.index() + 1) * n / here.size();
  Keys& keys = here.state.keys = Keys::uninitialized(last - first);
  here.kernel("samplesort.fill", {keys.size()},
              [&] { std::ranges::generate(keys.mutate(), [i = first]() mutable { return key(i++); }); });
  return keys.size();
}

Samples sort(Here& here, std::size_t) {
  Keys& keys = here.state.keys;
  Samples samples(keys.empty() ? 0 : here.size());
  here.kernel("samplesort.sort", {keys.size()}, [&] {
    std::ranges::sort(keys.mutate());
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = keys[i * keys.size() / samples.size()];
  });
  return samples;
}
Samples choose(Here& here, ovlp::in<Samples>& some) {
  Samples all, splitters;
  for (Samples const& samples : some) all.insert(all.end(), samples.begin(), samples.end());
  std::ranges::sort(all);
  for (std::size_t i = 1; i < here.size(); ++i) splitters.push_back(all[i * all.size() / here.size()]);
  return splitters;
}
void exchange(Here& here, Samples splitters, ovlp::out<Part>& parts) {
  Keys const& keys = here.state.keys;
  std::vector<std::size_t> ends(here.size());  // where the kernel does not run, all parts are equal
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = (i + 1) * keys.size() / ends.size();
  here.kernel("samplesort.search", {keys.size(), splitters.size()}, [&] {
    for (std::size_t i = 0; i < splitters.size(); ++i)
      ends[i] = static_cast<std::size_t>(std::ranges::lower_bound(keys, splitters[i]) - keys.begin());
  });
  for (std::size_t i = 0, first = 0; i < ends.size(); first = ends[i++])
    parts.post({i, keys.slice(first, ends[i] - first)});
}
std::size_t take(Here& here, Part part) {
  here.state.parts.push_back(std::move(part.keys));
  return here.state.parts.back().size();
}
std::size_t merge(Here& here, std::size_t) {
  std::vector<Keys> parts = std::exchange(here.state.parts, {});
  std::size_t all = 0;
  for (Keys const& part : parts) all += part.size();
  Keys& keys = here.state.keys = Keys::uninitialized(all);
  here.kernel("samplesort.merge", {all, parts.size()}, [&] {
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {  // two at a time, until one is left
      Keys both = Keys::uninitialized(parts[i].size() + parts[i + 1].size());
      std::ranges::merge(parts[i], parts[i + 1], both.mutate().begin());
      parts.push_back(std::move(both));
    }
    keys = parts.back();
  });
  return all;
}
Keys show(Here& here, std::size_t) { return here.state.keys; }

bool right(std::vector<Keys> const& shares, std::size_t n) {
  std::vector<std::uint64_t> expected(n), got;
  std::ranges::generate(expected, [i = std::uint64_t{0}]() mutable { return key(i++); });
  std::ranges::sort(expected);
  for (Keys const& share : shares) got.insert(got.end(), share.begin(), share.end());
  return got == expected;
}

int main(int argc, char** argv) {
  std::size_t n = 1'000'000;
  bool verify = false;
  ovlp::options options{"samplesort", "Sorts keys that are distributed over all nodes"};
  options.add("--n", n, "number of keys").at_least(1);
  options.add("--verify", verify, "compare with a serial computation");
  ovlp::engine run{argc, argv, options};
  ovlp::threads<Sorter> const sorters{"sorters", run.nodes()};

  auto const first = sorters.at(0);
  std::plus<> const add;
  auto const larger = [](std::size_t a, std::size_t b) { return std::max(a, b); };
  ovlp::graph const filling{"fill", ovlp::everywhere("keys", sorters, fill) >> ovlp::reduce("filled", first, add)};
  ovlp::graph const sorting{
      "sort", ovlp::everywhere("sort", sorters, sort) >> ovlp::merge("splitters", first, choose) >>
                  ovlp::everywhere("exchange", sorters, exchange) >> ovlp::leaf("take", sorters.by(&Part::to), take) >>
                  ovlp::reduce("taken", sorters.at_opener(), add) >> ovlp::reduce("all taken", first, add) >>
                  ovlp::everywhere("merge", sorters, merge) >> ovlp::reduce("largest share", first, larger)};
  ovlp::graph const showing{"show", ovlp::everywhere("show", sorters, show) >> ovlp::gather("sorted", first)};
  run.add(sorting);
  run.add(showing);
  run.record();
  run.estimate("samplesort.fill", 0.0);  // not part of what is predicted
  run(filling, n);
  std::size_t const largest = run(sorting, n);
  ovlp::summary figures = run.summary();

  std::printf("%zu keys: %.6f s, largest share %zu\n", n, figures.time_s, largest);
  figures.set("n", n);
  figures.result("largest_share", largest);
  run.write(figures);
  if (!verify) return 0;
  bool const equal = right(run(showing, n), n);
  std::printf("%s the serial computation\n", equal ? "verified: equal to" : "WRONG: differs from");
  return equal ? 0 : 1;
}
