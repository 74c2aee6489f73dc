package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.Columns;
import io.aragonite.exec.vector.ValueRange;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an aggregate function makes of boxed values, one after the other. */
final class ReferenceFold {
  private ReferenceFold() {}

  static DataType resultType(AggregateFunction function, DataType type) {
    return switch (function) {
      case COUNT -> DataType.INT64;
      case SUM, SUM0 ->
          type.kind().isFloat()
              ? DataType.of(TypeKind.FLOAT64, true)
              : DataType.decimal(38, type.scale(), function == AggregateFunction.SUM);
      default -> type.withNullable(true);
    };
  }

  static boolean supported(AggregateFunction function, DataType type) {
    return switch (function) {
      case COUNT, ANY_VALUE -> true;
      // Each group would have to have one row; it has a test of its own.
      case SINGLE_VALUE -> false;
      case MIN, MAX -> type.kind() != TypeKind.OPAQUE && type.kind() != TypeKind.NULL;
      case SUM, SUM0 -> type.kind().isNumeric();
      case BIT_AND, BIT_OR, BIT_XOR -> type.kind().isInteger();
    };
  }

  static @Nullable Object fold(AggregateFunction function, DataType type, List<Object> values) {
    return switch (function) {
      case COUNT -> (long) values.size();
      case SUM, SUM0 -> {
        if (values.isEmpty() && function == AggregateFunction.SUM) {
          yield null;
        }
        if (type.kind() == TypeKind.FLOAT64) {
          yield values.stream().map(v -> (Double) v).reduce(0.0, Double::sum);
        }
        yield values.stream()
            .map(v -> v instanceof BigDecimal d ? d : BigDecimal.valueOf((Long) v))
            .reduce(BigDecimal.ZERO, BigDecimal::add);
      }
      case MIN -> values.stream().min(ReferenceFold::compare).orElse(null);
      case MAX -> values.stream().max(ReferenceFold::compare).orElse(null);
      case BIT_AND -> values.stream().reduce((a, b) -> (Long) a & (Long) b).orElse(null);
      case BIT_OR -> values.stream().reduce((a, b) -> (Long) a | (Long) b).orElse(null);
      case BIT_XOR -> values.stream().reduce((a, b) -> (Long) a ^ (Long) b).orElse(null);
      default -> throw new IllegalArgumentException();
    };
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(Object a, Object b) {
    if (a instanceof byte[] bytes) {
      return Arrays.compareUnsigned(bytes, (byte[]) b);
    }
    if (a instanceof String text) {
      return Arrays.compareUnsigned(
          text.getBytes(StandardCharsets.UTF_8), ((String) b).getBytes(StandardCharsets.UTF_8));
    }
    return ((Comparable) a).compareTo(b);
  }

  /** Asserts that a column has what comes of the values that each group has taken in. */
  static void check(
      TestContext context,
      AggregateFunction function,
      DataType input,
      DataType type,
      List<List<@Nullable Object>> taken,
      Column result) {
    assertEquals(taken.size(), result.rows());
    String what = function + " of " + input;
    ValueRange range = result.shape().range();
    for (int i = 0; i < taken.size(); i++) {
      List<Object> values = new ArrayList<>(taken.get(i));
      values.removeIf(v -> v == null);
      Object actual = context.value(result, i);
      if (function == AggregateFunction.ANY_VALUE) {
        List<Object> choice = values.stream().map(Columns::comparable).toList();
        assertTrue(
            values.isEmpty() ? actual == null : choice.contains(Columns.comparable(actual)), what);
        continue;
      }
      Object expected = fold(function, type, values);
      if (expected instanceof Double number
          && function != AggregateFunction.MIN
          && function != AggregateFunction.MAX
          && Double.isFinite(number)) {
        double scale = values.stream().mapToDouble(v -> Math.abs((Double) v)).sum();
        assertEquals(number, (Double) actual, 1e-12 * scale + 1e-300, what);
      } else {
        assertEquals(Columns.comparable(expected), Columns.comparable(actual), what);
      }
      if (range != null && actual instanceof Long value) {
        assertTrue(value >= range.min() && value <= range.max(), what + " in " + range);
      }
    }
  }
}
