#pragma once

namespace tieline::engine {

/// How many threads compute, and for how long before this is thought over.
struct CrewPlan {
  int threads = 1;
  double seconds = 0.0;  ///< wall time
};

/// Chooses the number of threads of a run by trying: one thread at first, then twice as many as long as this pays, and
/// from time to time those next to the number that was best. Short windows are passed between cores too slowly, and how
/// slowly depends on the model and on what else the machine does; so it is measured. Results do not depend on it.
///
/// Call order: `plan`, then `note` what came of it, which may have ended earlier; and again. One thread.
class Governor {
 public:
  /// `most` threads at most. With `is_certain`, windows are so long that all of them pay, and none are tried.
  [[nodiscard]] CrewPlan plan(int most, bool is_certain);
  /// So many threads have done this work in so many seconds of wall time; the unit of work is any, but always the same.
  void note(int threads, double seconds, double work);
  /// The number that was fastest so far.
  [[nodiscard]] int best() const { return best_; }

 private:
  [[nodiscard]] int neighbour(bool is_more) const;
  void judge(double rate);
  void hold();

  int most_ = 1;
  int best_ = 1;
  double best_rate_ = 0.0;  ///< work per second; 0: unknown
  int tried_ = 1;           ///< in the present phase; the best while it is held
  bool is_up_ = true;       ///< trials go towards more threads
  double phase_ = 0.0;      ///< length of the present phase [s]; 0: none has begun
  double hold_ = 0.0;       ///< length of the last hold [s]; 0: trials follow one another
  double certain_ = 0.0;    ///< length of the last phase without trials [s]
  double seconds_ = 0.0;    ///< measured in the present phase
  double work_ = 0.0;
};

}  // namespace tieline::engine
