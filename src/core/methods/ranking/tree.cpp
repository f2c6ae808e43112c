// Ranks features by the gains of the splits of a decision tree on them.
#include "methods/ranking/decision_tree.h"

#include "methods/ranking/ranking.h"

#include "methods/fitting.h"

namespace zeronorm {
namespace {

class TreeRanking : public RankingMethod {
 public:
  TreeRanking(const Options& options, const CommonOptions& common) {
    tree_.classes = common.task != Task::multi_label;
    tree_.depth = static_cast<int>(options.count("depth"));
    tree_.leaf = options.number("leaf");
    tree_.impurity =
        options.word<Impurity>("split", {{"information", Impurity::entropy}, {"error", Impurity::errors}});
    if (common.task == Task::regression) tree_.impurity = Impurity::squares;
  }

  bool sees_span_only() const override { return false; }

 protected:
  // Without sizes, the features of the tree are selected.
  Ranking find(Fitting& fitting) override {
    const CommonOptions& common = fitting.common();
    Problem weighted = fitting.plain();
    weighted.cost = fitting.row_weights();
    const TreeImportance tree = grow_tree(weighted, tree_, common.constant, common.stop.limits);
    Ranking r;
    r.trace.rounds = tree.rounds;
    r.order = order_of(tree.importance, tree.first, fitting);
    Solution none;
    none.status = tree.interrupted ? Status::interrupted : Status::optimal;
    none.importance = tree.importance;
    IndexList sizes = common.sizes;
    if (sizes.empty()) sizes = {used(tree.importance, fitting.forced())};
    for (Index size : sizes) choose(size, none, r);
    return r;
  }
  std::string without_engine() const override { return "Its features are chosen without an engine."; }
  bool own_importance() const override { return true; }

 private:
  static Index used(const Vec& importance, const IndexList& forced) {
    std::vector<char> counted(importance.size(), 0);
    for (Index j : forced) counted[j] = 1;
    Index count = static_cast<Index>(forced.size());
    for (Index j = 0; j < importance.size(); ++j) count += !counted[j] && importance[j] > 0;
    return count;
  }

  Tree tree_;
};

const RegisteredMethod registered("tree", make_from_options<TreeRanking>);

}  // namespace

}  // namespace zeronorm
