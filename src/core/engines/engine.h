// What every engine is: it solves  Problem + Surrogate  and keeps its own warm start.
#pragma once

#include "base/types.h"

namespace zeronorm {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  // Empty where the engine takes this problem; else one sentence for the user saying why not.
  virtual std::string refuses(const Problem& problem, const Surrogate& surrogate) const = 0;
  // Takes a new problem (which must outlive the engine's use) and forgets any warm start.
  virtual void setup(const Problem& problem) = 0;
  // Minimises over w, b.  Fills everything of Solution but the certificate.  Warm starts from the
  // last call.  Never throws for a hard instance: the status says it.
  virtual Solution solve(const Surrogate& surrogate, const Limits& limits) = 0;
};

// How HiGHS works on a programme: on few columns, adding those that violate, or on all at once.
struct HighsSettings {
  bool column_generation = true;
  std::string presolve = "off";  // it cannot be interrupted
  int simplex_strategy = 0;      // HiGHS's own numbers: 0 chooses, 1 dual, 4 primal
};

// What is known about an engine without making one: its name, whether it takes a problem (empty, or one sentence why
// not), and how it is made. reads_blocks: it reads columns in blocks, so that data may lie on a disk.
struct EngineKind {
  const char* name;
  std::string (*refusal)(const Problem& problem, const Surrogate& surrogate);
  std::unique_ptr<Engine> (*make)(const HighsSettings& settings);
  bool reads_blocks = false;
};

extern const EngineKind kSimplexEngine, kDualEngine, kActiveSetEngine, kNewtonEngine, kSmoothEngine,
    kWestonWatkinsEngine, kClassNewtonEngine, kInteriorEngine, kHighsEngine, kOsqpEngine;

// An engine that is called what its kind is called, and refuses what its kind refuses.
class BareEngine : public Engine {
 public:
  explicit BareEngine(const EngineKind& kind) : kind_(kind) {}
  std::string name() const override { return kind_.name; }
  std::string refuses(const Problem& problem, const Surrogate& surrogate) const override {
    return kind_.refusal(problem, surrogate);
  }

 private:
  const EngineKind& kind_;
};

// The name of an engine, and how HiGHS works where it is that engine or stands in for it.
struct EngineChoice {
  EngineChoice(std::string engine = "auto", HighsSettings settings = {})
      : name(std::move(engine)), highs(std::move(settings)) {}
  EngineChoice(const char* engine) : name(engine) {}
  // Whether one engine is asked for, which then never hands over.
  bool named() const { return name != "auto"; }
  // Another engine with the same settings of HiGHS.
  EngineChoice other(std::string engine) const { return {std::move(engine), highs}; }
  // The default engine, in which OSQP, which can take many seconds, does not stand in where other engines fail.
  EngineChoice without_osqp() const {
    EngineChoice choice = other("auto");
    choice.osqp_stands_in = false;
    return choice;
  }

  std::string name;
  HighsSettings highs;
  bool osqp_stands_in = true;
};

// The engine of that name, or "auto": our own engine for the problem at hand, HiGHS or OSQP where that refuses or
// fails (then Solution::fallback). Throws std::invalid_argument with the choices on other names. It takes any margins,
// rows without cost and several outputs; the engines below expect margins of about one.
std::unique_ptr<Engine> make_engine(const EngineChoice& choice);

std::unique_ptr<Engine> make_simplex();
std::unique_ptr<Engine> make_dual_qp();
std::unique_ptr<Engine> make_active_set();
std::unique_ptr<Engine> make_highs(const HighsSettings& settings = {});
std::unique_ptr<Engine> make_osqp();

using EngineMaker = std::function<std::unique_ptr<Engine>()>;

// An engine of one output, as often as a problem has independent outputs.
std::unique_ptr<Engine> make_each_output(EngineMaker make);
std::unique_ptr<Engine> make_smooth();
std::unique_ptr<Engine> make_weston_watkins();
std::unique_ptr<Engine> make_class_newton();
std::unique_ptr<Engine> make_interior();
std::unique_ptr<Engine> make_newton();

}  // namespace zeronorm
