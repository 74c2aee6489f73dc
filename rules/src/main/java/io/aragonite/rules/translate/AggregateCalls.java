package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.List;
import org.apache.calcite.rel.core.Aggregate;
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
   * @throws AragoniteException if Calcite cannot run it either
   */
  static AggregateCall translate(
      org.apache.calcite.rel.core.AggregateCall call, Aggregate aggregate) {
    RelDataType inputRow = aggregate.getInput().getRowType();
    String name = call.getAggregation().getName();
    if (call.isApproximate() && call.getAggregation().kind != SqlKind.COUNT) {
      throw new Untranslatable("APPROXIMATE %s; leave APPROXIMATE out".formatted(name));
    }
    if (call.distinctKeys != null) {
      // Calcite's operators refuse it as well, without a reason.
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "%s WITHIN DISTINCT is not supported; select the distinct rows in a subquery."
              .formatted(name));
    }
    List<RelDataType> types =
        call.getArgList().stream().map(arg -> inputRow.getFieldList().get(arg).getType()).toList();
    AggregateCall builtIn =
        builtIn(
            call.getAggregation().kind,
            name,
            call.getArgList(),
            types,
            call.isDistinct(),
            call.filterArg,
            TypeMapping.of(call.getType()));
    return builtIn == null ? HostAggregateTranslation.translate(call, aggregate) : builtIn;
  }

  /** The call of a built-in function, null if there is none. */
  static @Nullable AggregateCall builtIn(
      SqlKind kind,
      String name,
      List<Integer> args,
      List<RelDataType> argTypes,
      boolean distinct,
      int filter,
      DataType type) {
    AggregateFunction function = function(kind, argTypes, type);
    if (function == null) {
      return null;
    }
    if (function != AggregateFunction.COUNT || distinct) {
      argTypes.forEach(argType -> TypeMapping.requireComparable(argType, name));
    }
    return new AggregateCall(
        function,
        null,
        name,
        args,
        distinct && !ignoresDuplicates(function),
        filter,
        List.of(),
        type);
  }

  private static boolean ignoresDuplicates(AggregateFunction function) {
    return switch (function) {
      case MIN, MAX, ANY_VALUE, BIT_AND, BIT_OR -> true;
      case COUNT, SUM, SUM0, SINGLE_VALUE, BIT_XOR -> false;
    };
  }

  private static @Nullable AggregateFunction function(
      SqlKind kind, List<RelDataType> args, DataType type) {
    boolean number = type.kind().isNumeric();
    DataType argument = args.size() == 1 ? TypeMapping.of(args.get(0)) : null;
    boolean known = argument != null && argument.kind() != TypeKind.OPAQUE;
    boolean numbers = number && argument != null && argument.kind().isNumeric();
    boolean integers =
        type.kind().isInteger() && argument != null && argument.kind() == type.kind();
    return switch (kind) {
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
