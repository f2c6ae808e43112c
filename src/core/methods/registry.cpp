#include <stdexcept>

#include "methods/makers.h"

namespace zeronorm {
namespace {

struct Entry {
  const char* name;
  MethodMaker make;
};

const Entry kMethods[] = {
    {"adaptive_scaling", make_adaptive_scaling},
    {"alma", make_alma_elimination},
    {"ard", make_ard},
    {"arom", make_arom},
    {"bound_elimination", make_bound_elimination},
    {"brain_damage", make_brain_damage},
    {"convex", make_convex},
    {"correlation", make_correlation_filter},
    {"elimination", make_elimination},
    {"fisher", make_fisher},
    {"forward", make_forward_selection},
    {"fs_svmcp", make_fs_svmcp},
    {"grafting", make_grafting},
    {"jcfo", make_jcfo},
    {"kernel_alignment", make_kernel_alignment},
    {"med_svm", make_med_svm},
    {"norm_constrained", make_norm_constrained},
    {"norm_svm", make_norm_svm},
    {"p_svm", make_p_svm},
    {"projected_arom", make_projected_arom},
    {"r2w2", make_r2w2},
    {"ranking_filter", make_ranking_filter},
    {"reweight", make_reweight},
    {"top_weights", make_top_weights},
    {"tree", make_tree_ranking},
};

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kMethods) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Method> make_method(const std::string& name, const Options& options,
                                    const CommonOptions& common) {
  for (const Entry& entry : kMethods)
    if (name == entry.name) return entry.make(options, common);
  std::string choices;
  for (const Entry& entry : kMethods) choices += (choices.empty() ? "" : ", ") + std::string(entry.name);
  throw std::invalid_argument("method: there is none named '" + name + "'. Use one of " + choices + ".");
}

}  // namespace zeronorm
