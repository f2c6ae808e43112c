// An engine for soft margins that leaves out rows far beyond their margin.
#pragma once

#include "engines/engine.h"

namespace zeronorm {

std::unique_ptr<Engine> make_working_rows(EngineMaker make);

}  // namespace zeronorm
