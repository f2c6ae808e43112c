// An engine of soft margins that leaves out the rows far beyond theirs.
#pragma once

#include "engines/engine.h"

namespace zeronorm {

std::unique_ptr<Engine> make_working_rows(EngineMaker make);

}  // namespace zeronorm
