package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.adapter.enumerable.EnumerableRules;
import org.apache.calcite.adapter.enumerable.EnumerableWindow;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.logical.LogicalWindow;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Windows for Calcite's code, whose MIN and MAX pass over NaN, whose orders of texts are by UTF-16
 * units, and which takes no notice of DISTINCT, nor of EXCLUDE where rows have the same frame; it
 * has no IGNORE NULLS.
 */
public final class HostWindows {
  /** What names of columns begin with that partition a window together with others. */
  private static final String KEY = "$PARTITION_KEY_";

  private HostWindows() {}

  /**
   * Whether a row is the key of a partition by several columns, of which Calcite's code makes an
   * object that is equal to others: where its class were an array, the first column alone would be
   * the key.
   */
  public static boolean isKey(RelDataType row) {
    return row.getFieldCount() > 1
        && row.getFieldNames().stream().allMatch(name -> name.startsWith(KEY));
  }

  /** The rows of a window's input, where the columns of keys of several have names that say so. */
  private static RelNode named(RelNode input, List<Window.Group> groups) {
    ImmutableBitSet keys =
        ImmutableBitSet.union(
            groups.stream().map(group -> group.keys).filter(key -> key.cardinality() > 1).toList());
    if (keys.isEmpty()) {
      return input;
    }
    List<RelDataTypeField> fields = input.getRowType().getFieldList();
    RelDataTypeFactory.Builder row = input.getCluster().getTypeFactory().builder();
    for (RelDataTypeField field : fields) {
      int i = field.getIndex();
      row.add(keys.get(i) ? KEY + i : field.getName(), field.getType());
    }
    return HostSorts.rows(
        input,
        input.getCluster().getRexBuilder().identityProjects(input.getRowType()),
        row.build());
  }

  /**
   * The window with functions that are right.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if there is none
   */
  static RelNode of(EnumerableWindow window) {
    RelNode input = window.getInput();
    List<Integer> orders =
        window.groups.stream()
            .flatMap(group -> group.orderKeys.getKeys().stream())
            .distinct()
            .toList();
    HostSorts.Keys keys = HostSorts.Keys.of(input, orders);
    int columns = input.getRowType().getFieldCount();
    CheckedFrames frames = new CheckedFrames(window, keys.input());
    int added = frames.added();
    RexShuttle constants = frames.constants();
    List<Window.Group> groups = new ArrayList<>();
    for (Window.Group group : window.groups) {
      if (group.exclude != RexWindowExclusion.EXCLUDE_NO_OTHER) {
        throw refused("EXCLUDE of a frame");
      }
      groups.add(
          new Window.Group(
              group.keys,
              group.isRows,
              frames.bound(group, group.lowerBound),
              frames.bound(group, group.upperBound),
              group.exclude,
              RelCollations.of(
                  group.orderKeys.getFieldCollations().stream()
                      .map(key ->
                          key.withFieldIndex(
                              keys.places().get(orders.indexOf(key.getFieldIndex()))))
                      .toList()),
              group.aggCalls.stream().map(call -> call(call, constants)).toList()));
    }
    RelNode rows = converted(window, named(frames.input(), groups), groups);
    if (added == 0) {
      return rows;
    }
    List<RexNode> kept =
        new ArrayList<>(window.getCluster().getRexBuilder().identityProjects(rows.getRowType()));
    kept.subList(columns, columns + added).clear();
    return HostSorts.project(rows, kept);
  }

  private static RelNode converted(
      EnumerableWindow window, RelNode input, List<Window.Group> groups) {
    int columns = window.getInput().getRowType().getFieldCount();
    RelDataTypeFactory.Builder row = window.getCluster().getTypeFactory().builder();
    row.addAll(input.getRowType().getFieldList());
    List<RelDataTypeField> fields = window.getRowType().getFieldList();
    row.addAll(fields.subList(columns, fields.size()));
    LogicalWindow logical =
        LogicalWindow.create(
            window.getTraitSet(),
            input,
            window.constants,
            input.getRowType().getFieldCount() == columns ? window.getRowType() : row.build(),
            groups);
    ConverterRule rule = EnumerableRules.ENUMERABLE_WINDOW_RULE;
    return Objects.requireNonNull(rule.convert(logical));
  }

  private static Window.RexWinAggCall call(Window.RexWinAggCall call, RexShuttle constants) {
    SqlAggFunction function = (SqlAggFunction) call.getOperator();
    boolean extreme = function.getKind() == SqlKind.MIN || function.getKind() == SqlKind.MAX;
    if (call.distinct && !extreme) {
      throw refused(function.getName() + " with DISTINCT");
    }
    if (call.ignoreNulls) {
      throw refused(function.getName() + " with IGNORE NULLS");
    }
    return new Window.RexWinAggCall(
        call.getParserPosition(),
        HostExtremes.of(function, call.getType().getSqlTypeName()),
        call.getType(),
        constants.visitList(call.getOperands()),
        call.ordinal,
        false,
        false);
  }

  /** Of what Calcite's windows do not do. */
  static AragoniteException refused(String what) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "%s over a window is not possible where Calcite's code runs the window, as in a subquery over UNNEST; CREATE TEMP TABLE of its rows first."
            .formatted(what));
  }
}
