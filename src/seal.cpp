// A checksum of an R object that outlives saving and reading.
#include <Rcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

// Every step is one to one, so that no change within a single word goes unseen. No defence against someone who
// computes it anew.
class Checksum {
 public:
  void add(SEXP x) {
    add_word(static_cast<std::uint64_t>(TYPEOF(x)));
    add_word(Rf_isS4(x) ? 1 : 0);
    switch (TYPEOF(x)) {
      case SYMSXP: add_string(PRINTNAME(x)); return;
      case LGLSXP:
      case INTSXP: add_integers(TYPEOF(x) == LGLSXP ? LOGICAL_RO(x) : INTEGER_RO(x), Rf_xlength(x)); break;
      case REALSXP: add_numbers(REAL_RO(x), Rf_xlength(x)); break;
      case CPLXSXP: add_numbers(reinterpret_cast<const double*>(COMPLEX_RO(x)), 2 * Rf_xlength(x)); break;
      case RAWSXP:
        add_bytes(reinterpret_cast<const char*>(RAW_RO(x)), static_cast<std::size_t>(Rf_xlength(x)));
        break;
      case STRSXP:
        add_word(static_cast<std::uint64_t>(Rf_xlength(x)));
        for (R_xlen_t k = 0; k < Rf_xlength(x); ++k) add_string(STRING_ELT(x, k));
        break;
      case VECSXP:
      case EXPRSXP:
        add_word(static_cast<std::uint64_t>(Rf_xlength(x)));
        for (R_xlen_t k = 0; k < Rf_xlength(x); ++k) add(VECTOR_ELT(x, k));
        break;
      case LISTSXP:
      case LANGSXP:
        for (; x != R_NilValue; x = CDR(x)) {
          add(TAG(x));
          add(CAR(x));
        }
        return;
      case S4SXP: break;
      default:  // functions and environments are no data
        return;
    }
    const Rcpp::RObject object(x);
    for (const std::string& name : object.attributeNames()) {
      add_bytes(name.data(), name.size());
      const Rcpp::RObject value = object.attr(name);
      add(value);
    }
  }

  std::uint64_t value() const { return sum_; }

 private:
  void add_word(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3ULL;
    sum_ = sum_ << 29 | sum_ >> 35;
  }

  void add_integers(const int* values, R_xlen_t n) {
    add_word(static_cast<std::uint64_t>(n));
    for (R_xlen_t k = 0; k < n; ++k) add_word(static_cast<std::uint32_t>(values[k]));
  }

  // Payloads of NaN may differ between machines.
  void add_numbers(const double* values, R_xlen_t n) {
    add_word(static_cast<std::uint64_t>(n));
    for (R_xlen_t k = 0; k < n; ++k) {
      std::uint64_t word;
      std::memcpy(&word, values + k, sizeof word);
      if (values[k] != values[k]) word = R_IsNA(values[k]) ? ~0ULL : ~1ULL;
      add_word(word);
    }
  }

  void add_bytes(const char* bytes, std::size_t n) {
    add_word(n);
    for (std::size_t from = 0; from < n; from += 8) {
      std::uint64_t word = 0;
      for (std::size_t k = from; k < n && k < from + 8; ++k)
        word = word << 8 | static_cast<unsigned char>(bytes[k]);
      add_word(word);
    }
  }

  void add_string(SEXP s) {
    if (s == NA_STRING) return add_word(~0ULL);
    const void* memory = vmaxget();
    const char* text = Rf_getCharCE(s) == CE_BYTES ? CHAR(s) : Rf_translateCharUTF8(s);
    add_bytes(text, std::strlen(text));
    vmaxset(memory);
  }

  std::uint64_t sum_ = 0xcbf29ce484222325ULL;
};

}  // namespace

// Sixteen hexadecimal digits, the same for the same values, names and attributes; functions count as equal.
// [[Rcpp::export(rng = false)]]
std::string checksum_core(const Rcpp::RObject& object) {
  Checksum sum;
  sum.add(object);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum.value()));
  return digits;
}
