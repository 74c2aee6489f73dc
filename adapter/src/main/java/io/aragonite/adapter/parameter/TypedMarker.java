package io.aragonite.adapter.parameter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperandCountRange;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.jspecify.annotations.Nullable;

/**
 * A parameter marker whose type is known. Calcite gives a bare marker the type of what it is
 * compared with, and makes no conversions for it.
 */
public final class TypedMarker extends SqlOperator {
  /** Added to the index of a parameter of which a plan wants the instant. */
  private static final int INSTANTS = 1 << 30;

  private final ParameterType type;

  private TypedMarker(ParameterType type) {
    super(
        "?",
        SqlKind.OTHER,
        100,
        100,
        null,
        (binding, returnType, operandTypes) -> operandTypes[0] = type.in(binding.getTypeFactory()),
        null);
    this.type = type;
  }

  /** A parameter with a type. */
  public static SqlNode of(int index, ParameterType type, SqlParserPos at) {
    return new SqlBasicCall(new TypedMarker(type), List.of(new SqlDynamicParam(index, at)), at);
  }

  /** Whether a node is a typed marker. */
  public static boolean is(SqlNode node) {
    return node instanceof SqlCall call && call.getOperator() instanceof TypedMarker;
  }

  /** Whether a node is a typed marker of a text. */
  public static boolean isText(SqlNode node) {
    return node instanceof SqlCall call
        && call.getOperator() instanceof TypedMarker marker
        && marker.type.name() == SqlTypeName.VARCHAR;
  }

  /** The marker of a moment as one of an instant; null if the node is none of a moment. */
  public static @Nullable SqlNode instant(SqlNode node) {
    return node instanceof SqlCall call
            && call.getOperator() instanceof TypedMarker marker
            && marker.type.isMoment()
        ? new SqlBasicCall(
            new TypedMarker(marker.type.ofInstant()),
            call.getOperandList(),
            call.getParserPosition())
        : null;
  }

  /** What a typed marker is in a plan. */
  public static RexNode convert(SqlRexContext context, SqlCall call) {
    TypedMarker marker = (TypedMarker) call.getOperator();
    SqlDynamicParam parameter = call.operand(0);
    RexBuilder builder = context.getRexBuilder();
    return marker.isInstant()
        ? builder.makeDynamicParam(
            marker.type.in(builder.getTypeFactory()), INSTANTS + parameter.getIndex())
        : context.convertExpression(parameter);
  }

  private boolean isInstant() {
    return type.name() == SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE;
  }

  /**
   * The value that a plan asks for.
   *
   * @param index that the plan has for the parameter
   */
  public static @Nullable Object value(List<ParameterValue> values, int index) {
    return index < INSTANTS ? values.get(index).value() : values.get(index - INSTANTS).instant();
  }

  /**
   * Gives a statement's markers types, in place; a null without a type becomes NULL. Those of LIMIT
   * and OFFSET stay as they are: only integers can stand there.
   *
   * @param types of the parameters, in their order
   */
  public static void apply(SqlNode statement, List<ParameterType> types) {
    statement.accept(new Applier(types));
  }

  private record Applied(List<ParameterType> types) {
    SqlNode marker(SqlDynamicParam parameter) {
      ParameterType type = types.get(parameter.getIndex());
      return type.isUntypedNull()
          ? SqlLiteral.createNull(parameter.getParserPosition())
          : new SqlBasicCall(
              new TypedMarker(type), List.of(parameter), parameter.getParserPosition());
    }
  }

  private static final class Applier extends SqlBasicVisitor<Void> {
    private final Applied applied;

    Applier(List<ParameterType> types) {
      this.applied = new Applied(types);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the clause itself
    public Void visit(SqlCall call) {
      if (call.getOperator() instanceof TypedMarker) {
        return null;
      }
      inArray(call);
      List<SqlNode> operands = call.getOperandList();
      for (int i = 0; i < operands.size(); i++) {
        SqlNode operand = operands.get(i);
        if (operand instanceof SqlDynamicParam parameter) {
          if (!isLimit(call, operand)) {
            call.setOperand(i, applied.marker(parameter));
          }
        } else if (operand != null) {
          operand.accept(this);
        }
      }
      return null;
    }

    /**
     * {@code x = ANY (?)} of an array is {@code x IN (SELECT * FROM UNNEST(?))}, a join, and {@code
     * x <> ALL (?)} NOT IN: an array may have many elements.
     */
    private void inArray(SqlCall call) {
      if (!(call.getOperator() instanceof SqlQuantifyOperator operator)
          || !(call instanceof SqlBasicCall changed)
          || !(call.operand(1) instanceof SqlNodeList list)
          || list.size() != 1
          || !(list.get(0) instanceof SqlDynamicParam parameter)) {
        return;
      }
      ParameterType type = applied.types.get(parameter.getIndex());
      ParameterType element = type.element();
      if (element == null && !type.isUntypedNull()) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "ANY and ALL look in a list, and parameter %d is of type %s; set an array, as createArrayOf makes it, or compare with =."
                .formatted(parameter.getIndex() + 1, type.name()));
      }
      boolean in = operator.kind == SqlKind.SOME && operator.comparisonKind == SqlKind.EQUALS;
      boolean none = operator.kind == SqlKind.ALL && operator.comparisonKind == SqlKind.NOT_EQUALS;
      if (element == null || element.isUntypedNull() || element.element() != null || !in && !none) {
        return;
      }
      SqlParserPos at = list.getParserPosition();
      SqlNode rows = SqlStdOperatorTable.UNNEST.createCall(at, applied.marker(parameter));
      SqlSelect select =
          new SqlSelect(
              at,
              null,
              SqlNodeList.of(SqlIdentifier.star(at)),
              rows,
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null);
      changed.setOperator(in ? SqlStdOperatorTable.IN : SqlStdOperatorTable.NOT_IN);
      changed.setOperand(1, select);
    }

    @SuppressWarnings("ReferenceEquality") // the clause itself
    private static boolean isLimit(SqlCall call, SqlNode operand) {
      return call instanceof SqlOrderBy
          || call instanceof SqlSelect select
              && (select.getFetch() == operand || select.getOffset() == operand);
    }

    @Override
    public Void visit(SqlNodeList list) {
      for (int i = 0; i < list.size(); i++) {
        SqlNode node = list.get(i);
        if (node instanceof SqlDynamicParam parameter) {
          list.set(i, applied.marker(parameter));
        } else if (node != null) {
          node.accept(this);
        }
      }
      return null;
    }
  }

  @Override
  public SqlSyntax getSyntax() {
    return SqlSyntax.SPECIAL;
  }

  @Override
  public SqlOperandCountRange getOperandCountRange() {
    return SqlOperandCountRanges.of(1);
  }

  @Override
  public RelDataType deriveType(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
    RelDataType sqlType = type.in(validator.getTypeFactory());
    if (!isInstant()) {
      validator.setValidatedNodeType(call.operand(0), sqlType);
    }
    return sqlType;
  }

  @Override
  public void validateCall(
      SqlCall call, SqlValidator validator, SqlValidatorScope scope, SqlValidatorScope operands) {
    validator.deriveType(scope, call);
  }

  @Override
  public boolean checkOperandTypes(SqlCallBinding binding, boolean throwOnFailure) {
    return true;
  }

  @Override
  public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
    call.operand(0).unparse(writer, leftPrec, rightPrec);
  }
}
