package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.adapter.enumerable.EnumerableWindow;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexWindowBound;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Frames of windows of Calcite's code. Their distances are checked where they are columns, and the
 * ends of a RANGE, which would wrap beyond the range of the order's whole numbers. What the code
 * adds wrongly is refused.
 */
final class CheckedFrames {
  private final EnumerableWindow window;
  private final RelNode rows;
  private final RexBuilder rex;
  private final List<RexNode> columns;

  /** The places of checked distances of ROWS, by those of the columns that they are of. */
  private final Map<Integer, Integer> ofRows = new HashMap<>();

  /** Those of RANGE. */
  private final Map<Integer, Integer> ofRange = new HashMap<>();

  /**
   * @param rows the window's input, and columns behind it
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if Calcite's code has no such frame
   */
  CheckedFrames(EnumerableWindow window, RelNode rows) {
    this.window = window;
    this.rows = rows;
    this.rex = rows.getCluster().getRexBuilder();
    this.columns = new ArrayList<>(rex.identityProjects(rows.getRowType()));
    for (Window.Group group : window.groups) {
      for (RexWindowBound bound : List.of(group.lowerBound, group.upperBound)) {
        if (bound.getOffset() instanceof RexInputRef distance) {
          add(group, bound, distance);
        }
      }
    }
  }

  private int given() {
    return window.getInput().getRowType().getFieldCount();
  }

  private void add(Window.Group group, RexWindowBound bound, RexInputRef distance) {
    boolean column = distance.getIndex() < given();
    RexNode value =
        column
            ? columns.get(distance.getIndex())
            : window.constants.get(distance.getIndex() - given());
    if (!group.isRows) {
      if (group.orderKeys.getFieldCollations().isEmpty()) {
        throw HostWindows.refused("RANGE of a distance around a constant"); // which is no key
      }
      RelFieldCollation key = group.orderKeys.getFieldCollations().getFirst();
      requireRange(key, value.getType());
      RexNode order = columns.get(key.getFieldIndex());
      if (SqlTypeUtil.isIntType(order.getType())) {
        columns.add(
            rex.makeCall(
                bound.isPreceding()
                    ? SqlStdOperatorTable.CHECKED_MINUS
                    : SqlStdOperatorTable.CHECKED_PLUS,
                order,
                value));
      }
    }
    if (column) {
      (group.isRows ? ofRows : ofRange)
          .computeIfAbsent(distance.getIndex(), index -> checked(value, group.isRows));
    }
  }

  /** Adds a distance that is one, and gives its place. */
  private int checked(RexNode distance, boolean ofRows) {
    RelDataTypeFactory types = rex.getTypeFactory();
    RelDataType type = distance.getType();
    boolean whole = SqlTypeUtil.isIntType(type);
    if (ofRows && !whole) {
      throw refused("ROWS takes", type, "cast it to BIGINT");
    }
    boolean interval = SqlTypeUtil.isInterval(type);
    RelDataType read =
        types.createSqlType(whole || interval ? SqlTypeName.BIGINT : SqlTypeName.DOUBLE);
    RexNode value =
        interval
            ? distance
            : rex.makeCast(types.createTypeWithNullability(read, type.isNullable()), distance);
    String method = ofRows ? "rows" : whole || interval ? "whole" : "real";
    RelDataType present = types.createTypeWithNullability(type, false);
    RexNode checked =
        rex.makeCall(
            interval ? present : read,
            HostMethods.function(SqlStdOperatorTable.LOWER, FrameDistances.class, method),
            List.of(value));
    columns.add(interval ? checked : rex.makeCast(present, checked));
    return columns.size() - 1;
  }

  /**
   * Calcite's code adds an interval's milliseconds to the days of dates, and months as a number,
   * looks the wrong way in a descending order, and subtracts no decimals.
   */
  private void requireRange(RelFieldCollation key, RelDataType distance) {
    List<RelDataTypeField> fields = window.getInput().getRowType().getFieldList();
    RelDataType order = fields.get(key.getFieldIndex()).getType();
    if (SqlTypeName.YEAR_INTERVAL_TYPES.contains(distance.getSqlTypeName())) {
      throw HostWindows.refused("RANGE of an interval of months");
    }
    if (order.getSqlTypeName() == SqlTypeName.DATE && SqlTypeUtil.isInterval(distance)) {
      throw HostWindows.refused("RANGE of an interval around dates");
    }
    if (key.getDirection().isDescending()) {
      throw HostWindows.refused("RANGE of a distance in a descending order");
    }
    if (!isAdded(order, distance)) {
      throw refused(
          "RANGE around %s takes".formatted(order),
          distance,
          "cast both to BIGINT or both to DOUBLE");
    }
  }

  private static AragoniteException refused(String frame, RelDataType distance, String instead) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "%s no distance of type %s where Calcite's code runs the window; %s."
            .formatted(frame, distance, instead));
  }

  private static boolean isAdded(RelDataType order, RelDataType distance) {
    if (!SqlTypeUtil.isNumeric(order)) {
      return SqlTypeUtil.isInterval(distance);
    }
    boolean floats =
        SqlTypeUtil.isApproximateNumeric(order) && SqlTypeUtil.isApproximateNumeric(distance);
    return floats || !SqlTypeUtil.isDecimal(order) && SqlTypeUtil.isIntType(distance);
  }

  /** The rows with all that is checked behind them. */
  RelNode input() {
    return columns.size() == rows.getRowType().getFieldCount()
        ? rows
        : HostSorts.project(rows, columns);
  }

  /** How many columns stand behind the window's input now. */
  int added() {
    return columns.size() - given();
  }

  /** The bound of a group, with a checked distance. */
  RexWindowBound bound(Window.Group group, RexWindowBound bound) {
    return bound.accept(new Places(group.isRows ? ofRows : ofRange));
  }

  /** Where constants are, which stand behind the columns. */
  RexShuttle constants() {
    return new Places(Map.of());
  }

  /** Refers to columns by their new places. */
  private final class Places extends RexShuttle {
    private final Map<Integer, Integer> moved;

    Places(Map<Integer, Integer> moved) {
      this.moved = moved;
    }

    @Override
    public RexNode visitInputRef(RexInputRef ref) {
      int index = ref.getIndex();
      if (index >= given()) {
        return new RexInputRef(index + added(), ref.getType());
      }
      Integer place = moved.get(index);
      return place == null ? ref : new RexInputRef(place, columns.get(place).getType());
    }
  }
}
