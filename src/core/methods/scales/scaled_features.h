// What methods that scale features share.
#pragma once

#include "methods/fitting.h"

namespace zeronorm {

// Scales are found with the dual engine; another one that was named is refused.
inline bool refuses_scales(Fitting& fitting) {
  return fitting.refuses_engine("dual", "Scales of features are found with the dual engine.");
}

}  // namespace zeronorm
