// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/potential_overlap.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/tools/toms748_solve.hpp>

namespace ovlp::mpi {
namespace {

double bytes_of(message_parameters const& m) { return m.sent_words * word_bytes; }
double delay_of(message_parameters const& m, overlap_network const& on) { return message_delay_s(on, bytes_of(m)); }

double produced_with(message_parameters const& m) {  // words, together with those that are sent
  return m.independent.production_indexing ? std::min(m.produced_words, m.sent_words) : m.produced_words;
}
double consumed_with(message_parameters const& m) {
  return m.independent.consumption_indexing ? std::min(m.consumed_words, m.sent_words) : m.consumed_words;
}

std::size_t places_of(message_parameters const& m) {
  return std::max(m.production.places.size(), m.consumption.places.size());
}
double pieces_of(message_parameters const& m) {
  std::size_t const places = places_of(m);
  return places > 0 ? static_cast<double>(places) : std::max(1.0, std::ceil(m.sent_words));
}

double place_of(access_order const& order, double piece, double pieces) {
  if (!order.places.empty()) return order.places[static_cast<std::size_t>(piece)];
  return order.descending ? pieces - 1 - piece : piece;
}

/// Calls visit(place in production, place in consumption) for pieces among which are those where a function that is
/// linear in both is least and greatest.
template <class Visit>
void visit_extremes(message_parameters const& m, Visit const& visit) {
  double const pieces = pieces_of(m);
  auto const visit_piece = [&](double piece) {
    visit(place_of(m.production, piece, pieces), place_of(m.consumption, piece, pieces));
  };
  std::size_t const places = places_of(m);
  for (std::size_t piece = 0; piece < places; ++piece) visit_piece(static_cast<double>(piece));
  if (places > 0) return;
  visit_piece(0);  // of words both places are linear: the first and the last one
  visit_piece(pieces - 1);
}

/// When the consumption ends if pieces arrive so much after they are produced, one every `interval_s` at most.
double end_of_consumption_s(message_parameters const& m, double interval_s, double delay_s) {
  double const pieces = pieces_of(m);
  double const produce_s = m.produce_period_s * produced_with(m) / pieces;
  double const consume_s = m.consume_period_s * consumed_with(m) / pieces;
  double end_s = 0;
  visit_extremes(m, [&](double produced, double consumed) {
    double const arrives_s = produce_s + produced * std::max(produce_s, interval_s) + delay_s;
    end_s = std::max(end_s, arrives_s + (pieces - consumed) * consume_s);
  });
  return end_s;
}

double exposed_in_pipeline_s(message_parameters const& m, overlap_network const& on) {
  double const whole_s = delay_of(m, on);
  if (m.transfer != message_transfer::pieces) return whole_s;
  double const bytes = bytes_of(m) / pieces_of(m);
  double const interval_s = std::max(on.message_gap_s, bytes / on.bandwidth_Bps);
  double const late_s = end_of_consumption_s(m, interval_s, message_delay_s(on, bytes)) - end_of_consumption_s(m, 0, 0);
  return std::min(whole_s, late_s);
}

}  // namespace

double message_delay_s(overlap_network const& on, double bytes) { return on.latency_s + bytes / on.bandwidth_Bps; }

double independent_work_s(message_parameters const& of) {
  independent_work const& work = of.independent;
  return work.after_production_s + work.before_consumption_s + work.loop_distribution_s + work.rearranged_s +
         work.in_collectives_s + of.produce_period_s * (of.produced_words - produced_with(of)) +
         of.consume_period_s * (of.consumed_words - consumed_with(of));
}

time_available time_available_for(message_parameters const& of, message_transfer how) {
  double const pieces = pieces_of(of);
  double const independent_s = independent_work_s(of);
  double const produce_s = how == message_transfer::pieces ? of.produce_period_s * produced_with(of) / pieces : 0;
  double const consume_s = how == message_transfer::whole ? 0 : of.consume_period_s * consumed_with(of) / pieces;
  double least_s = std::numeric_limits<double>::infinity();
  visit_extremes(of, [&](double produced, double consumed) {
    least_s = std::min(least_s, independent_s + produce_s * (pieces - produced - 1) + consume_s * consumed);
  });
  // Places are a permutation: on average they are in the middle.
  return {least_s, independent_s + (produce_s + consume_s) * (pieces - 1) / 2};
}

double exposed_delay_s(message_parameters const& of, overlap_network const& on) {
  if (of.model == spmd::pipelined) return exposed_in_pipeline_s(of, on);
  return std::max(0.0, delay_of(of, on) - time_available_for(of, of.transfer).least_s);
}

double potential_overlap_s(message_parameters const& of, overlap_network const& on) {
  if (of.model == spmd::pipelined) return delay_of(of, on) - exposed_in_pipeline_s(of, on);
  return time_available_for(of, of.transfer).least_s;
}

double normalized_overlap(message_parameters const& of, overlap_network const& on) {
  return potential_overlap_s(of, on) / delay_of(of, on);
}

std::optional<double> normalized_overlap(code_parameters const& of, overlap_network const& on) {
  std::optional<double> least;
  for (message_parameters const& m : of.messages) {
    if (m.model == spmd::pipelined) continue;
    double const overlap = normalized_overlap(m, on);
    least = std::min(overlap, least.value_or(overlap));
  }
  return least;
}

iteration_time time_of_iteration(code_parameters const& of, overlap_network const& on) {
  iteration_time time{of.computation_s, 0, 0, 0};
  for (message_parameters const& m : of.messages) {
    time.messages_s += m.per_iteration * delay_of(m, on);
    time.exposed_s += m.per_iteration * exposed_delay_s(m, on);
  }
  for (collective_parameters const& c : of.collectives)
    time.collectives_s += c.per_iteration * 2 * std::log2(static_cast<double>(c.processes)) * on.latency_s;
  return time;
}

std::optional<double> required_bandwidth(code_parameters const& of, overlap_network const& on) {
  auto const sends = [](message_parameters const& m) { return m.per_iteration * m.sent_words > 0; };
  if (std::none_of(of.messages.begin(), of.messages.end(), sends)) return std::nullopt;

  double const without_overlap_s = time_of_iteration(of, on).messages_s;
  auto const longer_s = [&](double gap_per_byte_s) {  // G: the time grows with it, in lines
    overlap_network slower = on;
    slower.bandwidth_Bps = 1 / gap_per_byte_s;
    return time_of_iteration(of, slower).exposed_s - without_overlap_s;
  };
  double const least = 1 / on.bandwidth_Bps;
  if (longer_s(least) >= 0) return on.bandwidth_Bps;  // nothing is hidden
  double most = 2 * least;
  while (longer_s(most) <= 0) most *= 2;
  constexpr int bits = 48;  // of a result with 53
  std::uintmax_t evaluations = 1000;
  using namespace boost::math::tools;
  return 1 / toms748_solve(longer_s, least, most, eps_tolerance<double>(bits), evaluations).first;
}

}  // namespace ovlp::mpi
