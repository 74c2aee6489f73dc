package io.aragonite.exec.device.contract;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** segmentedReduce against a fold over boxed values. */
class SegmentedReduceContractTest extends Contract {
  /** More than what a reduction of the tests here has in scratch memory. */
  private static final int LATER = 1 << 16;

  SegmentedReduceContractTest(Device device) {
    super(device);
  }

  @Test
  void segmentedReduce() {
    for (ColumnShape shape : shapes()) {
      for (AggregateFunction function : AggregateFunction.values()) {
        if (!ReferenceFold.supported(function, shape.type())
            || shape.type().precision() == 38 && function.name().startsWith("SUM")) {
          continue;
        }
        for (int size : new int[] {0, 1, 64, 1000}) {
          List<@Nullable Object> values = values(shape, Nulls.SOME, size);
          int form = random.nextInt(4);
          Column column = context.disguise(shape, values, form, random);
          int segments = size == 0 ? 0 : 1 + random.nextInt(20);
          int[] starts = random.ints(segments + 1, 0, size + 1).sorted().toArray();
          DataType type = ReferenceFold.resultType(function, shape.type());
          Column result =
              context
                  .aggregate()
                  .segmentedReduce(
                      context, function, column, ints(starts), segments, type, context.memory());
          List<List<@Nullable Object>> taken = new ArrayList<>();
          for (int i = 0; i < segments; i++) {
            taken.add(values.subList(starts[i], starts[i + 1]));
          }
          ReferenceFold.check(context, function, shape.type(), type, taken, result);
        }
      }
    }
  }

  /** Rows of several tiles of a device, and segments that end where tiles may. */
  @Test
  void segmentsOfManyRows() {
    int size = LIGHT ? 9000 : 40_001;
    for (ColumnShape shape :
        List.of(
            ColumnShape.of(DataType.INT64),
            ColumnShape.of(DataType.INT32.withNullable(true)),
            new ColumnShape(DataType.decimal(38, 0, true), Storage.LONG, true, null, null))) {
      for (AggregateFunction function :
          List.of(
              AggregateFunction.SUM,
              AggregateFunction.SUM0,
              AggregateFunction.MIN,
              AggregateFunction.MAX)) {
        for (int most : new int[] {3, 100, 4096, 30_000}) {
          List<@Nullable Object> values =
              values(shape, shape.type().nullable() ? Nulls.SOME : Nulls.NONE, size);
          List<Integer> starts = new ArrayList<>(List.of(0, 0));
          while (starts.getLast() < size - most) {
            int length = random.nextInt(3) == 0 ? most : random.nextInt(most + 1);
            starts.add(starts.getLast() + length);
          }
          starts.add(random.nextBoolean() ? size : starts.getLast());
          starts.add(starts.getLast());
          checkSegments(function, shape, values, starts);
        }
      }
    }
  }

  /** Segments of a few rows in the mean, among which are some of many. */
  @Test
  void shortSegmentsAndSomeLongOnes() {
    for (ColumnShape shape :
        List.of(
            ColumnShape.of(DataType.INT64),
            ColumnShape.of(DataType.INT32.withNullable(true)),
            new ColumnShape(DataType.INT32, Storage.SHORT, false, null, null),
            ColumnShape.of(DataType.FLOAT64.withNullable(true)))) {
      for (AggregateFunction function :
          List.of(
              AggregateFunction.COUNT,
              AggregateFunction.SUM,
              AggregateFunction.SUM0,
              AggregateFunction.MIN,
              AggregateFunction.MAX)) {
        List<Integer> starts = new ArrayList<>(List.of(3, 3));
        List<Integer> longOnes = new ArrayList<>(List.of(64, 65, 200, 4096, 4097, 9001));
        for (int i = 0; i < 6000; i++) {
          boolean isLong = !longOnes.isEmpty() && random.nextInt(900) == 0;
          int length = isLong ? longOnes.removeFirst() : random.nextInt(8);
          starts.add(starts.getLast() + length);
        }
        int rows = starts.getLast() + 5;
        List<@Nullable Object> values =
            shape.storage() == Storage.SHORT
                ? new ArrayList<>(random.longs(rows, -32768, 32768).boxed().toList())
                : values(shape, shape.type().nullable() ? Nulls.SOME : Nulls.NONE, rows);
        checkSegments(function, shape, values, starts);
      }
    }
  }

  private void checkSegments(
      AggregateFunction function,
      ColumnShape shape,
      List<@Nullable Object> values,
      List<Integer> starts) {
    int segments = starts.size() - 1;
    DataType type = ReferenceFold.resultType(function, shape.type());
    Column result =
        context
            .aggregate()
            .segmentedReduce(
                context,
                function,
                context.column(shape, values),
                ints(starts.stream().mapToInt(i -> i).toArray()),
                segments,
                type,
                context.memory());
    List<List<@Nullable Object>> taken = new ArrayList<>();
    for (int i = 0; i < segments; i++) {
      taken.add(values.subList(starts.get(i), starts.get(i + 1)));
    }
    ReferenceFold.check(context, function, shape.type(), type, taken, result);
  }

  /** Sums of values of which nothing is known before, on both sides of what 64 bits hold. */
  @Test
  void segmentsAtTheEdgeOf64Bits() {
    long half = 1L << 62;
    int many = 9000;
    long[] small = random.longs(many, -50, 50).toArray();
    long[] one = small.clone();
    one[many - 1] = Long.MAX_VALUE;
    checkSums(small, 0, 0, 1, 4000, 4000, 8999, many);
    // The last row is a segment of its own, belongs to one that it takes out of 64 bits, or to
    // none.
    checkSums(one, 0, 7, 8999, many);
    checkSums(one, 0, 7, 8000, many);
    checkSums(one, 3, 7, 8000);
    checkSums(new long[] {Long.MIN_VALUE, Long.MIN_VALUE, Long.MAX_VALUE}, 0, 1, 2, 3);
    checkSums(new long[] {Long.MIN_VALUE, Long.MAX_VALUE}, 0, 2);
    checkSums(new long[] {half, half}, 0, 2);
    checkSums(new long[] {-half, -half}, 0, 2);
    checkSums(new long[] {-half, -half, -1}, 0, 3);
    checkSums(new long[] {half, half - 1}, 0, 2);
    checkSums(new long[0], 0, 0, 0);
  }

  private void checkSums(long[] numbers, int... starts) {
    checkSums(context.memory(), numbers, starts);
    checkSums(context.scratch(), numbers, starts); // which what follows must not take again
  }

  private void checkSums(Allocator allocator, long[] numbers, int... starts) {
    List<@Nullable Object> values = new ArrayList<>();
    for (long number : numbers) {
      values.add(number);
    }
    Column column = context.column(ColumnShape.of(DataType.INT64), values);
    DataType type = DataType.decimal(38, 0, false);
    int segments = starts.length - 1;
    Column result =
        context
            .aggregate()
            .segmentedReduce(
                context, AggregateFunction.SUM0, column, ints(starts), segments, type, allocator);
    Buffer later = context.scratch().allocate(4L * LATER);
    context.scan().iota(context, later, 0, LATER);
    List<List<@Nullable Object>> taken = new ArrayList<>();
    for (int i = 0; i < segments; i++) {
      taken.add(values.subList(starts[i], starts[i + 1]));
    }
    ReferenceFold.check(context, AggregateFunction.SUM0, DataType.INT64, type, taken, result);
  }
}
