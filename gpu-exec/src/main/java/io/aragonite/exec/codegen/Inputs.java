package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The columns that a set of nodes reads, and the indirections through which a batch gives them. */
final class Inputs {
  private final List<ColumnShape> shapes;

  /** Column of each position. */
  private final int[] columns;

  /** Position of each column, -1 if it is not read. */
  private final int[] positions;

  Inputs(List<ColumnShape> shapes, List<ExprNode> nodes) {
    this.shapes = shapes;
    this.positions = new int[shapes.size()];
    Arrays.fill(positions, -1);
    List<Integer> read = new ArrayList<>();
    Map<ExprNode, Boolean> seen = new IdentityHashMap<>();
    for (ExprNode node : nodes) {
      collect(node, read, seen);
    }
    this.columns = read.stream().mapToInt(Integer::intValue).toArray();
  }

  private void collect(ExprNode node, List<Integer> read, Map<ExprNode, Boolean> seen) {
    if (seen.put(node, true) != null) {
      return;
    }
    if (node.kind == ExprNode.NodeKind.COLUMN && positions[node.index] < 0) {
      positions[node.index] = read.size();
      read.add(node.index);
    }
    for (ExprNode arg : node.args) {
      collect(arg, read, seen);
    }
  }

  int position(int column) {
    return positions[column];
  }

  ColumnShape shape(int column) {
    return shapes.get(column);
  }

  /**
   * Which columns of a batch share which indirection: what code depends on besides shapes.
   *
   * @param indirections for each position the number of its indirection, -1 for none; then for each
   *     indirection 1 if ids may be -1
   */
  record Pattern(int[] indirections, int columns) {
    int indirection(int position) {
      return indirections[position];
    }

    boolean mayBeNull(int indirection) {
      return indirections[columns + indirection] != 0;
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof Pattern other && Arrays.equals(indirections, other.indirections);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(indirections);
    }
  }

  /** Fills in the addresses of a batch. */
  Pattern bind(ColumnBatch batch, KernelArgs args) {
    int count = columns.length;
    args.values = new long[count];
    args.offsets = new long[count];
    args.validity = new long[count];
    RowIds[] distinct = new RowIds[count];
    int[] pattern = new int[count];
    int indirections = 0;
    for (int p = 0; p < count; p++) {
      Column column = batch.column(columns[p]);
      ColumnShape expected = shapes.get(columns[p]);
      if (column.shape().storage() != expected.storage()
          || column.shape().dictionary() != expected.dictionary()) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "Column %d of a batch is %s, but code was compiled for %s."
                .formatted(columns[p], column.shape().storage(), expected.storage()));
      }
      Buffer validity = column.validity();
      RowIds rowIds = column.rowIds();
      if (!expected.mayBeNull() && (validity != null || (rowIds != null && rowIds.mayBeNull()))) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "Column %d of a batch may be null, but its shape promised that it is not."
                .formatted(columns[p]));
      }
      args.values[p] = column.values().address();
      args.offsets[p] = column.offsets().address();
      args.validity[p] = validity == null ? 0 : validity.address();
      pattern[p] = -1;
      if (rowIds != null) {
        int found = 0;
        while (found < indirections && !distinct[found].equals(rowIds)) {
          found++;
        }
        distinct[found] = rowIds;
        indirections = Math.max(indirections, found + 1);
        pattern[p] = found;
      }
    }
    int[] all = Arrays.copyOf(pattern, count + indirections);
    args.ids = new long[indirections];
    for (int g = 0; g < indirections; g++) {
      args.ids[g] = distinct[g].ids().address();
      all[count + g] = distinct[g].mayBeNull() ? 1 : 0;
    }
    return new Pattern(all, count);
  }
}
