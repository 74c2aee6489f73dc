package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryScope;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Accumulators against a fold over boxed values. */
class AccumulatorContractTest extends Contract {
  private static final int[] BATCHES = {0, 1, 63, 64, 65, 1025, 3000};

  /** A batch that is taken in in pieces. */
  private static final int LARGE = 20_000;

  AccumulatorContractTest(Device device) {
    super(device);
  }

  @Test
  void allFunctionsOverAllStorages() {
    for (ColumnShape shape : shapes()) {
      for (AggregateFunction function : AggregateFunction.values()) {
        if (ReferenceFold.supported(function, shape.type())) {
          for (Nulls nulls : LIGHT ? new Nulls[] {Nulls.SOME} : Nulls.values()) {
            for (int groups : LIGHT ? new int[] {0, 64} : new int[] {0, 5, 64, 2000}) {
              run(function, shape, nulls, groups, false, BATCHES);
              run(function, shape, nulls, groups, true, BATCHES);
            }
          }
        }
      }
    }
  }

  @Test
  void largeBatches() {
    for (ColumnShape shape : shapes()) {
      AggregateFunction function =
          ReferenceFold.supported(AggregateFunction.SUM, shape.type())
              ? AggregateFunction.SUM
              : AggregateFunction.COUNT;
      run(function, shape, Nulls.SOME, 0, false, LARGE);
      run(function, shape, Nulls.NONE, 100, true, LARGE);
      run(AggregateFunction.ANY_VALUE, shape, Nulls.NONE, 100, false, LARGE);
    }
  }

  /**
   * @param groups 0: none are given
   */
  private void run(
      AggregateFunction function,
      ColumnShape shape,
      Nulls nulls,
      int groups,
      boolean masked,
      int... batches) {
    int states = Math.max(1, groups);
    List<List<@Nullable Object>> taken = new ArrayList<>();
    for (int i = 0; i < states; i++) {
      taken.add(new ArrayList<>());
    }
    DataType type = ReferenceFold.resultType(function, shape.type());
    boolean overflows = shape.type().precision() == 38 && type.kind() == TypeKind.DECIMAL;
    MemoryScope scope = context.memory().scope();
    try (scope;
        Accumulator accumulator =
            context.aggregate().newAccumulator(context, function, shape, type, context.memory())) {
      int known = Math.min(groups, 3);
      for (int form = 0; form < 4; form++) {
        int size = batches[random.nextInt(batches.length)];
        List<@Nullable Object> values = values(shape, nulls, size);
        if (overflows
            && (function == AggregateFunction.SUM || function == AggregateFunction.SUM0)) {
          // Sums of full 38 digits do not fit; their errors have a test of their own.
          values.replaceAll(v ->
              v == null
                  ? null
                  : new BigDecimal(
                      ((BigDecimal) v).unscaledValue().shiftRight(20), shape.type().scale()));
        }
        known = form == 3 ? groups : Math.max(known, groups / 2);
        int limit = Math.max(1, known);
        int[] numbers = random.ints(size, 0, limit).toArray();
        int[] mask = IntStream.range(0, size).filter(i -> random.nextInt(3) > 0).toArray();
        if (!masked) {
          mask = IntStream.range(0, size).toArray();
        }
        Column column = context.disguise(shape, values, form, random);
        Buffer groupBuffer = groups == 0 ? null : ints(numbers);
        accumulator.update(
            context,
            column,
            groupBuffer,
            masked ? ints(mask) : null,
            mask.length,
            groups == 0 ? 1 : known);
        for (int i : mask) {
          taken.get(groups == 0 ? 0 : numbers[i]).add(values.get(i));
        }
      }
      Column result = accumulator.finish(context, states, context.memory());
      ReferenceFold.check(context, function, shape.type(), type, taken, result);
    }
    context.scratch().reset();
  }

  @Test
  void countOfRows() {
    try (Accumulator accumulator =
        context
            .aggregate()
            .newAccumulator(
                context, AggregateFunction.COUNT, null, DataType.INT64, context.memory())) {
      accumulator.update(context, null, ints(0, 1, 1, 2), null, 4, 3);
      accumulator.update(context, null, ints(0, 1, 1, 2), ints(1, 3), 2, 4);
      Column result = accumulator.finish(context, 5, context.memory());
      assertEquals(List.of(1L, 3L, 2L, 0L, 0L), context.values(result));
    }
  }

  /** One result does not depend on which others are asked for with it. */
  @Test
  void severalAtOnce() {
    List<Accumulator> all = new ArrayList<>();
    List<AggregateFunction> functions = new ArrayList<>();
    List<ColumnShape> shapes = new ArrayList<>();
    List<List<List<@Nullable Object>>> taken = new ArrayList<>();
    List<Integer> groups = new ArrayList<>();
    try {
      for (ColumnShape shape : shapes()) {
        for (AggregateFunction function : AggregateFunction.values()) {
          if (!ReferenceFold.supported(function, shape.type())
              || shape.type().precision() == 38 && function.name().startsWith("SUM")) {
            continue;
          }
          DataType type = ReferenceFold.resultType(function, shape.type());
          Accumulator one =
              context.aggregate().newAccumulator(context, function, shape, type, context.memory());
          all.add(one);
          functions.add(function);
          shapes.add(shape);
          // The last group has no values.
          int count = random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(70);
          groups.add(count);
          List<List<@Nullable Object>> mine = new ArrayList<>();
          IntStream.range(0, count).forEach(group -> mine.add(new ArrayList<>()));
          taken.add(mine);
          if (count > 1) {
            List<@Nullable Object> values = values(shape, Nulls.SOME, 200);
            int[] numbers = random.ints(values.size(), 0, count - 1).toArray();
            one.update(
                context, context.column(shape, values), ints(numbers), null, values.size(), count);
            for (int i = 0; i < values.size(); i++) {
              mine.get(numbers[i]).add(values.get(i));
            }
          }
        }
      }
      List<Column> results =
          context.aggregate().finish(context, all, groups, false, context.memory());
      assertEquals(all.size(), results.size());
      for (int i = 0; i < all.size(); i++) {
        DataType type = ReferenceFold.resultType(functions.get(i), shapes.get(i).type());
        ReferenceFold.check(
            context, functions.get(i), shapes.get(i).type(), type, taken.get(i), results.get(i));
      }
      assertEquals(
          List.of(),
          context.aggregate().finish(context, List.of(), List.of(), true, context.memory()));
    } finally {
      all.forEach(Accumulator::close);
    }
  }

  /** Of the type that holds sums of parts, which need not fit that of the whole. */
  @Test
  void partsAtOnce() {
    DataType type = DataType.decimal(20, 0, true);
    ColumnShape shape = ColumnShape.of(DataType.decimal(18, 0, true));
    List<Accumulator> all = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Accumulator sum =
            context
                .aggregate()
                .newAccumulator(context, AggregateFunction.SUM, shape, type, context.memory());
        all.add(sum);
        sum.update(
            context,
            context.column(shape, List.of(BigDecimal.valueOf(i), BigDecimal.valueOf(5))),
            ints(0, 1),
            null,
            2,
            2);
      }
      List<Column> together =
          context.aggregate().finish(context, all, List.of(2, 0, 2), true, context.memory());
      for (int i : new int[] {0, 2}) {
        Column alone = all.get(i).finishPart(context, 2, context.memory());
        assertEquals(alone.shape(), together.get(i).shape());
        assertEquals(
            List.of(BigDecimal.valueOf(i), BigDecimal.valueOf(5)), context.values(together.get(i)));
      }
      assertEquals(0, together.get(1).rows());
    } finally {
      all.forEach(Accumulator::close);
    }
  }

  @Test
  void scalesMustBeTheSame() {
    ColumnShape cents = ColumnShape.of(DataType.decimal(10, 2, true));
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () ->
                context
                    .aggregate()
                    .newAccumulator(
                        context,
                        AggregateFunction.SUM,
                        cents,
                        DataType.decimal(38, 4, true),
                        context.memory()));
    assertEquals(ErrorCode.INTERNAL, e.code());
  }

  @Test
  void sumsThatOverflowTheirType() {
    expectOverflow(
        ColumnShape.of(DataType.INT64), DataType.of(TypeKind.INT64, true), Long.MAX_VALUE, 1L);
    expectOverflow(
        ColumnShape.of(DataType.INT32),
        DataType.of(TypeKind.INT32, true),
        (long) Integer.MIN_VALUE,
        -1L);
    expectOverflow(
        ColumnShape.of(DataType.decimal(18, 0, true)),
        DataType.decimal(18, 0, true),
        new BigDecimal("999999999999999999"),
        BigDecimal.ONE);
    BigDecimal nines = new BigDecimal("9".repeat(38));
    expectOverflow(
        ColumnShape.of(DataType.decimal(38, 0, true)),
        DataType.decimal(38, 0, true),
        nines,
        BigDecimal.ONE);
    expectOverflow(
        ColumnShape.of(DataType.decimal(38, 0, true)),
        DataType.decimal(38, 0, true),
        nines,
        nines,
        nines);
  }

  private void expectOverflow(ColumnShape shape, DataType type, Object... values) {
    for (boolean grouped : new boolean[] {false, true}) {
      Column column = context.column(shape, List.of(values));
      Buffer groups = grouped ? ints(new int[values.length]) : null;
      try (Accumulator accumulator =
          context
              .aggregate()
              .newAccumulator(context, AggregateFunction.SUM, shape, type, context.memory())) {
        AragoniteException e =
            assertThrows(
                AragoniteException.class,
                () -> {
                  accumulator.update(context, column, groups, null, values.length, 1);
                  accumulator.finish(context, 1, context.memory());
                });
        assertEquals(ErrorCode.NUMERIC_OVERFLOW, e.code());
      }
    }
  }

  @Test
  void sumsThatPassBeyond64BitsAndComeBack() {
    DataType type = DataType.decimal(38, 0, true);
    ColumnShape shape = ColumnShape.of(DataType.of(TypeKind.INT64, false));
    for (int groups : new int[] {1, 100}) {
      try (Accumulator accumulator =
          context
              .aggregate()
              .newAccumulator(context, AggregateFunction.SUM, shape, type, context.memory())) {
        Column most = context.column(shape, List.of(Long.MAX_VALUE, Long.MAX_VALUE));
        Column least = context.column(shape, List.of(Long.MIN_VALUE, 5L));
        accumulator.update(context, most, ints(0, 0), null, 2, groups);
        accumulator.update(context, least, ints(0, 0), null, 2, groups);
        Column result = accumulator.finish(context, 1, context.memory());
        assertEquals(
            BigDecimal.valueOf(Long.MAX_VALUE - 1).add(BigDecimal.valueOf(5)),
            context.value(result, 0));
      }
    }
  }

  @Test
  void decimalsThatBecomeWide() {
    DataType type = DataType.decimal(38, 0, true);
    ColumnShape narrow =
        new ColumnShape(type, io.aragonite.exec.type.Storage.LONG, true, null, null);
    BigDecimal large = new BigDecimal("1" + "0".repeat(30));
    for (AggregateFunction function : List.of(AggregateFunction.MIN, AggregateFunction.MAX)) {
      try (Accumulator accumulator =
          context.aggregate().newAccumulator(context, function, narrow, type, context.memory())) {
        // Group 0: values that start values are made of; group 1: none at first.
        Column first =
            context.column(
                narrow,
                List.of(
                    BigDecimal.valueOf(
                        function == AggregateFunction.MIN ? Long.MAX_VALUE : Long.MIN_VALUE)));
        accumulator.update(context, first, ints(0), null, 1, 3);
        BigDecimal further = function == AggregateFunction.MIN ? large : large.negate();
        Column second = context.column(ColumnShape.of(type), List.of(further, further));
        accumulator.update(context, second, ints(0, 1), null, 2, 3);
        Column result = accumulator.finish(context, 3, context.memory());
        assertEquals(context.value(first, 0), context.value(result, 0));
        assertEquals(further, context.value(result, 1));
        assertEquals(null, context.value(result, 2));
      }
    }
  }

  @Test
  void singleValue() {
    for (ColumnShape shape : shapes()) {
      List<@Nullable Object> values = values(shape, Nulls.SOME, 20);
      Column column = context.column(shape, values);
      try (Accumulator accumulator =
          context
              .aggregate()
              .newAccumulator(
                  context, AggregateFunction.SINGLE_VALUE, shape, shape.type(), context.memory())) {
        accumulator.update(context, column, ints(IntStream.range(0, 20).toArray()), null, 20, 20);
        Column result = accumulator.finish(context, 21, context.memory());
        for (int i = 0; i < 20; i++) {
          assertEquals(
              Columns.comparable(values.get(i)), Columns.comparable(context.value(result, i)));
        }
        assertEquals(null, context.value(result, 20));
        AragoniteException e =
            assertThrows(
                AragoniteException.class,
                () -> accumulator.update(context, column, null, ints(3), 1, 20));
        assertEquals(ErrorCode.SCALAR_SUBQUERY_ROWS, e.code());
      }
    }
  }
}
