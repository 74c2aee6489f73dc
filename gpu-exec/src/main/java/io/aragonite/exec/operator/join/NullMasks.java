package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.CompiledPredicate;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.expr.KeyLayouts;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The null masks of the keys of a null-aware join: bit i of a mask stands for a null in key i, of
 * keys that are not null-safe. Two rows agree if they are equal on the keys that neither's mask
 * leaves out. Words are of these keys, by code that takes masks as values, since there may be
 * thousands. Where all keys fit a packed word, the fields of keys that are left out are zero, which
 * stands for null, so that equal words decide. Else words are hashed of the keys and of both masks.
 */
final class NullMasks {
  /** Keys that a mask has bits for. */
  private static final int MOST_KEYS = Long.SIZE - 2;

  private static final ColumnShape WORD = ColumnShape.of(DataType.INT64);

  private final JoinSpec spec;
  private final @Nullable CompiledProjection buildMask;
  private final @Nullable ProbeMask probeMask;

  /** Of the keys of both sides. */
  private final KeyLayout layout;

  /** Of a side's columns and, behind them, a mask or the bits of a packed word that count. */
  private final CompiledProjection buildWord;

  private final CompiledProjection probeWord;

  /**
   * The masks of probe rows that may have a null.
   *
   * @param present rows without a null
   * @param other the other rows
   */
  private record ProbeMask(
      CompiledProjection mask, CompiledPredicate present, CompiledPredicate other) {}

  /**
   * Rows with one mask.
   *
   * @param rows 32-bit rows of a batch, or build rows, in the order in which they were split
   */
  record MaskedRows(long mask, Buffer rows, int count) {}

  NullMasks(JoinSpec spec, ExpressionCompiler compiler) {
    this.spec = spec;
    Expr ofBuild = mask(spec.buildKeys(), spec.buildKeyShapes());
    Expr ofProbe = mask(spec.probeKeys(), spec.probeKeyShapes());
    this.buildMask = ofBuild == null ? null : compiler.projection(List.of(ofBuild), spec.build());
    this.probeMask = ofProbe == null ? null : probeMask(ofProbe, compiler);
    this.layout = KeyLayouts.choose(spec.buildKeyShapes(), spec.probeKeyShapes());
    Expr given = Expr.ref(spec.build().size(), DataType.INT64);
    this.buildWord =
        word(
            spec.buildKeys(),
            ofBuild == null ? given : Expr.call(Op.BIT_OR, DataType.INT64, ofBuild, given),
            spec.build(),
            compiler);
    this.probeWord =
        word(
            spec.probeKeys(),
            Expr.ref(spec.probe().size(), DataType.INT64),
            spec.probe(),
            compiler);
  }

  private ProbeMask probeMask(Expr mask, ExpressionCompiler compiler) {
    return new ProbeMask(
        compiler.projection(List.of(mask), spec.probe()),
        compiler.predicate(Expr.call(Op.EQ, DataType.BOOLEAN, mask, number(0)), spec.probe()),
        compiler.predicate(Expr.call(Op.NE, DataType.BOOLEAN, mask, number(0)), spec.probe()));
  }

  /** Whether the join has no more keys than masks have bits. */
  boolean areExact() {
    return spec.plan().keys().size() <= MOST_KEYS;
  }

  private boolean isMasked(int key) {
    return key < MOST_KEYS && !spec.plan().keys().get(key).nullSafe();
  }

  /** A row's mask; null if no row has a null. */
  private @Nullable Expr mask(List<Expr> keys, List<ColumnShape> shapes) {
    Expr mask = null;
    for (int key = 0; key < keys.size(); key++) {
      if (shapes.get(key).mayBeNull() && isMasked(key)) {
        Expr isNull = Expr.call(Op.IS_NULL, DataType.BOOLEAN, keys.get(key));
        Expr bit = Expr.call(Op.CASE, DataType.INT64, isNull, number(1L << key), number(0));
        mask = mask == null ? bit : Expr.call(Op.BIT_OR, DataType.INT64, mask, bit);
      }
    }
    return mask;
  }

  /** A word of the keys that a mask does not leave out, and, where it is hashed, of the mask. */
  private CompiledProjection word(
      List<Expr> keys, Expr mask, List<ColumnShape> side, ExpressionCompiler compiler) {
    List<ColumnShape> columns = JoinSpec.concat(side, List.of(WORD));
    if (layout.exact()) {
      Expr bits = Expr.ref(side.size(), DataType.INT64);
      Expr word = new Expr.KeyWord(keys, layout);
      return compiler.projection(
          List.of(Expr.call(Op.BIT_AND, DataType.INT64, word, bits)), columns);
    }
    List<Expr> parts = new ArrayList<>();
    parts.add(mask);
    for (int key = 0; key < keys.size(); key++) {
      Expr hash = new Expr.KeyWord(List.of(keys.get(key)), KeyLayout.HASHED);
      if (isMasked(key)) {
        Expr bit = Expr.call(Op.BIT_AND, DataType.INT64, mask, number(1L << key));
        Expr compared = Expr.call(Op.EQ, DataType.BOOLEAN, bit, number(0));
        parts.add(Expr.call(Op.CASE, DataType.INT64, compared, hash, number(0)));
      } else {
        parts.add(hash);
      }
    }
    return compiler.projection(List.of(new Expr.KeyWord(parts, KeyLayout.HASHED)), columns);
  }

  /** Whether rows with equal words agree, so that keys need not be compared. */
  boolean wordsDecide() {
    return layout.exact();
  }

  /** What the code of words takes for a mask. */
  private long given(long mask) {
    if (!layout.exact()) {
      return mask;
    }
    long bits = -1;
    int shift = 0;
    for (int key = 0; key < layout.parts().size(); key++) {
      int width = layout.parts().get(key).bits();
      if (width > 0 && isMasked(key) && (mask & 1L << key) != 0) {
        bits &= ~(-1L >>> (Long.SIZE - width) << shift);
      }
      shift += width;
    }
    return bits;
  }

  private static Expr number(long value) {
    return Expr.literal(value, DataType.INT64);
  }

  /** Whether probe rows may have a null. */
  boolean mayBeNull() {
    return probeMask != null;
  }

  /** The masks of build rows, in scratch memory. */
  Buffer ofBuild(ExecContext context, ColumnBatch rows) {
    return buildMask == null
        ? with(context, rows, 0).columns().getLast().values()
        : buildMask.evaluate(context, rows).column(0).values();
  }

  /** The words of build rows for probe rows with a mask, in scratch memory. */
  Buffer buildWords(ExecContext context, ColumnBatch rows, long mask) {
    return buildWord.evaluate(context, with(context, rows, given(mask))).column(0).values();
  }

  /**
   * The words of probe rows for build rows, in scratch memory.
   *
   * @param masks of the probe rows and of the build rows
   */
  Buffer probeWords(ExecContext context, ColumnBatch rows, long masks) {
    return probeWord.evaluate(context, with(context, rows, given(masks))).column(0).values();
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
    ProbeMask side = probeMask;
    if (side == null) {
      context.scan().iota(context, rows, 0, count);
      return List.of(new MaskedRows(0, rows, count));
    }
    List<MaskedRows> split = new ArrayList<>();
    int present = side.present().select(context, batch, rows);
    if (present > 0) {
      split.add(new MaskedRows(0, rows, present));
    }
    if (present < count) {
      Buffer others = context.scratch().allocate(4L * count);
      int other = side.other().select(context, batch, others);
      ColumnBatch some = Materialization.rows(context, batch, others, other);
      Buffer masks = context.scratch().allocate(8L * other);
      Buffer found = side.mask().evaluate(context, some).column(0).values();
      context.device().transfers().copy(context, found, masks, 8L * other);
      split.addAll(split(context, masks, others, other));
    }
    return split;
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
