// SPDX-License-Identifier: BSD-3-Clause
#include "host_cores.hpp"

#include <algorithm>

namespace ovlp::machine {

void host_cores::start(host_node& by, job& j, double work_s, float demand) {
  serve_until(events_.now_s());
  ++by.jobs_;
  jobs_.start(j, work_s, demand, &by.jobs_);
  jobs_.share(part());
  events_.changed(*this);
}

void host_cores::take(double more) {
  serve_until(events_.now_s());
  taken_ += more;
  jobs_.share(part());
  events_.changed(*this);
}

double host_cores::part() const {
  // Rounding must not leave a rest of what transfers took, nor take what is not there.
  double const left = std::clamp(cores_ - taken_, 0.0, cores_);
  return jobs_.empty() ? 0 : std::min(1.0, left / jobs_.count());
}

void host_cores::serve_until(double now_s) {
  jobs_.serve(rate() * (now_s - at_s_));
  at_s_ = now_s;
}

double host_cores::next_event_s() const {
  if (jobs_.empty()) return never;
  double const left_s = jobs_.left_s();
  if (left_s == 0) return at_s_;
  return rate() == 0 ? never : at_s_ + left_s / rate();
}

void host_cores::advance(double now_s, std::vector<event*>& due) {
  serve_until(now_s);
  due.push_back(&jobs_.take_first());
  jobs_.share(part());
}

}  // namespace ovlp::machine
