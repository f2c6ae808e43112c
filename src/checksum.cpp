// Computes a checksum of the bytes of a vector, for finished parts on a disk and for comparing requests.
#include <Rcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

// Every step is one-to-one, so that a change within a single word is always detected. It does not protect against
// someone who recomputes the sum.
class Checksum {
 public:
  void add_word(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x9e3779b97f4a7c15ULL;
    sum_ ^= sum_ >> 32;
  }

  void add_bytes(const void* data, std::size_t n) {
    add_word(n);
    const auto* at = static_cast<const unsigned char*>(data);
    for (; n >= 8; n -= 8, at += 8) add_word(word_of(at, 8));
    if (n > 0) add_word(word_of(at, n));
  }

  std::string digits() const {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum_));
    return text;
  }

 private:
  // The first byte is the highest on every platform.
  static std::uint64_t word_of(const unsigned char* at, std::size_t n) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < n; ++k) word = word << 8 | at[k];
    return word;
  }

  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

}  // namespace

// Returns sixteen hexadecimal digits that are equal for equal values, for numbers, logical values, text and raw
// bytes. O(length).
// [[Rcpp::export(rng = false)]]
std::string checksum_core(SEXP values) {
  Checksum sum;
  const auto n = static_cast<std::size_t>(Rf_xlength(values));
  switch (TYPEOF(values)) {
    case REALSXP: sum.add_bytes(REAL_RO(values), n * sizeof(double)); break;
    case INTSXP: sum.add_bytes(INTEGER_RO(values), n * sizeof(int)); break;
    case LGLSXP: sum.add_bytes(LOGICAL_RO(values), n * sizeof(int)); break;
    case RAWSXP: sum.add_bytes(RAW_RO(values), n); break;
    case STRSXP:
      for (std::size_t k = 0; k < n; ++k) {
        const SEXP text = STRING_ELT(values, static_cast<R_xlen_t>(k));
        if (text == NA_STRING) {
          sum.add_word(~0ULL);
          continue;
        }
        const char* bytes = Rf_getCharCE(text) == CE_BYTES ? CHAR(text) : Rf_translateCharUTF8(text);
        sum.add_bytes(bytes, std::strlen(bytes));
      }
      break;
    default: Rcpp::stop("A checksum is taken of vectors only.");
  }
  return sum.digits();
}
