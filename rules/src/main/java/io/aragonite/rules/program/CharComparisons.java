package io.aragonite.rules.program;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalValues;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.Sarg;
import org.jspecify.annotations.Nullable;

/**
 * Has constants that a CHAR is compared with lose the blanks at their ends. No value of a CHAR has
 * such blanks: tables keep them out, and casts make none. So texts are compared as they are.
 */
final class CharComparisons extends RelHomogeneousShuttle {
  private static final Set<SqlKind> COMPARISONS =
      EnumSet.of(
          SqlKind.EQUALS,
          SqlKind.NOT_EQUALS,
          SqlKind.LESS_THAN,
          SqlKind.LESS_THAN_OR_EQUAL,
          SqlKind.GREATER_THAN,
          SqlKind.GREATER_THAN_OR_EQUAL,
          SqlKind.IS_DISTINCT_FROM,
          SqlKind.IS_NOT_DISTINCT_FROM);

  private static final Set<SqlKind> LISTS = EnumSet.of(SqlKind.SOME, SqlKind.ALL);

  private static final Set<SqlOperator> SEARCHES =
      Set.of(SqlLibraryOperators.ARRAY_CONTAINS, SqlLibraryOperators.ARRAY_POSITION);

  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    if (rel.getInputs().isEmpty()) {
      return rel;
    }
    Conditions conditions = new Conditions(rel.getCluster().getRexBuilder());
    return rel instanceof SetOp rows ? conditions.rowsOfAll(rows) : rel.accept(conditions);
  }

  private static boolean isChar(RexNode value) {
    return value.getType().getSqlTypeName() == SqlTypeName.CHAR;
  }

  /** Whether a value is a CHAR, and no constant. */
  private static boolean isFixed(RexNode value) {
    return isChar(value) && !isConstant(value);
  }

  private static boolean isConstant(RexNode value) {
    return value instanceof RexLiteral || isParameter(value);
  }

  /** A parameter, of the type that it has or is given. */
  private static boolean isParameter(RexNode value) {
    return value instanceof RexDynamicParam
        || value.isA(SqlKind.CAST)
            && ((RexCall) value).getOperands().getFirst() instanceof RexDynamicParam;
  }

  /** A CHAR that the converter has cast to the type that both sides have. */
  private static RexNode uncast(RexNode value) {
    if (!value.isA(SqlKind.CAST) || !SqlTypeUtil.inCharFamily(value.getType())) {
      return value;
    }
    RexNode text = ((RexCall) value).getOperands().getFirst();
    int kept = value.getType().getPrecision();
    boolean cuts =
        kept != RelDataType.PRECISION_NOT_SPECIFIED && kept < text.getType().getPrecision();
    return isChar(text) && !isConstant(text) && !cuts ? text : value;
  }

  /** Values, none of which is the end of a range, without blanks at their ends. */
  private static Sarg<NlsString> pointsOf(Sarg<?> sarg) {
    ImmutableRangeSet<NlsString> points =
        ImmutableRangeSet.unionOf(
            (sarg.isPoints() ? sarg : sarg.negate())
                .rangeSet.asRanges().stream()
                    .map(range -> Range.singleton(((NlsString) range.lowerEndpoint()).rtrim()))
                    .toList());
    return Sarg.of(sarg.nullAs, sarg.isPoints() ? points : points.complement());
  }

  /** Comparisons with literals, those of subqueries too. */
  private final class Conditions extends RexShuttle {
    private final RexBuilder rex;

    Conditions(RexBuilder rex) {
      this.rex = rex;
    }

    @Override
    public RexNode visitCall(RexCall call) {
      if (call.isA(SqlKind.SEARCH)) {
        return search(call);
      }
      RexNode changed = super.visitCall(call);
      if (!changed.equals(call) && (changed.isA(SqlKind.AND) || changed.isA(SqlKind.OR))) {
        return RexUtil.flatten(rex, changed);
      }
      if (!(changed instanceof RexCall made)) {
        return changed;
      }
      if (made.isA(SqlKind.CASE) && SqlTypeUtil.inCharFamily(made.getType())) {
        return oneOf(made);
      }
      if (made.getOperands().size() != 2) {
        return made;
      }
      RexNode left = made.getOperands().get(0);
      RexNode right = made.getOperands().get(1);
      if (COMPARISONS.contains(made.getKind())) {
        return compared(made, left, right);
      }
      if (LISTS.contains(made.getKind()) && SqlTypeUtil.isArray(right.getType())) {
        return searched(made, left, right, List.of(0, 1));
      }
      return SEARCHES.contains(made.getOperator()) && SqlTypeUtil.isArray(left.getType())
          ? searched(made, right, left, List.of(1, 0))
          : made;
    }

    private RexNode compared(RexCall call, RexNode left, RexNode right) {
      if (isChar(left)
          && isChar(right)
          && left instanceof RexLiteral
          && right instanceof RexLiteral) {
        Stripped both = new Stripped();
        return call.clone(call.getType(), List.of(left.accept(both), right.accept(both)));
      }
      RexNode stripped = stripped(left, right);
      if (stripped != null) {
        return rex.makeCall(call.getOperator(), stripped, uncast(right));
      }
      stripped = stripped(right, left);
      return stripped == null ? call : rex.makeCall(call.getOperator(), uncast(left), stripped);
    }

    /**
     * A comparison with the values of a list.
     *
     * @param places of the value and the list among the operands
     */
    private RexNode searched(RexCall call, RexNode value, RexNode list, List<Integer> places) {
      RelDataType element = requireNonNull(list.getType().getComponentType());
      boolean values = isFixed(uncast(value)) && list.isA(SqlKind.ARRAY_VALUE_CONSTRUCTOR);
      boolean fixed =
          element.getSqlTypeName() == SqlTypeName.CHAR
              && !(list instanceof RexCall made
                  && made.getOperands().stream().allMatch(CharComparisons::isConstant));
      List<RexNode> operands =
          List.of(
              fixed ? value.accept(new Stripped()) : value,
              values ? list.accept(new Stripped()) : list);
      return call.clone(call.getType(), places.stream().map(operands::get).toList());
    }

    /** One of several CHARs: the constants among them are CHARs, too. */
    private RexNode oneOf(RexCall choice) {
      List<RexNode> operands = new ArrayList<>(choice.getOperands());
      List<Integer> results = new ArrayList<>();
      for (int i = 1; i < operands.size(); i += 2) {
        results.add(i);
      }
      results.add(operands.size() - 1);
      if (!areFixed(results.stream().map(operands::get).toList())) {
        return choice;
      }
      for (int i : results) {
        operands.set(i, operands.get(i).accept(new Stripped()));
      }
      return operands.equals(choice.getOperands())
          ? choice
          : choice.clone(choice.getType(), operands);
    }

    /** Rows of several inputs: constants that one of them has where others have CHARs are CHARs. */
    private RelNode rowsOfAll(SetOp rows) {
      List<List<RexNode>> columns = new ArrayList<>();
      for (RelNode input : rows.getInputs()) {
        columns.add(
            new ArrayList<>(
                input instanceof Project project
                    ? project.getProjects()
                    : rex.identityProjects(input.getRowType())));
      }
      for (int i = 0; i < rows.getRowType().getFieldCount(); i++) {
        int column = i;
        if (areFixed(columns.stream().map(input -> input.get(column)).toList())) {
          columns.forEach(input -> input.set(column, input.get(column).accept(new Stripped())));
        }
      }
      List<RelNode> inputs = new ArrayList<>();
      for (RelNode input : rows.getInputs()) {
        List<RexNode> values = columns.get(inputs.size());
        inputs.add(
            input instanceof Project project && !project.getProjects().equals(values)
                ? project.copy(
                    project.getTraitSet(), project.getInput(), values, project.getRowType())
                : input);
      }
      return inputs.equals(rows.getInputs()) ? rows : rows.copy(rows.getTraitSet(), inputs);
    }

    /** Whether values of one column are CHARs or constants, and not all of them constants. */
    private static boolean areFixed(List<RexNode> values) {
      return values.stream().allMatch(value -> isConstant(value) || isFixed(uncast(value)))
          && !values.stream().allMatch(CharComparisons::isConstant);
    }

    /** A constant that a CHAR is compared with; null if the values are no such ones. */
    private @Nullable RexNode stripped(RexNode value, RexNode beside) {
      RexNode fixed = uncast(beside);
      boolean cast = fixed.getType().getSqlTypeName() != beside.getType().getSqlTypeName();
      if (!isFixed(fixed) || !isConstant(value) || !(cast || isChar(value))) {
        return null;
      }
      return value instanceof RexLiteral literal && literal.getValue() instanceof NlsString text
          ? rex.makeLiteral(text.rtrim(), fixed.getType(), false, false)
          : value.accept(new Stripped());
    }

    private RexNode search(RexCall call) {
      RexNode value = uncast(call.getOperands().getFirst());
      Sarg<?> sarg = ((RexLiteral) call.getOperands().get(1)).getValueAs(Sarg.class);
      if (!isChar(value) || sarg == null) {
        return super.visitCall(call);
      }
      return sarg.isPoints() || sarg.isComplementedPoints()
          ? rex.makeCall(
              call.getOperator(),
              value.accept(this),
              rex.makeSearchArgumentLiteral(pointsOf(sarg), value.getType()))
          : RexUtil.expandSearch(rex, null, call).accept(this);
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery given) {
      RexSubQuery subquery = (RexSubQuery) super.visitSubQuery(given);
      RelNode rows = subquery.rel.accept(CharComparisons.this);
      List<RexNode> values = new ArrayList<>(subquery.getOperands());
      List<RexNode> columns =
          rows instanceof Project project
              ? project.getProjects()
              : rex.identityProjects(rows.getRowType());
      ImmutableBitSet.Builder constants = ImmutableBitSet.builder();
      for (int i = 0; i < values.size() && i < columns.size(); i++) {
        if (isFixed(uncast(values.get(i)))) {
          constants.set(i);
        } else if (isFixed(uncast(columns.get(i)))) {
          values.set(i, values.get(i).accept(new Stripped()));
        }
      }
      RelNode compared = rows instanceof Values list ? stripped(list, constants.build()) : rows;
      return subquery.clone(subquery.getType(), values).clone(compared);
    }

    /** The constants of a long list, some of which are compared with CHARs. */
    private RelNode stripped(Values list, ImmutableBitSet columns) {
      if (columns.isEmpty()) {
        return list;
      }
      Stripped stripped = new Stripped();
      ImmutableList.Builder<ImmutableList<RexLiteral>> rows = ImmutableList.builder();
      for (ImmutableList<RexLiteral> row : list.getTuples()) {
        ImmutableList.Builder<RexLiteral> values = ImmutableList.builder();
        for (int i = 0; i < row.size(); i++) {
          values.add(columns.get(i) ? (RexLiteral) row.get(i).accept(stripped) : row.get(i));
        }
        rows.add(values.build());
      }
      return LogicalValues.create(list.getCluster(), list.getRowType(), rows.build());
    }

    /** Constants without blanks at their ends. */
    private final class Stripped extends RexShuttle {
      @Override
      public RexNode visitLiteral(RexLiteral literal) {
        if (!(literal.getValue() instanceof NlsString text) || !text.getValue().endsWith(" ")) {
          return literal;
        }
        return isChar(literal)
            ? rex.makeLiteral(text.rtrim(), literal.getType(), false, false)
            : rex.makeLiteral(text.rtrim(), literal.getType(), true, false);
      }

      @Override
      public RexNode visitDynamicParam(RexDynamicParam parameter) {
        return SqlTypeUtil.inCharFamily(parameter.getType()) && !isChar(parameter)
            ? trimmed(parameter)
            : parameter;
      }

      /** A parameter becomes a CHAR, with room for all of it. */
      @Override
      public RexNode visitCall(RexCall call) {
        if (call.isA(SqlKind.ARRAY_VALUE_CONSTRUCTOR)) {
          return super.visitCall(call);
        }
        return isParameter(call) && !isChar(call) ? trimmed(call) : call;
      }

      private RexNode trimmed(RexNode value) {
        return rex.makeCast(
            value.getType(),
            rex.makeCall(
                SqlStdOperatorTable.TRIM,
                rex.makeFlag(SqlTrimFunction.Flag.TRAILING),
                rex.makeLiteral(" "),
                value),
            true);
      }
    }
  }
}
