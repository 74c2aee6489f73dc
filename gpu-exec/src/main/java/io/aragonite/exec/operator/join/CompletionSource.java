package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.QueryResources;
import io.aragonite.exec.pipeline.Source;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * After all probing: build rows by their match flags. Those without a match, padded with nulls, for
 * outer joins; those with or without one, alone, for semi and anti joins.
 */
final class CompletionSource implements Source {
  private final JoinSpec spec;
  private final BuildSide side;

  private static final ColumnShape OWN = ColumnShape.of(DataType.BOOLEAN);

  /** The flag at the row that a word finds, null if there is none. */
  private static final ColumnShape FOUND =
      ColumnShape.of(DataType.BOOLEAN.withNullable(true)).withMayBeNull(true);

  /** Where flags are by word; else null. */
  private final @Nullable ByWord byWord;

  private final int morselRows;

  /**
   * @param words the rows' words if flags are by word, else null
   */
  CompletionSource(
      JoinSpec spec,
      BuildSide side,
      @Nullable JoinKeyEncoder words,
      ExpressionCompiler expressions,
      int morselRows) {
    this.spec = spec;
    this.side = side;
    this.byWord =
        words == null || !side.flagsByWord() ? null : new ByWord(spec, side, words, expressions);
    this.morselRows = morselRows;
  }

  /**
   * A join's pipeline, followed by the build rows that only its end tells of, if the join has such.
   *
   * @param words how the words of build rows are made, where matches are marked by word; else null
   */
  static PipelineHead after(
      PipelineHead joined,
      QueryResources resources,
      JoinSpec spec,
      BuildSide side,
      @Nullable JoinKeyEncoder words) {
    if (!spec.flagsBuild()) {
      return joined;
    }
    int morselRows = resources.context().device().properties().morselRows();
    return joined.followedBy(
        new CompletionSource(spec, side, words, resources.expressions(), morselRows));
  }

  @Override
  public List<ColumnShape> shapes() {
    return spec.output();
  }

  @Override
  public int morsels() {
    return side.hideAll() ? 0 : (int) ((side.rows().rows() + morselRows - 1L) / morselRows);
  }

  @Override
  public void run(ExecContext context, int morsel, BatchConsumer consumer) {
    int batchRows = context.device().properties().batchRows();
    long start = (long) morsel * morselRows;
    int end = (int) Math.min(side.rows().rows(), start + morselRows);
    for (int from = (int) start; from < end && !consumer.done(); from += batchRows) {
      context.checkCancelled();
      context.scratch().reset();
      batch(context, from, Math.min(batchRows, end - from), consumer);
    }
  }

  private void batch(ExecContext context, int from, int count, BatchConsumer consumer) {
    ColumnBatch rows = Batches.slice(side.rows(), from, count);
    Buffer chosen = context.scratch().allocate(count * 4L);
    Buffer own = side.flags().slice(from, count);
    int choosing =
        byWord == null
            ? context.scan().select(context, own, count, choosesMatched(spec), chosen)
            : byWord.select(context, rows, own, chosen);
    if (choosing == 0) {
      return;
    }
    boolean all = choosing == count;
    List<Column> build =
        Materialization.gather(
            context, rows.columns(), spec.buildOut(), all ? null : chosen, choosing, false);
    if (spec.choosesBuild()) {
      consumer.accept(new ColumnBatch(build, choosing));
      return;
    }
    List<Column> probe = nulls(context, choosing);
    consumer.accept(
        new ColumnBatch(
            spec.buildLeft() ? JoinSpec.concat(build, probe) : JoinSpec.concat(probe, build),
            choosing));
  }

  private static boolean choosesMatched(JoinSpec spec) {
    return spec.choosesBuild() && spec.choosesMatched();
  }

  /** Chooses rows where a flag speaks for all rows with its row's word, and for its own row. */
  private static final class ByWord {
    private final BuildSide side;
    private final JoinKeyEncoder words;
    private final CompiledPredicate chosen;

    ByWord(JoinSpec spec, BuildSide side, JoinKeyEncoder words, ExpressionCompiler expressions) {
      this.side = side;
      this.words = words;
      Expr found = Expr.call(Op.IS_TRUE, DataType.BOOLEAN, Expr.ref(0, FOUND.type()));
      Expr matched = Expr.call(Op.OR, DataType.BOOLEAN, found, Expr.ref(1, DataType.BOOLEAN));
      this.chosen =
          expressions.predicate(
              choosesMatched(spec) ? matched : Expr.call(Op.NOT, DataType.BOOLEAN, matched),
              List.of(FOUND, OWN));
    }

    int select(ExecContext context, ColumnBatch rows, Buffer own, Buffer out) {
      int count = rows.rows();
      Buffer found = context.scratch().allocate(count * 4L);
      side.index().lookup(context, words.probeWords(context, rows, side.index()), found);
      int all = side.rows().rows();
      RowIds ids = new RowIds(found, count, true);
      Column byWord = new Column(FOUND, all, side.flags(), Buffer.EMPTY, null, ids);
      Column alone = new Column(OWN, count, own, Buffer.EMPTY, null, null);
      return chosen.select(context, new ColumnBatch(List.of(byWord, alone), count), out);
    }
  }

  private List<Column> nulls(ExecContext context, int count) {
    Buffer none = context.scratch().allocate(count * 4L);
    context.scan().fill(context, none, 4, -1, count);
    RowIds ids = new RowIds(none, count, true);
    List<Column> columns = new ArrayList<>();
    for (ColumnShape shape : spec.probeOut()) {
      columns.add(new Column(shape, 0, Buffer.EMPTY, Buffer.EMPTY, null, ids));
    }
    return columns;
  }
}
