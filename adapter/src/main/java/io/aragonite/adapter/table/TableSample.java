package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Int128;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.rules.metadata.RowSample;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a table, whose values are read when a predicate first asks for their column. Of a
 * small table the column is loaded for it, which the query reads anyway.
 */
final class TableSample implements RowSample {
  private static final int REMEMBERED = 500;

  private final StatisticsProvider table;
  private final long[] rows;
  private final Map<Integer, SampleValues> columns = new ConcurrentHashMap<>();

  /** What predicates were found to select, the latest ones. */
  private final Map<Expr, BitSet> selected =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Expr, BitSet> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * @param rows numbers of rows, ascending
   */
  TableSample(StatisticsProvider table, long[] rows) {
    this.table = table;
    this.rows = rows;
  }

  @Override
  public int rows() {
    return rows.length;
  }

  @Override
  public synchronized @Nullable BitSet select(Expr predicate) {
    BitSet known = selected.get(predicate);
    if (known == null) {
      known = found(predicate);
      if (known != null) {
        selected.put(predicate, known);
      }
    }
    return known;
  }

  /** A column's values; null if they cannot be had without loading it. */
  @Nullable SampleValues values(int column) {
    return columns.computeIfAbsent(column, wanted -> table.values(wanted, rows));
  }

  /** Whether it is of these rows themselves. */
  boolean isOf(long[] numbers) {
    return Arrays.equals(rows, numbers);
  }

  boolean has(int column) {
    return columns.containsKey(column);
  }

  /** The values that may be kept for other processes, by their columns. */
  Map<Integer, SampleValues> kept() {
    Map<Integer, SampleValues> kept = new HashMap<>();
    columns.forEach((column, values) -> {
      if (values.isKept()) {
        kept.put(column, values);
      }
    });
    return kept;
  }

  private @Nullable BitSet found(Expr predicate) {
    BitSet wanted = new BitSet();
    if (!references(predicate, wanted)) {
      return null;
    }
    Map<Integer, SampleValues> named = new HashMap<>();
    for (int column = wanted.nextSetBit(0); column >= 0; column = wanted.nextSetBit(column + 1)) {
      try {
        SampleValues values = values(column);
        if (values == null) {
          return null;
        }
        named.put(column, values);
      } catch (AragoniteException e) {
        if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
          throw e;
        }
        return null;
      }
    }
    BitSet all = new BitSet(rows.length);
    all.set(0, rows.length);
    try {
      return SampledTruth.of(predicate, column -> Objects.requireNonNull(named.get(column)), all)
          .yes();
    } catch (AragoniteException | ArithmeticException | ClassCastException e) {
      // An error of the query's own, which it will meet when it runs.
      return null;
    }
  }

  /** Notes the columns; false for what cannot be evaluated here. */
  static boolean references(Expr expr, BitSet columns) {
    return switch (expr) {
      case Expr.InputRef ref -> {
        columns.set(ref.index());
        yield true;
      }
      case Expr.Literal literal -> true;
      case Expr.Call call -> {
        boolean all = true;
        for (Expr arg : call.args()) {
          all &= references(arg, columns);
        }
        yield all;
      }
      default -> false;
    };
  }

  /** Values of a column in the form of literals, by row numbers that ascend. */
  static @Nullable Object[] read(ColumnShape shape, List<Column> pieces, long[] rows) {
    @Nullable Object[] values = new Object[rows.length];
    int piece = 0;
    long start = 0;
    for (int i = 0; i < rows.length; i++) {
      while (rows[i] >= start + pieces.get(piece).dataRows()) {
        start += pieces.get(piece++).dataRows();
      }
      values[i] = value(pieces.get(piece), shape, (int) (rows[i] - start));
    }
    return values;
  }

  private static @Nullable Object value(Column column, ColumnShape shape, int row) {
    if (shape.storage() == Storage.NONE
        || column.validity() != null && !Mem.getBit(column.validity().address(), row)) {
      return null;
    }
    long at = column.values().address();
    Dictionary dictionary = shape.dictionary();
    DataType type = shape.type();
    return switch (shape.storage()) {
      case FLOAT -> (double) Mem.getFloat(at + 4L * row);
      case DOUBLE -> Mem.getDouble(at + 8L * row);
      case CODE, CODE8, CODE16 -> dictionary == null ? null : dictionary.text(column.code(row));
      case BYTES -> {
        long offsets = column.offsets().address() + 4L * row;
        int from = Mem.getInt(offsets);
        byte[] bytes = new byte[Mem.getInt(offsets + 4) - from];
        Mem.copy(at + from, bytes, 0, bytes.length);
        yield type.kind().isText() ? new String(bytes, StandardCharsets.UTF_8) : bytes;
      }
      case LONG128 -> {
        yield new BigDecimal(Int128.get(at + 16L * row), type.scale());
      }
      default -> {
        long value = PartScan.integer(shape.storage(), at, row);
        yield type.kind() == TypeKind.DECIMAL
            ? (Object) BigDecimal.valueOf(value, type.scale())
            : type.kind() == TypeKind.BOOLEAN ? (Object) (value != 0) : (Object) value;
      }
    };
  }
}
