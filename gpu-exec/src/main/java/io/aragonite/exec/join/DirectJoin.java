package io.aragonite.exec.join;

import io.aragonite.exec.column.Column;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.Primitives;
import io.aragonite.exec.device.Primitives.DirectRows;
import io.aragonite.exec.device.WordOrder;
import io.aragonite.exec.join.BatchJoin.Side;
import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a partitioned join over unique dense keys keeps the build side's payload where the keys say
 * ({@link DirectRows}), instead of a table of row numbers: a foreign key into a primary key, all of
 * whose rows have a partner. The build side is through before the probe side is partitioned, so that
 * only one of them is there twice at a time.
 */
final class DirectJoin {
  /** Places that are visited at random to be written should lie closer than those to be read. */
  private static final int CLOSER = 4;

  private DirectJoin() {}

  /** The one width of columns; 0 if they have several, or none. */
  static int width(List<Column> columns) {
    int width = columns.isEmpty() ? 0 : columns.getFirst().shape().storage().width();
    return columns.stream().allMatch(c -> c.shape().storage().width() == width) ? width : 0;
  }

  private static int slot(List<Column> columns) {
    int bytes = columns.size() * width(columns);
    return bytes <= 8 ? bytes : 16;
  }

  /** Whether a build side's shape and the bounds of its words allow it. */
  static boolean possible(WordOrder order, Side build) {
    long entries = order.range() + 1;
    return !order.mixed()
        && DirectRows.takes(build.payload().size(), width(build.payload()))
        && entries >= build.rows()
        && entries < 2L * build.rows();
  }

  /** Bits to partition the build side by. */
  static int buildBits(Device device, WordOrder order, Side build) {
    double parts =
        CLOSER * (double) slot(build.payload()) * (order.range() + 1) / device.cacheBytes();
    int bits = 1;
    while (bits < Primitives.PASS_BITS && 1 << bits < parts) {
      bits++;
    }
    return bits;
  }

  /** Room for the payload; null if words are there twice, or some probe rows have no partner. */
  static @Nullable DirectRows rows(
      ExecContext context, WordOrder order, RowPartition left, Side build, Side probe) {
    int bits = buildBits(context.device(), order, build);
    DirectRows rows =
        context
            .device()
            .primitives()
            .directRows(
                context,
                order,
                bits,
                left.partitions(),
                build.wordBytes(),
                build.rows(),
                context.memory());
    if (rows == null) {
      return null;
    }
    int sample = Math.min(probe.rows(), BatchJoin.SAMPLE);
    int width = probe.wordBytes();
    Buffer words = probe.key().values();
    Buffer some = words.slice((long) (probe.rows() - sample) / 2 * width, (long) sample * width);
    if (sample == 0
        || rows.fetch(context, some, width, sample, List.of(), width(build.payload())) < sample) {
      rows.close();
      return null;
    }
    return rows;
  }
}
