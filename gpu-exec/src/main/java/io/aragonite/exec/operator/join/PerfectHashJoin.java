package io.aragonite.exec.operator.join;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PartitionFunction;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.PartitionedWords;
import io.aragonite.exec.device.PerfectHashTable;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.settings.Toggle;
import io.aragonite.exec.vector.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a partitioned join over unique dense keys keeps the build side's payload where the keys say
 * ({@link PerfectHashTable}), instead of a table of row numbers: a foreign key into a primary key,
 * all of whose rows have a partner. The build side is through before the probe side is partitioned,
 * so that only one of them is there twice at a time.
 */
final class PerfectHashJoin {
  /** Places that are visited at random to be written should lie closer than those to be read. */
  private static final int CLOSER = 4;

  private PerfectHashJoin() {}

  /** The one width of columns; 0 if they have several, or none. */
  static int width(List<Column> columns) {
    int width = columns.isEmpty() ? 0 : columns.getFirst().shape().storage().width();
    return columns.stream().allMatch(c -> c.shape().storage().width() == width) ? width : 0;
  }

  private static int slot(List<Column> columns) {
    int bytes = columns.size() * width(columns);
    return bytes <= 8 ? bytes : 16;
  }

  /**
   * Whether both sides look like it, by the build side's columns and the bounds of its words.
   *
   * @param order of the build side's words
   * @param columns what would be fetched of the build side
   * @param otherCount rows of the probe side
   */
  static boolean looksLikeIt(
      ExecContext context,
      PartitionFunction order,
      int rows,
      List<Column> columns,
      int otherCount) {
    long entries = order.range() + 1;
    Toggle wanted = PerPartitionTablePolicy.wanted();
    int least = context.hash().directBits(context, order);
    return least >= 0
        && least <= PartitionOps.PASS_BITS
        && wanted != Toggle.OFF
        && (wanted == Toggle.ON
            || JoinModel.directPays(context.device().profile(), otherCount, columns.size()))
        && PerfectHashTable.takes(columns.size(), width(columns))
        && columns.stream().allMatch(RowPartition::moves)
        && entries >= rows
        && 2 * entries < 3L * rows;
  }

  /**
   * Whether some of the probe side's words lie within the bounds of the build side's.
   *
   * @param others words of the probe side, or of some of its rows; not none
   */
  static boolean within(ExecContext context, PartitionFunction order, Column others) {
    PartitionFunction some =
        context
            .partition()
            .partitionFunction(context, some(others), width(List.of(others)), sample(others));
    return within(some.base(), order) && within(some.base() + some.range(), order);
  }

  private static boolean within(long word, PartitionFunction order) {
    return Long.compareUnsigned(word - order.base(), order.range()) <= 0;
  }

  private static int sample(Column words) {
    return Math.min(words.dataRows(), PartitionedHashJoin.SAMPLE);
  }

  private static Buffer some(Column words) {
    long wordBytes = width(List.of(words));
    int sample = sample(words);
    long from = ((long) words.dataRows() - sample) / 2;
    return words.values().slice(from * wordBytes, sample * wordBytes);
  }

  /** Bits to partition the build side by. */
  static int buildBits(ExecContext context, PartitionFunction order, List<Column> columns) {
    int bits = Math.max(1, context.hash().directBits(context, order));
    double parts =
        CLOSER * (double) slot(columns) * (order.range() + 1) / context.device().cacheBytes();
    while (bits < PartitionOps.PASS_BITS && 1 << bits < parts) {
      bits++;
    }
    return bits;
  }

  /**
   * Room for the payload of a build side that is partitioned; null if words are there twice, or
   * some probe rows of a sample have no partner.
   *
   * @param bits that the build side is partitioned by
   * @param others words of the probe side, or of some of its rows
   */
  static @Nullable PerfectHashTable rows(
      ExecContext context,
      PartitionFunction order,
      int bits,
      PartitionedWords build,
      int count,
      List<Column> columns,
      Column others) {
    int wordBytes = width(List.of(others));
    PerfectHashTable rows =
        context
            .hash()
            .perfectHashTable(context, order, bits, build, wordBytes, count, context.memory());
    if (rows != null && !finds(context, rows, columns, others)) {
      rows.close();
      return null;
    }
    return rows;
  }

  /** Whether all of a sample of the probe side's words are there, and none is there twice. */
  static boolean finds(
      ExecContext context, PerfectHashTable rows, List<Column> columns, Column others) {
    int sample = sample(others);
    int wordBytes = width(List.of(others));
    return rows.fetch(context, some(others), wordBytes, sample, List.of(), width(columns))
        == sample;
  }
}
