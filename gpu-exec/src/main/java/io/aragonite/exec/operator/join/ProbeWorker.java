package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A worker's probing of a built side: what all algorithms that stream the probe side share, which
 * is checking candidate pairs, output, and the completion of outer, semi and anti joins.
 */
abstract class ProbeWorker implements BatchConsumer {
  /** Batches of the device's size that are probed as one at most. */
  private static final int LARGE_BATCHES = 4;

  final JoinSpec spec;
  final BuildSide side;
  final ExecContext context;
  final BatchConsumer downstream;
  private final List<ColumnShape> buildOut;
  private final List<ColumnShape> probeOut;
  private final boolean flagsProbe;

  /**
   * Flags of the rows of the next batch that outlive it, where the build side comes in pieces;
   * null: they are this batch's.
   */
  private @Nullable Buffer kept;

  private int keptFrom;

  ProbeWorker(JoinSpec spec, BuildSide side, ExecContext context, BatchConsumer downstream) {
    this.spec = spec;
    this.side = side;
    this.context = context;
    this.downstream = downstream;
    this.buildOut = spec.buildOut();
    this.probeOut = spec.probeOut();
    this.flagsProbe = spec.padsBuild() || spec.choosesProbe();
  }

  /** Sets the flags of the rows of the next batch; null: it sees all of the build side. */
  final void keep(@Nullable Buffer flags) {
    kept = flags;
    keptFrom = 0;
  }

  /** Whether other pieces of the build side have been, or will be, probed with the same rows. */
  final boolean keeps() {
    return kept != null;
  }

  /** Emits the probe rows that the join type asks for, when all pieces have been probed. */
  final void completeKept(ColumnBatch batch) {
    Buffer flags = kept;
    if (flags != null) {
      emitByFlags(batch, flags);
    }
  }

  /** Joins a batch of at least one row. */
  abstract void probe(ColumnBatch batch);

  @Override
  public final void accept(ColumnBatch batch) {
    int most = LARGE_BATCHES * context.device().properties().batchRows();
    if (batch.rows() > most) {
      split(batch, most);
    } else if (batch.rows() > 0) {
      probe(batch);
    }
  }

  /** Scans without columns come in huge batches; state for their rows and pairs must stay small. */
  private void split(ColumnBatch batch, int most) {
    long mark = context.scratch().mark();
    for (int from = 0; from < batch.rows() && !done(); from += most) {
      int count = Math.min(most, batch.rows() - from);
      Buffer rows = ids(count);
      context.scan().iota(context, rows, from, count);
      keptFrom = from;
      probe(Materialization.rows(context, batch, rows, count));
      context.scratch().release(mark);
    }
  }

  @Override
  public void finish() {
    downstream.finish();
  }

  @Override
  public boolean done() {
    // Flags of build rows are wanted even if nobody takes more pairs.
    return downstream.done() && !spec.flagsBuild();
  }

  final Buffer ids(long count) {
    return context.scratch().allocate(count * 4);
  }

  /** A zero byte for each row of a probe batch if matches of probe rows matter, else EMPTY. */
  final Buffer newProbeFlags(int rows) {
    if (!flagsProbe) {
      return Buffer.EMPTY;
    }
    if (kept != null) {
      return kept.slice(keptFrom, rows);
    }
    Buffer flags = context.scratch().allocate(rows);
    context.scan().fill(context, flags, 1, 0, rows);
    return flags;
  }

  /**
   * Takes all candidate pairs, keeps those that pass, notes the matches and emits the pairs if the
   * join outputs pairs.
   */
  final void pairs(
      ColumnBatch batch,
      PairGenerator candidates,
      @Nullable PairPredicate condition,
      Buffer probeFlags) {
    try (candidates) {
      int most = Math.max(batch.rows(), context.device().properties().batchRows());
      int capacity = (int) Math.clamp(candidates.atMost(), 1, most);
      Buffer probeIds = ids(capacity);
      Buffer buildIds = ids(capacity);
      long mark = context.scratch().mark();
      while (!candidates.done() && !done()) {
        context.checkCancelled();
        int count = candidates.next(context, probeIds, buildIds, capacity);
        Buffer probeRows = probeIds;
        Buffer buildRows = buildIds;
        if (condition != null) {
          Buffer passed = ids(count);
          int passing =
              condition.select(context, batch, side.rows(), probeIds, buildIds, count, passed);
          if (passing < count) {
            probeRows = ids(passing);
            buildRows = ids(passing);
            context.gather().gatherIds(context, probeIds, passed, passing, probeRows);
            context.gather().gatherIds(context, buildIds, passed, passing, buildRows);
          }
          count = passing;
        }
        if (count > 0) {
          if (flagsProbe) {
            context.gather().mark(context, probeRows, count, probeFlags);
          }
          if (spec.flagsBuild()) {
            context.gather().mark(context, buildRows, count, side.flags());
          }
          if (spec.emitsPairs()) {
            boolean all = candidates.atMostOne() && count == batch.rows();
            emitPairs(batch, all ? null : probeRows, buildRows, count, false);
          }
        }
        context.scratch().release(mark);
      }
    }
  }

  /**
   * Marks the rows that agree with the one build row that was found for each.
   *
   * @param rows of the batch; null: all
   * @param found a build row with the word of each row, or -1
   * @return false if equal words were of unequal keys: another row with the word may agree
   */
  final boolean decided(
      ColumnBatch batch,
      @Nullable Buffer rows,
      Buffer found,
      int count,
      @Nullable PairPredicate check,
      Buffer probeFlags) {
    Buffer places = ids(count);
    int hits = context.scan().selectIds(context, found, count, true, places);
    Buffer probeIds = gathered(rows, places, hits);
    if (check == null || hits == 0) {
      context.gather().mark(context, probeIds, hits, probeFlags);
      return true;
    }
    Buffer buildIds = gathered(found, places, hits);
    Buffer passed = ids(hits);
    int passing = check.select(context, batch, side.rows(), probeIds, buildIds, hits, passed);
    context.gather().mark(context, gathered(probeIds, passed, passing), passing, probeFlags);
    return passing == hits;
  }

  private Buffer gathered(@Nullable Buffer rows, Buffer places, int count) {
    if (rows == null) {
      return places;
    }
    Buffer out = ids(count);
    context.gather().gatherIds(context, rows, places, count, out);
    return out;
  }

  /** Emits the probe rows that the join type asks for by their flags. */
  final void complete(ColumnBatch batch, Buffer probeFlags) {
    if (flagsProbe && kept == null && !downstream.done()) {
      emitByFlags(batch, probeFlags);
    }
  }

  private void emitByFlags(ColumnBatch batch, Buffer probeFlags) {
    Buffer rows = ids(batch.rows());
    boolean matched = spec.choosesProbe() && spec.choosesMatched();
    int count = context.scan().select(context, probeFlags, batch.rows(), matched, rows);
    if (spec.choosesProbe()) {
      emitProbe(batch, rows, count);
    } else {
      emitUnmatchedProbe(batch, rows, count);
    }
  }

  /**
   * @param probeRows null: all rows of the batch in order
   * @param buildMayBeNull whether build rows can be -1
   */
  final void emitPairs(
      ColumnBatch batch,
      @Nullable Buffer probeRows,
      Buffer buildRows,
      int count,
      boolean buildMayBeNull) {
    List<Column> probe =
        Materialization.gather(context, batch.columns(), probeOut, probeRows, count, false);
    List<Column> build =
        Materialization.gatherBuild(
            context, side.rows(), buildOut, buildRows, count, buildMayBeNull);
    downstream.accept(
        new ColumnBatch(
            spec.buildLeft() ? JoinSpec.concat(build, probe) : JoinSpec.concat(probe, build),
            count));
  }

  /** Rows of the probe side alone. */
  final void emitProbe(ColumnBatch batch, Buffer rows, int count) {
    if (count == batch.rows()) {
      downstream.accept(batch);
    } else if (count > 0) {
      downstream.accept(Materialization.rows(context, batch, rows, count));
    }
  }

  /** Rows of the probe side with nulls for the build side's columns. */
  final void emitUnmatchedProbe(ColumnBatch batch, Buffer rows, int count) {
    if (count > 0) {
      Buffer none = ids(count);
      context.scan().fill(context, none, 4, -1, count);
      emitPairs(batch, count == batch.rows() ? null : rows, none, count, true);
    }
  }

  /** Handles a batch that has no match at all. */
  final void noMatch(ColumnBatch batch) {
    if (spec.choosesProbe() && !spec.choosesMatched()) {
      downstream.accept(batch);
    } else if (spec.padsBuild()) {
      emitUnmatchedProbe(batch, Buffer.EMPTY, batch.rows());
    }
  }
}
