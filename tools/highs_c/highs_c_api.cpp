#include "highs_c_api.h"

#include <algorithm>

#include "Highs.h"

namespace {

Highs* as_highs(void* highs) { return static_cast<Highs*>(highs); }
const Highs* as_highs(const void* highs) { return static_cast<const Highs*>(highs); }
template <class Enum>
HighsInt as_int(Enum value) {
  return static_cast<HighsInt>(value);
}

void copy_out(const std::vector<double>& from, double* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

}  // namespace

extern "C" {

void* Highs_create(void) { return new Highs(); }
void Highs_destroy(void* highs) { delete as_highs(highs); }
const char* Highs_version(void) {
  static const std::string version = Highs().version();
  return version.c_str();
}

HighsInt Highs_setBoolOptionValue(void* highs, const char* option, const HighsInt value) {
  return as_int(as_highs(highs)->setOptionValue(std::string(option), value != 0));
}
HighsInt Highs_setIntOptionValue(void* highs, const char* option, const HighsInt value) {
  return as_int(as_highs(highs)->setOptionValue(std::string(option), value));
}
HighsInt Highs_setDoubleOptionValue(void* highs, const char* option, const double value) {
  return as_int(as_highs(highs)->setOptionValue(std::string(option), value));
}
HighsInt Highs_setStringOptionValue(void* highs, const char* option, const char* value) {
  return as_int(as_highs(highs)->setOptionValue(std::string(option), std::string(value)));
}

HighsInt Highs_passMip(void* highs, const HighsInt num_col, const HighsInt num_row, const HighsInt num_nz,
                       const HighsInt a_format, const HighsInt sense, const double offset,
                       const double* col_cost, const double* col_lower, const double* col_upper,
                       const double* row_lower, const double* row_upper, const HighsInt* a_start,
                       const HighsInt* a_index, const double* a_value, const HighsInt* integrality) {
  HighsLp lp;
  lp.num_col_ = num_col;
  lp.num_row_ = num_row;
  lp.sense_ = sense < 0 ? ObjSense::kMaximize : ObjSense::kMinimize;
  lp.offset_ = offset;
  lp.col_cost_.assign(col_cost, col_cost + num_col);
  lp.col_lower_.assign(col_lower, col_lower + num_col);
  lp.col_upper_.assign(col_upper, col_upper + num_col);
  lp.row_lower_.assign(row_lower, row_lower + num_row);
  lp.row_upper_.assign(row_upper, row_upper + num_row);
  const bool by_column = a_format == 1;
  const HighsInt vectors = by_column ? num_col : num_row;
  lp.a_matrix_.format_ = by_column ? MatrixFormat::kColwise : MatrixFormat::kRowwise;
  lp.a_matrix_.num_col_ = num_col;
  lp.a_matrix_.num_row_ = num_row;
  lp.a_matrix_.start_.assign(a_start, a_start + vectors);
  lp.a_matrix_.start_.push_back(num_nz);
  lp.a_matrix_.index_.assign(a_index, a_index + num_nz);
  lp.a_matrix_.value_.assign(a_value, a_value + num_nz);
  if (integrality != nullptr) {
    lp.integrality_.resize(num_col);
    for (HighsInt j = 0; j < num_col; ++j) lp.integrality_[j] = static_cast<HighsVarType>(integrality[j]);
  }
  return as_int(as_highs(highs)->passModel(std::move(lp)));
}

HighsInt Highs_addCols(void* highs, const HighsInt num_new_col, const double* costs, const double* lower,
                       const double* upper, const HighsInt num_new_nz, const HighsInt* starts,
                       const HighsInt* index, const double* value) {
  return as_int(as_highs(highs)->addCols(num_new_col, costs, lower, upper, num_new_nz, starts, index, value));
}
HighsInt Highs_changeColsCostByRange(void* highs, const HighsInt from_col, const HighsInt to_col,
                                     const double* cost) {
  return as_int(as_highs(highs)->changeColsCost(from_col, to_col, cost));
}
HighsInt Highs_changeColsBoundsByRange(void* highs, const HighsInt from_col, const HighsInt to_col,
                                       const double* lower, const double* upper) {
  return as_int(as_highs(highs)->changeColsBounds(from_col, to_col, lower, upper));
}

HighsInt Highs_getBasis(const void* highs, HighsInt* col_status, HighsInt* row_status) {
  const HighsBasis& basis = as_highs(highs)->getBasis();
  for (size_t j = 0; j < basis.col_status.size(); ++j) col_status[j] = as_int(basis.col_status[j]);
  for (size_t i = 0; i < basis.row_status.size(); ++i) row_status[i] = as_int(basis.row_status[i]);
  return basis.valid ? 0 : -1;
}
HighsInt Highs_setBasis(void* highs, const HighsInt* col_status, const HighsInt* row_status) {
  Highs* h = as_highs(highs);
  HighsBasis basis;
  for (HighsInt j = 0; j < h->getNumCol(); ++j)
    basis.col_status.push_back(static_cast<HighsBasisStatus>(col_status[j]));
  for (HighsInt i = 0; i < h->getNumRow(); ++i)
    basis.row_status.push_back(static_cast<HighsBasisStatus>(row_status[i]));
  basis.valid = true;
  return as_int(h->setBasis(basis));
}
HighsInt Highs_setCallback(void* highs, HighsCCallbackType user_callback, void* user_callback_data) {
  return as_int(as_highs(highs)->setCallback(user_callback, user_callback_data));
}
HighsInt Highs_startCallback(void* highs, const int callback_type) {
  return as_int(as_highs(highs)->startCallback(callback_type));
}

HighsInt Highs_run(void* highs) { return as_int(as_highs(highs)->run()); }
HighsInt Highs_clearSolver(void* highs) { return as_int(as_highs(highs)->clearSolver()); }
HighsInt Highs_getModelStatus(const void* highs) {
  return static_cast<HighsInt>(as_highs(highs)->getModelStatus());
}
HighsInt Highs_getSolution(const void* highs, double* col_value, double* col_dual, double* row_value,
                           double* row_dual) {
  const HighsSolution& s = as_highs(highs)->getSolution();
  copy_out(s.col_value, col_value);
  copy_out(s.col_dual, col_dual);
  copy_out(s.row_value, row_value);
  copy_out(s.row_dual, row_dual);
  return s.value_valid ? 0 : -1;
}
HighsInt Highs_setSolution(void* highs, const double* col_value, const double*, const double*,
                           const double*) {
  HighsSolution start;
  start.col_value.assign(col_value, col_value + as_highs(highs)->getNumCol());
  return as_int(as_highs(highs)->setSolution(start));
}
HighsInt Highs_getIntInfoValue(const void* highs, const char* info, HighsInt* value) {
  return as_int(as_highs(highs)->getInfoValue(std::string(info), *value));
}
HighsInt Highs_getInt64InfoValue(const void* highs, const char* info, int64_t* value) {
  return as_int(as_highs(highs)->getInfoValue(std::string(info), *value));
}
HighsInt Highs_getDoubleInfoValue(const void* highs, const char* info, double* value) {
  return as_int(as_highs(highs)->getInfoValue(std::string(info), *value));
}

}  // extern "C"
