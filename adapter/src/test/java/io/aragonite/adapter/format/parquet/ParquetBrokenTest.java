package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.aragonite.adapter.format.DuckDb;
import io.aragonite.adapter.format.FileValues;
import io.aragonite.adapter.format.parquet.JavaWriter.WriterSettings;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files that are cut off, damaged or something else: an error that names them, and nothing leaks.
 */
class ParquetBrokenTest {
  @TempDir Path directory;

  private static final String SCHEMA =
      """
      required int32 a; optional int64 b; optional binary t (STRING); required binary few (STRING);
      optional double d; required boolean f; optional fixed_len_byte_array(9) n (DECIMAL(20,2));
      optional binary m (DECIMAL(30,0)); optional fixed_len_byte_array(3) x;
      """;

  private Path write(WriterSettings settings, int rows) throws IOException {
    Random random = new Random(1);
    List<List<@Nullable Object>> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      boolean some = random.nextInt(3) > 0;
      byte[] nine = ByteBuffer.allocate(9).putLong(1, random.nextLong() >>> 8).array();
      values.add(
          Arrays.asList(
              i * 7,
              some ? random.nextLong() >> random.nextInt(64) : null,
              some ? ("text " + random.nextInt()).getBytes(StandardCharsets.UTF_8) : null,
              ("few " + i % 4).getBytes(StandardCharsets.UTF_8),
              some ? random.nextGaussian() : null,
              random.nextBoolean(),
              some ? nine : null,
              some ? Arrays.copyOf(nine, 1 + random.nextInt(8)) : null,
              some ? new byte[] {1, 2, (byte) i} : null));
    }
    Path path = directory.resolve("t.parquet");
    JavaWriter.write(path, SCHEMA, values, settings);
    return path;
  }

  private static AragoniteException read(Path path) {
    return assertThrows(
        AragoniteException.class,
        () -> {
          try (ParquetFile file = ParquetFile.open(path)) {
            FileValues.rows(file);
          }
        });
  }

  private static Arguments broken(String what, byte[] bytes) {
    return Arguments.of(what, bytes);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static Stream<Arguments> notParquet() {
    return Stream.of(
        broken("it is empty", new byte[0]),
        broken("4 bytes are too few", ascii("PAR1")),
        broken("PAR1", ascii("id,name\n1,somebody\n")),
        broken("PAR1", ascii("PAR1 and then it was cut off")),
        broken("footer", ascii("PAR1\u0000\u0000\u0000\u0000PAR1")),
        broken(
            "larger than the file",
            ascii("PAR1\u0000\u0000\u0000\u0000\u00FF\u00FF\u00FF\u00FFPAR1")),
        broken(
            "footer cannot be read",
            ascii("PAR1garbage garbage garbage\u0010\u0000\u0000\u0000PAR1")));
  }

  @ParameterizedTest
  @MethodSource("notParquet")
  void whatIsNoParquetFileIsRefused(String part, byte[] bytes) throws IOException {
    Path path = directory.resolve("t.parquet");
    Files.write(path, bytes);
    AragoniteException e = read(path);
    assertEquals(ErrorCode.FILE_BROKEN, e.code());
    assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  /** Levels of two columns below a nested one that are no levels of the same values. */
  @Test
  void levelsThatDisagreeAreRefused() throws IOException {
    String list =
        "required group l (LIST) { repeated group list { required group element { required int32 a;"
            + " required int32 b; } } }";
    int[] ones = {1, 1, 1};
    int[] rowsOfTwoAndOne = {0, 1, 0};
    Path path = directory.resolve("levels.parquet");
    writeLevels(
        path, list, new int[][] {rowsOfTwoAndOne, rowsOfTwoAndOne}, new int[][] {ones, ones});
    try (ParquetFile file = ParquetFile.open(path)) {
      FileValues.rows(file);
    }
    writeLevels(path, list, new int[][] {rowsOfTwoAndOne, {0, 0, 0}}, new int[][] {ones, ones});
    requireDisagreement(path);
    writeLevels(path, list, new int[][] {{0, 0, 1}, rowsOfTwoAndOne}, new int[][] {ones, ones});
    requireDisagreement(path);
    String struct = "optional group s { required int32 a; required int32 b; }";
    int[][] none = {{0, 0}, {0, 0}};
    writeLevels(path, struct, none, new int[][] {{1, 0}, {0, 1}});
    requireDisagreement(path);
    writeLevels(path, struct, none, new int[][] {{0, 1}, {1, 0}});
    requireDisagreement(path);
  }

  private static void requireDisagreement(Path path) {
    AragoniteException e = read(path);
    assertEquals(ErrorCode.FILE_BROKEN, e.code());
    assertTrue(e.getMessage().contains("do not agree"), e.getMessage());
  }

  /** Writes two rows of a column with two columns below, whose levels are at most 1. */
  private static void writeLevels(
      Path path, String schema, int[][] repetitions, int[][] definitions) throws IOException {
    MessageType type = MessageTypeParser.parseMessageType("message t { " + schema + " }");
    ParquetFileWriter writer =
        new ParquetFileWriter(
            new LocalOutputFile(path), type, ParquetFileWriter.Mode.OVERWRITE, 1 << 20, 0);
    writer.start();
    writer.startBlock(2);
    for (int leaf = 0; leaf < 2; leaf++) {
      ColumnDescriptor column = type.getColumns().get(leaf);
      int entries = definitions[leaf].length;
      ByteBuffer page = ByteBuffer.allocate(1 << 10).order(ByteOrder.LITTLE_ENDIAN);
      if (column.getMaxRepetitionLevel() > 0) {
        putLevels(page, repetitions[leaf]);
      }
      putLevels(page, definitions[leaf]);
      for (int i = 0; i < entries; i++) {
        if (definitions[leaf][i] == 1) {
          page.putInt(i);
        }
      }
      page.flip();
      writer.startColumn(column, entries, CompressionCodecName.UNCOMPRESSED);
      writer.writeDataPage(
          entries,
          page.limit(),
          BytesInput.from(page),
          Statistics.createStats(column.getPrimitiveType()),
          2,
          Encoding.RLE,
          Encoding.RLE,
          Encoding.PLAIN);
      writer.endColumn();
    }
    writer.endBlock();
    writer.end(Map.of());
  }

  /** Runs of one level each. */
  private static void putLevels(ByteBuffer page, int[] levels) {
    page.putInt(2 * levels.length);
    for (int level : levels) {
      page.put((byte) 2).put((byte) level);
    }
  }

  @Test
  void anEncryptedFooterIsRefusedByName() throws IOException {
    Path path = directory.resolve("t.parquet");
    Files.write(path, ascii("PARE.............PARE"));
    AragoniteException e = read(path);
    assertEquals(ErrorCode.FILE_UNSUPPORTED, e.code());
    assertTrue(e.getMessage().contains("encrypted"), e.getMessage());
  }

  @Test
  void aBrotliColumnIsRefusedByNameAndTheOthersAreRead() throws IOException, SQLException {
    Path path = directory.resolve("t.parquet");
    try (DuckDb duck = new DuckDb()) {
      duck.execute(
          "copy (select range as a, 'x' || range as b from range(1000)) to '"
              + path
              + "' (format parquet, compression brotli)");
    }
    AragoniteException e = read(path);
    assertEquals(ErrorCode.FILE_UNSUPPORTED, e.code());
    assertTrue(e.getMessage().contains("BROTLI"), e.getMessage());
  }

  @Test
  void aWrongByteIsFoundByTheChecksum() throws IOException {
    Path path =
        write(
            new WriterSettings(
                WriterVersion.PARQUET_1_0,
                false,
                false,
                CompressionCodecName.UNCOMPRESSED,
                1000,
                1000,
                true),
            500);
    byte[] bytes = Files.readAllBytes(path);
    bytes[1000] ^= 4;
    Files.write(path, bytes);
    AragoniteException e = read(path);
    assertTrue(
        e.getMessage().contains("column \"a\" of row group 0: page 0: a page's checksum is wrong"),
        e.getMessage());
  }

  @Test
  void partsOfAFolderMustHaveTheSameColumns() throws IOException, SQLException {
    Path folder = Files.createDirectory(directory.resolve("t"));
    try (DuckDb duck = new DuckDb()) {
      duck.execute("copy (select 1 as a, 'x' as b) to '" + folder + "/1.parquet'");
      duck.execute("copy (select 2 as a, null::varchar as b) to '" + folder + "/2.parquet'");
      Files.writeString(folder.resolve("_SUCCESS"), "");
      try (ParquetFile file = ParquetFile.open(folder)) {
        assertEquals(List.of(List.of(1L, "x"), Arrays.asList(2L, null)), FileValues.rows(file));
      }
      duck.execute("copy (select 2 as a, 3 as b) to '" + folder + "/2.parquet'");
      AragoniteException e = read(folder);
      assertEquals(ErrorCode.FILE_BROKEN, e.code());
      assertTrue(e.getMessage().contains("2.parquet"), e.getMessage());
      assertTrue(e.getMessage().contains("column 2"), e.getMessage());
      duck.execute("copy (select 2 as a) to '" + folder + "/2.parquet'");
      assertTrue(read(folder).getMessage().contains("1 columns"), "another number of columns");
    }
  }

  @Test
  void aPartThatIsALinkOutOfTheFolderIsRefused() throws IOException, SQLException {
    Path folder = Files.createDirectory(directory.resolve("t"));
    Path outside = directory.resolve("outside.parquet");
    try (DuckDb duck = new DuckDb()) {
      duck.execute("copy (select 1 as a) to '" + outside + "'");
    }
    Files.createSymbolicLink(folder.resolve("1.parquet"), outside);
    assertEquals(ErrorCode.FILE_OUTSIDE_DIRECTORY, read(folder).code());
  }

  static Stream<WriterSettings> damaged() {
    return Stream.of(WriterVersion.values())
        .flatMap(version ->
            Stream.of(
                    CompressionCodecName.UNCOMPRESSED,
                    CompressionCodecName.SNAPPY,
                    CompressionCodecName.ZSTD,
                    CompressionCodecName.LZ4_RAW,
                    CompressionCodecName.GZIP)
                .flatMap(codec ->
                    Stream.of(true, false)
                        .map(dictionary ->
                            new WriterSettings(
                                version, dictionary, !dictionary, codec, 60, 150, false))));
  }

  /** Whatever bytes are wrong, the answer is values or one of our errors, and memory is back. */
  @ParameterizedTest
  @MethodSource("damaged")
  void damageIsAnErrorAndNeverACrash(WriterSettings settings) throws IOException {
    String given = System.getProperty("aragonite.seed", "");
    long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
    Random random = new Random(seed);
    byte[] sound = Files.readAllBytes(write(settings, 300));
    Path path = directory.resolve("damaged.parquet");
    Set<ErrorCode> expected =
        EnumSet.of(
            ErrorCode.FILE_BROKEN,
            ErrorCode.FILE_UNSUPPORTED,
            ErrorCode.MEMORY_EXCEEDED,
            ErrorCode.RESULT_TOO_LARGE);
    int errors = 0;
    for (int trial = 0; trial < 150; trial++) {
      byte[] bytes = damage(sound, random);
      Files.write(path, bytes);
      try (ParquetFile file = new ParquetFile(path, trial % 2 == 0 ? 1 << 17 : 20)) {
        FileValues.rows(file);
      } catch (AragoniteException e) {
        errors++;
        if (!expected.contains(e.code())) {
          fail(settings + ", trial " + trial + ", -Daragonite.seed=" + seed, e);
        }
      } catch (Throwable e) {
        fail(settings + ", trial " + trial + ", -Daragonite.seed=" + seed, e);
      }
    }
    assertTrue(errors > 20, errors + " errors in 150 damaged files");
  }

  private static byte[] damage(byte[] sound, Random random) {
    byte[] bytes = sound.clone();
    switch (random.nextInt(4)) {
      case 0 -> {
        int length = 8 + random.nextInt(sound.length - 8);
        // Cut out of the middle, so that the footer is there and its offsets are wrong.
        byte[] cut = new byte[length];
        int tail = Math.min(length - 4, sound.length / 2);
        System.arraycopy(sound, 0, cut, 0, length - tail);
        System.arraycopy(sound, sound.length - tail, cut, length - tail, tail);
        bytes = cut;
      }
      case 1 -> {
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
          bytes[4 + random.nextInt(bytes.length - 12)] = (byte) random.nextInt();
        }
      }
      case 2 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      default -> {
        int at = 4 + random.nextInt(bytes.length - 12);
        Arrays.fill(
            bytes,
            at,
            Math.min(bytes.length - 8, at + 1 + random.nextInt(16)),
            (byte) (random.nextBoolean() ? -1 : 0));
      }
    }
    return bytes;
  }
}
