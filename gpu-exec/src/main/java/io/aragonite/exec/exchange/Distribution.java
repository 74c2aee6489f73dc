package io.aragonite.exec.exchange;

import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of a node are among the devices that run a plan.
 *
 * @param keys for HASHED: the columns that decide the device, each with those that equal it
 * @param placement how they decide; null: by their hash
 */
public record Distribution(
    DistributionKind kind, List<Set<Integer>> keys, @Nullable Placement placement) {
  public enum DistributionKind {
    /** Each row on one device, any. */
    SPREAD,
    /** Each row on the device that its keys name. */
    HASHED,
    /** Each row on every device. */
    EVERYWHERE,
    /** All rows on the first device. */
    FIRST
  }

  public static final Distribution SPREAD =
      new Distribution(DistributionKind.SPREAD, List.of(), null);
  public static final Distribution EVERYWHERE =
      new Distribution(DistributionKind.EVERYWHERE, List.of(), null);
  public static final Distribution FIRST =
      new Distribution(DistributionKind.FIRST, List.of(), null);

  public static Distribution hashed(List<Integer> columns) {
    return new Distribution(DistributionKind.HASHED, columns.stream().map(Set::of).toList(), null);
  }

  public boolean everywhere() {
    return kind == DistributionKind.EVERYWHERE;
  }

  public boolean first() {
    return kind == DistributionKind.FIRST;
  }

  /**
   * The same of other columns.
   *
   * @param outputs where a column is found; none if it is gone
   */
  public Distribution mapped(IntFunction<? extends Set<Integer>> outputs) {
    if (kind != DistributionKind.HASHED) {
      return this;
    }
    List<Set<Integer>> mapped = new ArrayList<>();
    for (Set<Integer> key : keys) {
      Set<Integer> places = new TreeSet<>();
      key.forEach(column -> places.addAll(outputs.apply(column)));
      if (places.isEmpty()) {
        return SPREAD;
      }
      mapped.add(places);
    }
    return new Distribution(kind, mapped, placement);
  }

  /** Whether rows that are equal in these columns are on one device. */
  public boolean together(List<Integer> columns) {
    boolean byKeys =
        kind == DistributionKind.HASHED
            && keys.stream().allMatch(key -> columns.stream().anyMatch(key::contains));
    follow(byKeys);
    return first() || everywhere() || byKeys;
  }

  private void follow(boolean used) {
    if (used && placement != null) {
      placement.follow();
    }
  }

  /**
   * Which of a join's keys decide the device of this side's rows.
   *
   * @param columns the side's join columns
   * @return places in {@code columns}, by place of the hash; null if others decide
   */
  @Nullable
  public List<Integer> among(List<Integer> columns) {
    if (kind != DistributionKind.HASHED) {
      return null;
    }
    List<Integer> places = new ArrayList<>();
    for (Set<Integer> key : keys) {
      int place = 0;
      while (place < columns.size() && !key.contains(columns.get(place))) {
        place++;
      }
      if (place == columns.size()) {
        return null;
      }
      places.add(place);
    }
    follow(true);
    return places;
  }
}
