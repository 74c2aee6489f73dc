package io.aragonite.exec.operator.join;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.operator.join.NullMasks.MaskedRows;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Indexes of the build rows of a null-aware join, for probe rows with a null mask: one for each
 * mask of probe rows, which is made when it pays and kept. Its words are of the keys that neither
 * the probe rows' nor the build row's mask leaves out, so that a probe row has a word for each mask
 * that build rows have beside its own.
 */
final class MaskedTables implements AutoCloseable {
  /** Rows of all indexes that are kept, at least; up to sixteen times the build side's if more. */
  private static final long KEPT_ROWS = 1 << 22;

  private static final int KEPT_TIMES = 16;

  /** Guesses of a core's nanoseconds: a pair, a row in an index, a lookup, and calls for a word. */
  private static final double PAIR = 20;

  private static final double INDEXED = 100;
  private static final double LOOKUP = 50;
  private static final double WORD = 10_000;

  private final Map<Long, ProbeMask> probeMasks = new HashMap<>();
  private @Nullable BuildMasks build;

  /** Whether memory had no room for the build rows' masks. */
  private boolean refused;

  private @Nullable QueryMemory memory;
  private long keptRows;

  /**
   * The build rows and the masks among them.
   *
   * @param ids in the query's memory, those alone that can match: in the order that residual
   *     conditions want, or those with most nulls first, which agree with most others
   * @param withoutNull how many of the last are known to have no null
   * @param masks and how many rows have each
   */
  private record BuildMasks(Buffer ids, int count, int withoutNull, List<MaskedRows> masks) {}

  /** What is known of the probe rows with one mask. */
  private static final class ProbeMask {
    private final long[] others;
    private long asked;
    private @Nullable KeyIndex index;

    /** Whether the index was made, even if memory had no room for it. */
    private boolean tried;

    ProbeMask(long[] others) {
      this.others = others;
    }
  }

  /**
   * What probe rows with a mask are compared with.
   *
   * @param others the masks of build rows on the keys that the probe rows' mask does not leave out
   * @param index null: too few rows ask for one, or memory has no room
   * @param kept whether the index stays; else whoever asked closes it
   * @param ids the rows that the index is of; null: all rows
   */
  record MaskedTable(long[] others, @Nullable KeyIndex index, boolean kept, @Nullable RowIds ids)
      implements AutoCloseable {
    @Override
    public void close() {
      if (index != null && !kept) {
        index.close();
      }
    }
  }

  /**
   * What probe rows with a mask are compared with.
   *
   * @param order of the build rows in the index, whose words are sorted then; null: it is a hash
   *     table
   * @param all whether build rows without null count for probe rows without null, too; else these
   *     have the join's own index
   * @param asking how many probe rows ask
   */
  synchronized MaskedTable of(
      ExecContext context,
      NullMasks masks,
      long mask,
      ColumnBatch rows,
      @Nullable RowOrder order,
      boolean all,
      int asking) {
    memory = context.memory();
    BuildMasks known = build;
    if (known == null && !refused) {
      known = masksOf(context, masks, rows, order);
      build = known;
      refused = known == null;
    }
    if (known == null) {
      return new MaskedTable(new long[0], null, true, null);
    }
    boolean without = mask == 0 && !all;
    int count = known.count() - (without ? known.withoutNull() : 0);
    Buffer ids = known.ids().slice(0, 4L * count);
    List<MaskedRows> buildMasks = known.masks();
    ProbeMask probe =
        probeMasks.computeIfAbsent(mask, of -> new ProbeMask(others(buildMasks, mask, without)));
    probe.asked += asking;
    RowIds compared = new RowIds(ids, count, false);
    if (!pays(probe, count, asking)) {
      return new MaskedTable(probe.others, null, true, compared);
    }
    KeyIndex index = probe.index;
    boolean keep = keptRows + count <= Math.max(KEPT_ROWS, (long) KEPT_TIMES * known.count());
    if (index == null) {
      index = index(context, masks, mask, rows, compared, order != null);
      probe.tried = index == null;
      if (index != null && keep) {
        probe.index = index;
        keptRows += count;
      }
    }
    return new MaskedTable(probe.others, index, probe.index != null || index == null, compared);
  }

  /** Whether an index is quicker than all pairs. */
  private static boolean pays(ProbeMask probe, int count, int asking) {
    if (probe.tried || count == 0) {
      return false;
    }
    double lookups = probe.others.length * (WORD + asking * LOOKUP);
    double making = probe.index == null ? count * INDEXED * asking / probe.asked : 0;
    return lookups + making < (double) asking * count * PAIR;
  }

  /** The masks of build rows without the bits of {@code mask}, those of most rows first. */
  private static long[] others(List<MaskedRows> masks, long mask, boolean without) {
    Map<Long, Long> rows = new HashMap<>();
    for (MaskedRows group : masks) {
      if (!without || group.mask() != 0) {
        rows.merge(group.mask() & ~mask, (long) group.count(), Long::sum);
      }
    }
    return rows.entrySet().stream()
        .sorted(Map.Entry.<Long, Long>comparingByValue().reversed())
        .mapToLong(Map.Entry::getKey)
        .toArray();
  }

  /** The build rows and their masks; null if memory has no room for them. */
  private static @Nullable BuildMasks masksOf(
      ExecContext context, NullMasks masks, ColumnBatch rows, @Nullable RowOrder order) {
    QueryMemory owner = context.memory();
    int total = rows.rows();
    Buffer ids = Buffer.EMPTY;
    Buffer words = Buffer.EMPTY;
    Buffer byMask = Buffer.EMPTY;
    try {
      ids = owner.allocate(4L * total);
      words = owner.allocate(8L * total);
      byMask = owner.allocate(4L * total);
      int count = total;
      if (order == null) {
        context.scan().iota(context, ids, 0, total);
      } else {
        count = order.sort(context, rows, ids, words);
      }
      context.device().transfers().copy(context, ids, byMask, 4L * count);
      pieces(context, masks, rows, byMask, count, words, null);
      List<MaskedRows> found = new ArrayList<>(masks.split(context, words, byMask, count));
      int withoutNull = 0;
      if (order == null) {
        found.sort(Comparator.comparingInt(group -> -Long.bitCount(group.mask())));
        int done = 0;
        for (MaskedRows group : found) {
          long bytes = 4L * group.count();
          context
              .device()
              .transfers()
              .copy(context, group.rows(), ids.slice(4L * done, bytes), bytes);
          done += group.count();
          withoutNull += group.mask() == 0 ? group.count() : 0;
        }
      }
      found.replaceAll(group -> new MaskedRows(group.mask(), Buffer.EMPTY, group.count()));
      BuildMasks made = new BuildMasks(ids, count, withoutNull, found);
      ids = Buffer.EMPTY;
      return made;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    } finally {
      owner.free(ids);
      owner.free(words);
      owner.free(byMask);
    }
  }

  /**
   * Writes the words of build rows, in pieces of a batch.
   *
   * @param mask of the probe rows that the words are for; null: the build rows' masks in place of
   *     words
   */
  private static void pieces(
      ExecContext context,
      NullMasks masks,
      ColumnBatch rows,
      Buffer ids,
      int total,
      Buffer words,
      @Nullable Long mask) {
    int batchRows = context.device().properties().batchRows();
    for (int from = 0; from < total; from += batchRows) {
      context.checkCancelled();
      int count = Math.min(batchRows, total - from);
      long mark = context.scratch().mark();
      Buffer some = ids.slice(4L * from, 4L * count);
      ColumnBatch piece = Materialization.rows(context, rows, some, count);
      Buffer found =
          mask == null ? masks.ofBuild(context, piece) : masks.buildWords(context, piece, mask);
      context
          .device()
          .transfers()
          .copy(context, found, words.slice(8L * from, 8L * count), 8L * count);
      context.scratch().release(mark);
    }
  }

  /** An index of some rows by the words for one mask; null if memory has no room. */
  private static @Nullable KeyIndex index(
      ExecContext context,
      NullMasks masks,
      long mask,
      ColumnBatch rows,
      RowIds some,
      boolean sorted) {
    QueryMemory owner = context.memory();
    Buffer words = Buffer.EMPTY;
    Buffer ids = Buffer.EMPTY;
    try {
      words = owner.allocate(8L * some.count());
      pieces(context, masks, rows, some.ids(), some.count(), words, mask);
      if (!sorted) {
        return new KeyIndex.HashIndex(
            context.hash().build(context, words, some, some.count(), owner), Long.BYTES, true);
      }
      ids = owner.allocate(4L * some.count());
      context.device().transfers().copy(context, some.ids(), ids, 4L * some.count());
      context.sort().sortPairs(context, words, ids, some.count(), 0, Long.SIZE);
      KeyIndex index =
          KeyIndex.SortedIndex.of(
              context, words, new RowIds(ids, some.count(), false), some.count());
      words = Buffer.EMPTY;
      ids = Buffer.EMPTY;
      return index;
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.MEMORY_EXCEEDED) {
        throw e;
      }
      return null;
    } finally {
      owner.free(words);
      owner.free(ids);
    }
  }

  @Override
  public synchronized void close() {
    QueryMemory owner = memory;
    if (owner != null) {
      for (ProbeMask probe : probeMasks.values()) {
        if (probe.index != null) {
          probe.index.close();
        }
      }
      if (build != null) {
        owner.free(build.ids());
      }
      probeMasks.clear();
      build = null;
      keptRows = 0;
      refused = false;
      memory = null;
    }
  }
}
