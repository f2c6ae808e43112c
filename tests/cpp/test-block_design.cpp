// Tests views of data in blocks against plain matrices, entry by entry, and counts what they read.
#include <testthat/vendor/catch.h>

#include "data/block_design.h"
#include "grade/flat.h"
#include "instances.h"

using namespace zeronorm;

namespace {

// A matrix in memory that counts what is read of it.
struct Source {
  Mat x;
  Index reads = 0, numbers = 0;

  Blocks blocks(Index tile_rows, Index tile_cols, std::size_t room, std::size_t panel) {
    Blocks b;
    b.rows = x.rows();
    b.cols = x.cols();
    b.tile_rows = tile_rows;
    b.tile_cols = tile_cols;
    b.room = room;
    b.panel = panel;
    b.read = [this, tile_rows, tile_cols](Index row, Index rows, Index col, Index cols, double* out) {
      REQUIRE(row / tile_rows == (row + rows - 1) / tile_rows);
      REQUIRE(col / tile_cols == (col + cols - 1) / tile_cols);
      REQUIRE((row + rows <= x.rows() && col + cols <= x.cols()));
      ++reads;
      numbers += rows * cols;
      Eigen::Map<Mat>(out, rows, cols) = x.block(row, col, rows, cols);
    };
    return b;
  }
};

double off(const Mat& found, const Mat& expected) {
  REQUIRE(found.rows() == expected.rows());
  REQUIRE(found.cols() == expected.cols());
  return (found - expected).cwiseAbs().maxCoeff() / std::max(1.0, expected.cwiseAbs().maxCoeff());
}

Mat pick(const Mat& m, const IndexList& rows, const IndexList& cols) {
  return Mat::NullaryExpr(Index(rows.size()), Index(cols.size()),
                          [&](Index i, Index j) { return m(rows[std::size_t(i)], cols[std::size_t(j)]); });
}

Mat standardised(const Mat& raw, const Vec& center, const Vec& scale) {
  return Mat::NullaryExpr(raw.rows(), raw.cols(), [&](Index i, Index j) {
    return scale[j] > 0 ? (raw(i, j) - center[j]) / scale[j] : 0.0;
  });
}

void check(const Design& x, const Mat& m, Random& random) {
  REQUIRE(x.rows() == m.rows());
  REQUIRE(x.cols() == m.cols());
  for (int again = 0; again < 2; ++again) {
    Vec w = gaussian(m.cols(), random);
    for (Index j = 0; j < w.size(); j += 3) w[j] = 0;
    const Vec v = gaussian(m.rows(), random), squares = v.cwiseAbs();
    for (int same = 0; same < 2; ++same) {
      CHECK(off(x.times(w), m * w) < 1e-13);
      CHECK(off(x.transposed_times(v), m.transpose() * v) < 1e-13);
    }
    CHECK(off(x.prices(-v), -(m.transpose() * v)) < 1e-13);
    CHECK(off(x.squared_norms(), m.colwise().squaredNorm().transpose()) < 1e-13);
    CHECK(off(x.weighted_squares(squares), m.cwiseAbs2().transpose() * squares) < 1e-13);
    Vec z = gaussian(m.cols(), random).cwiseAbs();
    Mat gram = Mat::Zero(m.rows(), m.rows());
    for (Index j = 0; j < z.size(); ++j) {
      if (j % 4 == 1)
        z[j] = 0;
      else if (j % 4 == 2)
        z[j] = kInf;
      else
        gram += z[j] * z[j] * m.col(j) * m.col(j).transpose();
    }
    CHECK(off(x.gram(z), gram) < 1e-13);
    const Vec weights = gaussian(m.rows(), random).cwiseAbs();
    const auto both = x.several_moments({weights, Vec::Ones(m.rows())});
    for (int k = 0; k < 2; ++k) {
      const Moments dense =
          dense_moments(m.data(), m.rows(), m.cols(), k ? Vec(Vec::Ones(m.rows())) : weights);
      CHECK(off(both[k].mean, dense.mean) < 1e-13);
      CHECK(off(both[k].sd, dense.sd) < 1e-13);
    }
    IndexList which;
    for (Index j = 0; j < m.cols(); ++j) which.push_back((7 * j + 3) % m.cols());
    Mat columns(m.rows(), m.cols());
    x.columns(which, columns.data());
    for (Index j = 0; j < m.cols(); ++j) CHECK(off(columns.col(j), m.col(which[std::size_t(j)])) < 1e-14);
    x.column(0, columns.data());
    CHECK(off(columns.col(0), m.col(0)) < 1e-14);
  }
}

}  // namespace

TEST_CASE("blocks: every view is the matrix it stands for") {
  Random random(1);
  for (Index tile_rows : {3, 12}) {
    for (Index tile_cols : {1, 4, 13}) {
      for (std::size_t room : {0, 36, 1000}) {
        Source source{gaussian(12, 13, random)};
        Vec center = gaussian(13, random), scale = gaussian(13, random).cwiseAbs().array() + 0.1;
        scale[5] = 0;  // A constant column is empty.
        const auto store = open_blocks(source.blocks(tile_rows, tile_cols, room, 30));
        if (tile_cols > 1) block_moments(*store, Vec::Ones(12));
        const auto x = block_design(store, center, scale);
        const Mat m = standardised(source.x, center, scale);
        CHECK_FALSE(x->in_memory());
        check(*x, m, random);
        const IndexList rows = {7, 0, 3, 11, 4, 7}, cols = {12, 2, 5, 3, 0, 9, 8, 1, 2};
        const auto part = x->subset(rows, cols);
        check(*part, pick(m, rows, cols), random);
        for (std::size_t j = 0; j < cols.size(); ++j) {
          CHECK(part->center(Index(j)) == center[cols[j]]);
          CHECK(part->scale(Index(j)) == scale[cols[j]]);
        }
        const IndexList inner_rows = {4, 0, 2}, inner_cols = {8, 1, 0};
        check(*part->subset(inner_rows, inner_cols), pick(pick(m, rows, cols), inner_rows, inner_cols),
              random);
      }
    }
  }
}

TEST_CASE("blocks: moments in pieces are those of the whole") {
  Random random(2);
  Source source{gaussian(50, 9, random)};
  source.x.col(1).setConstant(1e9 / 3);
  source.x.col(2).array() += 1e6;
  source.x.col(3).setZero();
  source.x.col(4) *= 1e-200;
  source.x.col(5) *= 1e150;
  Vec weights(50);
  for (Index i = 0; i < 50; ++i) weights[i] = i < 10 ? 0 : double(i % 4);
  const auto store = open_blocks(source.blocks(7, 4, 100, 100));
  const Moments found = block_moments(*store, weights),
                dense = dense_moments(source.x.data(), 50, 9, weights);
  CHECK(found.finite);
  for (Index j = 0; j < 9; ++j) {
    CHECK(found.mean[j] == Approx(dense.mean[j]).epsilon(1e-13));
    if (j != 4) CHECK(found.sd[j] == Approx(dense.sd[j]).epsilon(1e-9));
  }
  CHECK(std::isnan(found.sd[4]));  // The squares of this column underflow.
  CHECK(std::isnan(dense.sd[4]));
  CHECK(found.sd[1] == 0);
  CHECK(found.sd[3] == 0);
  source.x(3, 7) = std::nan("");  // The weight of this entry is zero.
  CHECK_FALSE(block_moments(*open_blocks(source.blocks(7, 4, 100, 100)), weights).finite);
}

TEST_CASE("blocks: products cost a pass at most, columns in use none") {
  Random random(3);
  Source source{gaussian(20, 60, random)};
  const auto store = open_blocks(source.blocks(5, 6, 20 * 10, 20 * 4));
  const Moments moments = block_moments(*store, Vec::Ones(20));
  CHECK(source.numbers == 20 * 60);
  const auto x = block_design(store, moments.mean, moments.sd);
  const auto numbers = [&](const std::function<void()>& what) {
    source.numbers = 0;
    what();
    return source.numbers;
  };
  const Vec v = gaussian(20, random), w = gaussian(60, random);
  CHECK(numbers([&] { x->squared_norms(); }) == 0);
  CHECK(numbers([&] { x->transposed_times(v); }) == 20 * 60);
  CHECK(numbers([&] { x->transposed_times(v); }) == 0);
  CHECK(numbers([&] { x->times(w); }) == 20 * 60);
  CHECK(numbers([&] { x->times(w); }) == 0);
  CHECK(numbers([&] { x->gram(Vec::Ones(60)); }) == 20 * 60);
  // One pass prices all columns, and the best ones stay in memory.
  const Vec g = x->prices(gaussian(20, random));
  IndexList order(60);
  for (Index j = 0; j < 60; ++j) order[std::size_t(j)] = j;
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return std::abs(g[a]) > std::abs(g[b]); });
  Mat columns(20, 5);
  CHECK(numbers([&] { x->columns({order.begin(), order.begin() + 5}, columns.data()); }) == 0);
  // The blocks of a few columns are read once, from the first to the last wanted column.
  Source other{source.x};
  const auto y = block_design(open_blocks(other.blocks(5, 6, 20 * 10, 20 * 4)), moments.mean, moments.sd);
  IndexList rows(20);
  for (Index i = 0; i < 20; ++i) rows[std::size_t(i)] = i;
  const auto part = y->subset(rows, {31, 2, 34, 33});
  CHECK(part->in_memory());
  CHECK(other.numbers == 20 * 5);
  part->gram(Vec::Ones(4));
  part->transposed_times(v);
  y->subset(rows, {2, 31});
  Vec few = Vec::Zero(60);
  few[2] = few[33] = 1;
  y->times(few);
  CHECK(other.numbers == 20 * 5);
  CHECK_FALSE(y->subset(rows, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})->in_memory());
}

TEST_CASE("blocks: memory is bounded") {
  Random random(4);
  Source source{gaussian(10, 40, random)};
  const auto x = block_design(open_blocks(source.blocks(10, 40, 10 * 3, 10)), Vec::Zero(40), Vec::Ones(40));
  Vec column(10);
  for (Index j = 0; j < 40; ++j) x->column(j, column.data());
  CHECK(source.reads == 40);
  for (Index j = 39; j > 36; --j) x->column(j, column.data());
  CHECK(source.reads == 40);
  x->column(0, column.data());
  CHECK(source.reads == 41);
}

TEST_CASE("blocks: a stop ends the pass, an error goes through") {
  Random random(5);
  Source source{gaussian(10, 40, random)};
  const auto x = block_design(open_blocks(source.blocks(10, 4, 0, 1000)), Vec::Zero(40), Vec::Ones(40));
  Limits limits;
  limits.interrupted = [&] { return source.reads >= 2; };
  x->gram(Vec::Ones(40), limits);
  CHECK(source.reads == 2);
  Blocks broken = source.blocks(10, 4, 0, 1000);
  broken.read = [](Index, Index, Index, Index, double*) { throw std::runtime_error("no such file"); };
  const auto y = block_design(open_blocks(broken), Vec::Zero(40), Vec::Ones(40));
  CHECK_THROWS_AS(y->transposed_times(Vec::Ones(10)), std::runtime_error);
}

TEST_CASE("blocks: machines are those of the matrix") {
  Random random(6);
  for (bool hinge : {true, false}) {
    Source source{shifted(24, 50, 0.4, random)};
    Problem dense = svm_problem(source.x, alternating(24), 1.0);
    dense.loss = hinge ? Loss::hinge : Loss::squared_hinge;
    Problem blocks = dense;
    const auto store = open_blocks(source.blocks(7, 9, 24 * 8, 24 * 5));
    blocks.x = block_design(store, Vec::Zero(50), Vec::Ones(50));
    Surrogate s = hinge ? surrogate(50, 0.8, kInf) : surrogate(50, 0.0, 0.3);
    for (int round = 0; round < 2; ++round) {
      const auto expected = make_engine("auto"), found = make_engine("auto");
      expected->setup(dense);
      found->setup(blocks);
      const Solution a = expected->solve(s, Limits()), b = found->solve(s, Limits());
      REQUIRE(a.status == Status::optimal);
      REQUIRE(b.status == Status::optimal);
      CHECK(off(b.w, a.w) < 1e-9);
      const Certificate graded = certify(dense, s, b), same = certify(blocks, s, b);
      CHECK(graded.gap < 1e-8);
      CHECK(same.primal == Approx(graded.primal).epsilon(1e-10));
      CHECK(same.dual == Approx(graded.dual).epsilon(1e-10));
      for (Index j = 0; j < 50; ++j)
        if (j % 8) s.scale[j] = s.l1[j] = 0;  // Few columns remain, and only these are priced.
    }
    CHECK_FALSE(make_engine("smooth")->refuses(blocks, s).empty());
  }
}

TEST_CASE("blocks: designs on top of blocks say that the data are not in memory") {
  Random random(7);
  Source source{shifted(20, 12, 0.4, random)};
  const auto store = open_blocks(source.blocks(7, 5, 20 * 4, 20 * 4));
  const auto blocks = block_design(store, Vec::Zero(12), Vec::Ones(12));
  REQUIRE_FALSE(blocks->in_memory());
  const auto slacks = extended_design(blocks, 2.0);
  CHECK_FALSE(slacks->in_memory());
  IndexList rows, cols;
  for (Index i = 0; i < 20; ++i) rows.push_back(i);
  for (Index j = 0; j < 32; ++j) cols.push_back(j);
  CHECK_FALSE(slacks->subset(rows, cols)->in_memory());
  CHECK_FALSE(cached_design(blocks)->in_memory());
  CHECK_FALSE(replaced_design(blocks, {0}, Mat::Ones(20, 1))->in_memory());
  Problem p = svm_problem(source.x, alternating(20), 1.0);
  p.y.resize(20, 2);
  p.y.col(0) = alternating(20);
  p.y.col(1) = -p.y.col(0);
  CHECK(Flat(p).problem().x->in_memory());
  p.x = blocks;
  CHECK_FALSE(Flat(p).problem().x->in_memory());
}
