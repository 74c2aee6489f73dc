package io.aragonite.adapter.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.nested.NestedEncoder;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.MemoryReservation;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of structs, whose rows come in slices; under nulls are bytes that mean nothing. */
class NestedFieldTest {
  private static final NestedType STRUCT =
      new NestedType.Struct(
          List.of(
              new NestedType.Field("a", scalar(DataType.of(TypeKind.INT32, true))),
              new NestedType.Field("b", scalar(DataType.of(TypeKind.VARCHAR, true)))),
          true);
  private static final NestedType LIST = new NestedType.Listed(STRUCT, true);

  @TempDir private Path folder;
  private final Random random = new Random(Long.getLong("aragonite.seed", 1));

  private static NestedType scalar(DataType type) {
    return new NestedType.Scalar(type);
  }

  private @Nullable Object list() {
    if (random.nextInt(4) == 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      elements.add(
          random.nextInt(5) == 0
              ? null
              : new Object[] {
                random.nextInt(3) == 0 ? null : random.nextInt(1000),
                random.nextInt(3) == 0 ? null : "t" + random.nextInt(50)
              });
    }
    return elements;
  }

  private static String text(@Nullable Object value) {
    return switch (value) {
      case null -> "NULL";
      case List<?> list -> list.stream().map(NestedFieldTest::text).toList().toString();
      case Object[] row -> "{'a': %s, 'b': %s}".formatted(text(row[0]), text(row[1]));
      default -> value.toString();
    };
  }

  private void fill(VarBinaryVector vector, List<@Nullable Object> values) {
    NestedEncoder encoder = new NestedEncoder(LIST, "c");
    vector.allocateNew();
    for (int row = 0; row < values.size(); row++) {
      Object value = values.get(row);
      if (value == null) {
        byte[] poison = new byte[1 + random.nextInt(20)];
        Arrays.fill(poison, (byte) 0x7F);
        vector.setSafe(row, poison);
      } else {
        ByteBuffer bytes = encoder.encode(value);
        vector.setSafe(row, bytes.array(), 0, bytes.position());
      }
    }
    vector.setValueCount(values.size());
    for (int row = 0; row < values.size(); row++) {
      if (values.get(row) == null) {
        BitVectorHelper.unsetBit(vector.getValidityBuffer(), row);
      }
    }
  }

  private void write(VectorSchemaRoot root, WrittenField field, int... cuts) throws IOException {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
    try (OutputStream out = Files.newOutputStream(folder.resolve("t.parquet"));
        CopyMemory memory = new CopyMemory(budget);
        MemoryReservation block = memory.reserve(0);
        ParquetOutput output =
            new ParquetOutput(
                out,
                PageCompression.NONE,
                List.of(field),
                new QueryWords(new MapDictionaryProvider()))) {
      for (int i = 0; i + 1 < cuts.length; i += 2) {
        List<RowSlice> slices =
            List.of(
                new RowSlice(root, cuts[i], cuts[i + 1]),
                new RowSlice(root, cuts[i + 1], cuts[i + 2]));
        if (RowSlice.rows(slices) > 0) {
          output.encode(slices, block).append();
        }
      }
      output.finish();
    }
    assertEquals(0, budget.used());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 63, 64, 65, 1001, 50_003})
  void rowsComeBack(int rows) throws Exception {
    List<@Nullable Object> values = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      values.add(list());
    }
    try (BufferAllocator allocator = new RootAllocator();
        VarBinaryVector vector = new VarBinaryVector("c", allocator)) {
      fill(vector, values);
      VectorSchemaRoot root = new VectorSchemaRoot(List.of(vector));
      write(root, new NestedField("c", LIST), 0, rows / 3, rows / 2, rows - rows / 5, rows);
    }
    try (DuckDb duckDb = new DuckDb()) {
      assertEquals(
          values.stream().map(NestedFieldTest::text).toList(),
          duckDb
              .rows(
                  "select coalesce(c::varchar, 'NULL') from '%s'"
                      .formatted(folder.resolve("t.parquet")))
              .stream()
              .map(row -> String.valueOf(row.getFirst()))
              .toList());
    }
  }

  @Test
  void typesMayBeSixtyFourDeep() {
    NestedType type = scalar(DataType.INT32);
    for (int i = 0; i < 64; i++) {
      type = new NestedType.Listed(type, true);
    }
    assertEquals(1, new NestedField("c", type).leaves().size());
    NestedType deeper = new NestedType.Listed(type, true);
    AragoniteException e =
        assertThrows(AragoniteException.class, () -> new NestedField("c", deeper));
    assertEquals(ErrorCode.COLUMN_TYPE_UNSUPPORTED, e.code());
  }
}
