// Shared by methods that scale features.
#pragma once

#include "methods/fitting.h"

namespace zeronorm {

// Refuses a named engine other than the dual engine, which computes the scales.
inline bool refuses_scales(Fitting& fitting) {
  return fitting.refuses_engine("dual", "Scales of features are found with the dual engine.");
}

}  // namespace zeronorm
