package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.calcite.adapter.enumerable.EnumerableCalc;
import org.apache.calcite.adapter.enumerable.EnumerableRules;
import org.apache.calcite.adapter.enumerable.EnumerableWindow;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.convert.ConverterRule;
import org.apache.calcite.rel.core.Window;
import org.apache.calcite.rel.logical.LogicalWindow;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexProgram;
import org.apache.calcite.rex.RexWindowExclusion;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.util.ImmutableBitSet;

/**
 * Windows for Calcite's code, whose MIN and MAX pass over NaN, and which takes no notice of
 * DISTINCT, nor of EXCLUDE where rows have the same frame; it has no IGNORE NULLS.
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
    RexBuilder rex = input.getCluster().getRexBuilder();
    return EnumerableCalc.create(
        input,
        RexProgram.create(
            input.getRowType(), rex.identityProjects(input.getRowType()), null, row.build(), rex));
  }

  /**
   * The window with functions that are right.
   *
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if there is none
   */
  static RelNode of(EnumerableWindow window) {
    List<Window.Group> groups = new ArrayList<>();
    for (Window.Group group : window.groups) {
      if (group.exclude != RexWindowExclusion.EXCLUDE_NO_OTHER) {
        throw refused("EXCLUDE of a frame");
      }
      groups.add(
          new Window.Group(
              group.keys,
              group.isRows,
              group.lowerBound,
              group.upperBound,
              group.exclude,
              group.orderKeys,
              group.aggCalls.stream().map(HostWindows::call).toList()));
    }
    LogicalWindow logical =
        LogicalWindow.create(
            window.getTraitSet(),
            named(window.getInput(), groups),
            window.constants,
            window.getRowType(),
            groups);
    ConverterRule rule = EnumerableRules.ENUMERABLE_WINDOW_RULE;
    return Objects.requireNonNull(rule.convert(logical));
  }

  private static Window.RexWinAggCall call(Window.RexWinAggCall call) {
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
        FloatExtremes.of(function, call.getType().getSqlTypeName()),
        call.getType(),
        call.getOperands(),
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
