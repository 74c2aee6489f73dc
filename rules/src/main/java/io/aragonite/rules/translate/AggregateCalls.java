package io.aragonite.rules.translate;

import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlKind;
import org.jspecify.annotations.Nullable;

/** Calcite's aggregate calls as the engine's. */
final class AggregateCalls {
  private AggregateCalls() {}

  /**
   * The engine's call.
   *
   * @throws Untranslatable with the reason
   */
  static AggregateCall translate(
      org.apache.calcite.rel.core.AggregateCall call, RelDataType inputRow) {
    String name = call.getAggregation().getName();
    if (call.isApproximate() && call.getAggregation().kind != SqlKind.COUNT) {
      throw new Untranslatable("approximate " + name);
    }
    AggregateFunction function = function(call, inputRow);
    if (function == null) {
      return HostAggregates.translate(call, inputRow);
    }
    for (int arg : call.getArgList()) {
      if (function != AggregateFunction.COUNT || call.isDistinct()) {
        TypeMapping.requireComparable(inputRow.getFieldList().get(arg).getType(), name);
      }
    }
    return new AggregateCall(
        function,
        null,
        name,
        call.getArgList(),
        call.isDistinct() && !ignoresDuplicates(function),
        call.filterArg,
        List.of(),
        TypeMapping.of(call.getType()));
  }

  private static boolean ignoresDuplicates(AggregateFunction function) {
    return switch (function) {
      case MIN, MAX, ANY_VALUE, BIT_AND, BIT_OR -> true;
      case COUNT, SUM, SUM0, SINGLE_VALUE, BIT_XOR -> false;
    };
  }

  private static @Nullable AggregateFunction function(
      org.apache.calcite.rel.core.AggregateCall call, RelDataType inputRow) {
    List<Integer> args = call.getArgList();
    DataType type = TypeMapping.of(call.getType());
    boolean number = type.kind().isNumeric();
    DataType argument =
        args.size() == 1
            ? TypeMapping.of(inputRow.getFieldList().get(args.get(0)).getType())
            : null;
    boolean known = argument != null && argument.kind() != TypeKind.OPAQUE;
    boolean numbers = number && argument != null && argument.kind().isNumeric();
    boolean integers =
        type.kind().isInteger() && argument != null && argument.kind() == type.kind();
    return switch (call.getAggregation().kind) {
      case COUNT -> args.size() <= 1 ? AggregateFunction.COUNT : null;
      case SUM -> numbers ? AggregateFunction.SUM : null;
      case SUM0 -> numbers ? AggregateFunction.SUM0 : null;
      case MIN -> known ? AggregateFunction.MIN : null;
      case MAX -> known ? AggregateFunction.MAX : null;
      case ANY_VALUE -> known ? AggregateFunction.ANY_VALUE : null;
      case SINGLE_VALUE -> known ? AggregateFunction.SINGLE_VALUE : null;
      case BIT_AND -> integers ? AggregateFunction.BIT_AND : null;
      case BIT_OR -> integers ? AggregateFunction.BIT_OR : null;
      case BIT_XOR -> integers ? AggregateFunction.BIT_XOR : null;
      default -> null;
    };
  }
}
