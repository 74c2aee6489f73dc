package io.aragonite.exec.device;

import io.aragonite.exec.device.KeyColumns.PackedColumn;
import io.aragonite.exec.memory.Buffer;
import java.util.ArrayList;
import java.util.List;

/** A filter of the host, which words of a device's memory are copied to. */
record HostBackedKeyFilter(KeyFilter onHost) implements KeyFilter {
  @Override
  public long bytes() {
    return onHost.bytes();
  }

  @Override
  public boolean exact() {
    return onHost.exact();
  }

  @Override
  public int select(ExecContext context, KeyColumns words, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * words.count());
      boolean inOrder = words.rows().address() == 0;
      Buffer rows = inOrder ? Buffer.EMPTY : call.in(words.rows(), 4L * words.count());
      List<PackedColumn> columns = new ArrayList<>();
      for (PackedColumn column : words.columns()) {
        Buffer values = column.values();
        long bytes = inOrder ? (long) column.bytes() * words.count() : values.size();
        columns.add(
            new PackedColumn(
                call.in(values, bytes), column.bytes(), column.zero(), column.shift()));
      }
      KeyColumns staged = new KeyColumns(columns, rows, words.count());
      int kept = onHost.select(call.host(), staged, result);
      call.back(result, out, 4L * kept);
      return kept;
    }
  }

  @Override
  public void close() {
    onHost.close();
  }
}
