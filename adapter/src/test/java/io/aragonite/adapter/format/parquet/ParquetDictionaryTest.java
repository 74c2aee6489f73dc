package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile.Decoded;
import io.aragonite.adapter.format.parquet.JavaWriter.WriterSettings;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text whose pages are numbers in a dictionary stays so, and what lies about it is an error. */
class ParquetDictionaryTest {
  @TempDir private Path directory;

  private Path write(int rows, int pageRows, IntFunction<@Nullable String> value)
      throws IOException {
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      String text = value.apply(i);
      values.add(
          Collections.singletonList(text == null ? null : text.getBytes(StandardCharsets.UTF_8)));
    }
    Path path = directory.resolve("t.parquet");
    WriterSettings settings =
        new WriterSettings(
            WriterVersion.PARQUET_1_0,
            true,
            false,
            CompressionCodecName.UNCOMPRESSED,
            pageRows,
            1 << 20,
            false);
    JavaWriter.write(path, "optional binary t (STRING);", values, settings);
    return path;
  }

  private static @Nullable PartDictionary dictionary(Path path, Storage storage) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 30);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        ParquetFile file = ParquetFile.open(path);
        Decoded decoded = file.parts().getFirst().read(0, memory)) {
      assertEquals(storage, decoded.column().shape().storage());
      return decoded.dictionary();
    }
  }

  private static void same(Path path, int rows, IntFunction<@Nullable String> value) {
    List<@Nullable Object> expected = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      expected.add(value.apply(i));
    }
    for (int leastRows : new int[] {1 << 17, 300}) {
      try (ParquetFile file = new ParquetFile(path, leastRows)) {
        assertEquals(expected, FileValues.column(file, 0));
      }
    }
  }

  @Test
  void numbersAreAsWideAsTheDictionaryNeeds() throws IOException {
    for (int distinct : new int[] {1, 256, 257, 70_000}) {
      IntFunction<@Nullable String> value = i -> i % 11 == 3 ? null : "v" + i % distinct;
      int rows = Math.max(1000, 6 * distinct);
      Path path = write(rows, rows / 2, value);
      PartDictionary dictionary =
          dictionary(
              path,
              distinct <= 256 ? Storage.BYTE : distinct <= 65_536 ? Storage.SHORT : Storage.INT);
      assertNotNull(dictionary);
      assertEquals(distinct, dictionary.count());
      same(path, rows, value);
    }
  }

  /** parquet-java goes on with values when a dictionary has more than a MB. */
  @Test
  void aChunkThatLeavesItsDictionaryHasItsValues() throws IOException {
    IntFunction<@Nullable String> value =
        i ->
            i % 7 == 0
                ? null
                : i < 2000 ? "few " + i % 3 : i + " of many long values".repeat(20 + i % 3);
    Path path = write(8000, 500, value);
    assertNull(dictionary(path, Storage.BYTES));
    same(path, 8000, value);
  }

  @Test
  void rowsThatAreAllNullNeedNoDictionary() throws IOException {
    Path path = write(500, 100, i -> null);
    same(path, 500, i -> null);
  }

  private static String refused(Path path) {
    AragoniteException e =
        assertThrows(
            AragoniteException.class,
            () -> {
              try (ParquetFile file = ParquetFile.open(path)) {
                FileValues.rows(file);
              }
            });
    assertEquals(ErrorCode.FILE_BROKEN, e.code());
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    assertTrue(e.getMessage().contains("column \"t\" of row group 0"), e.getMessage());
    return e.getMessage();
  }

  /** A file of three values, with some bytes replaced that it has once. */
  private Path changed(byte[] from, byte[] to) throws IOException {
    Path path = write(8, 100, i -> List.of("red", "green", "blue").get(i % 3));
    byte[] bytes = Files.readAllBytes(path);
    int at = -1;
    for (int i = 0; i + from.length <= bytes.length; i++) {
      if (Arrays.equals(bytes, i, i + from.length, from, 0, from.length)) {
        assertEquals(-1, at, "the bytes are there twice");
        at = i;
      }
    }
    assertTrue(at > 0, "the bytes are not there");
    System.arraycopy(to, 0, bytes, at, to.length);
    Files.write(path, bytes);
    return path;
  }

  /** Eight numbers of two bits: 0 1 2 0, 1 2 0 1. */
  private static final byte[] NUMBERS = {2, 3, 0x24, 0x49};

  @Test
  void aNumberBeyondTheDictionaryIsRefused() throws IOException {
    String message = refused(changed(NUMBERS, new byte[] {2, 3, 0x24, 0x4F}));
    assertTrue(message.contains("beyond its dictionary"), message);
  }

  @Test
  void numbersOfTooManyBitsAreRefused() throws IOException {
    String message = refused(changed(NUMBERS, new byte[] {33, 3, 0x24, 0x49}));
    assertTrue(message.contains("33 bits"), message);
  }

  @Test
  void fewerNumbersThanRowsAreRefused() throws IOException {
    String message = refused(changed(NUMBERS, new byte[] {16, 3, 0x24, 0x49}));
    assertTrue(message.contains("ends too early"), message);
  }

  @Test
  void aLengthThatLiesIsRefused() throws IOException {
    byte[] red = {3, 0, 0, 0, 'r', 'e', 'd'};
    for (int length : new int[] {-1, Integer.MAX_VALUE, 200}) {
      byte[] lie = red.clone();
      for (int i = 0; i < 4; i++) {
        lie[i] = (byte) (length >> 8 * i);
      }
      String message = refused(changed(red, lie));
      assertTrue(message.contains("longer than its page"), message);
    }
    byte[] shorter = red.clone();
    shorter[0] = 2;
    refused(changed(red, shorter));
  }
}
