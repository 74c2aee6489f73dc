package io.aragonite.adapter.sql.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql2rel.SqlRexContext;

/** A row with names of its fields, {@code {'a': 1}}: a call with names and values in turn. */
public final class StructPack {
  /** The name that the tokens of such a row become, which nobody writes. */
  public static final String MARK = "$struct";

  static final SqlFunction OPERATOR =
      SqlBasicFunction.create(
          "STRUCT_PACK",
          StructPack::type,
          OperandTypes.variadic(SqlOperandCountRanges.from(2)),
          SqlFunctionCategory.SYSTEM);

  private StructPack() {}

  public static boolean is(SqlCall call) {
    return call.getOperator().equals(OPERATOR);
  }

  /** Whether a call is a struct before or after its form. */
  static boolean isWritten(SqlCall call) {
    return is(call) || call.getOperator().getName().equals(MARK);
  }

  private static RelDataType type(SqlOperatorBinding binding) {
    RelDataTypeFactory.Builder fields = binding.getTypeFactory().builder();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < binding.getOperandCount(); i += 2) {
      boolean named = i + 1 < binding.getOperandCount() && binding.isOperandLiteral(i, false);
      if (!named || !SqlTypeUtil.inCharFamily(binding.getOperandType(i))) {
        throw unnamed();
      }
      String name = String.valueOf(binding.getOperandLiteralValue(i, String.class));
      if (!names.add(name.toLowerCase(Locale.ROOT))) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "A struct has two fields '%s'; give one of them another name.".formatted(name));
      }
      fields.add(name, binding.getOperandType(i + 1));
    }
    return fields.build();
  }

  /** The error of a struct whose values have no names. */
  public static AragoniteException unnamed() {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "A struct's values have names: STRUCT_PACK(a := 1, b := 2) or {'a': 1, 'b': 2}; ROW(1, 2)"
            + " makes a row without.");
  }

  /** The values as a ROW whose type has the names. */
  public static RexNode convert(SqlRexContext context, SqlCall call) {
    List<RexNode> values = new ArrayList<>();
    for (int i = 1; i < call.operandCount(); i += 2) {
      values.add(context.convertExpression(call.operand(i)));
    }
    RelDataType type = context.getValidator().getValidatedNodeType(call);
    return context.getRexBuilder().makeCall(type, SqlStdOperatorTable.ROW, values);
  }

  /** A struct of names and values in turn. */
  public static SqlCall of(SqlParserPos at, List<SqlNode> fields) {
    return OPERATOR.createCall(at, fields);
  }

  /** The names and values of a call, which are in pairs. */
  static SqlCall of(Trees trees, SqlCall call) {
    if (call.operandCount() % 2 != 0
        || IntStream.range(0, call.operandCount())
            .anyMatch(i -> i % 2 == 0 && !(call.operand(i) instanceof SqlLiteral))) {
      throw FunctionForms.invalid(call, "A field of a struct is a name, a colon and a value");
    }
    return trees.call(OPERATOR, call.getOperandList().toArray(SqlNode[]::new));
  }
}
