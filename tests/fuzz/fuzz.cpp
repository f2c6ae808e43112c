// libFuzzer's entry: every engine that takes the problem solves it round after round, warm; what it calls optimal
// is graded from the definition, and engines are held against each other.
#include <cstdlib>
#include <map>

#include "engines/engine.h"
#include "grade/certificate.h"
#include "instance.h"
#include "loop/minimise.h"

using namespace zeronorm;

namespace {

constexpr const char* kEngines[] = {"simplex", "dual",           "newton",   "active_set", "smooth",
                                    "highs",   "weston_watkins", "interior", "osqp",       "auto"};
constexpr long kIterations = 4000;  // of OSQP, which may take its time
constexpr Real kGap = 2 * kProof;   // what a certificate proves, and rounding

// Outcomes by engine, added to the file ZERONORM_FUZZ_TALLY every now and then and when the process ends.
class Tally {
 public:
  ~Tally() { write(); }
  void count(const std::string& engine, Status status) {
    ++counts_[engine + ',' + message(status)];
    if (++unwritten_ == 1000) write();
  }
  void write() {
    const char* path = std::getenv("ZERONORM_FUZZ_TALLY");
    std::FILE* file = path ? std::fopen(path, "a") : nullptr;
    for (const auto& entry : counts_)
      if (file) std::fprintf(file, "%s,%ld\n", entry.first.c_str(), entry.second);
    if (file) std::fclose(file);
    counts_.clear();
    unwritten_ = 0;
  }

 private:
  std::map<std::string, long> counts_;
  int unwritten_ = 0;
};
Tally tally;

struct Answer {
  std::string engine;
  Solution solution;
  Grade grade;
};

[[noreturn]] void fail(const Instance& q, const Surrogate& s, std::size_t round, const std::string& engine,
                       const std::string& what) {
  std::fprintf(stderr, "FAULT %s: %s, in round %zu of\n", engine.c_str(), what.c_str(), round);
  print(q, s);
  tally.write();
  std::abort();
}

std::string number(Real value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6Lg", value);
  return text;
}

// Empty, or what is wrong with an answer that claims to be optimal.
std::string fault(const Problem& p, const Surrogate& s, const Answer& a) {
  const Solution& out = a.solution;
  if (!out.w.allFinite() || !out.dual.allFinite() || (p.intercept && !out.b.allFinite()))
    return "an optimal solution that is not finite";
  for (Index j = 0; j < s.scale.size(); ++j)
    if (s.scale[j] == 0 && out.w.row(j).cwiseAbs().maxCoeff() > 0) return "a weight for a column that is out";
  if (a.grade.slack > kGap + a.grade.slack_noise) return "margins lack " + number(a.grade.slack);
  if (!(a.grade.gap() <= kGap + a.grade.noise / a.grade.size()))
    return "gap " + number(a.grade.gap()) + ", primal " + number(a.grade.primal) + ", dual " +
           number(a.grade.dual) + "; own gap " + number(out.certificate.gap);
  return "";
}

Solution solved(Engine& engine, const Instance& q, const Surrogate& s, std::size_t round,
                const std::string& name) {
  Limits limits;
  if (name == "osqp" || name == "auto") limits.iterations = kIterations;
  try {
    return solve_certified(engine, q.problem, s, limits);
  } catch (const std::exception& e) {
    fail(q, s, round, name, std::string("an exception, ") + e.what());
  }
}

void grade(const Instance& q, std::size_t round, const Grader& grader, Answer& a,
           std::vector<Answer>& answers) {
  const Surrogate& s = q.rounds[round];
  const auto wrong = [&](const std::string& what) { fail(q, s, round, a.engine, what); };
  switch (a.solution.status) {
    case Status::optimal: {
      a.grade = grader.grade(a.solution);
      const std::string what = fault(q.problem, s, a);
      if (!what.empty()) wrong(what);
      answers.push_back(a);
      return;
    }
    case Status::infeasible:
      if (!q.problem.hard()) wrong("infeasible without a hard margin");
      if (!(grader.ray_error(a.solution.dual) <= 10 * kProof)) wrong("no proof of infeasibility");
      return;
    case Status::unbounded:
      if (!grader.unbounded()) wrong("unbounded where nothing is");
      return;
    case Status::interrupted: wrong("interrupted by nobody"); return;
    case Status::refused: wrong("refused what it does not refuse"); return;
    case Status::limit:
    case Status::numerical: return;  // said, and not wrong
  }
}

// Optima of one problem are equal.
void compare(const Instance& q, std::size_t round, const std::vector<Answer>& answers) {
  for (const Answer& a : answers)
    for (const Answer& b : answers) {
      const Real size = std::max(a.grade.size(), b.grade.size());
      if (a.grade.primal - b.grade.primal > 2 * kGap * size + a.grade.noise + b.grade.noise)
        fail(q, q.rounds[round], round, a.engine,
             "objective " + number(a.grade.primal) + ", but " + b.engine + " has " + number(b.grade.primal));
    }
}

// What certify() lets pass must be as good as it says, wherever it comes from.
void mislead(const Instance& q, std::size_t round, const Grader& grader, const Answer& a) {
  const Surrogate& s = q.rounds[round];
  for (int change = 0; change < 6; ++change) {
    Answer off = a;
    Solution& out = off.solution;
    switch (change) {
      case 0: out.w *= 1 + 1e-3; break;
      case 1: out.w.setZero(); break;
      case 2: out.b.array() += 1e-3; break;
      case 3: out.dual *= 1.01; break;
      case 4: out.dual *= 0.99; break;
      default: out.w *= 0.5, out.dual *= 2;
    }
    out.certificate = certify(q.problem, s, out);
    if (!out.certificate.holds(kProof)) continue;
    off.grade = grader.grade(out);
    const std::string what = fault(q.problem, s, off);
    if (!what.empty()) fail(q, s, round, a.engine, "changed by " + std::to_string(change) + ": " + what);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Instance q;
  draw(q, Bytes(data, size));
  std::vector<std::unique_ptr<Engine>> engines;
  for (const char* name : kEngines) {
    engines.push_back(make_engine(name));
    if (engines.back()->refuses(q.problem, q.rounds[0]).empty())
      engines.back()->setup(q.problem);
    else
      engines.back().reset();
  }
  for (std::size_t round = 0; round < q.rounds.size(); ++round) {
    const Surrogate& s = q.rounds[round];
    const Grader grader(q.x, q.problem, s);
    std::vector<Answer> answers;
    for (std::size_t e = 0; e < engines.size(); ++e) {
      if (!engines[e] || !engines[e]->refuses(q.problem, s).empty()) continue;
      Answer a{kEngines[e], solved(*engines[e], q, s, round, kEngines[e]), Grade()};
      tally.count(a.engine, a.solution.status);
      grade(q, round, grader, a, answers);
    }
    compare(q, round, answers);
    if (!answers.empty()) mislead(q, round, grader, answers[0]);
  }
  return 0;
}
