package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaResults.Pending;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Chooses the accumulator of a function and a storage. */
final class CudaAccumulators {
  private CudaAccumulators() {}

  static Accumulator create(
      AggregateFunction function, @Nullable ColumnShape input, DataType type, QueryMemory memory) {
    if (function == AggregateFunction.COUNT) {
      return new CudaWordAccumulator(CudaFold.COUNT, type, false, memory);
    }
    if (input == null) {
      throw new AragoniteException(ErrorCode.INTERNAL, function + " needs an argument.");
    }
    if (function == AggregateFunction.SINGLE_VALUE) {
      return new CudaSingleValueAccumulator(
          create(AggregateFunction.ANY_VALUE, input, type.withNullable(true), memory), memory);
    }
    Storage storage = input.storage();
    if (storage == Storage.NONE && function != AggregateFunction.SUM0) {
      return new CudaNullAccumulator(type);
    }
    check(function, input, type);
    if (storage == Storage.BYTES) {
      return new CudaTextAccumulator(function, input, type, memory);
    }
    if (isSum(function) && type.kind().isFloat()) {
      boolean tracksSeen = type.nullable() && function != AggregateFunction.SUM0;
      return new CudaWordAccumulator(CudaFold.SUM_DOUBLE, type, tracksSeen, memory);
    }
    return new CudaExactAccumulator(function, input, type, memory);
  }

  /** The results of accumulators, of whose groups all that are looked at are at once. */
  static List<Column> finish(
      ExecContext context,
      List<Accumulator> accumulators,
      List<Integer> groups,
      boolean parts,
      Allocator allocator) {
    List<@Nullable Pending> pending = new ArrayList<>();
    for (int i = 0; i < accumulators.size(); i++) {
      pending.add(
          accumulators.get(i) instanceof CudaAccumulator ours
              ? ours.pending(context, groups.get(i), parts)
              : null);
    }
    Iterator<Column> looked =
        CudaResults.finish(context, pending.stream().filter(Objects::nonNull).toList(), allocator)
            .iterator();
    List<Column> results = new ArrayList<>();
    for (int i = 0; i < accumulators.size(); i++) {
      Accumulator one = accumulators.get(i);
      int count = groups.get(i);
      results.add(
          pending.get(i) != null
              ? looked.next()
              : parts
                  ? one.finishPart(context, count, allocator)
                  : one.finish(context, count, allocator));
    }
    return results;
  }

  /**
   * @throws AragoniteException if a function of such a column has no such type
   */
  static void check(AggregateFunction function, ColumnShape input, DataType type) {
    boolean any = function == AggregateFunction.ANY_VALUE;
    boolean extreme = function == AggregateFunction.MIN || function == AggregateFunction.MAX;
    boolean bits = !any && !extreme && !isSum(function);
    if ((type.kind() == TypeKind.OPAQUE && !any)
        || (isSum(function) && !type.kind().isNumeric() && !type.kind().isInterval())
        || (bits && !type.kind().isInteger())) {
      throw new AragoniteException(
          ErrorCode.TYPE_UNSUPPORTED,
          "%s of %s is not supported on the GPU; cast the argument to a number."
              .formatted(function, input.type()));
    }
    if (isExact(type) && isExact(input.type()) && type.scale() != input.type().scale()) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "%s of %s cannot be %s: the planner has to cast the argument to the result's scale."
              .formatted(function, input.type(), type));
    }
  }

  static boolean isSum(AggregateFunction function) {
    return function == AggregateFunction.SUM || function == AggregateFunction.SUM0;
  }

  private static boolean isExact(DataType type) {
    return type.kind().isInteger() || type.kind() == TypeKind.DECIMAL;
  }
}
