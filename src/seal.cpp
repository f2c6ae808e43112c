// A checksum of an R object that outlives saving and reading.
#include <Rcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

// What no R code makes but a damaged file can hold: R itself may crash on it.
struct Unsound {};

constexpr int kDeepest = 1000;

// Every step is one to one, so that no change within a single word goes unseen. No defence against someone who
// computes it anew.
class Checksum {
 public:
  // Throws Unsound.
  void add(SEXP x, int depth = 0) {
    if (depth > kDeepest) throw Unsound();
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
        for (R_xlen_t k = 0; k < Rf_xlength(x); ++k) add(VECTOR_ELT(x, k), depth + 1);
        break;
      case LISTSXP:
      case LANGSXP:
        for (; x != R_NilValue; x = CDR(x)) {
          if (TYPEOF(x) != LISTSXP && TYPEOF(x) != LANGSXP) throw Unsound();
          add(TAG(x), depth + 1);
          add(CAR(x), depth + 1);
        }
        return;
      case S4SXP: break;
      default:  // functions and environments are no data
        return;
    }
    add_attributes(x, depth + 1);
  }

  std::uint64_t value() const { return sum_; }

 private:
  void add_word(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3ULL;
    sum_ = sum_ << 29 | sum_ >> 35;
  }

  void add_attributes(SEXP x, int depth) {
    for (SEXP one = ATTRIB(x); one != R_NilValue; one = CDR(one)) {
      if (TYPEOF(one) != LISTSXP || TYPEOF(TAG(one)) != SYMSXP) throw Unsound();
      const char* name = CHAR(PRINTNAME(TAG(one)));
      add_bytes(name, std::strlen(name));
      if (TAG(one) == R_NamesSymbol && TYPEOF(x) != S4SXP) check_names(CAR(one), Rf_xlength(x));
      if (TAG(one) == R_DimSymbol && TYPEOF(x) != S4SXP) check_dim(CAR(one), Rf_xlength(x));
      // Of a data frame's rows only the number may be kept.
      const Rcpp::RObject value = TAG(one) == R_RowNamesSymbol ? Rf_getAttrib(x, TAG(one)) : CAR(one);
      add(value, depth);
    }
  }

  static void check_names(SEXP names, R_xlen_t n) {
    if (TYPEOF(names) != STRSXP || Rf_xlength(names) != n) throw Unsound();
  }

  static void check_dim(SEXP dim, R_xlen_t n) {
    if (TYPEOF(dim) != INTSXP) throw Unsound();
    double product = 1;
    for (R_xlen_t k = 0; k < Rf_xlength(dim); ++k) product *= INTEGER_RO(dim)[k];
    if (product != static_cast<double>(n)) throw Unsound();
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
    const auto* at = reinterpret_cast<const unsigned char*>(bytes);
    for (; n >= 8; n -= 8, at += 8) add_word(word_of_eight(at));
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < n; ++k) word = word << 8 | at[k];
    if (n > 0) add_word(word);
  }

  static std::uint64_t word_of_eight(const unsigned char* at) {
    std::uint64_t word = 0;
    for (int k = 0; k < 8; ++k) word = word << 8 | at[k];
    return word;
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

std::string digits_of(const Checksum& sum) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum.value()));
  return digits;
}

// Names as they stand; none where they are missing or not as many as elements.
SEXP names_of(SEXP list) {
  for (SEXP one = ATTRIB(list); TYPEOF(one) == LISTSXP; one = CDR(one)) {
    if (TAG(one) != R_NamesSymbol) continue;
    const SEXP names = CAR(one);
    return TYPEOF(names) == STRSXP && Rf_xlength(names) == Rf_xlength(list) ? names : R_NilValue;
  }
  return R_NilValue;
}

// -1 if there is none.
R_xlen_t place_of(const char* name, SEXP names) {
  if (TYPEOF(names) != STRSXP) return -1;
  for (R_xlen_t k = 0; k < Rf_xlength(names); ++k)
    if (std::strcmp(CHAR(STRING_ELT(names, k)), name) == 0) return k;
  return -1;
}

// The element of a list, or NULL.
SEXP element(SEXP list, const char* name) {
  if (TYPEOF(list) != VECSXP) return R_NilValue;
  const R_xlen_t k = place_of(name, names_of(list));
  return k < 0 ? R_NilValue : VECTOR_ELT(list, k);
}

bool is_text(SEXP x) { return TYPEOF(x) == STRSXP && Rf_xlength(x) == 1; }

// The sum of the named fields as a list of their own; what is not among them is only walked through.
std::string sum_of_fields(SEXP object, SEXP fields) {
  const SEXP names = names_of(object);
  Rcpp::List kept(Rf_xlength(fields));
  std::vector<bool> sealed(static_cast<std::size_t>(Rf_xlength(object)), false);
  for (R_xlen_t k = 0; k < Rf_xlength(fields); ++k) {
    const R_xlen_t at = place_of(CHAR(STRING_ELT(fields, k)), names);
    if (at < 0) throw Unsound();
    kept[k] = VECTOR_ELT(object, at);
    sealed[static_cast<std::size_t>(at)] = true;
  }
  kept.names() = fields;
  Checksum rest;
  for (R_xlen_t at = 0; at < Rf_xlength(object); ++at)
    if (!sealed[static_cast<std::size_t>(at)]) rest.add(VECTOR_ELT(object, at));
  Checksum sum;
  sum.add(kept);
  return digits_of(sum);
}

}  // namespace

// Sixteen hexadecimal digits, the same for the same values, names and attributes; functions count as equal.
// [[Rcpp::export(rng = false)]]
std::string checksum_core(const Rcpp::RObject& object) {
  Checksum sum;
  try {
    sum.add(object);
  } catch (const Unsound&) {
    Rcpp::stop("The object is damaged.");
  }
  return digits_of(sum);
}

// "whole", "changed", or "missing" where no seal of this package is. Until it says "whole" no R code touches
// what the object holds, since that could crash R.
// [[Rcpp::export(rng = false)]]
std::string seal_state_core(const Rcpp::RObject& object) {
  const SEXP kept = element(object, "seal");
  const SEXP fields = element(kept, "fields");
  const SEXP sum = element(kept, "sum");
  if (TYPEOF(fields) != STRSXP || !is_text(sum) || !is_text(element(kept, "version"))) return "missing";
  try {
    return sum_of_fields(object, fields) == CHAR(STRING_ELT(sum, 0)) ? "whole" : "changed";
  } catch (const Unsound&) {
    return "changed";
  }
}
