package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.ProbeWords;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the keys of one side of a join become words: 8 bytes computed from them, or, where there is
 * one key of 4 or 8 bytes and neither side has nulls, nothing at all. Its column is the words then.
 */
final class JoinKeyEncoder {
  /** Null: a column is the words. */
  private final @Nullable CompiledProjection computed;

  private final int column;
  private final int bytes;

  private JoinKeyEncoder(@Nullable CompiledProjection computed, int column, int bytes) {
    this.computed = computed;
    this.column = column;
    this.bytes = bytes;
  }

  /** Both sides' words, which are of one kind. */
  record SideEncoders(JoinKeyEncoder build, JoinKeyEncoder probe) {
    /** Words that are computed whatever the keys are: those that are to be sorted. */
    static SideEncoders computed(ExpressionCompiler compiler, JoinSpec spec, KeyLayout layout) {
      return new SideEncoders(
          new JoinKeyEncoder(
              compiler.projection(
                  List.of(new Expr.KeyWord(spec.buildKeys(), layout)), spec.build()),
              -1,
              Long.BYTES),
          new JoinKeyEncoder(
              compiler.projection(
                  List.of(new Expr.KeyWord(spec.probeKeys(), layout)), spec.probe()),
              -1,
              Long.BYTES));
    }

    /** Words to be looked up in a table: the columns themselves if that is possible. */
    static SideEncoders of(
        Device device, ExpressionCompiler compiler, JoinSpec spec, KeyLayout layout) {
      int bytes = columnBytes(device, spec, layout);
      if (bytes == 0) {
        return computed(compiler, spec, layout);
      }
      int left = spec.plan().keys().getFirst().left();
      int right = spec.plan().keys().getFirst().right();
      return new SideEncoders(
          new JoinKeyEncoder(null, spec.buildLeft() ? left : right, bytes),
          new JoinKeyEncoder(null, spec.buildLeft() ? right : left, bytes));
    }
  }

  /** Bytes of the key whose column is its words; 0 if there is no such key. */
  private static int columnBytes(Device device, JoinSpec spec, KeyLayout layout) {
    if (!layout.exact() || spec.plan().keys().size() != 1) {
      return 0;
    }
    ColumnShape build = spec.buildKeyShapes().getFirst();
    ColumnShape probe = spec.probeKeyShapes().getFirst();
    Storage storage = build.storage();
    boolean integers = storage == Storage.INT || storage == Storage.LONG || storage == Storage.CODE;
    if (!integers || storage != probe.storage() || build.mayBeNull() || probe.mayBeNull()) {
      return 0;
    }
    return storage == Storage.LONG || device.traits().narrowKeys() ? storage.width() : 0;
  }

  /** Of a word: 4 or 8. */
  int bytes() {
    return bytes;
  }

  /** The column that is the words; -1 if they are computed. */
  int column() {
    return column;
  }

  /**
   * The words of a batch, in scratch memory, or those of a column without indirection themselves.
   */
  Buffer of(ExecContext context, ColumnBatch batch) {
    if (computed != null) {
      return computed.evaluate(context, batch).column(0).values();
    }
    Column key = batch.column(column);
    return key.rowIds() == null
        ? key.values()
        : context.gather().materialize(context, key, context.scratch()).values();
  }

  /** The words of a batch that an index is asked for. */
  ProbeWords probeWords(ExecContext context, ColumnBatch batch, KeyIndex index) {
    if (computed == null && index.gatheredBytes() == bytes) {
      Column key = batch.column(column);
      RowIds ids = key.rowIds();
      if (ids != null && !ids.mayBeNull()) {
        return new ProbeWords(key.values(), bytes, ids.ids(), batch.rows());
      }
    }
    return new ProbeWords(of(context, batch), bytes, batch.rows());
  }

  /**
   * The words of rows without indirection: those of a column, or new ones in the query's memory.
   */
  Buffer ofAll(ExecContext context, ColumnBatch rows) {
    return computed == null
        ? rows.column(column).values()
        : Batches.evaluate(context, computed, rows);
  }
}
