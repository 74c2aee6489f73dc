package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.adapter.enumerable.EnumerableRules;
import org.apache.calcite.adapter.enumerable.EnumerableWindow;
import org.apache.calcite.rel.RelCollations;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.logical.LogicalWindow;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
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
    RelNode checked = checked(keys.input(), window);
    int added = checked.getRowType().getFieldCount() - columns;
    RexShuttle constants = new ConstantShift(columns, added);
    List<Window.Group> groups = new ArrayList<>();
    for (Window.Group group : window.groups) {
      if (group.exclude != RexWindowExclusion.EXCLUDE_NO_OTHER) {
        throw refused("EXCLUDE of a frame");
      }
      requireRange(group, window);
      groups.add(
          new Window.Group(
              group.keys,
              group.isRows,
              group.lowerBound.accept(constants),
              group.upperBound.accept(constants),
              group.exclude,
              RelCollations.of(
                  group.orderKeys.getFieldCollations().stream()
                      .map(key ->
                          key.withFieldIndex(
                              keys.places().get(orders.indexOf(key.getFieldIndex()))))
                      .toList()),
              group.aggCalls.stream().map(call -> call(call, constants)).toList()));
    }
    RelNode rows = converted(window, named(checked, groups), groups);
    if (added == 0) {
      return rows;
    }
    List<RexNode> kept =
        new ArrayList<>(window.getCluster().getRexBuilder().identityProjects(rows.getRowType()));
    kept.subList(columns, columns + added).clear();
    return HostSorts.project(rows, kept);
  }

  /**
   * Rows with the ends of frames of a RANGE whose distances are columns: these fail where they are
   * beyond the range of the order's whole numbers, and Calcite's code would have them wrap.
   */
  private static RelNode checked(RelNode rows, EnumerableWindow window) {
    RexBuilder rex = rows.getCluster().getRexBuilder();
    List<RexNode> columns = new ArrayList<>(rex.identityProjects(rows.getRowType()));
    int given = columns.size();
    for (Window.Group group : window.groups) {
      for (RexWindowBound bound : List.of(group.lowerBound, group.upperBound)) {
        if (!group.isRows
            && bound.getOffset() instanceof RexInputRef distance
            && distance.getIndex() < window.getInput().getRowType().getFieldCount()) {
          int key = group.orderKeys.getFieldCollations().getFirst().getFieldIndex();
          boolean minus = bound.isPreceding();
          if (SqlTypeUtil.isIntType(columns.get(key).getType())
              && SqlTypeUtil.isIntType(distance.getType())) {
            columns.add(
                rex.makeCall(
                    minus ? SqlStdOperatorTable.CHECKED_MINUS : SqlStdOperatorTable.CHECKED_PLUS,
                    columns.get(key),
                    columns.get(distance.getIndex())));
          }
        }
      }
    }
    return columns.size() == given ? rows : HostSorts.project(rows, columns);
  }

  /**
   * Calcite's code adds an interval's milliseconds to the days of dates, and months as a number,
   * and looks the wrong way in a descending order.
   */
  private static void requireRange(Window.Group group, EnumerableWindow window) {
    List<RelDataTypeField> fields = window.getInput().getRowType().getFieldList();
    for (RexWindowBound bound : List.of(group.lowerBound, group.upperBound)) {
      if (!group.isRows
          && bound.getOffset() instanceof RexInputRef ref
          && ref.getIndex() >= fields.size()) {
        requireDistance(
            group.orderKeys.getFieldCollations().getFirst(),
            fields,
            window.constants.get(ref.getIndex() - fields.size()).getType());
      }
    }
  }

  private static void requireDistance(
      RelFieldCollation key, List<RelDataTypeField> fields, RelDataType distance) {
    SqlTypeName order = fields.get(key.getFieldIndex()).getType().getSqlTypeName();
    if (SqlTypeName.YEAR_INTERVAL_TYPES.contains(distance.getSqlTypeName())) {
      throw refused("RANGE of an interval of months");
    }
    if (order == SqlTypeName.DATE && SqlTypeUtil.isInterval(distance)) {
      throw refused("RANGE of an interval around dates");
    }
    if (key.getDirection().isDescending()) {
      throw refused("RANGE of a distance in a descending order");
    }
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

  /** Constants stand behind the columns of the input, which are more. */
  private static final class ConstantShift extends RexShuttle {
    private final int columns;
    private final int added;

    ConstantShift(int columns, int added) {
      this.columns = columns;
      this.added = added;
    }

    @Override
    public RexNode visitInputRef(RexInputRef ref) {
      return added == 0 || ref.getIndex() < columns
          ? ref
          : new RexInputRef(ref.getIndex() + added, ref.getType());
    }
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

  private static AragoniteException refused(String what) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "%s over a window is not possible where Calcite's code runs the window, as in a subquery over UNNEST; CREATE TEMP TABLE of its rows first."
            .formatted(what));
  }
}
