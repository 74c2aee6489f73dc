package io.aragonite.exec.operator.aggregate;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.operator.aggregate.AggregateSpec.Selected;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A worker's groups of all grouping sets. Only the finest sets take in rows; a coarser one takes in
 * the groups, with their partial results, of a finer one, as ROLLUP is often computed (Gray et al.,
 * Data Cube, 1997). Each is made of that with the fewest groups. Where a finest set has about as
 * many groups as rows, its coarser sets take in rows as well from then on.
 */
final class WorkerGroups {
  /** So many times the groups that a worker looks at its table for are rows to judge by. */
  private static final int JUDGED = 4;

  /** Groups for a row from which on rows are no dearer than groups. */
  private static final double MANY = 0.5;

  private final AggregateSpec spec;
  private final List<@Nullable SpilledGroups> spilled;
  private final long mostBytes;
  private final long judgedRows = (long) JUDGED * EngineSettings.current().sizes().partialGroups();

  /** By grouping set: what has taken in rows; null: none has come. */
  private final List<@Nullable PartialAggregation> ofRows = new ArrayList<>();

  /** By grouping set: what has taken in groups; null: none has come. */
  private final List<@Nullable PartialAggregation> ofGroups = new ArrayList<>();

  /** The finest sets whose coarser ones take in rows. */
  private final Set<Integer> direct = new HashSet<>();

  /** The finest sets of which groups have gone, to disk and to each coarser set. */
  private final Set<Integer> parted = new HashSet<>();

  private long rows;
  private boolean judged;

  /**
   * @param spilled by grouping set where groups of all workers go; null: they stay in memory
   * @param mostBytes memory that a grouping set may have here
   */
  WorkerGroups(
      AggregateSpec spec,
      ExecContext context,
      List<@Nullable SpilledGroups> spilled,
      long mostBytes) {
    this.spec = spec;
    this.spilled = spilled;
    this.mostBytes = mostBytes;
    for (int set = 0; set < spec.keys.size(); set++) {
      ofGroups.add(null);
      ofRows.add(spec.finest(set) == set ? newGroups(context, set) : null);
    }
    for (int set = 0; set < spec.keys.size(); set++) {
      PartialAggregation finest = ofRows.get(set);
      if (finest != null && !coarser(set).isEmpty()) {
        int from = set;
        finest.beforeSpill((worker, groups) -> part(worker, from, groups));
      }
    }
  }

  private PartialAggregation newGroups(ExecContext context, int set) {
    return new PartialAggregation(spec, set, context, spilled.get(set), mostBytes);
  }

  /** The sets that are made of a finest one, finer ones first. */
  private List<Integer> coarser(int finest) {
    return IntStream.range(0, spec.keys.size())
        .filter(set -> set != finest && spec.finest(set) == finest)
        .boxed()
        .sorted(Comparator.comparingInt((Integer set) -> -spec.keyColumns(set).size()))
        .toList();
  }

  /** Takes in rows. */
  void add(ExecContext context, ColumnBatch batch, List<Selected> masks) {
    for (int set = 0; set < ofRows.size(); set++) {
      PartialAggregation groups = ofRows.get(set);
      if (groups == null && direct.contains(spec.finest(set))) {
        groups = newGroups(context, set);
        ofRows.set(set, groups);
      }
      if (groups != null) {
        groups.add(context, batch, masks);
      }
    }
    rows += batch.rows();
    if (!judged && rows >= judgedRows) {
      judged = true;
      for (int set = 0; set < ofRows.size(); set++) {
        PartialAggregation groups = ofRows.get(set);
        boolean many = groups != null && groups.groups() > MANY * rows;
        if (groups != null && many && !coarser(set).isEmpty()) {
          int from = set;
          groups.eachGroups(context, some -> part(context, from, some));
          groups.beforeSpill(null);
          direct.add(set);
        }
      }
    }
  }

  /** Memory that a grouping set may have here. */
  long mostBytes() {
    return mostBytes;
  }

  /**
   * Takes in groups, keys and then partial results, of rows that have not come here; for a single
   * grouping set.
   */
  void addGroups(ExecContext context, ColumnBatch groups) {
    besideRows(context).addGroups(context, groups);
  }

  /** The same of groups of which no two have equal keys. */
  void addDistinctGroups(ExecContext context, ColumnBatch groups) {
    besideRows(context).addDistinctGroups(context, groups);
  }

  /** Whether there are no groups of a single grouping set; closes it then. */
  boolean closeEmpty() {
    PartialAggregation known = ofRows.getFirst();
    if (ofGroups.getFirst() != null || known != null && !known.isEmpty()) {
      return false;
    }
    if (known != null) {
      known.state().close();
      ofRows.set(0, null);
    }
    return true;
  }

  /** What takes in the groups of rows that have not come here. */
  private PartialAggregation besideRows(ExecContext context) {
    PartialAggregation before = ofGroups.getFirst();
    if (before != null) {
      return before;
    }
    PartialAggregation known = ofRows.getFirst();
    if (known != null && known.isEmpty()) {
      known.state().close();
      ofRows.set(0, null);
    }
    PartialAggregation target = newGroups(context, 0);
    ofGroups.set(0, target);
    return target;
  }

  /** Gives groups of a finest set to each set that is made of it. */
  private void part(ExecContext context, int finest, ColumnBatch groups) {
    parted.add(finest);
    for (int set : coarser(finest)) {
      take(context, finest, set, groups);
    }
  }

  /** Takes groups of a finer set, keys and then partial results, in at a coarser one. */
  private void take(ExecContext context, int finer, int set, ColumnBatch groups) {
    PartialAggregation target = ofGroups.get(set);
    if (target == null) {
      target = newGroups(context, set);
      ofGroups.set(set, target);
    }
    List<Integer> places = spec.node.groupingSets().get(finer);
    List<Column> columns = new ArrayList<>();
    for (int place : spec.node.groupingSets().get(set)) {
      columns.add(groups.column(places.indexOf(place)));
    }
    columns.addAll(groups.columns().subList(places.size(), groups.columns().size()));
    target.addGroups(context, new ColumnBatch(columns, groups.rows()));
  }

  /** Makes the coarser sets' groups; to be called once, when all rows have come. */
  void makeCoarser(ExecContext context) {
    for (int set = 0; set < ofRows.size(); set++) {
      PartialAggregation finest = ofRows.get(set);
      if (spec.finest(set) == set && finest != null && !direct.contains(set)) {
        makeCoarser(context, set, finest);
      }
    }
    for (int set = 0; set < ofRows.size(); set++) {
      if (ofRows.get(set) == null && ofGroups.get(set) == null) {
        ofGroups.set(set, newGroups(context, set));
      }
    }
  }

  private void makeCoarser(ExecContext context, int finest, PartialAggregation groups) {
    List<Integer> all = coarser(finest);
    if (parted.contains(finest)) {
      groups.eachGroups(context, some -> part(context, finest, some));
      return;
    }
    List<List<Integer>> sets = spec.node.groupingSets();
    List<Integer> sources = new ArrayList<>();
    for (int set : all) {
      int from = finest;
      PartialAggregation source = groups;
      for (int other : sources) {
        PartialAggregation candidate = Objects.requireNonNull(ofGroups.get(other));
        if (sets.get(other).containsAll(sets.get(set)) && candidate.groups() < source.groups()) {
          from = other;
          source = candidate;
        }
      }
      int finer = from;
      ofGroups.set(set, newGroups(context, set));
      source.eachGroups(context, some -> take(context, finer, set, some));
      if (!Objects.requireNonNull(ofGroups.get(set)).hasSpilled()) {
        sources.add(set);
      }
    }
  }

  /** The groups of a grouping set; at least one. */
  List<PartialAggregation> of(int set) {
    List<PartialAggregation> all = new ArrayList<>();
    for (List<@Nullable PartialAggregation> by : List.of(ofRows, ofGroups)) {
      PartialAggregation groups = by.get(set);
      if (groups != null) {
        all.add(groups);
      }
    }
    return all;
  }
}
