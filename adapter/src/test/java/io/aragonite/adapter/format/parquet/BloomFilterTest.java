package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile.FilePart;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.parquet.column.values.bloomfilter.XxHash;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bloom filters that parquet-java has written. */
class BloomFilterTest {
  private static final int ROWS = 1000;
  private static final int COLUMNS = 8;

  @TempDir Path directory;

  private final Random random = new Random(Long.getLong("aragonite.seed", 3));

  private Path path() {
    return directory.resolve("bloom.parquet");
  }

  @BeforeEach
  void write() throws IOException {
    MessageType type =
        MessageTypeParser.parseMessageType(
            """
            message t {
              required int32 a; optional int64 b; required binary c (STRING);
              required int32 d (DECIMAL(9, 2)); required int64 e (DECIMAL(18, 3));
              required int32 f (INTEGER(32, false)); required int32 g (DATE); required double h;
            }
            """);
    SimpleGroupFactory groups = new SimpleGroupFactory(type);
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new LocalOutputFile(path()))
            .withConf(new PlainParquetConfiguration())
            .withType(type)
            .withBloomFilterEnabled(true)
            .withDictionaryEncoding(false)
            .build()) {
      for (int i = 0; i < ROWS; i++) {
        Group row = groups.newGroup();
        row.append("a", integer(i));
        if (i % 3 > 0) {
          row.append("b", i * 1_000_000_007L * 2);
        }
        row.append("c", text(i)).append("d", 2 * integer(i)).append("e", i * -9_000_000_017L);
        row.append("f", integer(i)).append("g", i * 2).append("h", i / 8.0);
        writer.write(row);
      }
    }
  }

  /** Of both signs, and the largest ones. */
  private static int integer(int i) {
    return i == 0 ? Integer.MIN_VALUE : i == 1 ? Integer.MAX_VALUE : (i - 500) * 2;
  }

  private static String text(int i) {
    return "é".repeat(i % 40) + i;
  }

  /** What is in column c of row i; null: null. */
  private static Object value(int column, int i) {
    return switch (column) {
      case 0 -> (long) integer(i);
      case 1 -> i * 1_000_000_007L * 2;
      case 2 -> text(i);
      case 3 -> BigDecimal.valueOf(2 * integer(i), 2);
      case 4 -> BigDecimal.valueOf(i * -9_000_000_017L, 3);
      case 5 -> integer(i) & 0xFFFFFFFFL;
      case 6 -> i * 2L;
      default -> i / 8.0;
    };
  }

  @Test
  void valuesAreFoundAndMostOthersAreNot() {
    try (ParquetFile file = ParquetFile.open(path())) {
      FilePart part = file.parts().getFirst();
      for (int column = 0; column < COLUMNS; column++) {
        for (int i = 0; i < ROWS; i++) {
          boolean isNull = column == 1 && i % 3 == 0;
          assertTrue(isNull || part.mayHave(column, value(column, i)), column + " of " + i);
        }
      }
      List<Object> absent =
          List.of(3L, 5L, "no such text", new BigDecimal("0.03"), new BigDecimal("0.001"), 7L, 9L);
      int excluded = 0;
      for (int column = 0; column < absent.size(); column++) {
        excluded += part.mayHave(column, absent.get(column)) ? 0 : 1;
      }
      assertTrue(excluded >= absent.size() - 1, excluded + " of values that are not there");
    }
  }

  @Test
  void valuesThatAColumnCannotHoldAreNotThere() {
    try (ParquetFile file = ParquetFile.open(path())) {
      FilePart part = file.parts().getFirst();
      assertFalse(part.mayHave(0, 1L << 31));
      assertFalse(part.mayHave(0, Long.MIN_VALUE));
      assertFalse(part.mayHave(3, new BigDecimal("0.001")));
      assertFalse(part.mayHave(4, new BigDecimal("1e30")));
      assertFalse(part.mayHave(5, -1L));
      // Written with other digits, it is the same value.
      assertTrue(part.mayHave(3, BigDecimal.valueOf(2 * integer(7), 2).setScale(9)));
      assertTrue(part.mayHave(7, 1e300), "zeros and NaN have several forms");
    }
  }

  @Test
  void hashesAreThoseOfParquetJava() {
    XxHash oracle = new XxHash();
    for (int length = 0; length < 200; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      assertEquals(oracle.hashBytes(bytes), XxHash64.hash(bytes), () -> "of " + bytes.length);
    }
  }

  /** Filters outside of the file, in its midst, or with a length that lies leave nothing out. */
  @Test
  void whatIsNoFilterIsPassedOver() throws IOException {
    try (Footer file = new Footer(path(), null)) {
      long size = Files.size(path());
      ParquetColumn column = file.columns().getFirst();
      ColumnMetaData data = file.rowGroups().getFirst().getColumns().getFirst().getMeta_data();
      assertFalse(BloomFilter.mayHave(file, data, column, 3L));
      for (long offset : new long[] {Long.MIN_VALUE, -1, 0, 3, size - 8, size, Long.MAX_VALUE}) {
        ColumnMetaData other = data.deepCopy().setBloom_filter_offset(offset);
        assertTrue(BloomFilter.mayHave(file, other, column, 3L), () -> "at " + offset);
      }
      for (long offset = 4; offset < size; offset += 101) {
        // Bytes that are none may look like a filter; no memory behind the file is read.
        boolean _ =
            BloomFilter.mayHave(file, data.deepCopy().setBloom_filter_offset(offset), column, 3L);
      }
      ColumnMetaData none = data.deepCopy();
      none.unsetBloom_filter_offset();
      assertTrue(BloomFilter.mayHave(file, none, column, 3L));
    }
  }

  @Test
  void aFilterWhoseLengthLiesIsPassedOver() throws IOException {
    byte[] bytes = Files.readAllBytes(path());
    int at;
    try (Footer file = new Footer(path(), null)) {
      ColumnMetaData data = file.rowGroups().getFirst().getColumns().getFirst().getMeta_data();
      at = (int) data.getBloom_filter_offset();
    }
    assertEquals(0x15, bytes[at], "a header begins with an int");
    List<byte[]> lengths = new ArrayList<>();
    // As zigzag numbers of as many bytes as there are: negative, no multiple of a block, too large.
    lengths.add(new byte[] {(byte) 0x81, (byte) 0x80, 0});
    lengths.add(new byte[] {(byte) 0x82, (byte) 0x80, 0});
    lengths.add(new byte[] {(byte) 0x80, (byte) 0x80, 0x7E});
    int digits = 1;
    while (bytes[at + digits] < 0) {
      digits++;
    }
    assertTrue(digits >= 2, "a length of some bytes");
    for (byte[] length : lengths) {
      byte[] damaged = bytes.clone();
      for (int i = 1; i <= digits; i++) {
        byte last = length[2];
        damaged[at + i] = i == digits ? last : i == 1 ? length[0] : (byte) 0x80;
      }
      Path other = Files.write(directory.resolve("damaged.parquet"), damaged);
      try (ParquetFile file = ParquetFile.open(other)) {
        assertTrue(file.parts().getFirst().mayHave(0, 3L));
      }
    }
  }
}
