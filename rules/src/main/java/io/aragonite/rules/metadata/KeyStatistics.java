package io.aragonite.rules.metadata;

import io.aragonite.exec.cost.JoinShape;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.profile.Skew;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.metadata.RelMetadataQuery;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** What statistics of columns say of the keys of a join, its build and its probe side. */
public final class KeyStatistics {
  /** Rows that are null where nothing is known of a column. */
  private static final double NULLS = 0.1;

  /** The share of rows up to which bounds are said to exclude most. */
  private static final double NARROW = 0.5;

  private final @Nullable Double ratio;
  private final @Nullable Double buildDistinct;
  private final double topShare;
  private final String guessed;

  private KeyStatistics(
      @Nullable Double ratio, @Nullable Double buildDistinct, double topShare, String guessed) {
    this.ratio = ratio;
    this.buildDistinct = buildDistinct;
    this.topShare = topShare;
    this.guessed = guessed;
  }

  /** Of the columns that are equal; both lists are of the same length. */
  public static KeyStatistics of(
      RelNode build,
      List<Integer> buildKeys,
      RelNode probe,
      List<Integer> probeKeys,
      RelMetadataQuery mq) {
    KeySource from = KeySource.of(build, buildKeys, mq);
    KeySource to = KeySource.of(probe, probeKeys, mq);
    List<String> guesses = new ArrayList<>();
    KeySketch theirs = from == null ? null : from.table().keySketch(from.columns());
    KeySketch own = to == null ? null : to.table().keySketch(to.columns());
    Double ratio = null;
    if (from != null && to != null && theirs != null && own != null) {
      ratio = ratio(from, theirs, to, own, probe.getCluster().getRexBuilder());
    }
    if (ratio == null) {
      guesses.add("match ratio");
    }
    if (own == null) {
      guesses.add("skew");
    }
    for (KeySource source :
        from == null ? List.<KeySource>of() : to == null ? List.of(from) : List.of(from, to)) {
      String doubt = source.table().statistics().doubt();
      if (!doubt.isEmpty() && !guesses.contains(doubt)) {
        guesses.add(doubt);
      }
    }
    double top = own == null ? 0 : own.topShare();
    Double distinct = from == null || theirs == null ? null : distinct(from, theirs, build);
    return new KeyStatistics(ratio, distinct, top, String.join(", ", guesses));
  }

  /** Keys of the build side that its filter leaves, as far as a sample says how many. */
  private static @Nullable Double distinct(KeySource build, KeySketch keys, RelNode side) {
    Expr filter = build.predicate(side.getCluster().getRexBuilder());
    Double distinct = filter == null ? null : keys.distinct(filter);
    if (distinct == null) {
      return null;
    }
    double rows = build.table().statistics().rows() * build.filterShare();
    double kept = build.kept() >= 1 ? 1 : 1 - Math.pow(1 - build.kept(), rows / distinct);
    return Math.max(1, distinct * kept);
  }

  /**
   * The share of probe rows with a partner: that of the keys from sketches, corrected by samples of
   * both tables' rows that were chosen by the keys, since keys with a partner may have more rows
   * than others; within the samples' error filters are taken to have nothing to do with the other
   * side's keys.
   */
  private static @Nullable Double ratio(
      KeySource build,
      KeySketch buildKeys,
      KeySource probe,
      KeySketch probeKeys,
      RexBuilder builder) {
    if (probe.isLimitedTo(build)) {
      return 1.0;
    }
    Double shared = probeKeys.sharedWith(buildKeys);
    if (shared == null) {
      return null;
    }
    // A key stays if one of its rows does.
    double rows = build.table().statistics().rows();
    double rowsOfKey = Math.max(1, rows / Math.max(1, buildKeys.distinct()));
    double filtered = keptBy(build.filterShare(), rows, buildKeys);
    double ratio = shared * filtered;
    Expr theirs = build.filter() == null ? null : build.predicate(builder);
    if (build.filter() == null || theirs != null) {
      // Also without filters: values say which share of the keys has a partner, rows how many rows.
      KeySketch.Matches found = matches(probe, probeKeys, buildKeys, theirs, builder);
      if (found != null) {
        ratio =
            found.frequentMatched()
                + (1 - found.frequent())
                    * SampledPredicates.combined(
                        found.filtered() ? found.shared() : found.shared() * filtered,
                        found.rows(),
                        found.matched());
      }
    }
    // What other joins have left is taken to be among what the probe side refers to.
    double kept = Math.min(1, build.keptOf(probe) / reachable(build, probe));
    return Math.clamp(ratio * keptKeys(build, kept, rowsOfKey), 1e-9, 1);
  }

  /**
   * What samples say. A filter of the probe side that cannot be tried, since a column of a large
   * table is not loaded yet, say, is taken to have nothing to do with the keys.
   */
  private static KeySketch.@Nullable Matches matches(
      KeySource probe,
      KeySketch probeKeys,
      KeySketch buildKeys,
      @Nullable Expr theirs,
      RexBuilder builder) {
    Expr own = probe.filter() == null ? null : probe.predicate(builder);
    KeySketch.Matches found = own == null ? null : probeKeys.matches(own, buildKeys, theirs);
    return found == null ? probeKeys.matches(null, buildKeys, theirs) : found;
  }

  /** The share of a build side's keys within the bounds of the probe side's. */
  private static double reachable(KeySource build, KeySource probe) {
    if (build.columns().size() != 1) {
      return 1;
    }
    ColumnStatistics own = build.table().statistics().column(build.columns().getFirst());
    ColumnStatistics other = probe.table().statistics().column(probe.columns().getFirst());
    Double min = own.min();
    Double max = own.max();
    Double otherMin = other.min();
    Double otherMax = other.max();
    return min == null || max == null || otherMin == null || otherMax == null
        ? 1
        : Math.max(1e-9, JoinShape.within(otherMin, otherMax, min, max));
  }

  /**
   * The share of keys of which a filter leaves a row, keys occurring by the Zipf distribution that
   * has the most frequent one's share: those with few rows are lost sooner than an average says.
   */
  private static double keptBy(double share, double rows, KeySketch keys) {
    double distinct = Math.max(1, keys.distinct());
    Skew skew = Skew.of(keys.topShare(), distinct);
    if (share >= 1 || skew.exponent() == 0) {
      return 1 - Math.pow(1 - share, Math.max(1, rows / distinct));
    }
    double kept = 0;
    double before = 0;
    for (double rank = 1; before < distinct; rank = Math.max(rank + 1, rank * 1.3)) {
      double upTo = Math.min(distinct, rank);
      double ofEach = rows * (skew.share(upTo) - skew.share(before)) / (upTo - before);
      kept += (upTo - before) * (1 - Math.pow(1 - share, Math.max(1, ofEach)));
      before = upTo;
    }
    return kept / distinct;
  }

  /** What joins and groupings below the build side leave of its keys. */
  private static double keptKeys(KeySource build, double kept, double rowsOfKey) {
    double rows = Math.max(1, rowsOfKey * build.filterShare());
    return kept >= 1 ? 1 : 1 - Math.pow(1 - kept, rows);
  }

  /**
   * The share of probe rows with a partner. Without sketches, the fewer values are taken to be
   * among the others.
   *
   * @param buildDistinct distinct keys of the build side as it comes to the join
   * @param probeDistinct the same of the probe side
   */
  public double matchRatio(double buildDistinct, double probeDistinct) {
    return ratio == null ? Math.min(1, buildDistinct / Math.max(1, probeDistinct)) : ratio;
  }

  /**
   * Distinct keys of the build side, from a sample on which its filter was tried if there is one.
   *
   * @param distinct what is taken without
   */
  double buildDistinct(double distinct) {
    return buildDistinct == null ? distinct : buildDistinct;
  }

  /** Whether {@link #matchRatio} comes from sketches. */
  public boolean known() {
    return ratio != null;
  }

  /** The share of probe rows that have the most frequent key; 0 if none is known. */
  public double topShare() {
    return topShare;
  }

  /** What had to be guessed; empty if nothing had. */
  public String guessed() {
    return guessed;
  }

  /** The share of a column's rows that are null: of its table's, or a guess if nothing is known. */
  public static double nullShare(RelNode rel, int column, RelMetadataQuery mq) {
    if (!rel.getRowType().getFieldList().get(column).getType().isNullable()) {
      return 0;
    }
    double nulls = ColumnStatisticsFinder.find(rel, mq, column).nulls();
    double rows = ColumnStatisticsFinder.tableRows(rel, mq, column);
    return nulls >= 0 && rows > 0 ? Math.min(1, nulls / rows) : NULLS;
  }

  /** Largest less smallest key plus one, over all key columns; infinite if that is not known. */
  public static double range(RelNode rel, List<Integer> keys, RelMetadataQuery mq) {
    double range = 1;
    for (int key : keys) {
      ColumnStatistics column = ColumnStatisticsFinder.find(rel, mq, key);
      Double min = column.min();
      Double max = column.max();
      range *= min == null || max == null ? Double.POSITIVE_INFINITY : max - min + 1;
    }
    return range;
  }

  /**
   * That a column is within the bounds of the values that it must be equal to: a dimension's rows
   * are more than those that a fact table refers to.
   *
   * @return null if that is not known, or does not exclude most rows
   */
  public static @Nullable RexNode withinBounds(
      RelNode rel, int column, RelNode other, int otherColumn, RelMetadataQuery mq) {
    RelDataType type = rel.getRowType().getFieldList().get(column).getType();
    if (!SqlTypeName.INT_TYPES.contains(type.getSqlTypeName())) {
      return null;
    }
    ColumnStatistics bounds = ColumnStatisticsFinder.find(other, mq, otherColumn);
    Double min = bounds.min();
    Double max = bounds.max();
    if (min == null
        || max == null
        || within(other, List.of(otherColumn), rel, List.of(column), mq) > NARROW) {
      return null;
    }
    RexBuilder builder = rel.getCluster().getRexBuilder();
    return builder.makeBetween(
        builder.makeInputRef(type, column),
        builder.makeExactLiteral(BigDecimal.valueOf(min.longValue()), type),
        builder.makeExactLiteral(BigDecimal.valueOf(max.longValue()), type));
  }

  /** The share of probe rows within the bounds of the build side's keys; 1 if that is not known. */
  public static double within(
      RelNode build,
      List<Integer> buildKeys,
      RelNode probe,
      List<Integer> probeKeys,
      RelMetadataQuery mq) {
    double within = 1;
    for (int i = 0; i < buildKeys.size(); i++) {
      ColumnStatistics of = ColumnStatisticsFinder.find(build, mq, buildKeys.get(i));
      ColumnStatistics other = ColumnStatisticsFinder.find(probe, mq, probeKeys.get(i));
      Double min = of.min();
      Double max = of.max();
      Double probeMin = other.min();
      Double probeMax = other.max();
      if (min != null && max != null && probeMin != null && probeMax != null) {
        within *= JoinShape.within(min, max, probeMin, probeMax);
      }
    }
    return within;
  }
}
