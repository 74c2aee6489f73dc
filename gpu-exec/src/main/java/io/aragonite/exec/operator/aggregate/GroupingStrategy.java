package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.cost.GroupModel;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.SizeSettings;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
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
        case AUTO, TABLE, DIRECT -> TABLE;
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
    List<Column> columns = spec.keyColumns(set).stream().map(batch::column).toList();
    KeySample sample = KeySample.of(context, keys, columns, onlyInOrder ? HOST_PLACES : PLACES);
    double groups = Math.min(most, sample.groups(rows));
    if (sample.ascending() && keys.layout().exact() && groups > FEW) {
      return IN_ORDER;
    }
    if (onlyInOrder) {
      return TABLE;
    }
    GroupModel model = new GroupModel(device);
    GroupModel.Shape shape = shape(spec, keys, rows, groups);
    return model.sort(shape) * DOUBT < model.table(shape) ? SORT : TABLE;
  }

  /** What the ways to group rows are priced by. */
  static GroupModel.Shape shape(AggregateSpec spec, GroupKeys keys, double rows, double groups) {
    return new GroupModel.Shape(
        rows,
        groups,
        keys.shapes().size(),
        spec.slots.size(),
        (int) spec.slots.stream().filter(slot -> slot.arg() >= 0).count(),
        keys.bits(),
        keys.layout().exact());
  }
}
