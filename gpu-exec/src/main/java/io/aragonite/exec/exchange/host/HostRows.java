package io.aragonite.exec.exchange.host;

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
  public static HostRows of(QueryMemory memory, HostSide side, long rows, boolean keys) {
    List<Integer> widths = new ArrayList<>();
    widths.add(side.key().width());
    side.payload().forEach(column -> widths.add(column.width()));
    List<Buffer> columns = new ArrayList<>();
    for (int i = 0; i < widths.size(); i++) {
      columns.add(i > 0 || keys ? memory.allocate(widths.get(i) * rows) : Buffer.EMPTY);
    }
    return new HostRows(widths, columns);
  }

  public boolean wants(int column) {
    return column > 0 || columns.getFirst().address() != 0;
  }

  long address(int column, long row) {
    return columns.get(column).address() + row * widths.get(column);
  }

  public HostColumn column(int column, long from, long rows) {
    return HostColumn.of(address(column, from), widths.get(column), rows);
  }

  public void free(QueryMemory memory) {
    columns.forEach(memory::free);
  }
}
