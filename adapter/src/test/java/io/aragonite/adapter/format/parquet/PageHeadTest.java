package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.TableFile.FilePart;
import io.aragonite.adapter.format.parquet.JavaWriter.WriterSettings;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** First rows of large pages, which are decoded alone: the same as those of the whole page. */
class PageHeadTest {
  private static final int ROWS = 20_000;

  private static final String SCHEMA =
      """
      required int32 a; optional int64 b; optional binary many (STRING);
      optional binary few (STRING); optional double d; optional boolean f; required int64 some;
      optional fixed_len_byte_array(9) n (DECIMAL(20,2)); optional binary v (DECIMAL(20,2));
      optional int32 nothing;
      """;

  @TempDir Path directory;

  private Path write(
      WriterVersion version, CompressionCodecName codec, boolean dictionary, boolean split)
      throws IOException {
    Random random = new Random(7);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      boolean some = i < 3000 || random.nextInt(4) > 0;
      byte[] nine = ByteBuffer.allocate(9).putLong(1, random.nextLong(1L << 50)).array();
      rows.add(
          Arrays.asList(
              random.nextInt(),
              some ? random.nextLong() : null,
              some ? ("text " + random.nextInt()).getBytes(StandardCharsets.UTF_8) : null,
              some ? ("é" + i / 50 % 300).getBytes(StandardCharsets.UTF_8) : null,
              some ? random.nextGaussian() : null,
              some ? random.nextBoolean() : null,
              random.nextLong(1000),
              some ? nine : null,
              some ? Arrays.copyOf(nine, 9) : null,
              null));
    }
    Path path = directory.resolve("t.parquet");
    JavaWriter.write(
        path,
        SCHEMA,
        rows,
        new WriterSettings(version, dictionary, split, codec, ROWS, ROWS, true));
    return path;
  }

  private static void check(Path path) throws IOException {
    try (ParquetFile file = ParquetFile.open(path)) {
      List<List<@Nullable Object>> rows = FileValues.rows(file);
      FilePart part = file.parts().getFirst();
      assertEquals(ROWS, part.rows());
      for (int[] range :
          new int[][] {
            {0, 1}, {0, 63}, {0, 64}, {0, 65}, {0, 2999}, {0, 8000}, {5, 3100}, {7, ROWS}
          }) {
        FilePart some = Objects.requireNonNull(part.rows(range[0], range[1]));
        for (int column = 0; column < file.columns().size(); column++) {
          List<@Nullable Object> values = FileValues.values(some, column);
          assertEquals(range[1] - range[0], values.size());
          for (int i = 0; i < values.size(); i++) {
            assertEquals(
                rows.get(range[0] + i).get(column),
                values.get(i),
                "column " + column + ", rows " + Arrays.toString(range));
          }
        }
      }
    }
  }

  @Test
  void sameAsThoseOfTheWholePage() throws IOException {
    for (WriterVersion version : WriterVersion.values()) {
      for (boolean dictionary : new boolean[] {true, false}) {
        check(write(version, CompressionCodecName.SNAPPY, dictionary, false));
        check(write(version, CompressionCodecName.ZSTD, dictionary, false));
        check(write(version, CompressionCodecName.UNCOMPRESSED, dictionary, true));
      }
    }
  }

  /** What lies behind the wanted rows is not looked at; whoever reads it all is told. */
  @Test
  void whatLiesBehindIsNotRead() throws IOException {
    Path path = directory.resolve("t.parquet");
    Random random = new Random(8);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(Arrays.asList(i % 10 == 0 ? null : random.nextLong(1000)));
    }
    JavaWriter.write(
        path,
        "optional int64 b;",
        rows,
        new WriterSettings(
            WriterVersion.PARQUET_1_0,
            false,
            false,
            CompressionCodecName.SNAPPY,
            ROWS,
            ROWS,
            false));
    byte[] bytes = Files.readAllBytes(path);
    // Within the only page, far behind its first values: tags that say more bytes than there are.
    Arrays.fill(bytes, bytes.length / 2, bytes.length * 3 / 4, (byte) 0xFE);
    Files.write(path, bytes);
    try (ParquetFile file = ParquetFile.open(path)) {
      FilePart part = file.parts().getFirst();
      List<@Nullable Object> head =
          FileValues.values(Objects.requireNonNull(part.rows(0, 1000)), 0);
      for (int i = 0; i < head.size(); i++) {
        assertEquals(rows.get(i).getFirst(), head.get(i));
      }
      AragoniteException e =
          assertThrows(AragoniteException.class, () -> FileValues.values(part, 0));
      assertEquals(ErrorCode.FILE_BROKEN, e.code());
    }
  }
}
