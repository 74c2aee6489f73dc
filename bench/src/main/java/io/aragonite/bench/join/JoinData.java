package io.aragonite.bench.join;

import io.aragonite.bench.data.JoinQuery;
import io.aragonite.exec.plan.JoinAlgorithm;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.table.Table;
import org.jspecify.annotations.Nullable;
import io.aragonite.bench.data.BenchColumns;
import io.aragonite.bench.data.Zipf;

import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * R and S of a configuration, and what
 * their join must be: the number of its rows, and the sum of a hash over each whole row, so that
 * columns that do not belong together are found out.
 */
public final class JoinData implements BenchWork {
  private static final long BUILD_SALT = 0x5DEECE66DL;
  private static final long PROBE_SALT = 0x2545F491L;
  private static final long MATCH_SALT = 0x6A09E667F3BCL;

  private final JoinCase config;
  private final Zipf zipf;

  /** Where the rows of R begin that have the key of a rank by frequency; null: all have as many. */
  private final int @Nullable [] ranks;

  private final int[] rankOf;
  private final int probeBits;
  private final LongAdder rows = new LongAdder();
  private final LongAdder hash = new LongAdder();
  private final Table build;
  private final Table probe;

  /** Makes the tables; they live in the context's host memory. */
  JoinData(JoinCase config, ExecContext context) {
    this.config = config;
    this.zipf = new Zipf(config.distinct(), config.zipf() == 0 ? 1 : config.zipf());
    this.ranks = config.buildZipf() == 0 ? null : ranks(config);
    this.rankOf = ranks == null ? new int[0] : rankOf(ranks);
    this.probeBits = Integer.SIZE - Integer.numberOfLeadingZeros(config.probeRows() - 1);
    int permuted = Integer.SIZE - Integer.numberOfLeadingZeros(config.buildRows() - 1);
    build =
        JoinQuery.table(
            "r",
            context.onHost(),
            config.keyBytes(),
            config.buildPayload(),
            config.buildRows(),
            (i, row) -> {
              int number = permute(i, permuted, config.buildRows());
              buildRow(number, row);
            });
    probe =
        JoinQuery.table(
            "s",
            context.onHost(), config.keyBytes(), config.probePayload(), config.probeRows(), this::probeRow);
  }

  /** Each key once, and the rest of the rows by Zipf's law. */
  private static int[] ranks(JoinCase config) {
    int distinct = config.distinct();
    double[] upTo = new double[distinct];
    Arrays.parallelSetAll(upTo, k -> Math.pow(k + 1.0, -config.buildZipf()));
    Arrays.parallelPrefix(upTo, Double::sum);
    int rest = config.buildRows() - distinct;
    int[] starts = new int[distinct + 1];
    Arrays.parallelSetAll(
        starts, k -> k == 0 ? 0 : k + (int) (upTo[k - 1] / upTo[distinct - 1] * rest));
    return starts;
  }

  /** The rank of each row's key. */
  private static int[] rankOf(int[] ranks) {
    int[] of = new int[ranks[ranks.length - 1]];
    IntStream.range(0, ranks.length - 1)
        .parallel()
        .forEach(rank -> Arrays.fill(of, ranks[rank], ranks[rank + 1], rank));
    return of;
  }

  /**
   * A permutation of 0 to n - 1 without a table: a bijection of bits, walked until it is inside.
   */
  static int permute(int i, int bits, int n) {
    if (bits < 2) {
      return i;
    }
    int mask = (1 << bits) - 1;
    int half = bits / 2;
    int x = i;
    do {
      x ^= x >>> half;
      x = x * 0x2C1B3C6D & mask;
      x ^= x >>> half;
      x = x * 0x297A2D39 & mask;
      x ^= x >>> half;
    } while (x >= n);
    return x;
  }

  /**
   * Whether R has the key with a number. Of the others R has values that S has not, as in Wu24
   * (5.2.3): "replacing a corresponding fraction of primary keys with non-matching values". So
   * misses of S lie among R's keys.
   */
  private boolean kept(long number) {
    return Long.remainderUnsigned(BenchColumns.mix(number ^ MATCH_SALT), config.matchOneIn()) == 0;
  }

  private boolean beyond() {
    return config.keys() == JoinCase.KeyPattern.BEYOND;
  }

  /**
   * The key with a number; S has numbers below {@link JoinCase#distinct} only, but for misses that
   * are beyond.
   */
  private long key(long number) {
    long key =
        switch (config.keys()) {
          case DENSE, BEYOND -> number;
          case SPARSE -> config.keyBytes() == 4 ? (int) number * 0x9E3779B1 : BenchColumns.mix(number);
          case CLUSTERED -> (number >>> 6) * 512 + (number & 63);
          case NEGATIVE -> ~number;
        };
    return config.keyBytes() == 4 ? (int) key : key;
  }

  private static long payload(long row, int column, long salt, List<Integer> widths) {
    long value = BenchColumns.mix(row * 16 + column + (salt << 32));
    return widths.get(column) == 4 ? (int) value : value;
  }

  private long buildPayload(long row, int column) {
    return payload(row, column, BUILD_SALT, config.buildPayload());
  }

  private long probePayload(long row, int column) {
    return payload(row, column, PROBE_SALT, config.probePayload());
  }

  /** The number of the key of a row of R. */
  private int keyOf(int number) {
    if (ranks == null) {
      return number % config.distinct();
    }
    return ofRank(rankOf[number]);
  }

  /** The number of the key of a rank, from 0. */
  private int ofRank(int rank) {
    int distinct = config.distinct();
    return permute(rank, Integer.SIZE - Integer.numberOfLeadingZeros(distinct - 1), distinct);
  }

  /** Row number {@code number} of R: key, then payload. */
  private void buildRow(int number, long[] row) {
    int key = keyOf(number);
    row[0] = key(kept(key) || beyond() ? key : (long) config.distinct() + key);
    for (int c = 0; c < config.buildPayload().size(); c++) {
      row[1 + c] = buildPayload(number, c);
    }
  }

  /** Row i of S; counts what it will be joined with. */
  private void probeRow(int i, long[] row) {
    int distinct = config.distinct();
    long random = BenchColumns.mix(i ^ 0x1234_5678_9ABCL);
    int rank = 0;
    long number;
    if (config.zipf() > 0) {
      rank = zipf.rank(random) - 1;
      number = ofRank(rank);
    } else if (ranks != null) {
      // As many rows of S with each key, so that the number of pairs is known beforehand.
      rank = permute(i, probeBits, config.probeRows()) % distinct;
      number = ofRank(rank);
    } else {
      number = Long.remainderUnsigned(BenchColumns.mix(random), distinct);
    }
    boolean matches = kept(number);
    row[0] = key(matches || !beyond() ? number : distinct + number);
    int columns = config.probePayload().size();
    for (int c = 0; c < columns; c++) {
      row[1 + c] = probePayload(i, c);
    }
    if (matches) {
      int copies = ranks == null ? config.copies() : ranks[rank + 1] - ranks[rank];
      long sum = 0;
      for (int copy = 0; copy < copies; copy++) {
        long h = fold(0, row[0]);
        long partner = ranks == null ? number + (long) copy * distinct : ranks[rank] + copy;
        for (int c = 0; c < config.buildPayload().size(); c++) {
          h = fold(h, buildPayload(partner, c));
        }
        for (int c = 0; c < columns; c++) {
          h = fold(h, row[1 + c]);
        }
        sum += h;
      }
      hash.add(sum);
      rows.add(copies);
    }
  }

  static long fold(long hash, long value) {
    long h = (hash ^ value) * 0x9E3779B97F4A7C15L;
    return h ^ h >>> 32;
  }

  @Override
  public PhysicalPlan plan(JoinAlgorithm algorithm) {
    return JoinQuery.plan(build, probe, algorithm);
  }

  @Override
  public BenchCheck newCheck() {
    return new BenchCheck(rows.sum(), hash.sum());
  }
}
