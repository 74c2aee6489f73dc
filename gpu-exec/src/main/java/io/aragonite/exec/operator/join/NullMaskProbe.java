package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.operator.join.CandidateSearch.CandidateRows;
import io.aragonite.exec.operator.join.CandidateSearch.Ranges;
import io.aragonite.exec.operator.join.MaskedTables.MaskedTable;
import io.aragonite.exec.operator.join.NullMasks.MaskedRows;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * What a null-aware join of several keys, or with a residual condition, does with rows that may
 * agree with others by their nulls. Rows of a batch are split by their null masks. Where probe rows
 * come out, one build row that agrees decides, and rows that have one are looked at no more.
 */
final class NullMaskProbe {
  private final JoinSpec spec;
  private final BuildSide side;
  private final NullMasks masks;

  /** What a pair must pass: no key is known to differ, and the residual condition holds. */
  private final @Nullable PairPredicate check;

  /** What a pair with equal words must pass; null: all do. */
  private final @Nullable PairPredicate wordCheck;

  /** Of build rows, where probe rows come out and there is a residual condition. */
  private final @Nullable RowOrder order;

  private final CandidateSearch search;

  NullMaskProbe(JoinSpec spec, BuildSide side, ExpressionCompiler compiler) {
    this.spec = spec;
    this.side = side;
    this.masks = new NullMasks(spec, compiler);
    Expr residual = spec.plan().residual();
    this.check = PairPredicate.of(compiler, spec, JoinSpec.and(spec.keysNotUnequal(), residual));
    this.wordCheck = masks.wordsDecide() ? PairPredicate.of(compiler, spec, residual) : check;
    this.order = spec.choosesProbe() && residual != null ? RowOrder.of(spec, compiler) : null;
    this.search = new CandidateSearch(compiler);
  }

  /** Whether rows without null are compared here, too, and not by the join's own index. */
  boolean comparesAll() {
    return order != null;
  }

  /** Sets the flags of the rows of a batch, or of the build rows, that may agree. */
  void mark(ProbeWorker worker, ColumnBatch batch, Buffer flags) {
    ExecContext context = worker.context;
    if (!masks.areExact()) {
      Buffer rows = worker.ids(batch.rows());
      context.scan().iota(context, rows, 0, batch.rows());
      pairs(worker, batch, new MaskedRows(0, rows, batch.rows()), null, flags);
      return;
    }
    boolean bare = !comparesAll() && side.nullKeys().count() == 0;
    if (bare && !masks.mayBeNull()) {
      return;
    }
    Buffer others = worker.ids(batch.rows());
    int count = 0;
    RowIds all = null;
    for (MaskedRows group : masks.split(context, batch)) {
      if (worker.done()) {
        return;
      }
      if (bare && group.mask() == 0) {
        continue;
      }
      long mark = context.scratch().mark();
      MaskedRows rows = spec.choosesProbe() ? unset(context, batch, group, flags) : group;
      try (MaskedTable table = table(context, rows)) {
        if (table.index() != null) {
          looked(worker, batch, rows, table, table.index(), flags);
        } else if (rows.mask() == 0 && !comparesAll()) {
          pairs(worker, batch, rows, table.ids(), flags);
        } else {
          // Those of many masks, of few rows each, are compared together.
          long bytes = 4L * rows.count();
          context
              .device()
              .transfers()
              .copy(context, rows.rows(), others.slice(4L * count, bytes), bytes);
          count += rows.count();
          all = table.ids();
        }
      }
      context.scratch().release(mark);
    }
    pairs(worker, batch, new MaskedRows(-1, others, count), all, flags);
  }

  private MaskedTable table(ExecContext context, MaskedRows rows) {
    return side.maskedTables()
        .of(context, masks, rows.mask(), side.rows(), order, comparesAll(), rows.count());
  }

  private MaskedRows unset(ExecContext context, ColumnBatch batch, MaskedRows group, Buffer flags) {
    Ranges all = new Ranges(group.rows(), group.rows(), group.rows(), group.count());
    Ranges left = search.unset(context, all, flags, batch.rows());
    return new MaskedRows(group.mask(), left.rows(), left.count());
  }

  /**
   * Compares rows with all of some build rows.
   *
   * @param build null: all rows
   */
  private void pairs(
      ProbeWorker worker,
      ColumnBatch batch,
      MaskedRows group,
      @Nullable RowIds build,
      Buffer flags) {
    ExecContext context = worker.context;
    Buffer ids = build == null ? null : build.ids();
    int count = build == null ? side.rows().rows() : build.count();
    if (group.count() == 0 || count == 0) {
      return;
    }
    if (spec.choosesProbe()) {
      search.mark(
          context,
          new CandidateRows(batch, side.rows(), ids, check),
          search.ranges(context, group.rows(), group.count(), count),
          flags);
    } else {
      worker.pairs(
          batch,
          new PairGenerator.Cross(context, group.rows(), group.count(), ids, count),
          check,
          flags);
    }
  }

  /** Looks rows up, for each mask that build rows have beside theirs. */
  private void looked(
      ProbeWorker worker,
      ColumnBatch batch,
      MaskedRows group,
      MaskedTable table,
      KeyIndex index,
      Buffer flags) {
    ExecContext context = worker.context;
    if (group.count() == 0) {
      return;
    }
    MaskedRows rows = group;
    ColumnBatch some = some(context, batch, rows);
    for (long other : table.others()) {
      long mark = context.scratch().mark();
      Buffer words = masks.probeWords(context, some, rows.mask() | other);
      looked(worker, batch, rows, index, new ProbeWords(words, Long.BYTES, rows.count()), flags);
      context.scratch().release(mark);
      if (worker.done()) {
        return;
      }
      if (spec.choosesProbe()) {
        MaskedRows left = unset(context, batch, rows, flags);
        if (left.count() == 0) {
          return;
        }
        if (left.count() < rows.count()) {
          rows = left;
          some = some(context, batch, rows);
        } else {
          context.scratch().release(mark);
        }
      }
    }
  }

  private static ColumnBatch some(ExecContext context, ColumnBatch batch, MaskedRows rows) {
    return rows.count() == batch.rows() && rows.mask() == 0
        ? batch
        : Materialization.rows(context, batch, rows.rows(), rows.count());
  }

  private void looked(
      ProbeWorker worker,
      ColumnBatch batch,
      MaskedRows rows,
      KeyIndex index,
      ProbeWords words,
      Buffer flags) {
    ExecContext context = worker.context;
    if (order != null && index instanceof KeyIndex.SortedIndex sorted && sorted.ids() != null) {
      Buffer firsts = worker.ids(rows.count());
      Buffer counts = worker.ids(rows.count());
      context
          .sort()
          .matchSorted(
              context, sorted.words(), sorted.rows(), words.values(), rows.count(), firsts, counts);
      search.mark(
          context,
          new CandidateRows(batch, side.rows(), sorted.ids().ids(), wordCheck),
          search.ranges(context, rows.rows(), firsts, counts, rows.count()),
          order,
          flags);
      return;
    }
    if (spec.choosesProbe()) {
      Buffer found = worker.ids(rows.count());
      index.lookup(context, words, found);
      if (worker.decided(batch, rows.rows(), found, rows.count(), wordCheck, flags)) {
        return;
      }
    }
    PairGenerator pairs = index.pairs(context, words);
    worker.pairs(batch, new PairGenerator.OfRows(pairs, rows.rows()), wordCheck, flags);
  }
}
