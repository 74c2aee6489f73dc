package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.function.SortKeyCodec;
import io.aragonite.rules.function.SortKeys;
import io.aragonite.rules.function.UnnestFunctions;
import java.util.List;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.jspecify.annotations.Nullable;

/**
 * Host functions of lists, maps and rows that queries call for every row, without generated code
 * around them.
 */
final class NestedFunctions {
  private NestedFunctions() {}

  /** The call of one of them; null for another function. */
  static @Nullable Expr translate(RexCall call, RexTranslator translator) {
    HostFunction function = function(call);
    if (function == null) {
      return null;
    }
    boolean keyed = isKey(call.getOperator()); // the type of keys is part of the function
    List<Expr> arguments =
        translator.translateAll(keyed ? call.getOperands().subList(0, 1) : call.getOperands());
    return new Expr.HostFunctionCall(
        call.getOperator().getName(), function, arguments, true, TypeMapping.of(call.getType()));
  }

  private static boolean isKey(SqlOperator operator) {
    return operator.equals(SortKeys.CREATE) || operator.equals(SortKeys.DECODE);
  }

  private static @Nullable HostFunction function(RexCall call) {
    SqlOperator operator = call.getOperator();
    if (isKey(operator)) {
      String type =
          LiteralTranslator.notNull(
              ((RexLiteral) call.getOperands().get(1)).getValueAs(String.class));
      SortKeyCodec codec = SortKeys.codec(type);
      return operator.equals(SortKeys.CREATE)
          ? arguments -> encoded(codec, arguments[0])
          : arguments -> decoded(codec, arguments[0]);
    }
    if (operator.equals(UnnestFunctions.SIZE)) {
      return arguments -> size(arguments[0], arguments[1]);
    }
    if (operator.equals(UnnestFunctions.ELEMENT)) {
      DataType type = TypeMapping.of(call.getType());
      return arguments -> CalciteValues.toEngine(element(arguments[0], arguments[1]), type);
    }
    return operator.equals(UnnestFunctions.LIST)
        ? arguments -> UnnestFunctions.list(arguments[0])
        : null;
  }

  private static byte @Nullable [] encoded(SortKeyCodec codec, @Nullable Object value) {
    return value == null ? null : codec.encode(value);
  }

  private static @Nullable Object decoded(SortKeyCodec codec, @Nullable Object key) {
    return key == null ? null : codec.decode((byte[]) key);
  }

  private static long size(@Nullable Object collection, @Nullable Object least) {
    return UnnestFunctions.size(collection, least == null ? 0 : (Long) least);
  }

  @SuppressWarnings("unchecked") // columns of lists have no other objects
  private static @Nullable Object element(@Nullable Object list, @Nullable Object place) {
    return place == null
        ? null
        : UnnestFunctions.element((List<@Nullable Object>) list, ((Long) place).intValue());
  }
}
