package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Predicates over samples say what the interpreter says row by row. */
final class SampledTruthTest {
  private static final int ROWS = 150;
  private static final DataType TRUTH = DataType.BOOLEAN.withNullable(true);
  private static final DataType DECIMAL = DataType.decimal(9, 2, true);

  /** The type of each column: two columns of each. */
  private static final List<DataType> TYPES =
      Stream.of(DataType.INT64, DECIMAL, DataType.FLOAT64, DataType.VARCHAR, DataType.BOOLEAN)
          .map(type -> type.withNullable(true))
          .toList();

  private final Random random = new Random(7);

  private @Nullable Object value(int type) {
    if (random.nextInt(6) == 0) {
      return null;
    }
    int small = random.nextInt(5) - 2;
    return switch (type) {
      case 0 ->
          switch (random.nextInt(9)) {
            case 0 -> Long.MIN_VALUE;
            case 1 -> Long.MAX_VALUE;
            default -> (long) small;
          };
      case 1 -> BigDecimal.valueOf(25L * small, 2);
      case 2 ->
          switch (random.nextInt(6)) {
            case 0 -> Double.NaN;
            case 1 -> -0.0;
            default -> small / 2.0;
          };
      case 3 -> List.of("", "a", "\u00e4b", "\ud83d\ude00", "abc").get(small + 2);
      default -> small > 0;
    };
  }

  private Expr leaf(int type) {
    DataType of = TYPES.get(type);
    return random.nextInt(3) > 0
        ? Expr.ref(2 * type + random.nextInt(2), of)
        : new Expr.Literal(value(type), of);
  }

  private Expr predicate(int depth) {
    int kind = random.nextInt(depth == 0 ? 4 : 8);
    int type = random.nextInt(5);
    List<Op> compares = List.of(Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE);
    return switch (kind) {
      case 0, 1 -> {
        Op op = compares.get(random.nextInt(6));
        // Numbers of one kind are compared with another's, too.
        int other = type < 2 && random.nextInt(3) == 0 ? 1 - type : type;
        yield Expr.call(op, TRUTH, leaf(type), leaf(other));
      }
      case 2 ->
          Expr.call(
              random.nextBoolean() ? Op.IS_NULL : Op.IS_NOT_NULL, DataType.BOOLEAN, leaf(type));
      case 3 -> new Expr.Call(Op.IN_LIST, List.of(leaf(type), leaf(type), leaf(type)), TRUTH);
      case 4 -> Expr.call(Op.NOT, TRUTH, predicate(depth - 1));
      case 5 -> Expr.call(Op.CASE, TRUTH, predicate(0), predicate(0), predicate(depth - 1));
      default -> {
        List<Expr> args = new ArrayList<>();
        for (int i = random.nextInt(3) + 2; i > 0; i--) {
          args.add(predicate(depth - 1));
        }
        yield new Expr.Call(kind == 6 ? Op.AND : Op.OR, args, TRUTH);
      }
    };
  }

  private static SampleValues kept(SampleValues values) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    values.write(new DataOutputStream(bytes));
    ByteBuffer in = ByteBuffer.wrap(bytes.toByteArray());
    SampleValues read = SampleValues.read(in);
    assertFalse(in.hasRemaining());
    return read;
  }

  @Test
  void allIsAsTheInterpreterSays() throws IOException {
    for (int round = 0; round < 400; round++) {
      List<@Nullable Object[]> columns = new ArrayList<>();
      List<SampleValues> values = new ArrayList<>();
      int rows = round % 20 == 0 ? round / 20 % 2 : ROWS;
      for (int column = 0; column < 2 * TYPES.size(); column++) {
        @Nullable Object[] own = new @Nullable Object[rows];
        for (int row = 0; row < rows; row++) {
          own[row] = round % 7 == 0 && column % 3 == 0 ? null : value(column / 2);
        }
        SampleValues made = SampleValues.of(own);
        assertTrue(made.isKept());
        values.add(round % 2 == 0 ? made : kept(made));
        columns.add(own);
        for (int row = 0; row < rows; row++) {
          assertEquals(own[row], values.getLast().get(row));
        }
      }
      Expr predicate = predicate(3);
      BitSet among = new BitSet();
      among.set(round % 3, Math.max(round % 3, rows));
      SampledTruth found = SampledTruth.of(predicate, values::get, among);
      for (int row = 0; row < rows; row++) {
        int at = row;
        Object expected =
            among.get(row)
                ? Interpreter.evaluate(predicate, column -> columns.get(column)[at])
                : null;
        assertEquals(Boolean.TRUE.equals(expected), found.yes().get(row), predicate.toString());
        assertEquals(Boolean.FALSE.equals(expected), found.no().get(row), predicate.toString());
      }
    }
  }

  /** An argument that fails is not reached for rows that another one decides. */
  @Test
  void decidedRowsAreNotLookedAt() {
    SampleValues values = SampleValues.of(new Object[] {0L, 2L, null});
    Expr column = Expr.ref(0, DataType.INT64.withNullable(true));
    Expr zero = Expr.literal(0, DataType.INT64);
    Expr quotient =
        Expr.call(
            Op.GT,
            TRUTH,
            Expr.call(
                Op.DIVIDE,
                DataType.INT64.withNullable(true),
                Expr.literal(4, DataType.INT64),
                column),
            zero);
    BitSet all = new BitSet();
    all.set(0, 3);
    Expr guarded = Expr.call(Op.AND, TRUTH, Expr.call(Op.NE, TRUTH, column, zero), quotient);
    SampledTruth found = SampledTruth.of(guarded, place -> values, all);
    assertEquals("{1} {0}", found.yes() + " " + found.no());
    assertThrows(RuntimeException.class, () -> SampledTruth.of(quotient, place -> values, all));
  }

  @Test
  void valuesOfOtherFormsAreNotKept() {
    byte[] bytes = {1, 2};
    SampleValues binary = SampleValues.of(new Object[] {bytes, null});
    assertEquals(bytes, binary.get(0));
    assertNull(binary.get(1));
    assertFalse(binary.isKept());
    BigDecimal large = new BigDecimal("12345678901234567890123.45");
    SampleValues decimals = SampleValues.of(new Object[] {new BigDecimal("1.00"), large});
    assertEquals(large, decimals.get(1));
    assertFalse(decimals.isKept());
    SampleValues texts = SampleValues.of(new Object[] {"a", "x".repeat(300_000)});
    assertEquals("a", texts.get(0));
    assertFalse(texts.isKept(), "too many bytes");
  }

  @Test
  void damagedValuesAreRefusedOrReadable() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SampleValues.of(new Object[] {"one", null, "two", "one"}).write(new DataOutputStream(bytes));
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = bytes.toByteArray();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      try {
        SampleValues read = SampleValues.read(ByteBuffer.wrap(damaged));
        for (int row = 0; row < read.count(); row++) {
          Object value = read.get(row);
          assertTrue(read.nulls().get(row) == (value == null));
          if (read.places() > 0) {
            assertTrue(read.place(row) >= 0 && read.place(row) < read.places());
          }
        }
      } catch (IOException e) {
        refused++;
      }
    }
    assertTrue(refused > 5000, refused + " refused");
  }
}
