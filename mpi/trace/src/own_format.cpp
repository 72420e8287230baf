// SPDX-License-Identifier: BSD-3-Clause
// Our own format: a record a line.
#include <algorithm>

#include <ovlp/base/text.hpp>
#include <ovlp/mpi/describe.hpp>

#include "formats.hpp"
#include "line_reader.hpp"

namespace ovlp::mpi {
namespace {

constexpr std::string_view first_line = "ovlp mpi trace 1";

class own_format_reader {
 public:
  explicit own_format_reader(trace_source const& from) : lines_(from.contents, from.file, ' ') {}

  trace read() {
    lines_.next();  // the first line
    if (lines_.line() != first_line)
      lines_.fail("expected '" + std::string(first_line) + "', got " + base::quoted(lines_.line()));
    while (lines_.next()) {
      if (ended_) lines_.fail("expected nothing after the line 'end'");
      read_line(lines_.word("a word"));
    }
    if (!ended_) lines_.fail("the file is cut short: expected 'end' and the number of records as its last line");
    return std::move(made_);
  }

 private:
  void read_line(std::string_view const word) {
    if (word == "name") {
      made_.name = lines_.rest();
    } else if (word == "communicator") {
      read_communicator();
    } else if (word == "left_out") {
      left_out_calls& one = made_.left_out.emplace_back();
      one.calls = lines_.whole<std::uint64_t>("a number of calls");
      one.ranks = lines_.whole<std::uint64_t>("a number of ranks");
      one.name = lines_.rest();
    } else if (word == "rank") {
      auto const next = static_cast<rank_id>(made_.ranks.size());
      lines_.whole<rank_id>("the next rank", next, next);
      made_.ranks.emplace_back();
    } else if (word == "end") {
      auto const records = lines_.whole<std::size_t>("the number of records");
      if (records != records_)
        lines_.fail("expected " + std::to_string(records) + " records, as this line says, and found " +
                    std::to_string(records_));
      ended_ = true;
    } else if (made_.ranks.empty()) {
      lines_.fail("expected name, communicator or rank before all else, got " + base::quoted(word));
    } else if (word == "profile") {
      read_profile();
    } else if (word == "counts") {
      auto& counts = made_.ranks.back().counts.emplace_back();
      while (!lines_.at_end()) counts.push_back(lines_.whole<std::uint64_t>("bytes"));
    } else {
      made_.ranks.back().records.push_back(read_record(word));
      ++records_;
    }
    lines_.end();
  }

  void read_communicator() {
    auto& members = made_.communicators.emplace_back();
    while (!lines_.at_end()) {
      std::string_view const item = lines_.word("ranks");
      std::size_t const dash = item.find('-');
      rank_id const first = rank(item.substr(0, dash));
      rank_id const last = dash == std::string_view::npos ? first : rank(item.substr(dash + 1));
      constexpr rank_id most = 1 << 24;
      if (last < first || last >= most) lines_.fail("expected ranks as 0-3 or 5, got " + base::quoted(item));
      for (rank_id r = first; r <= last; ++r) members.push_back(r);
    }
  }
  rank_id rank(std::string_view text) {
    rank_id value = -1;
    if (!base::read_number(text, value) || value < 0) lines_.fail("expected a rank, got " + base::quoted(text));
    return value;
  }

  void read_profile() {
    access_profile& profile = made_.ranks.back().profiles.emplace_back();
    profile.begin_s = lines_.real("the begin in seconds");
    profile.end_s = lines_.real("the end in seconds");
    while (!lines_.at_end())
      profile.shares.push_back(lines_.accept_word("never") ? access_profile::never
                                                           : static_cast<float>(lines_.real("a share, or never")));
  }

  record read_record(std::string_view const word) {
    if (word == "compute") return compute{lines_.real("seconds")};
    if (word == "send") {
      send s{lines_.whole<rank_id>("a rank"), tag(), bytes()};
      read_options(s, s.profile, "profile=", &s.how);
      return s;
    }
    if (word == "receive") {
      receive r{lines_.whole<rank_id>("a rank"), tag(), bytes()};
      read_options(r, r.profile, "profile=");
      return r;
    }
    if (word == "wait") return wait{lines_.whole<index>("a request")};
    if (word == "marker") {
      auto const type = lines_.whole<std::uint64_t>("a type");
      return marker{type, lines_.whole<std::uint64_t>("a value")};
    }
    auto const found = std::ranges::find(operation_names, word);
    if (found == operation_names.end()) lines_.fail("expected a record, got " + base::quoted(word));
    collective c{static_cast<operation>(found - operation_names.begin())};
    if (has_root(c.what)) c.root = lines_.whole<rank_id>("the root");
    if (c.what != operation::barrier) {
      c.bytes_sent = bytes();
      c.bytes_received = bytes();
    }
    read_options(c, c.counts, "counts=");
    return c;
  }
  std::int32_t tag() { return lines_.whole<std::int32_t>("a tag", std::numeric_limits<std::int32_t>::min()); }
  std::uint64_t bytes() { return lines_.whole<std::uint64_t>("bytes"); }
  void read_options(auto& call, index& list, std::string_view list_name, protocol* how = nullptr) {
    while (!lines_.at_end()) {
      if (lines_.accept("communicator=")) call.communicator = lines_.whole<index>("a communicator");
      else if (lines_.accept("request=")) call.request = lines_.whole<index>("a request");
      else if (lines_.accept(list_name)) list = lines_.whole<index>("its number");
      else if (how != nullptr && lines_.accept_word("eager")) *how = protocol::eager;
      else if (how != nullptr && lines_.accept_word("rendezvous")) *how = protocol::rendezvous;
      else lines_.fail("expected communicator=, request= or " + std::string(list_name) + ", got " + lines_.got());
    }
  }

  line_reader lines_;
  trace made_;
  std::size_t records_ = 0;
  bool ended_ = false;
};

class own_format_writer {
 public:
  std::string write(trace const& what) {
    text_ += first_line;
    text_ += "\nname " + base::one_line(what.name) + '\n';
    for (auto const& members : what.communicators) write_communicator(members);
    for (left_out_calls const& one : what.left_out) {
      fields("left_out", one.calls, one.ranks);
      text_ += ' ' + base::one_line(one.name) + '\n';
    }
    std::size_t records = 0;
    for (std::size_t r = 0; r < what.ranks.size(); ++r) {
      line("rank", r);
      for (access_profile const& p : what.ranks[r].profiles) write_profile(p);
      for (auto const& counts : what.ranks[r].counts) {
        text_ += "counts";
        for (std::uint64_t const bytes : counts) field(bytes);
        text_ += '\n';
      }
      for (record const& one : what.ranks[r].records) {
        std::visit(*this, one);
        text_ += '\n';
      }
      records += what.ranks[r].records.size();
    }
    line("end", records);
    return std::move(text_);
  }

  void operator()(compute const& c) { fields("compute", c.duration_s); }
  void operator()(send const& s) {
    fields("send", s.to, s.tag, s.bytes);
    options(s, " profile=", s.profile);
    if (s.how != protocol::by_size) text_ += s.how == protocol::eager ? " eager" : " rendezvous";
  }
  void operator()(receive const& r) {
    fields("receive", r.from, r.tag, r.bytes);
    options(r, " profile=", r.profile);
  }
  void operator()(wait const& w) { fields("wait", w.request); }
  void operator()(collective const& c) {
    text_ += name_of(c.what);
    if (has_root(c.what)) field(c.root);
    if (c.what != operation::barrier) {
      field(c.bytes_sent);
      field(c.bytes_received);
    }
    options(c, " counts=", c.counts);
  }
  void operator()(marker const& m) { fields("marker", m.type, m.value); }

 private:
  void field(auto value) {
    text_ += ' ';
    append_number(text_, value);
  }
  void fields(char const* word, auto... values) {
    text_ += word;
    (field(values), ...);
  }
  void line(char const* word, auto value) {
    fields(word, value);
    text_ += '\n';
  }
  void option(char const* name, index value, index usual) {
    if (value == usual) return;
    text_ += name;
    append_number(text_, value);
  }
  void options(auto const& call, char const* list_name, index list) {
    option(" communicator=", call.communicator, 0);
    option(" request=", call.request, none);
    option(list_name, list, none);
  }
  void write_communicator(std::vector<rank_id> const& members) {
    text_ += "communicator";
    for (std::size_t i = 0; i < members.size();) {
      std::size_t last = i;
      while (last + 1 < members.size() && members[last + 1] == members[last] + 1) ++last;
      field(members[i]);
      if (last > i) text_ += '-' + std::to_string(members[last]);
      i = last + 1;
    }
    text_ += '\n';
  }
  void write_profile(access_profile const& p) {
    fields("profile", p.begin_s, p.end_s);
    for (float const share : p.shares) {
      if (share == access_profile::never) text_ += " never";
      else field(share);
    }
    text_ += '\n';
  }

  std::string text_;
};

}  // namespace

bool is_own_format(std::string_view contents) { return contents.starts_with("ovlp mpi trace "); }

trace read_own_format(trace_source const& from) { return own_format_reader(from).read(); }

std::string own_format_of(trace const& what) { return own_format_writer().write(what); }

}  // namespace ovlp::mpi
