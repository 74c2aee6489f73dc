package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Room in host memory for the rows of a side in order.
 *
 * @param widths of the key and the payload columns
 * @param columns EMPTY for a column that is not wanted
 */
public record HostRows(List<Integer> widths, List<Buffer> columns) {
  /**
   * Room from a query's host memory.
   *
   * @param keys whether the key is wanted
   */
  public static HostRows of(QueryMemory memory, List<Integer> widths, long rows, boolean keys) {
    List<Buffer> columns = new ArrayList<>();
    for (int i = 0; i < widths.size(); i++) {
      columns.add(i > 0 || keys ? memory.allocate(widths.get(i) * rows) : Buffer.EMPTY);
    }
    return new HostRows(widths, columns);
  }

  public boolean wants(int column) {
    return column > 0 || columns.getFirst().address() != 0;
  }

  public long address(int column, long row) {
    return columns.get(column).address() + row * widths.get(column);
  }

  public HostColumn column(int column, long from, long rows) {
    return HostColumn.of(address(column, from), widths.get(column), rows);
  }

  public void free(QueryMemory memory) {
    columns.forEach(memory::free);
  }
}
