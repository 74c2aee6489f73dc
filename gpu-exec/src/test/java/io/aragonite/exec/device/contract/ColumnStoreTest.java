package io.aragonite.exec.device.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.RowIds;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Appending batches of odd sizes, with and without nulls and indirections. */
class ColumnStoreTest {
  private static final Dictionary SOME =
      new Dictionary(new byte[][] {{}, "a".getBytes(UTF_8), "zz".getBytes(UTF_8)});
  private static final Dictionary MORE =
      new Dictionary(
          new byte[][] {{}, "M".getBytes(UTF_8), "a".getBytes(UTF_8), "zz".getBytes(UTF_8)});
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);
  private static final DataType DECIMAL = DataType.decimal(30, 2, true);
  private static final DataType SMALL = DataType.decimal(6, 2, true);

  private final TestContext context = new TestContext(TestDevices.create());
  private final Random random = TestSeed.random(ColumnStoreTest.class);

  @AfterEach
  void nothingIsLeft() {
    context.close();
  }

  private static ColumnShape codes(Dictionary dictionary) {
    return new ColumnShape(TEXT, Storage.CODE, true, dictionary, null);
  }

  /** The shape of the store, and what may be appended to it. */
  private static final List<List<ColumnShape>> CASES =
      List.of(
          List.of(of(TypeKind.BOOLEAN), of(TypeKind.BOOLEAN)),
          List.of(of(TypeKind.INT16), of(TypeKind.INT16)),
          List.of(of(TypeKind.INT32), of(TypeKind.INT32)),
          List.of(
              of(TypeKind.INT64),
              of(TypeKind.INT64),
              stored(DataType.of(TypeKind.INT64, true), Storage.INT),
              of(TypeKind.NULL)),
          List.of(
              stored(SMALL, Storage.SHORT),
              stored(SMALL, Storage.BYTE),
              stored(SMALL, Storage.SHORT)),
          List.of(of(TypeKind.FLOAT32), of(TypeKind.FLOAT32)),
          List.of(of(TypeKind.FLOAT64), of(TypeKind.FLOAT64)),
          List.of(
              ColumnShape.of(DECIMAL),
              ColumnShape.of(DECIMAL),
              stored(DECIMAL, Storage.BYTE),
              stored(DECIMAL, Storage.SHORT),
              stored(DECIMAL, Storage.INT),
              stored(DECIMAL, Storage.LONG)),
          List.of(
              ColumnShape.of(TEXT),
              ColumnShape.of(TEXT),
              codes(SOME),
              codes(SOME).narrowest(),
              of(TypeKind.NULL)),
          List.of(
              codes(MORE),
              codes(MORE),
              codes(SOME),
              codes(SOME).narrowest(),
              codes(MORE).narrowest(),
              of(TypeKind.NULL)),
          List.of(codes(MORE).narrowest(), codes(MORE).narrowest(), of(TypeKind.NULL)),
          List.of(of(TypeKind.NULL), of(TypeKind.NULL)));

  private static ColumnShape stored(DataType type, Storage storage) {
    return new ColumnShape(type, storage, true, null, null);
  }

  private static ColumnShape of(TypeKind kind) {
    return ColumnShape.of(DataType.of(kind, true));
  }

  @Test
  void keepsWhatWasAppended() {
    for (List<ColumnShape> shapes : CASES) {
      for (int round = 0; round < 20; round++) {
        check(shapes);
      }
    }
  }

  /** More texts at a time than a GPU's stream has results for. */
  @Test
  void keepsTextsOfManyColumns() {
    List<ColumnShape> sources =
        List.of(ColumnShape.of(TEXT), codes(SOME), of(TypeKind.NULL), ColumnShape.of(TEXT));
    keepsTexts(70, column -> sources.get(random.nextInt(sources.size())));
  }

  /**
   * More columns of codes than a GPU's stream has results come between the first text and the last.
   */
  @Test
  void keepsTextsBeforeAndBehindManyOfDictionaries() {
    keepsTexts(140, column -> column % 70 == 0 ? ColumnShape.of(TEXT) : codes(SOME));
  }

  private void keepsTexts(int columns, IntFunction<ColumnShape> source) {
    try (ColumnStore store =
        new ColumnStore(Collections.nCopies(columns, ColumnShape.of(TEXT)), context.memory())) {
      List<List<@Nullable Object>> expected = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        expected.add(new ArrayList<>());
      }
      for (int rows : new int[] {65, 0, 3, 200}) {
        List<Column> batch = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
          ColumnShape shape = source.apply(i);
          List<@Nullable Object> values = new ArrayList<>();
          for (int row = 0; row < rows; row++) {
            values.add(random.nextInt(3) == 0 ? null : value(shape));
          }
          batch.add(context.column(shape, values));
          expected.get(i).addAll(context.values(batch.getLast()));
        }
        store.append(context, new ColumnBatch(batch, rows));
      }
      for (int i = 0; i < columns; i++) {
        assertEquals(expected.get(i), context.values(store.view().column(i)));
      }
    }
    context.scratch().reset();
  }

  private void check(List<ColumnShape> shapes) {
    List<@Nullable Object> expected = new ArrayList<>();
    try (ColumnStore store = new ColumnStore(List.of(shapes.getFirst()), context.memory())) {
      boolean again = random.nextBoolean();
      for (int part = random.nextInt(8); part >= 0; part--) {
        Column column = column(shapes.get(1 + random.nextInt(shapes.size() - 1)));
        store.append(context, new ColumnBatch(List.of(column), column.rows()));
        for (int i = 0; i < column.rows(); i++) {
          expected.add(context.value(column, i));
        }
        if (again && part == 2) {
          store.clear();
          expected.clear();
        }
      }
      assertEquals(expected.size(), store.rows());
      Column all = store.view().column(0);
      List<@Nullable Object> actual = new ArrayList<>();
      for (int i = 0; i < all.rows(); i++) {
        actual.add(context.value(all, i));
      }
      assertEquals(expected, actual, () -> shapes.toString());
    }
    context.scratch().reset();
  }

  private Column column(ColumnShape shape) {
    int rows = List.of(0, 1, 2, 7, 8, 9, 63, 64, 65, 200).get(random.nextInt(10));
    boolean nulls = random.nextBoolean();
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      values.add(nulls && random.nextInt(3) == 0 ? null : value(shape));
    }
    Column column = context.column(shape, values);
    if (random.nextBoolean()) {
      return column;
    }
    boolean padded = random.nextBoolean();
    int count = rows == 0 && !padded ? 0 : random.nextInt(150);
    int[] ids = new int[count];
    for (int i = 0; i < count; i++) {
      boolean none = padded && (rows == 0 || random.nextInt(4) == 0);
      ids[i] = none ? -1 : random.nextInt(rows);
    }
    return column.withRowIds(context.rowIds(padded, ids));
  }

  private @Nullable Object value(ColumnShape shape) {
    return switch (shape.type().kind()) {
      case NULL -> null;
      case BOOLEAN -> random.nextBoolean();
      case INT16 -> (long) (short) random.nextInt();
      case INT32 -> (long) random.nextInt();
      case FLOAT32 -> (double) random.nextFloat();
      case FLOAT64 -> random.nextDouble();
      case DECIMAL -> BigDecimal.valueOf(integer(shape.storage()), 2);
      case VARCHAR ->
          shape.dictionary() != null
              ? shape.dictionary().text(random.nextInt(shape.dictionary().size()))
              : "x".repeat(random.nextInt(random.nextInt(10) == 0 ? 200 : 12));
      default -> integer(shape.storage());
    };
  }

  private long integer(Storage storage) {
    int cut = Long.SIZE - Byte.SIZE * Math.min(Long.BYTES, storage.width());
    return random.nextLong() << cut >> cut;
  }

  @Test
  void refusesValuesThatItsDictionaryLacks() {
    try (ColumnStore store = new ColumnStore(List.of(codes(SOME)), context.memory())) {
      Column column = context.column(codes(MORE), Arrays.asList("a", "M"));
      AragoniteException e =
          assertThrows(
              AragoniteException.class,
              () -> store.append(context, new ColumnBatch(List.of(column), 2)));
      assertEquals(ErrorCode.INTERNAL, e.code());
    }
  }

  @Test
  void refusesMoreTextThanOffsetsCanSay() {
    try (ColumnStore store = new ColumnStore(List.of(ColumnShape.of(TEXT)), context.memory())) {
      Column column = context.column(ColumnShape.of(TEXT), List.of("y".repeat(1 << 20)));
      RowIds ids = context.rowIds(false, new int[100]);
      ColumnBatch batch = new ColumnBatch(List.of(column.withRowIds(ids)), 100);
      // The budget holds 1 GiB; the check of the size must come before the memory.
      AragoniteException e =
          assertThrows(
              AragoniteException.class,
              () -> {
                for (int i = 0; i < 30; i++) {
                  store.append(context, batch);
                }
              });
      assertEquals(ErrorCode.MEMORY_EXCEEDED, e.code());
      RowIds many = context.rowIds(false, new int[3000]);
      ColumnBatch huge = new ColumnBatch(List.of(column.withRowIds(many)), 3000);
      AragoniteException tooLarge =
          assertThrows(AragoniteException.class, () -> store.append(context, huge));
      assertEquals(ErrorCode.RESULT_TOO_LARGE, tooLarge.code());
    }
  }
}
