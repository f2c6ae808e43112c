// The part of HiGHS's documented C interface that zeronorm uses.  Compiled by
// tools/engines.sh only when the HiGHS found comes without its own C interface.
#ifndef ZERONORM_HIGHS_C_API_H
#define ZERONORM_HIGHS_C_API_H

#include <stdint.h>

#include "lp_data/HighsCallbackStruct.h"
#include "util/HighsInt.h"

#ifdef __cplusplus
extern "C" {
#endif

static const HighsInt kHighsModelStatusOptimal = 7;
static const HighsInt kHighsModelStatusInfeasible = 8;
static const HighsInt kHighsModelStatusUnboundedOrInfeasible = 9;
static const HighsInt kHighsModelStatusUnbounded = 10;
static const HighsInt kHighsModelStatusTimeLimit = 13;
static const HighsInt kHighsModelStatusIterationLimit = 14;
static const HighsInt kHighsModelStatusSolutionLimit = 16;
static const HighsInt kHighsModelStatusInterrupt = 17;
static const HighsInt kHighsMatrixFormatColwise = 1;
static const HighsInt kHighsObjSenseMinimize = 1;
static const HighsInt kHighsVarTypeContinuous = 0;
static const HighsInt kHighsVarTypeInteger = 1;
static const HighsInt kHighsBasisStatusLower = 0;
static const HighsInt kHighsBasisStatusBasic = 1;
static const int kHighsCallbackSimplexInterrupt = 1;
static const int kHighsCallbackIpmInterrupt = 2;
static const int kHighsCallbackMipInterrupt = 6;

// Every function returns 0 (ok), 1 (warning) or -1 (error) unless said.
void* Highs_create(void);
void Highs_destroy(void* highs);
const char* Highs_version(void);

HighsInt Highs_setBoolOptionValue(void* highs, const char* option, const HighsInt value);
HighsInt Highs_setIntOptionValue(void* highs, const char* option, const HighsInt value);
HighsInt Highs_setDoubleOptionValue(void* highs, const char* option, const double value);
HighsInt Highs_setStringOptionValue(void* highs, const char* option, const char* value);

HighsInt Highs_passMip(void* highs, const HighsInt num_col, const HighsInt num_row, const HighsInt num_nz,
                       const HighsInt a_format, const HighsInt sense, const double offset,
                       const double* col_cost, const double* col_lower, const double* col_upper,
                       const double* row_lower, const double* row_upper, const HighsInt* a_start,
                       const HighsInt* a_index, const double* a_value, const HighsInt* integrality);
HighsInt Highs_addCols(void* highs, const HighsInt num_new_col, const double* costs, const double* lower,
                       const double* upper, const HighsInt num_new_nz, const HighsInt* starts,
                       const HighsInt* index, const double* value);
HighsInt Highs_changeColsCostByRange(void* highs, const HighsInt from_col, const HighsInt to_col,
                                     const double* cost);
HighsInt Highs_changeColsBoundsByRange(void* highs, const HighsInt from_col, const HighsInt to_col,
                                       const double* lower, const double* upper);

HighsInt Highs_getBasis(const void* highs, HighsInt* col_status, HighsInt* row_status);
HighsInt Highs_setBasis(void* highs, const HighsInt* col_status, const HighsInt* row_status);
HighsInt Highs_setCallback(void* highs, HighsCCallbackType user_callback, void* user_callback_data);
HighsInt Highs_startCallback(void* highs, const int callback_type);

HighsInt Highs_run(void* highs);
HighsInt Highs_clearSolver(void* highs);
HighsInt Highs_getModelStatus(const void* highs);  // the status itself
HighsInt Highs_getSolution(const void* highs, double* col_value, double* col_dual, double* row_value,
                           double* row_dual);
HighsInt Highs_setSolution(void* highs, const double* col_value, const double* row_value,
                           const double* col_dual, const double* row_dual);
HighsInt Highs_getIntInfoValue(const void* highs, const char* info, HighsInt* value);
HighsInt Highs_getInt64InfoValue(const void* highs, const char* info, int64_t* value);
HighsInt Highs_getDoubleInfoValue(const void* highs, const char* info, double* value);

#ifdef __cplusplus
}
#endif

#endif
