package io.aragonite.exec.operator.join;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.operator.ScanSource;
import io.aragonite.exec.operator.join.TransferGraph.Edge;
import io.aragonite.exec.operator.join.TransferGraph.TransferNode;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.BlockRanges;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What a filter by keys has read of a table that lies by them: of sales that lie by their date a
 * filter by some days reads some blocks, so it costs little although sales are many.
 */
final class FilteredBlocks {
  /** More keys seldom leave a block out. */
  private static final double MOST_KEYS = 1 << 16;

  /** A column whose blocks span more of its range is one that the table does not lie by. */
  private static final double WIDEST = 0.25;

  /** The values of columns that were asked for, ascending. */
  private final Map<Column, long[]> known = new IdentityHashMap<>();

  /**
   * The share of rows in blocks that are read. Before the keys are known they are taken to lie
   * together, as the days of a year: whether they do is seen once they are there, and they are few.
   *
   * @param made the keys' rows; null: they are not known yet
   * @return 1 if nothing is known of the blocks
   */
  double read(Edge edge, @Nullable ColumnBatch made) {
    TransferNode from = edge.from();
    boolean few = from.rows() >= 0 && from.rows() <= MOST_KEYS;
    if (!few || edge.toColumns().size() > 1 || from.base() <= 0 && made == null) {
      return 1;
    }
    BlockRanges blocks = blocks(edge.to().node(), edge.toColumns().getFirst());
    if (blocks == null || blocks.blocks() == 0 || blocks.width() > WIDEST) {
      return 1;
    }
    if (made == null) {
      return Math.min(1, from.rows() / from.base() + blocks.width());
    }
    Column keys = made.column(edge.fromColumns().getFirst());
    long[] values =
        keys.shape().storage().isInteger()
            ? known.computeIfAbsent(keys, column -> values(column, made.rows()))
            : null;
    return values == null ? 1 : (double) met(blocks, values) / blocks.blocks();
  }

  private static int met(BlockRanges blocks, long[] values) {
    if (values.length == 0) {
      return 0;
    }
    BitSet met =
        ScanSource.takesValues(values.length, blocks.rows())
            ? blocks.meeting(values)
            : blocks.meeting(values[0], values[values.length - 1]);
    return met.cardinality();
  }

  /** Ascending; nulls have no partner. */
  private static long[] values(Column column, int rows) {
    long address = column.values().address();
    return LongStream.range(0, rows)
        .filter(row -> column.validity() == null || Mem.getBit(column.validity().address(), row))
        .map(row ->
            switch (column.shape().storage()) {
              case BYTE -> Mem.getByte(address + row);
              case SHORT -> Mem.getShort(address + 2 * row);
              case INT -> Mem.getInt(address + 4 * row);
              default -> Mem.getLong(address + 8 * row);
            })
        .sorted()
        .toArray();
  }

  private static @Nullable BlockRanges blocks(PhysicalPlan node, int column) {
    return switch (node) {
      case PhysicalPlan.Filter filter -> blocks(filter.input(), column);
      case PhysicalPlan.Project project ->
          project.expressions().get(column) instanceof Expr.InputRef ref
              ? blocks(project.input(), ref.index())
              : null;
      case PhysicalPlan.Scan scan -> scan.table().blockRanges(scan.columns().get(column));
      default -> null;
    };
  }
}
