// A checksum of an R object that outlives saving and reading.
#include <Rcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// What no R code makes but a damaged file can hold: R itself may crash or hang on it.
struct Unsound {};

constexpr int kDeepest = 1000;

// A vector that R keeps in short: its values are made when they are asked for, which fails where a damaged length
// asks for too much.
SEXP make_values(void* data) {
  const SEXP x = static_cast<SEXP>(data);
  if (TYPEOF(x) == INTSXP) INTEGER_RO(x);
  if (TYPEOF(x) == LGLSXP) LOGICAL_RO(x);
  if (TYPEOF(x) == REALSXP) REAL_RO(x);
  if (TYPEOF(x) == CPLXSXP) COMPLEX_RO(x);
  if (TYPEOF(x) == RAWSXP) RAW_RO(x);
  if (TYPEOF(x) == STRSXP)
    for (R_xlen_t k = 0; k < Rf_xlength(x); ++k) STRING_ELT(x, k);
  return R_BlankString;
}

SEXP no_values(SEXP, void*) { return R_NilValue; }

// R believes what such a vector says of its order and gaps, and asks no value.
template <typename Value, typename Missing>
bool keeps_word(const Value* values, R_xlen_t n, int order, bool no_gaps, Missing missing) {
  const bool up = order > 0;
  const bool gaps_first = order == 2 || order == -2;
  if (order != NA_INTEGER && std::abs(order) > 2) return false;
  bool sorted = true;
  for (R_xlen_t k = 0; k < n; ++k) {
    if (missing(values[k]) && no_gaps) return false;
    if (k == 0) continue;
    const bool gap = missing(values[k]);
    const bool gap_before = missing(values[k - 1]);
    if (gap || gap_before)
      sorted = sorted && (gap == gap_before || gap_before == gaps_first);
    else
      sorted = sorted && (up ? values[k - 1] <= values[k] : values[k - 1] >= values[k]);
  }
  return order == NA_INTEGER || order == 0 || sorted;
}

// Every step is one to one, so that no change within a single word goes unseen. No defence against someone who
// computes it anew.
class Checksum {
 public:
  // Throws Unsound.
  void add(SEXP x, int depth = 0) {
    if (depth > kDeepest) throw Unsound();
    add_word(static_cast<std::uint64_t>(TYPEOF(x)));
    add_word(Rf_isS4(x) ? 1 : 0);
    if (ALTREP(x)) check_compact(x);
    switch (TYPEOF(x)) {
      case SYMSXP: add_string(name_of(x)); return;
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
          add_attributes(x, depth + 1);
        }
        return;
      case S4SXP: break;
      case NILSXP:
      case CLOSXP:
      case SPECIALSXP:
      case BUILTINSXP:
      case ENVSXP:
      case EXTPTRSXP:
      case WEAKREFSXP: return;  // functions and environments are no data
      default: throw Unsound();
    }
    add_attributes(x, depth + 1);
  }

  // What is no part of the contents of x, but what R walks through whenever it touches x.
  void add_attributes(SEXP x, int depth = 0) {
    bool has_class = false;
    for (SEXP one = ATTRIB(x); one != R_NilValue; one = CDR(one)) {
      if (TYPEOF(one) != LISTSXP || TYPEOF(TAG(one)) != SYMSXP) throw Unsound();
      const char* name = CHAR(name_of(TAG(one)));
      add_bytes(name, std::strlen(name));
      if (TAG(one) == R_ClassSymbol) has_class = true;
      if (is_vector(x)) check_attribute(x, TAG(one), CAR(one));
      // Of a data frame's rows only the number may be kept.
      if (TAG(one) == R_RowNamesSymbol && is_count_of_rows(CAR(one))) {
        add_rows(x, INTEGER_RO(CAR(one))[1]);
      } else {
        add(CAR(one), depth + 1);
      }
    }
    // Dispatch asks for the mark only, and takes an object without it for a plain vector.
    if (has_class != static_cast<bool>(Rf_isObject(x))) throw Unsound();
  }

  std::uint64_t value() const { return sum_; }

 private:
  void add_word(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x100000001b3ULL;
    sum_ = sum_ << 29 | sum_ >> 35;
  }

  // R_UnboundValue, which a single bit of an end mark makes, is a symbol without a name.
  static SEXP name_of(SEXP symbol) {
    const SEXP name = PRINTNAME(symbol);
    if (TYPEOF(name) != CHARSXP) throw Unsound();
    return name;
  }

  static void check_compact(SEXP x) {
    if (Rf_xlength(x) < 0 || R_tryCatchError(make_values, x, no_values, nullptr) == R_NilValue)
      throw Unsound();
    bool true_word = true;
    if (TYPEOF(x) == INTSXP) {
      true_word = keeps_word(INTEGER_RO(x), Rf_xlength(x), INTEGER_IS_SORTED(x), INTEGER_NO_NA(x) != 0,
                             [](int value) { return value == NA_INTEGER; });
    } else if (TYPEOF(x) == REALSXP) {
      true_word = keeps_word(REAL_RO(x), Rf_xlength(x), REAL_IS_SORTED(x), REAL_NO_NA(x) != 0,
                             [](double value) { return value != value; });
    }
    if (!true_word) throw Unsound();
  }

  static bool is_vector(SEXP x) {
    return TYPEOF(x) == VECSXP || TYPEOF(x) == EXPRSXP || TYPEOF(x) == RAWSXP || Rf_isVectorAtomic(x);
  }

  static void check_attribute(SEXP x, SEXP name, SEXP value) {
    if (name == R_NamesSymbol) check_names(value, Rf_xlength(x));
    if (name == R_DimSymbol) check_dim(value, Rf_xlength(x));
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

  static bool is_count_of_rows(SEXP names) {
    return TYPEOF(names) == INTSXP && Rf_xlength(names) == 2 && INTEGER_RO(names)[0] == NA_INTEGER;
  }

  // The names 1, 2, ... as R would make them, without the memory that a damaged count may ask for.
  void add_rows(SEXP x, int count) {
    const auto n = static_cast<R_xlen_t>(count < 0 ? -static_cast<double>(count) : count);
    const SEXP first = TYPEOF(x) == VECSXP && Rf_xlength(x) > 0 ? VECTOR_ELT(x, 0) : R_NilValue;
    if (Rf_isVectorAtomic(first) && ATTRIB(first) == R_NilValue && Rf_xlength(first) != n) throw Unsound();
    add_word(INTSXP);
    add_word(0);
    add_word(static_cast<std::uint64_t>(n));
    for (R_xlen_t k = 1; k <= n; ++k) add_word(static_cast<std::uint64_t>(k));
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

bool is_text(SEXP x) { return TYPEOF(x) == STRSXP && Rf_xlength(x) == 1 && STRING_ELT(x, 0) != NA_STRING; }

// Of what differs from run to run the value may be any number, but it has to be there.
bool has_numbers(SEXP object, SEXP names) {
  if (TYPEOF(names) != STRSXP) return names == R_NilValue;
  for (R_xlen_t k = 0; k < Rf_xlength(names); ++k) {
    const SEXP value = element(object, CHAR(STRING_ELT(names, k)));
    if (!Rf_isNumeric(value) || Rf_xlength(value) != 1 || R_IsNaN(Rf_asReal(value))) return false;
  }
  return true;
}

// The sum of the named fields as a list of their own; what is not among them is only walked through. Empty where
// a field is missing.
std::string sum_of_fields(SEXP object, SEXP fields) {
  const SEXP names = names_of(object);
  Checksum rest;
  rest.add_attributes(object);
  std::vector<bool> sealed(static_cast<std::size_t>(Rf_xlength(object)), false);
  Rcpp::List kept(Rf_xlength(fields));
  bool complete = true;
  for (R_xlen_t k = 0; k < Rf_xlength(fields); ++k) {
    const R_xlen_t at = place_of(CHAR(STRING_ELT(fields, k)), names);
    complete = complete && at >= 0;
    if (at < 0) continue;
    kept[k] = VECTOR_ELT(object, at);
    sealed[static_cast<std::size_t>(at)] = true;
  }
  for (R_xlen_t at = 0; at < Rf_xlength(object); ++at)
    if (!sealed[static_cast<std::size_t>(at)]) rest.add(VECTOR_ELT(object, at));
  kept.names() = fields;
  Checksum sum;
  sum.add(kept);
  return complete ? digits_of(sum) : "";
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

// The state and the version of the seal: "whole", "changed", "damaged" where R could crash or hang on what the
// object holds, "missing" where no seal of this package is. R code touches it only where it is whole.
// [[Rcpp::export(rng = false)]]
Rcpp::CharacterVector seal_state_core(const Rcpp::RObject& object) {
  auto seen = Rcpp::CharacterVector::create(Rcpp::Named("state", "missing"), Rcpp::Named("version", ""));
  const SEXP kept = element(object, "seal");
  const SEXP fields = element(kept, "fields");
  const SEXP sum = element(kept, "sum");
  const SEXP version = element(kept, "version");
  if (TYPEOF(fields) != STRSXP || !is_text(sum) || !is_text(version)) return seen;
  SET_STRING_ELT(seen, 1, STRING_ELT(version, 0));
  try {
    const std::string found = Rf_isS4(object) ? "" : sum_of_fields(object, fields);
    const bool whole = found == CHAR(STRING_ELT(sum, 0)) && has_numbers(object, element(kept, "beside"));
    seen[0] = whole ? "whole" : "changed";
  } catch (const Unsound&) {
    seen[0] = "damaged";
  }
  return seen;
}
