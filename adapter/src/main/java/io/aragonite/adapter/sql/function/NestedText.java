package io.aragonite.adapter.sql.function;

import io.aragonite.rules.function.JsonTexts;
import io.aragonite.rules.function.NestedTexts;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql2rel.SqlRexContext;

/**
 * What {@code CAST(x AS VARCHAR)} of a struct, of a map, or of a list of those and of lists is of:
 * the text that results show. Calcite has no such cast.
 */
public final class NestedText {
  static final SqlFunction OPERATOR =
      SqlBasicFunction.create(
          "NESTED_TEXT_OF",
          ReturnTypes.VARCHAR_NULLABLE,
          OperandTypes.ANY,
          SqlFunctionCategory.STRING);

  private NestedText() {}

  /** Puts the text of the value in its place, in a cast of it to a text. */
  public static void apply(SqlCall cast, RelDataType from) {
    if (TypeMapping.isNested(from)) {
      cast.setOperand(0, OPERATOR.createCall(cast.getParserPosition(), cast.<SqlNode>operand(0)));
    }
  }

  public static boolean is(SqlCall call) {
    return call.getOperator().equals(OPERATOR);
  }

  public static RexNode convert(SqlRexContext context, SqlCall call) {
    RexBuilder rex = context.getRexBuilder();
    RexNode value = context.convertExpression(call.operand(0));
    return rex.makeCall(
        context.getValidator().getValidatedNodeType(call),
        NestedTexts.NESTED_TEXT,
        List.of(value, rex.makeLiteral(JsonTexts.type(value.getType()))));
  }
}
