package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The probe of all joins on equal keys, whose algorithms differ in how they have arranged the rows
 * and in what finds the build rows with a word. Null keys need no care here: the build side leaves
 * its own out of the table, so that a null of the probe side finds a word that is not there, or a
 * row that the check of keys refuses. Only null-aware joins look at them.
 */
final class HashProbe implements StreamOperator {
  private final JoinSpec spec;
  private final BuildSide side;
  private final JoinKeyEncoder words;
  private final @Nullable PairPredicate condition;

  /** Null-aware only: rows of the probe side whose keys are not null; null: all are. */
  private final @Nullable CompiledPredicate present;

  /** Whether a batch has one column more: the rows' words, or what has been found for them. */
  private final boolean prepared;

  /** Null-aware only: of several keys or with a condition; null for a single bare key. */
  private final @Nullable NullMaskProbe masked;

  /**
   * @param words how words are made of the probe side's keys
   * @param prepared whether batches have a column behind the probe side's, whose values are what
   *     the index looks up
   */
  HashProbe(
      JoinSpec spec,
      BuildSide side,
      KeyLayout layout,
      JoinKeyEncoder words,
      boolean prepared,
      ExpressionCompiler compiler) {
    this.spec = spec;
    this.side = side;
    this.prepared = prepared;
    this.words = words;
    Expr rest = spec.plan().residual();
    Expr check = layout.exact() ? rest : JoinSpec.and(spec.keysEqual(), rest);
    this.condition = PairPredicate.of(compiler, spec, check);
    Expr notNull = spec.nullAware() ? spec.keysPresent(false) : null;
    this.present = notNull == null ? null : compiler.predicate(notNull, spec.probe());
    boolean several = spec.plan().keys().size() > 1 || rest != null;
    this.masked = spec.nullAware() && several ? new NullMaskProbe(spec, side, compiler) : null;
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public boolean expands() {
    return spec.emitsPairs() && !side.index().unique();
  }

  /**
   * Where a probe row has one partner at most. With several a few rows may become very many, for
   * which the rows behind them should not wait; and those without one stand behind a batch's pairs,
   * where pairs are checked.
   */
  @Override
  public boolean keepsOrder() {
    return !spec.emitsPairs() || side.index().unique() && (condition == null || !spec.padsBuild());
  }

  /** The build side is this join's alone, and nobody asks for it when probing is over. */
  @Override
  public void close() {
    side.close();
  }

  @Override
  public ProbeWorker newWorker(ExecContext context, BatchConsumer downstream) {
    return new Worker(context, downstream);
  }

  /**
   * Whether matches are marked at one build row a word, the one that a lookup finds, so that many
   * equal rows on both sides cost no pairs.
   */
  boolean marksByWord() {
    return spec.choosesBuild() && condition == null && masked == null;
  }

  private final class Worker extends ProbeWorker {
    /** Null-aware and emitting build rows: whether there was a probe row. */
    private boolean seen;

    /** Of the batch that is probed: what is looked up for its rows, where that is there already. */
    private @Nullable Column ready;

    Worker(ExecContext context, BatchConsumer downstream) {
      super(HashProbe.this.spec, HashProbe.this.side, context, downstream);
    }

    @Override
    public boolean done() {
      if (super.done()) {
        return true;
      }
      if (spec.nullAware()) {
        // One null among the right side's single keys makes NOT IN nowhere true.
        boolean hidden = spec.choosesProbe() ? side.nullKeys().count() > 0 : side.hideAll();
        return masked == null && hidden && !keeps();
      }
      boolean needsMatch = !spec.padsBuild() && !(spec.choosesProbe() && !spec.choosesMatched());
      return needsMatch && side.index().rows() == 0;
    }

    @Override
    void probe(ColumnBatch all) {
      if (done()) {
        return;
      }
      ColumnBatch batch = all;
      if (prepared) {
        int columns = spec.probe().size();
        ready = all.column(columns);
        batch = new ColumnBatch(all.columns().subList(0, columns), all.rows());
      }
      if (!spec.nullAware()) {
        plain(batch);
      } else if (spec.choosesProbe() && side.rows().rows() == 0) {
        if (!keeps()) {
          noMatch(batch);
        }
      } else {
        nullAware(batch);
      }
    }

    /** Of the batch that is probed some rows alone. */
    private void some(ColumnBatch batch, Buffer rows, int count) {
      Column column = ready;
      if (column != null) {
        List<Column> one = List.of(column);
        ready =
            Materialization.gather(context, one, List.of(column.shape()), rows, count, false)
                .getFirst();
      }
      plain(Materialization.rows(context, batch, rows, count));
    }

    private void plain(ColumnBatch batch) {
      KeyIndex index = side.index();
      if (index.rows() == 0) {
        if (!keeps()) {
          noMatch(batch);
        }
        return;
      }
      int count = batch.rows();
      ProbeWords keys = keys(batch);
      if (condition == null && spec.choosesProbe() && keeps()) {
        Buffer found = lookup(index, keys);
        Buffer rows = ids(count);
        int matching = context.scan().selectIds(context, found, count, true, rows);
        context.gather().mark(context, rows, matching, newProbeFlags(count));
      } else if (condition == null && spec.choosesProbe()) {
        Buffer found = lookup(index, keys);
        Buffer rows = ids(count);
        emitProbe(
            batch,
            rows,
            context.scan().selectIds(context, found, count, spec.choosesMatched(), rows));
      } else if (condition == null && spec.choosesBuild()) {
        context.gather().mark(context, lookup(index, keys), count, side.flags());
      } else if (condition == null && spec.padsBuild() && index.unique() && !keeps()) {
        Buffer found = lookup(index, keys);
        if (spec.flagsBuild()) {
          context.gather().mark(context, found, count, side.flags());
        }
        emitPairs(batch, null, found, count, true);
      } else {
        Buffer flags = newProbeFlags(count);
        pairs(batch, index.pairs(context, keys), condition, flags);
        complete(batch, flags);
      }
    }

    private ProbeWords keys(ColumnBatch batch) {
      Column column = ready;
      KeyIndex index = side.index();
      if (column == null) {
        return words.probeWords(context, batch, index);
      }
      int gathered = index.gatheredBytes();
      int bytes = gathered > 0 ? gathered : Long.BYTES;
      RowIds ids = column.rowIds();
      if (ids != null && !ids.mayBeNull() && gathered > 0) {
        return new ProbeWords(column.values(), bytes, ids.ids(), batch.rows());
      }
      Column inOrder =
          ids == null ? column : context.gather().materialize(context, column, context.scratch());
      return new ProbeWords(inOrder.values(), bytes, batch.rows());
    }

    private Buffer lookup(KeyIndex index, ProbeWords keys) {
      Buffer found = ids(keys.count());
      index.lookup(context, keys, found);
      return found;
    }

    private void nullAware(ColumnBatch batch) {
      if (masked != null) {
        compared(batch, masked);
        return;
      }
      int count = batch.rows();
      Buffer presentRows = ids(count);
      int presentCount = present == null ? count : present.select(context, batch, presentRows);
      if (keeps()) {
        kept(batch, presentRows, presentCount);
      } else {
        chosen(batch, presentRows, presentCount);
      }
    }

    /** A single bare key, and the probe side's flags are wanted: one null hides all rows. */
    private void kept(ColumnBatch batch, Buffer presentRows, int presentCount) {
      int count = batch.rows();
      Buffer flags = newProbeFlags(count);
      if (side.nullKeys().count() > 0) {
        context.scan().fill(context, flags, 1, 1, count);
        return;
      }
      plain(batch);
      if (presentCount < count) {
        Buffer nullRows = ids(count);
        int nulls = rest(presentRows, presentCount, count, nullRows);
        context.gather().mark(context, nullRows, nulls, flags);
      }
    }

    /** A single bare key, and rows come out: one null hides all rows. */
    private void chosen(ColumnBatch batch, Buffer presentRows, int presentCount) {
      if (spec.choosesBuild() && !seen) {
        // Against any row at all, a null key is not "not in".
        RowIds nulls = side.nullKeys();
        context.gather().mark(context, nulls.ids(), nulls.count(), side.flags());
        seen = true;
      }
      if (spec.choosesBuild() && presentCount < batch.rows()) {
        side.setHideAll();
      } else if (presentCount == batch.rows()) {
        plain(batch);
      } else if (presentCount > 0) {
        some(batch, presentRows, presentCount);
      }
    }

    /**
     * Several keys or a condition: rows with a null on either side are compared on the keys that
     * neither has null.
     */
    private void compared(ColumnBatch batch, NullMaskProbe nulls) {
      Buffer flags = newProbeFlags(batch.rows());
      if (!nulls.comparesAll()) {
        equal(batch, flags);
      }
      nulls.mark(this, batch, flags);
      complete(batch, flags);
    }

    /** Marks the rows that have an equal one, of all keys. */
    private void equal(ColumnBatch batch, Buffer flags) {
      KeyIndex index = side.index();
      if (index.rows() > 0) {
        ProbeWords words = keys(batch);
        if (decidesByOne()) {
          int count = batch.rows();
          Buffer presentRows = ids(count);
          int presentCount = present == null ? count : present.select(context, batch, presentRows);
          Buffer found = lookup(index, words);
          if (presentCount < count) {
            Buffer all = found;
            found = ids(presentCount);
            context.gather().gatherIds(context, all, presentRows, presentCount, found);
          }
          if (!decided(
              batch,
              presentCount < count ? presentRows : null,
              found,
              presentCount,
              condition,
              flags)) {
            pairs(batch, index.pairs(context, words), condition, flags);
          }
        } else {
          pairs(batch, index.pairs(context, words), condition, flags);
        }
      }
    }

    /** Whether one row that agrees with a probe row says all that there is to say of it. */
    private boolean decidesByOne() {
      return spec.choosesProbe() && spec.plan().residual() == null;
    }

    /** Rows of a batch of {@code count} that are not among {@code rows}: how many. */
    private int rest(Buffer rows, int rowCount, int count, Buffer outRows) {
      Buffer listed = context.scratch().allocate(count);
      context.scan().fill(context, listed, 1, 0, count);
      context.gather().mark(context, rows, rowCount, listed);
      return context.scan().select(context, listed, count, false, outRows);
    }
  }
}
