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
  private static final HostFunction SIZE = arguments -> size(arguments[0], arguments[1]);
  private static final HostFunction LIST = arguments -> UnnestFunctions.list(arguments[0]);

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
      return operator.equals(SortKeys.CREATE) ? new SortKeyOf(codec) : new ValueOfSortKey(codec);
    }
    if (operator.equals(UnnestFunctions.ELEMENT)) {
      return new UnnestedElement(TypeMapping.of(call.getType()));
    }
    return operator.equals(UnnestFunctions.SIZE)
        ? SIZE
        : operator.equals(UnnestFunctions.LIST) ? LIST : null;
  }

  private static long size(@Nullable Object collection, @Nullable Object least) {
    return UnnestFunctions.size(collection, least == null ? 0 : (Long) least);
  }

  /** {@link SortKeys#CREATE} of values of one type; equal calls are equal, and so made once. */
  private record SortKeyOf(SortKeyCodec codec) implements HostFunction {
    @Override
    public byte @Nullable [] apply(@Nullable Object[] arguments) {
      Object value = arguments[0];
      return value == null ? null : codec.encode(value);
    }
  }

  /** {@link SortKeys#DECODE} to values of one type. */
  private record ValueOfSortKey(SortKeyCodec codec) implements HostFunction {
    @Override
    public @Nullable Object apply(@Nullable Object[] arguments) {
      return arguments[0] instanceof byte[] key ? codec.decode(key) : null;
    }
  }

  /** {@link UnnestFunctions#ELEMENT} of lists of one type. */
  private record UnnestedElement(DataType type) implements HostFunction {
    @Override
    @SuppressWarnings("unchecked") // columns of lists have no other objects
    public @Nullable Object apply(@Nullable Object[] arguments) {
      List<@Nullable Object> list = (List<@Nullable Object>) arguments[0];
      return arguments[1] instanceof Long place
          ? CalciteValues.toEngine(UnnestFunctions.element(list, place.intValue()), type)
          : null;
    }
  }
}
