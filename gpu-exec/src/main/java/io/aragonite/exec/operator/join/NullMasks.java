package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The null masks of the keys of a null-aware join: bit i of a mask stands for a null in key i, of
 * keys that are not null-safe. Two rows agree if they are equal on the keys that neither's mask
 * leaves out: words are hashed of these keys and of both masks, by code that takes the masks as
 * values, since there may be thousands.
 */
final class NullMasks {
  /** Keys that a mask has bits for. */
  private static final int MOST_KEYS = Long.SIZE - 2;

  private static final ColumnShape WORD = ColumnShape.of(DataType.INT64);

  private final JoinSpec spec;
  private final KeyHashes ofBuild;
  private final KeyHashes ofProbe;

  /** Of the keys' hashes, the row's mask, and the other row's. */
  private final CompiledProjection word;

  /**
   * What a side's keys come to.
   *
   * @param hashes one column a key
   * @param mask one column; null: no row has a null
   */
  private record KeyHashes(CompiledProjection hashes, @Nullable CompiledProjection mask) {}

  /**
   * Rows with one mask.
   *
   * @param rows 32-bit rows of a batch, or build rows, in the order in which they were split
   */
  record MaskedRows(long mask, Buffer rows, int count) {}

  NullMasks(JoinSpec spec, ExpressionCompiler compiler) {
    this.spec = spec;
    this.ofBuild = hashes(spec.buildKeys(), spec.buildKeyShapes(), spec.build(), compiler);
    this.ofProbe = hashes(spec.probeKeys(), spec.probeKeyShapes(), spec.probe(), compiler);
    int keys = spec.plan().keys().size();
    this.word = compiler.projection(List.of(word(keys)), Collections.nCopies(keys + 2, WORD));
  }

  /** Whether the join has no more keys than masks have bits. */
  boolean areExact() {
    return spec.plan().keys().size() <= MOST_KEYS;
  }

  private boolean isMasked(int key) {
    return key < MOST_KEYS && !spec.plan().keys().get(key).nullSafe();
  }

  private KeyHashes hashes(
      List<Expr> keys,
      List<ColumnShape> shapes,
      List<ColumnShape> side,
      ExpressionCompiler compiler) {
    List<Expr> columns = new ArrayList<>();
    Expr mask = null;
    for (int key = 0; key < keys.size(); key++) {
      columns.add(new Expr.KeyWord(List.of(keys.get(key)), KeyLayout.HASHED));
      if (shapes.get(key).mayBeNull() && isMasked(key)) {
        Expr isNull = Expr.call(Op.IS_NULL, DataType.BOOLEAN, keys.get(key));
        Expr bit = Expr.call(Op.CASE, DataType.INT64, isNull, number(1L << key), number(0));
        mask = mask == null ? bit : Expr.call(Op.BIT_OR, DataType.INT64, mask, bit);
      }
    }
    return new KeyHashes(
        compiler.projection(columns, side),
        mask == null ? null : compiler.projection(List.of(mask), side));
  }

  private Expr word(int keys) {
    Expr both = Expr.call(Op.BIT_OR, DataType.INT64, column(keys), column(keys + 1));
    List<Expr> parts = new ArrayList<>();
    parts.add(both);
    for (int key = 0; key < keys; key++) {
      if (isMasked(key)) {
        Expr bit = Expr.call(Op.BIT_AND, DataType.INT64, both, number(1L << key));
        Expr compared = Expr.call(Op.EQ, DataType.BOOLEAN, bit, number(0));
        parts.add(Expr.call(Op.CASE, DataType.INT64, compared, column(key), number(0)));
      } else {
        parts.add(column(key));
      }
    }
    return new Expr.KeyWord(parts, KeyLayout.HASHED);
  }

  private static Expr column(int index) {
    return Expr.ref(index, DataType.INT64);
  }

  private static Expr number(long value) {
    return Expr.literal(value, DataType.INT64);
  }

  /** Whether probe rows may have a null. */
  boolean mayBeNull() {
    return ofProbe.mask() != null;
  }

  /** The hashes of the keys of rows of a side, and their masks as the last column. */
  ColumnBatch hashes(ExecContext context, ColumnBatch rows, boolean build) {
    KeyHashes side = build ? ofBuild : ofProbe;
    ColumnBatch hashes = side.hashes().evaluate(context, rows);
    return side.mask() == null
        ? with(context, hashes, 0)
        : new ColumnBatch(
            JoinSpec.concat(hashes.columns(), side.mask().evaluate(context, rows).columns()),
            rows.rows());
  }

  /** The masks of build rows, in scratch memory. */
  Buffer ofBuild(ExecContext context, ColumnBatch rows) {
    ColumnBatch none = new ColumnBatch(List.of(), rows.rows());
    return (ofBuild.mask() == null
            ? with(context, none, 0)
            : ofBuild.mask().evaluate(context, rows))
        .column(0)
        .values();
  }

  /** The words of rows for rows with another mask, in scratch memory. */
  Buffer words(ExecContext context, ColumnBatch hashes, long other) {
    return word.evaluate(context, with(context, hashes, other)).column(0).values();
  }

  private static ColumnBatch with(ExecContext context, ColumnBatch batch, long value) {
    int rows = batch.rows();
    Buffer values = context.scratch().allocate(8L * rows);
    context.scan().fill(context, values, Long.BYTES, value, rows);
    List<Column> last = List.of(new Column(WORD, rows, values, Buffer.EMPTY, null, null));
    return new ColumnBatch(JoinSpec.concat(batch.columns(), last), rows);
  }

  /** The rows of a probe batch by their masks. */
  List<MaskedRows> split(ExecContext context, ColumnBatch batch) {
    int count = batch.rows();
    Buffer rows = context.scratch().allocate(4L * count);
    context.scan().iota(context, rows, 0, count);
    CompiledProjection mask = ofProbe.mask();
    if (mask == null) {
      return List.of(new MaskedRows(0, rows, count));
    }
    Buffer masks = context.scratch().allocate(8L * count);
    Buffer found = mask.evaluate(context, batch).column(0).values();
    context.device().transfers().copy(context, found, masks, 8L * count);
    return split(context, masks, rows, count);
  }

  /**
   * Rows by their masks, by which both are put in order.
   *
   * @param masks of rows of any side
   */
  List<MaskedRows> split(ExecContext context, Buffer masks, Buffer rows, int count) {
    int bits = Math.min(MOST_KEYS, spec.plan().keys().size());
    context.sort().sortPairs(context, masks, rows, count, 0, bits);
    long mark = context.scratch().mark();
    Buffer starts = context.scratch().allocate(4L * count + 4);
    int groups = context.sort().runLengthEncode(context, masks, count, starts);
    Column all = new Column(WORD, count, masks, Buffer.EMPTY, null, null);
    Column firsts =
        context
            .gather()
            .materialize(
                context, all.withRowIds(new RowIds(starts, groups, false)), context.scratch());
    long hostMark = context.hostScratch().mark();
    Buffer hostStarts = context.hostScratch().allocate(4L * groups);
    Buffer hostMasks = context.hostScratch().allocate(8L * groups);
    context.device().transfers().toHost(context, starts, hostStarts.address(), 4L * groups);
    context.device().transfers().toHost(context, firsts.values(), hostMasks.address(), 8L * groups);
    List<MaskedRows> split = new ArrayList<>(groups);
    for (int group = 0; group < groups; group++) {
      int from = Mem.getInt(hostStarts.address() + 4L * group);
      int to = group + 1 < groups ? Mem.getInt(hostStarts.address() + 4L * group + 4) : count;
      long mask = Mem.getLong(hostMasks.address() + 8L * group);
      split.add(new MaskedRows(mask, rows.slice(4L * from, 4L * (to - from)), to - from));
    }
    context.hostScratch().release(hostMark);
    context.scratch().release(mark);
    return split;
  }
}
