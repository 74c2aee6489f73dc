package io.aragonite.rules.program;

import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.metadata.RelColumnOrigin;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexWindow;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.Sarg;
import org.jspecify.annotations.Nullable;

/**
 * Has the padding of a CHAR not count in any comparison with another text: both sides of one of
 * CHARs of other lengths, or of a column of a table, which has no padding, and another value, lose
 * the blanks at their ends. That is done before subqueries become joins and conditions keys of
 * them: keys are equal by their bytes. Literals that a CHAR is compared with become as long as it
 * is instead, so that all conditions of it know one value by one literal.
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

  private static final Set<SqlKind> OTHER_ROWS = EnumSet.of(SqlKind.LAG, SqlKind.LEAD);

  /** What the columns of a variable are of. */
  private final Map<CorrelationId, RelNode> variables = new HashMap<>();

  @Override
  public RelNode visit(RelNode other) {
    if (other instanceof Correlate correlate) {
      variables.put(correlate.getCorrelationId(), correlate.getLeft());
    }
    RelNode rel = super.visit(other);
    if (rel.getInputs().isEmpty()) {
      return rel;
    }
    RelNode columns = rel instanceof Join ? rel : rel.getInput(0);
    if (rel instanceof SetOp rows) {
      return alike(rows);
    }
    rel.getVariablesSet().forEach(variable -> variables.put(variable, columns));
    return rel.accept(new Conditions(rel.getCluster().getRexBuilder(), columns));
  }

  /**
   * Rows of one set with one padding: that of their CHAR, or none where their texts are VARCHAR.
   */
  private RelNode alike(SetOp rows) {
    RexBuilder rex = rows.getCluster().getRexBuilder();
    List<List<RexNode>> inputs = new ArrayList<>();
    rows.getInputs()
        .forEach(input -> inputs.add(new ArrayList<>(rex.identityProjects(input.getRowType()))));
    boolean changes = false;
    for (int column = 0; column < rows.getRowType().getFieldCount(); column++) {
      RelDataType type = rows.getRowType().getFieldList().get(column).getType();
      if (!SqlTypeUtil.inCharFamily(type)) {
        continue;
      }
      boolean fixed = type.getSqlTypeName() == SqlTypeName.CHAR;
      int at = column;
      boolean casts =
          IntStream.range(0, inputs.size())
              .anyMatch(i -> isCast(inputs.get(i).get(at), rows.getInput(i)));
      for (int i = 0; i < inputs.size() && casts; i++) {
        RexNode value = inputs.get(i).get(column);
        if (fixed ? isStored(value, rows.getInput(i)) : isCast(value, rows.getInput(i))) {
          inputs.get(i).set(column, rex.makeCast(type, trimmed(rex, value), true));
          changes = true;
        }
      }
    }
    if (!changes) {
      return rows;
    }
    List<RelNode> made = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      RelNode input = rows.getInput(i);
      made.add(
          LogicalProject.create(
              input, List.of(), inputs.get(i), input.getRowType().getFieldNames(), Set.of()));
    }
    return rows.copy(rows.getTraitSet(), made);
  }

  /** Whether a column is a CHAR that a query has made, and no literal. */
  private boolean isCast(RexNode column, RelNode of) {
    int index = ((RexInputRef) column).getIndex();
    return isChar(column)
        ? !isStored(column, of) && !isLiteral(of, index)
        : of instanceof Project project
            && isLengthened(project.getProjects().get(index), project.getInput());
  }

  /** Whether the converter has made a VARCHAR of some length of a CHAR, as a set's type is. */
  private boolean isLengthened(RexNode value, RelNode of) {
    RexNode text = uncast(value);
    return !text.equals(value)
        && value.getType().getPrecision() != RelDataType.PRECISION_NOT_SPECIFIED
        && !isStored(text, of);
  }

  private static boolean isLiteral(RelNode rows, int column) {
    return switch (rows) {
      case Values _ -> true;
      case Project project when project.getProjects().get(column) instanceof RexInputRef input ->
          isLiteral(project.getInput(), input.getIndex());
      case Project project -> project.getProjects().get(column) instanceof RexLiteral;
      default -> false;
    };
  }

  /** Whether a value has blanks at its end that another may lack. */
  private boolean isPadded(RexNode value, RelNode of, RexNode beside, RelNode ofBeside) {
    return isChar(value)
        && SqlTypeUtil.inCharFamily(beside.getType())
        && (!isChar(beside)
            || beside.getType().getPrecision() != value.getType().getPrecision()
            || isStored(value, of) != isStored(beside, ofBeside));
  }

  /** A literal, or what the converter has made as long as what it is compared with. */
  private static boolean isConstant(RexNode value) {
    return value instanceof RexLiteral
        || value.isA(SqlKind.CAST)
            && ((RexCall) value).getOperands().getFirst() instanceof RexLiteral;
  }

  private static boolean isChar(RexNode value) {
    return value.getType().getSqlTypeName() == SqlTypeName.CHAR;
  }

  private static boolean isVarchar(RexNode value) {
    return value.getType().getSqlTypeName() == SqlTypeName.VARCHAR;
  }

  /** Whether a value is as a table has it: tables keep no padding. */
  private boolean isStored(RexNode value, RelNode of) {
    RelNode rows = of;
    int index;
    switch (value) {
      case RexInputRef column -> index = column.getIndex();
      case RexFieldAccess field
          when field.getReferenceExpr() instanceof RexCorrelVariable variable
              && variables.containsKey(variable.id) -> {
        rows = variables.get(variable.id);
        index = field.getField().getIndex();
      }
      default -> {
        return false;
      }
    }
    RelColumnOrigin origin = rows.getCluster().getMetadataQuery().getColumnOrigin(rows, index);
    return origin != null && !origin.isDerived();
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
    return isChar(text) && !(text instanceof RexLiteral) && !cuts ? text : value;
  }

  /** Whether a text is longer than a length, in characters, without the blanks at its end. */
  private static boolean isLonger(NlsString text, int length) {
    String stripped = text.rtrim().getValue();
    return stripped.codePointCount(0, stripped.length()) > length;
  }

  /** A text of a length in characters: with blanks at its end, or cut. */
  private static NlsString ofLength(NlsString text, int length) {
    String stripped = text.rtrim().getValue();
    int points = stripped.codePointCount(0, stripped.length());
    String value =
        points > length
            ? stripped.substring(0, stripped.offsetByCodePoints(0, length))
            : stripped + " ".repeat(length - points);
    return new NlsString(value, text.getCharsetName(), text.getCollation());
  }

  /** Values, none of which is the end of a range, of one length. */
  private static Sarg<NlsString> ofLength(Sarg<?> sarg, int length) {
    ImmutableRangeSet<NlsString> points =
        ImmutableRangeSet.unionOf(
            endpoints(sarg).map(text -> Range.singleton(ofLength(text, length))).toList());
    return Sarg.of(sarg.nullAs, sarg.isPoints() ? points : points.complement());
  }

  /** The values of a search for some, or for all but some. */
  private static Stream<NlsString> endpoints(Sarg<?> sarg) {
    return (sarg.isPoints() ? sarg : sarg.negate())
        .rangeSet.asRanges().stream().map(range -> (NlsString) range.lowerEndpoint());
  }

  private static SqlOperator operator(SqlKind comparison) {
    return switch (comparison) {
      case EQUALS -> SqlStdOperatorTable.EQUALS;
      case NOT_EQUALS -> SqlStdOperatorTable.NOT_EQUALS;
      case LESS_THAN -> SqlStdOperatorTable.LESS_THAN;
      case LESS_THAN_OR_EQUAL -> SqlStdOperatorTable.LESS_THAN_OR_EQUAL;
      case GREATER_THAN -> SqlStdOperatorTable.GREATER_THAN;
      case GREATER_THAN_OR_EQUAL -> SqlStdOperatorTable.GREATER_THAN_OR_EQUAL;
      case IS_DISTINCT_FROM -> SqlStdOperatorTable.IS_DISTINCT_FROM;
      default -> SqlStdOperatorTable.IS_NOT_DISTINCT_FROM;
    };
  }

  private static RexNode trimmed(RexBuilder rex, RexNode value) {
    return rex.makeCall(
        SqlStdOperatorTable.TRIM,
        rex.makeFlag(SqlTrimFunction.Flag.TRAILING),
        rex.makeLiteral(" "),
        value);
  }

  /** Comparisons of one node, and with the rows of its subqueries. */
  private final class Conditions extends RexShuttle {
    private final RexBuilder rex;
    private final RelNode input;

    /**
     * @param input whose columns the conditions have
     */
    Conditions(RexBuilder rex, RelNode input) {
      this.rex = rex;
      this.input = input;
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
      if (changed.isA(SqlKind.CASE) && isVarchar(changed)) {
        return oneOf((RexCall) changed);
      }
      if (!COMPARISONS.contains(changed.getKind())
          || ((RexCall) changed).getOperands().size() != 2) {
        return changed;
      }
      RexNode left = ((RexCall) changed).getOperands().get(0);
      RexNode right = ((RexCall) changed).getOperands().get(1);
      RexNode padded = padded(changed.getKind().reverse(), left, right);
      if (padded == null) {
        padded = padded(changed.getKind(), right, left);
      }
      return padded == null ? unpadded((RexCall) changed, uncast(left), uncast(right)) : padded;
    }

    /** A VARCHAR of several values: those that are CHARs leave their padding. */
    private RexNode oneOf(RexCall choice) {
      List<RexNode> operands =
          choice.getOperands().stream()
              .map(value ->
                  isLengthened(value, input)
                      ? rex.makeCast(value.getType(), trimmed(rex, uncast(value)), true)
                      : value)
              .toList();
      return operands.equals(choice.getOperands())
          ? choice
          : rex.makeCall(choice.getType(), choice.getOperator(), operands);
    }

    /** A VARCHAR of another row, whose CHAR leaves its padding. */
    @Override
    public RexNode visitOver(RexOver given) {
      RexOver over = (RexOver) super.visitOver(given);
      List<RexNode> operands =
          over.getOperands().stream()
              .map(value ->
                  isChar(value) && !isConstant(value) && !isStored(value, input)
                      ? trimmed(rex, value)
                      : value)
              .toList();
      if (!OTHER_ROWS.contains(over.getAggOperator().getKind())
          || !isVarchar(over)
          || operands.equals(over.getOperands())) {
        return over;
      }
      RexWindow window = over.getWindow();
      return rex.makeOver(
          over.getType(),
          over.getAggOperator(),
          operands,
          window.partitionKeys,
          window.orderKeys,
          window.getLowerBound(),
          window.getUpperBound(),
          window.getExclude(),
          window.isRows(),
          true,
          false,
          over.isDistinct(),
          over.ignoreNulls());
    }

    /** A comparison without what is padding; the blanks of a literal beside a VARCHAR count. */
    private RexNode unpadded(RexCall comparison, RexNode left, RexNode right) {
      if (isConstant(left) || isConstant(right)) {
        return comparison;
      }
      boolean trimsLeft = isPadded(left, input, right, input);
      boolean trimsRight = isPadded(right, input, left, input);
      return trimsLeft || trimsRight
          ? rex.makeCall(
              comparison.getOperator(),
              trimsLeft ? trimmed(rex, left) : left,
              trimsRight ? trimmed(rex, right) : right)
          : comparison;
    }

    /**
     * A CHAR compared with a literal of its length; null if the values are not a CHAR and a
     * literal.
     */
    private @Nullable RexNode padded(SqlKind comparison, RexNode value, RexNode beside) {
      RexNode padded = uncast(beside);
      boolean cast = padded.getType().getSqlTypeName() != beside.getType().getSqlTypeName();
      if (padded instanceof RexLiteral
          || !isChar(padded)
          || !(value instanceof RexLiteral literal)
          || !(cast || isChar(literal))
          || !(literal.getValue() instanceof NlsString text)) {
        return null;
      }
      int length = padded.getType().getPrecision();
      RexNode ofLength = rex.makeLiteral(ofLength(text, length), padded.getType(), false, false);
      return isLonger(text, length)
          ? besideLonger(comparison, padded, ofLength)
          : rex.makeCall(operator(comparison), padded, ofLength);
    }

    /**
     * A CHAR compared with a literal that is longer: they are never equal, and the literal follows
     * what it begins with at once, as no CHAR is between them. A literal that was kept as it is
     * would make texts of all that the CHAR is compared with, whose blanks count.
     *
     * @param start what the literal begins with, as long as the CHAR
     */
    private RexNode besideLonger(SqlKind comparison, RexNode value, RexNode start) {
      return switch (comparison) {
        case EQUALS -> unlessNull(value, false);
        case NOT_EQUALS -> unlessNull(value, true);
        case IS_DISTINCT_FROM -> rex.makeLiteral(true);
        case IS_NOT_DISTINCT_FROM -> rex.makeLiteral(false);
        case LESS_THAN, LESS_THAN_OR_EQUAL ->
            rex.makeCall(SqlStdOperatorTable.LESS_THAN_OR_EQUAL, value, start);
        default -> rex.makeCall(SqlStdOperatorTable.GREATER_THAN, value, start);
      };
    }

    /** A constant where a value is not null, and null where it is. */
    private RexNode unlessNull(RexNode value, boolean constant) {
      if (!value.getType().isNullable()) {
        return rex.makeLiteral(constant);
      }
      RelDataType truth = rex.getTypeFactory().createSqlType(SqlTypeName.BOOLEAN);
      RexNode unknown = rex.makeNullLiteral(truth);
      return constant
          ? rex.makeCall(
              SqlStdOperatorTable.OR, rex.makeCall(SqlStdOperatorTable.IS_NOT_NULL, value), unknown)
          : rex.makeCall(
              SqlStdOperatorTable.AND, rex.makeCall(SqlStdOperatorTable.IS_NULL, value), unknown);
    }

    private RexNode search(RexCall call) {
      RexNode value = uncast(call.getOperands().getFirst());
      Sarg<?> sarg = ((RexLiteral) call.getOperands().get(1)).getValueAs(Sarg.class);
      if (value.getType().getSqlTypeName() != SqlTypeName.CHAR || sarg == null) {
        return super.visitCall(call);
      }
      int length = value.getType().getPrecision();
      boolean points = sarg.isPoints() || sarg.isComplementedPoints();
      if (!points || endpoints(sarg).anyMatch(text -> isLonger(text, length))) {
        return RexUtil.expandSearch(rex, null, call).accept(this);
      }
      return rex.makeCall(
          call.getOperator(),
          value.accept(this),
          rex.makeSearchArgumentLiteral(ofLength(sarg, length), value.getType()));
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery given) {
      RexSubQuery subquery = (RexSubQuery) super.visitSubQuery(given);
      RelNode rows = subquery.rel.accept(CharComparisons.this);
      List<RexNode> values = new ArrayList<>(subquery.getOperands());
      boolean projects = rows instanceof LogicalProject project && !project.containsOver();
      List<RexNode> columns =
          new ArrayList<>(
              projects
                  ? ((LogicalProject) rows).getProjects()
                  : rex.identityProjects(rows.getRowType()));
      RelNode from = projects ? rows.getInput(0) : rows;
      boolean trims = false;
      for (int i = 0; i < values.size() && i < columns.size(); i++) {
        RexNode value = uncast(values.get(i));
        RexNode column = uncast(columns.get(i));
        if (isPadded(value, input, column, from)) {
          values.set(i, trimmed(rex, value));
        }
        if (isPadded(column, from, value, input)) {
          columns.set(i, trimmed(rex, column));
          trims = true;
        }
      }
      RelNode compared = trims ? Projections.of(from, columns) : rows;
      return subquery.clone(subquery.getType(), values).clone(compared);
    }
  }
}
