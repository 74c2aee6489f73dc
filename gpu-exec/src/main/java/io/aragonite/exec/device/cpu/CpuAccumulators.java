package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import org.jspecify.annotations.Nullable;

/** Chooses the accumulator of a function and a storage. */
final class CpuAccumulators {
  private CpuAccumulators() {}

  static Accumulator create(
      AggregateFunction function, @Nullable ColumnShape input, DataType type, QueryMemory memory) {
    if (function == AggregateFunction.COUNT) {
      return new CountAccumulator(memory, type);
    }
    if (input == null) {
      throw new AragoniteException(ErrorCode.INTERNAL, function + " needs an argument.");
    }
    if (function == AggregateFunction.SINGLE_VALUE) {
      return new SingleValueAccumulator(
          create(AggregateFunction.ANY_VALUE, input, type.withNullable(true), memory), memory);
    }
    Storage storage = input.storage();
    if (storage == Storage.NONE && function != AggregateFunction.SUM0) {
      return new NullAccumulator(memory, type);
    }
    boolean any = function == AggregateFunction.ANY_VALUE;
    boolean extreme = function == AggregateFunction.MIN || function == AggregateFunction.MAX;
    boolean sum = function == AggregateFunction.SUM || function == AggregateFunction.SUM0;
    boolean bits = !any && !extreme && !sum;
    if ((type.kind() == TypeKind.OPAQUE && !any)
        || (sum && !type.kind().isNumeric() && !type.kind().isInterval())
        || (bits && !type.kind().isInteger())) {
      throw new AragoniteException(
          ErrorCode.TYPE_UNSUPPORTED,
          "%s of %s is not supported on the CPU device; cast the argument to a number."
              .formatted(function, input.type()));
    }
    if (isExact(type) && isExact(input.type()) && type.scale() != input.type().scale()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "%s of %s cannot be %s: the planner has to cast the argument to the result's scale."
              .formatted(function, input.type(), type));
    }
    if (storage == Storage.BYTES) {
      return new BytesAccumulator(function, input, type, memory);
    }
    if (sum && type.kind().isFloat()) {
      return new DoubleSumAccumulator(function, type, memory);
    }
    return new ExactAccumulator(function, input, type, memory);
  }

  private static boolean isExact(DataType type) {
    return type.kind().isInteger() || type.kind() == TypeKind.DECIMAL;
  }
}
