// The functions that make the methods. A new method needs a function here and a line in registry.cpp.
#pragma once

#include "methods/fitting.h"

namespace zeronorm {

using MethodMaker = std::unique_ptr<Method> (*)(const Options&, const CommonOptions&);

std::unique_ptr<Method> make_adaptive_scaling(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_alma_elimination(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_ard(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_arom(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_bound_elimination(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_brain_damage(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_convex(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_correlation_filter(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_elimination(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_fisher(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_forward_selection(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_fs_svmcp(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_grafting(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_jcfo(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_kernel_alignment(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_med_svm(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_norm_constrained(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_norm_svm(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_p_svm(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_projected_arom(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_r2w2(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_ranking_filter(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_reweight(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_top_weights(const Options&, const CommonOptions&);
std::unique_ptr<Method> make_tree_ranking(const Options&, const CommonOptions&);

}  // namespace zeronorm
