package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.parquet.JavaWriter.WriterSettings;
import io.aragonite.exec.type.Storage;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that parquet-java wrote: each type in each encoding, format version and page size. */
class ParquetEncodingsTest {
  private static final long NANOS = 1_000_000_000L;

  @TempDir Path directory;

  /** What a column is declared as, a value to write, and what must be read for it. */
  private record Kind(
      String schema, Function<Random, Object> writer, Function<Object, Object> reader) {}

  private static Kind kind(
      String schema, Function<Random, Object> writer, Function<Object, Object> reader) {
    return new Kind(schema, writer, reader);
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static Object hex(Object bytes) {
    return HexFormat.of().formatHex((byte[]) bytes);
  }

  private static Object decimal(Object bytes, int scale) {
    byte[] value = (byte[]) bytes;
    return new BigDecimal(value.length == 0 ? BigInteger.ZERO : new BigInteger(value), scale);
  }

  private static final List<Kind> KINDS =
      List.of(
          kind("boolean c", Random::nextBoolean, v -> v),
          kind("int32 c", Random::nextInt, v -> (long) (int) v),
          kind("int32 c", r -> 1000 + r.nextInt(5), v -> (long) (int) v),
          kind("int64 c", Random::nextLong, v -> v),
          kind("int64 c", r -> r.nextLong() >> r.nextInt(64), v -> v),
          kind("int32 c (INTEGER(8,true))", r -> (int) (byte) r.nextInt(), v -> (long) (int) v),
          kind("int32 c (INTEGER(16,false))", r -> r.nextInt(65536), v -> (long) (int) v),
          kind(
              "int32 c (INTEGER(32,false))", Random::nextInt, v -> Integer.toUnsignedLong((int) v)),
          kind(
              "int64 c (INTEGER(64,false))",
              Random::nextLong,
              v -> new BigDecimal(Long.toUnsignedString((long) v))),
          kind("float c", Random::nextFloat, v -> v),
          kind("double c", Random::nextGaussian, v -> v),
          kind(
              "int32 c (DATE)",
              r -> r.nextInt(100_000) - 50_000,
              v -> LocalDate.ofEpochDay((int) v)),
          kind(
              "int32 c (TIME(MILLIS,true))",
              r -> r.nextInt(86_400_000),
              v -> LocalTime.ofNanoOfDay((int) v * 1_000_000L)),
          kind(
              "int64 c (TIME(NANOS,true))",
              r -> r.nextLong(86_400_000_000_000L),
              v -> LocalTime.ofNanoOfDay((long) v / 1_000 * 1_000)),
          kind(
              "int64 c (TIMESTAMP(NANOS,false))",
              Random::nextLong,
              v -> moment(Math.floorDiv((long) v, NANOS), Math.floorMod((long) v, NANOS))),
          kind(
              "int64 c (TIMESTAMP(MICROS,true))",
              r -> r.nextLong() >> 10,
              v ->
                  moment(
                      Math.floorDiv((long) v, 1_000_000L),
                      Math.floorMod((long) v, 1_000_000L) * 1000)),
          kind(
              "int96 c",
              r ->
                  ByteBuffer.allocate(12)
                      .order(ByteOrder.LITTLE_ENDIAN)
                      .putLong(r.nextLong(86_400_000_000_000L))
                      .putInt(2_440_588 + r.nextInt(40_000) - 20_000)
                      .array(),
              v -> {
                ByteBuffer b = ByteBuffer.wrap((byte[]) v).order(ByteOrder.LITTLE_ENDIAN);
                long second = (b.getInt(8) - 2_440_588L) * 86_400 + b.getLong(0) / NANOS;
                return moment(second, b.getLong(0) % NANOS / 1000 * 1000);
              }),
          kind(
              "fixed_len_byte_array(2) c (FLOAT16)",
              r -> {
                short half = Float.floatToFloat16(r.nextFloat());
                return new byte[] {(byte) half, (byte) (half >> 8)};
              },
              v -> Float.float16ToFloat((short) (((byte[]) v)[0] & 0xFF | ((byte[]) v)[1] << 8))),
          kind(
              "int32 c (DECIMAL(9,2))",
              r -> r.nextInt(1_999_999_999) - 999_999_999,
              v -> BigDecimal.valueOf((int) v, 2)),
          kind(
              "int64 c (DECIMAL(18,4))",
              r -> r.nextLong(1_000_000_000_000_000_000L),
              v -> BigDecimal.valueOf((long) v, 4)),
          kind(
              "int64 c (DECIMAL(15,2))",
              r -> (long) r.nextInt(256) - 128,
              v -> BigDecimal.valueOf((long) v, 2)),
          kind(
              "int64 c (DECIMAL(15,2))",
              r -> (long) r.nextInt(1 << 16) - (1 << 15),
              v -> BigDecimal.valueOf((long) v, 2)),
          kind("int64 c", r -> (long) r.nextInt(), v -> v),
          kind("int64 c", r -> (long) r.nextInt(7) - 3, v -> v),
          kind("int32 c (DATE)", r -> r.nextInt(20_000), v -> LocalDate.ofEpochDay((int) v)),
          kind(
              "int32 c (INTEGER(32,false))",
              r -> r.nextInt(100),
              v -> Integer.toUnsignedLong((int) v)),
          kind(
              "fixed_len_byte_array(5) c (DECIMAL(11,3))",
              r -> new byte[] {0, 0, 0, 0, (byte) r.nextInt(128)},
              v -> decimal(v, 3)),
          kind("binary c (DECIMAL(14,1))", r -> bytes(r, 1 + r.nextInt(2)), v -> decimal(v, 1)),
          kind("fixed_len_byte_array(5) c (DECIMAL(11,3))", r -> bytes(r, 5), v -> decimal(v, 3)),
          kind("fixed_len_byte_array(16) c (DECIMAL(38,7))", r -> bytes(r, 16), v -> decimal(v, 7)),
          kind("binary c (DECIMAL(14,1))", r -> bytes(r, 1 + r.nextInt(6)), v -> decimal(v, 1)),
          kind("binary c (DECIMAL(38,1))", r -> bytes(r, 1 + r.nextInt(15)), v -> decimal(v, 1)),
          kind(
              "binary c (STRING)",
              r ->
                  ("é" + r.nextInt(100_000)).repeat(r.nextInt(20)).getBytes(StandardCharsets.UTF_8),
              v -> new String((byte[]) v, StandardCharsets.UTF_8)),
          kind(
              "binary c (ENUM)",
              r -> ("value " + r.nextInt(3)).getBytes(StandardCharsets.UTF_8),
              v -> new String((byte[]) v, StandardCharsets.UTF_8)),
          kind(
              "binary c (JSON)",
              r -> ("{\"x\": " + r.nextInt() + "}").getBytes(StandardCharsets.UTF_8),
              v -> new String((byte[]) v, StandardCharsets.UTF_8)),
          kind("binary c", r -> bytes(r, r.nextInt(30)), ParquetEncodingsTest::hex),
          kind("fixed_len_byte_array(7) c", r -> bytes(r, 7), ParquetEncodingsTest::hex),
          kind(
              "fixed_len_byte_array(16) c (UUID)",
              r -> bytes(r, 16),
              v -> {
                ByteBuffer b = ByteBuffer.wrap((byte[]) v);
                return new java.util.UUID(b.getLong(), b.getLong()).toString();
              }));

  private static LocalDateTime moment(long second, long nanos) {
    return LocalDateTime.ofEpochSecond(second, (int) nanos, java.time.ZoneOffset.UTC);
  }

  static Stream<Arguments> settings() {
    List<Arguments> all = new ArrayList<>();
    for (WriterVersion version : WriterVersion.values()) {
      for (boolean dictionary : new boolean[] {true, false}) {
        for (boolean split : new boolean[] {false, true}) {
          all.add(
              Arguments.of(
                  new WriterSettings(
                      version, dictionary, split, CompressionCodecName.SNAPPY, 97, 400, true)));
        }
      }
      for (CompressionCodecName codec :
          List.of(
              CompressionCodecName.UNCOMPRESSED,
              CompressionCodecName.GZIP,
              CompressionCodecName.ZSTD,
              CompressionCodecName.LZ4_RAW)) {
        all.add(Arguments.of(new WriterSettings(version, true, false, codec, 200, 5000, false)));
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void everyTypeIsReadInEveryEncoding(WriterSettings settings) throws IOException {
    Random random = new Random(7);
    int rows = 1003;
    StringBuilder schema = new StringBuilder();
    for (int k = 0; k < KINDS.size(); k++) {
      schema.append("required ").append(KINDS.get(k).schema.replace(" c", " r" + k)).append("; ");
      schema.append("optional ").append(KINDS.get(k).schema.replace(" c", " o" + k)).append("; ");
    }
    List<List<@Nullable Object>> written = new ArrayList<>();
    List<List<@Nullable Object>> expected = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      List<@Nullable Object> read = new ArrayList<>();
      for (Kind kind : KINDS) {
        Object value = kind.writer.apply(random);
        // Runs of nulls longer than a page, single ones, and none.
        boolean present = i < 150 || (i > 300 && random.nextInt(4) > 0);
        row.add(value);
        row.add(present ? value : null);
        Object meant = kind.reader.apply(value);
        read.add(meant);
        read.add(present ? meant : null);
      }
      written.add(row);
      expected.add(read);
    }
    Path path = directory.resolve("t.parquet");
    JavaWriter.write(path, schema.toString(), written, settings);
    int groups = (rows + settings.groupRows() - 1) / settings.groupRows();
    for (int leastRows : new int[] {1 << 17, 150, 1}) {
      try (ParquetFile file = new ParquetFile(path, leastRows)) {
        int parts = file.parts().size();
        assertTrue(leastRows > rows ? parts == groups : parts > groups, parts + " parts");
        for (int c = 0; c < file.columns().size(); c++) {
          int column = c;
          List<@Nullable Object> values = expected.stream().map(row -> row.get(column)).toList();
          String name = KINDS.get(c / 2).schema + (c % 2 == 0 ? "" : " optional");
          assertEquals(values, FileValues.column(file, c), name);
          Storage widest = Storage.of(Objects.requireNonNull(file.columns().get(c).type()));
          for (Storage narrow : List.of(Storage.BYTE, Storage.SHORT, Storage.INT)) {
            if ((widest == Storage.INT || widest == Storage.LONG) && narrow.widensTo(widest)) {
              assertEquals(values, FileValues.column(file, c, narrow), name + " " + narrow);
            }
          }
        }
      }
    }
  }
}
