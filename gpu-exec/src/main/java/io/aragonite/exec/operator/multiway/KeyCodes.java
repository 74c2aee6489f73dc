package io.aragonite.exec.operator.multiway;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Dictionary;
import java.util.Arrays;
import java.util.Objects;

/** Codes in one relation's dictionary, for a variable whose texts have several. */
record KeyCodes(Dictionary dictionary) implements KeyNumbers {
  @Override
  public Object identity() {
    return dictionary;
  }

  @Override
  public boolean isOfStored() {
    return true;
  }

  @Override
  public int bits() {
    return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, dictionary.size()));
  }

  @Override
  public Column numbers(ExecContext context, Column column) {
    QueryMemory memory = context.memory();
    int count = column.rows();
    Buffer codes = memory.allocate(4L * count);
    Dictionary other = Objects.requireNonNull(column.shape().dictionary());
    Buffer map = map(context, other);
    int width = column.shape().storage().width();
    if (width == Integer.BYTES) {
      context.gather().gatherIds(context, map, column.values(), count, codes);
    } else {
      Buffer wide = memory.allocate(4L * count);
      context.scan().convert(context, column.values(), width, count, Integer.BYTES, wide);
      context.gather().gatherIds(context, map, wide, count, codes);
      memory.free(wide);
    }
    memory.free(map);
    return KeyRanks.column(codes, count, dictionary.size());
  }

  /** For each code of another dictionary the one of the same text here, -1 if there is none. */
  private Buffer map(ExecContext context, Dictionary other) {
    long bytes = 4L * Math.max(1, other.size());
    QueryMemory.Arena host = context.hostScratch();
    long mark = host.mark();
    long at = host.allocate(bytes).address();
    int own = 0;
    for (int code = 0; code < other.size(); code++) {
      int order = -1;
      while (own < dictionary.size()
          && (order = Arrays.compareUnsigned(dictionary.bytes(own), other.bytes(code))) < 0) {
        own++;
      }
      Mem.putInt(at + 4L * code, own < dictionary.size() && order == 0 ? own : -1);
    }
    Buffer map = context.memory().allocate(bytes);
    context.device().transfers().toDevice(context, at, map, bytes);
    host.release(mark);
    return map;
  }
}
