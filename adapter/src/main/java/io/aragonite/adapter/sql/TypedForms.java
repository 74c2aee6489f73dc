package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.NestedText;
import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.function.TypeOf;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.OrderedFunctions;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCollectionTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlSelectKeyword;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.SqlTypeNameSpec;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidatorScope;

/** Calls that mean something else by the types of their operands. */
final class TypedForms {
  private final QueryValidator validator;
  private final ZonedForms zoned;

  TypedForms(QueryValidator validator, String zone) {
    this.validator = validator;
    this.zoned = new ZonedForms(validator, zone);
  }

  /** What the types of a call's operands change about it. */
  void apply(SqlValidatorScope scope, SqlNode expr) {
    // First: others ask for the types of rows, which are known from then on.
    UuidOperands.apply(expr, value -> validator.deriveType(scope, value));
    JsonOperands.apply(expr, value -> validator.deriveType(scope, value));
    if (expr instanceof SqlCall call) {
      IntervalForms.apply(call, value -> validator.deriveType(scope, value));
      zoned.apply(call, scope);
      MixedMoments.apply(call, value -> validator.deriveType(scope, value));
      MixedBytes.apply(call, value -> validator.deriveType(scope, value));
      RowNames.checkComparison(call, value -> validator.deriveType(scope, value));
      requireDay(scope, call);
    }
    if (expr instanceof SqlBasicCall call && isLength(call)) {
      RelDataType type = validator.deriveType(scope, call.operand(0));
      SqlTypeName measured = type.getSqlTypeName();
      if (SqlTypeUtil.isBinary(type)) {
        call.setOperator(SqlStdOperatorTable.OCTET_LENGTH);
      } else if (measured == SqlTypeName.ARRAY || measured == SqlTypeName.MAP) {
        call.setOperator(SqlStdOperatorTable.CARDINALITY);
      }
    }
    if (expr.getKind() == SqlKind.OVER) {
      requireNoDistinctVariance(((SqlCall) expr).operand(0));
      extremeStruct(scope, (SqlCall) expr);
    }
    if (expr instanceof SqlCall call && isVariance(call)) {
      varianceAsDouble(scope, call);
    }
    if (expr instanceof SqlCall call && call.getKind() == SqlKind.SUM && call.operandCount() == 1) {
      summedAs(scope, call);
    }
    if (expr instanceof SqlBasicCall call && isListToText(call)) {
      elementsToTexts(scope, call);
    }
    if (expr instanceof SqlBasicCall call && isMapOfLists(scope, call)) {
      call.setOperator(SqlLibraryOperators.MAP_FROM_ARRAYS);
    }
    if (expr instanceof SqlCall call && call.getOperator().equals(SqlStdOperatorTable.CONCAT)) {
      textsAreNotPadded(scope, call);
    }
    QuantifiedLists.apply(expr, value -> validator.deriveType(scope, value));
    LiteralOperands.apply(expr, value -> validator.deriveType(scope, value));
    TypeOf.apply(expr, value -> validator.deriveType(scope, value));
    Subscripts.apply(expr, value -> validator.deriveType(scope, value));
    if (DateArithmetic.isSumOrDifference(expr)) {
      SqlBasicCall call = (SqlBasicCall) expr;
      DateArithmetic.apply(
          call,
          validator.deriveType(scope, call.operand(0)),
          validator.deriveType(scope, call.operand(1)));
    }
    if (expr.getKind() == SqlKind.CAST || expr.getKind() == SqlKind.SAFE_CAST) {
      applyToCast(scope, (SqlCall) expr);
    }
  }

  private void requireDay(SqlValidatorScope scope, SqlCall call) {
    if (call.getOperator().equals(SqlStdOperatorTable.LAST_DAY)
        && validator.deriveType(scope, call.operand(0)).getSqlTypeName() == SqlTypeName.TIME) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "LAST_DAY takes a DATE or a TIMESTAMP, and a TIME has no day; add the time to a date, as"
              + " in date + time.");
    }
  }

  private void applyToCast(SqlValidatorScope scope, SqlCall cast) {
    if (cast.operand(1) instanceof SqlDataTypeSpec
        && validator.deriveType(scope, cast.operand(0)).getSqlTypeName() == SqlTypeName.BOOLEAN) {
      TruthValues.castToNumber(
          cast, validator, validator.deriveType(scope, cast.operand(0)).isNullable());
    }
    if (isToText(cast)) {
      NestedText.apply(cast, validator.deriveType(scope, cast.operand(0)));
    }
    Coercion.requireNoMultisetOfText(
        cast, SqlTypeUtil.inCharFamily(validator.deriveType(scope, cast.operand(0))));
  }

  /** A CHAR may be shorter than its type says: what is put together of it has no such type. */
  private void textsAreNotPadded(SqlValidatorScope scope, SqlCall concat) {
    for (int i = 0; i < concat.operandCount(); i++) {
      SqlNode part = concat.operand(i);
      if (!(part instanceof SqlLiteral)
          && validator.deriveType(scope, part).getSqlTypeName() == SqlTypeName.CHAR) {
        concat.setOperand(i, CastCalls.cast(part, SqlTypeName.VARCHAR));
      }
    }
  }

  /**
   * {@code MAP(keys, values)}, as in DuckDB; Spark's, where its functions are asked for, has keys
   * and values in turn.
   */
  private boolean isMapOfLists(SqlValidatorScope scope, SqlBasicCall call) {
    if (!call.getOperator().equals(SqlLibraryOperators.MAP) || call.operandCount() != 2) {
      return false;
    }
    List<SqlOperator> known = new ArrayList<>();
    validator
        .getOperatorTable()
        .lookupOperatorOverloads(
            SqlLibraryOperators.MAP.getNameAsId(),
            null,
            SqlSyntax.FUNCTION,
            known,
            validator.getCatalogReader().nameMatcher());
    return known.isEmpty()
        && call.getOperandList().stream()
            .allMatch(
                list -> validator.deriveType(scope, list).getSqlTypeName() == SqlTypeName.ARRAY);
  }

  /** {@code MAX(s) OVER w} of a struct is {@code MAX_BY(s, s) OVER w}, which compares structs. */
  private void extremeStruct(SqlValidatorScope scope, SqlCall over) {
    if (!(over.operand(0) instanceof SqlCall call)
        || (call.getKind() != SqlKind.MIN && call.getKind() != SqlKind.MAX)
        || call.operandCount() != 1
        || !validator.deriveType(scope, call.operand(0)).isStruct()) {
      return;
    }
    SqlNode struct = call.operand(0);
    SqlOperator by =
        call.getKind() == SqlKind.MIN ? OrderedFunctions.MIN_BY : OrderedFunctions.MAX_BY;
    over.setOperand(
        0, by.createCall(call.getParserPosition(), struct, struct.accept(new NodeCopy())));
  }

  private static boolean isVariance(SqlCall call) {
    return switch (call.getKind()) {
      case STDDEV_POP, STDDEV_SAMP, VAR_POP, VAR_SAMP -> call.operandCount() == 1;
      default -> false;
    };
  }

  /** Calcite would add up distinct squares, which are not the squares of what is distinct. */
  private static void requireNoDistinctVariance(SqlNode function) {
    if (function instanceof SqlCall call
        && isVariance(call)
        && call.getFunctionQuantifier() != null
        && call.getFunctionQuantifier().getValue() == SqlSelectKeyword.DISTINCT) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "%s(DISTINCT ...) over a window is not possible; compute it in a query with GROUP BY, and join that."
              .formatted(call.getOperator().getName()));
    }
  }

  /** Sums count what is true; those of REALs are DOUBLEs, which hold them, as in DuckDB. */
  private void summedAs(SqlValidatorScope scope, SqlCall sum) {
    SqlNode value = sum.operand(0);
    RelDataType type = validator.deriveType(scope, value);
    if (type.getSqlTypeName() == SqlTypeName.BOOLEAN) {
      sum.setOperand(0, TruthValues.asNumber(value, type.isNullable()));
    } else if (type.getSqlTypeName() == SqlTypeName.REAL) {
      sum.setOperand(0, CastCalls.cast(value, SqlTypeName.DOUBLE));
    }
  }

  /** Variances of decimals are DOUBLEs: six digits behind the point may be all zero. */
  private void varianceAsDouble(SqlValidatorScope scope, SqlCall call) {
    SqlNode value = call.operand(0);
    if (validator.deriveType(scope, value).getSqlTypeName() == SqlTypeName.DECIMAL) {
      call.setOperand(0, CastCalls.cast(value, SqlTypeName.DOUBLE));
    }
  }

  private boolean isToText(SqlCall cast) {
    return cast.operand(1) instanceof SqlDataTypeSpec type
        && SqlTypeUtil.inCharFamily(type.deriveType(validator));
  }

  /** A list of the texts of a list's elements. */
  private static SqlNode asTexts(SqlNode list, SqlParserPos at) {
    SqlTypeNameSpec text = new SqlBasicTypeNameSpec(SqlTypeName.VARCHAR, at);
    return SqlStdOperatorTable.CAST.createCall(
        at,
        list,
        new SqlDataTypeSpec(new SqlCollectionTypeNameSpec(text, SqlTypeName.ARRAY, at), at));
  }

  /** Whether values have a text of their own. */
  private static boolean isPlain(RelDataType type) {
    return !type.isStruct()
        && type.getComponentType() == null
        && type.getSqlTypeName() != SqlTypeName.MAP
        && type.getSqlTypeName() != SqlTypeName.NULL
        && type.getSqlTypeName() != SqlTypeName.UNKNOWN;
  }

  private static boolean isListToText(SqlBasicCall call) {
    return call.operandCount() > 1
        && (call.getOperator().equals(SqlLibraryOperators.ARRAY_TO_STRING)
            || call.getOperator() instanceof SqlUnresolvedFunction named
                && named.getName().equalsIgnoreCase("ARRAY_TO_STRING"));
  }

  /** Calcite's ARRAY_TO_STRING fails over elements that are no texts. */
  private void elementsToTexts(SqlValidatorScope scope, SqlBasicCall call) {
    RelDataType element = validator.deriveType(scope, call.operand(0)).getComponentType();
    if (element == null
        || SqlTypeUtil.inCharFamily(element)
        || SqlTypeUtil.isBinary(element)
        || !isPlain(element)) {
      return;
    }
    call.setOperand(0, asTexts(call.operand(0), call.getParserPosition()));
  }

  /** {@code LENGTH} of a list counts its elements, as in DuckDB; of bytes these. */
  private static boolean isLength(SqlBasicCall call) {
    return call.operandCount() == 1
        && (call.getOperator().equals(SqlStdOperatorTable.CHAR_LENGTH)
            || call.getOperator().equals(SqlLibraryOperators.LENGTH)
            || call.getOperator() instanceof SqlUnresolvedFunction named
                && named.getName().equalsIgnoreCase("LENGTH"));
  }
}
