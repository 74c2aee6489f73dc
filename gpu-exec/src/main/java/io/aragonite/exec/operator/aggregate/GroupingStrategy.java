package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.cost.GroupModel;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.SizeSettings;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.RowIds;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How rows are grouped: by a table, by sorting, or as they come where they come in order. Chosen by
 * price, from a sample of the first large batch: pairs of neighbours, evenly spaced. The share of
 * places that meet an earlier one's key tells how many keys there are, as birthdays do; neighbours
 * that are equal tell how many runs there are, which bounds it.
 */
enum GroupingStrategy {
  TABLE,
  SORT,
  IN_ORDER;

  private static final int PLACES = 1 << 13;

  /** The same on a host, which only asks whether rows come in order. */
  private static final int HOST_PLACES = 1 << 9;

  /** Rows of a batch that says so there. */
  private static final int HOST_ROWS = 1 << 10;

  /** Groups up to which a table is always good: it is in the fastest memory. */
  private static final double FEW = 64;

  /** What sorting must promise. */
  private static final double DOUBT = 1.1;

  /**
   * The way for a grouping set.
   *
   * @return null if this batch is too small to tell
   */
  static @Nullable GroupingStrategy of(
      ExecContext context, AggregateSpec spec, int set, ColumnBatch batch) {
    MachineProfile device = context.device().profile();
    if (!SortAggregation.can(spec, set)) {
      return TABLE;
    }
    EngineSettings settings = EngineSettings.current();
    if (settings.grouping() != EngineSettings.GroupingMethod.AUTO) {
      return switch (settings.grouping()) {
        case SORT -> SORT;
        case ORDER -> IN_ORDER;
        case AUTO, TABLE -> TABLE;
      };
    }
    int least = settings.sizes().sampledRows();
    // A host's table is in its caches, or put aside: sorting is never quicker there.
    boolean onlyInOrder = device.host() && least == SizeSettings.SAMPLED_ROWS;
    if (onlyInOrder) {
      least = HOST_ROWS;
    }
    GroupKeys keys = Objects.requireNonNull(spec.keys.get(set));
    double rows = batch.rows();
    double most = Math.min(rows, Math.pow(2, keys.bits()));
    if (most <= FEW) {
      return TABLE;
    }
    if (batch.rows() < least) {
      return null;
    }
    Sample sample = Sample.of(context, spec, set, batch, onlyInOrder ? HOST_PLACES : PLACES);
    double groups = Math.min(most, sample.groups(rows));
    if (sample.ascending && keys.layout().exact() && groups > FEW) {
      return IN_ORDER;
    }
    if (onlyInOrder) {
      return TABLE;
    }
    GroupModel model = new GroupModel(device);
    GroupModel.Shape shape =
        new GroupModel.Shape(
            rows,
            groups,
            keys.shapes().size(),
            spec.slots.size(),
            (int) spec.slots.stream().filter(slot -> slot.arg() >= 0).count(),
            keys.bits(),
            keys.layout().exact());
    return model.sort(shape) * DOUBT < model.table(shape) ? SORT : TABLE;
  }

  /**
   * Words of pairs of neighbours.
   *
   * @param places pairs
   * @param repeated places whose word is that of an earlier one
   * @param equal pairs of equal words
   * @param ascending whether all words ascend
   */
  private record Sample(int places, int repeated, int equal, boolean ascending) {
    static Sample of(
        ExecContext context, AggregateSpec spec, int set, ColumnBatch batch, int most) {
      QueryMemory.Arena scratch = context.scratch();
      QueryMemory.Arena host = context.hostScratch();
      long mark = scratch.mark();
      long hostMark = host.mark();
      int places = Math.min(most, batch.rows() - 1);
      long bytes = 4L * 2 * places;
      Buffer at = host.allocate(2 * bytes);
      for (int i = 0; i < places; i++) {
        int row = (int) ((long) i * (batch.rows() - 1) / places);
        Mem.putInt(at.address() + 8L * i, row);
        Mem.putInt(at.address() + 8L * i + 4, row + 1);
      }
      Buffer positions = scratch.allocate(bytes);
      context.device().transfers().toDevice(context, at.address(), positions, bytes);
      RowIds seen = new RowIds(positions, 2 * places, false);
      GroupKeys keys = Objects.requireNonNull(spec.keys.get(set));
      ColumnBatch rows =
          new ColumnBatch(
              Batches.select(
                  context, spec.keyColumns(set).stream().map(batch::column).toList(), seen),
              2 * places);
      Column words = keys.words().evaluate(context, rows).column(0);
      if (words.rowIds() != null) {
        words = context.gather().materialize(context, words, scratch);
      }
      context.device().transfers().toHost(context, words.values(), at.address(), 2 * bytes);
      Sample sample = count(at.address(), places);
      scratch.release(mark);
      host.release(hostMark);
      return sample;
    }

    private static Sample count(long at, int places) {
      long[] table = new long[4 * Integer.highestOneBit(places)];
      boolean[] taken = new boolean[table.length];
      int repeated = 0;
      int equal = 0;
      boolean ascending = true;
      long before = Mem.getLong(at);
      for (int i = 0; i < places; i++) {
        long word = Mem.getLong(at + 16L * i);
        long next = Mem.getLong(at + 16L * i + 8);
        ascending &=
            Long.compareUnsigned(before, word) <= 0 && Long.compareUnsigned(word, next) <= 0;
        before = next;
        equal += word == next ? 1 : 0;
        int slot = (int) ((word * 0x9E37_79B9_7F4A_7C15L) >>> 40) & (table.length - 1);
        while (taken[slot] && table[slot] != word) {
          slot = (slot + 1) & (table.length - 1);
        }
        repeated += taken[slot] ? 1 : 0;
        taken[slot] = true;
        table[slot] = word;
      }
      return new Sample(places, repeated, equal, ascending);
    }

    /**
     * The keys that so many rows have. Of D keys, n places drawn at random find D (1 - e^(-n/D)).
     */
    double groups(double rows) {
      double runs = Math.max(1, rows * (places - equal) / places);
      double found = places - repeated;
      double keys = runs;
      if (repeated > 0) {
        double low = found;
        double high = 1e12;
        while (high / low > 1.01) {
          double middle = Math.sqrt(low * high);
          boolean more = -middle * Math.expm1(-places / middle) < found;
          low = more ? middle : low;
          high = more ? high : middle;
        }
        keys = high;
      }
      // What many rows find of so many keys.
      return Math.min(runs, -keys * Math.expm1(-rows / keys));
    }
  }
}
