package io.aragonite.adapter.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileWriter.Mode;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/** Writes files with parquet-java. */
public final class JavaWriter {
  private JavaWriter() {}

  /** Adds the values of a nested column to the group of a row. */
  @FunctionalInterface
  public interface GroupFiller {
    void fill(Group row);
  }

  /** How a file is written. */
  public record WriterSettings(
      WriterVersion version,
      boolean dictionary,
      boolean streamSplit,
      CompressionCodecName codec,
      int pageRows,
      int groupRows,
      boolean checksums) {}

  /**
   * @param schema in Parquet's notation
   * @param rows values by row: Boolean, Integer, Long, Float, Double, byte[], null; of a nested
   *     column what adds to the group of the row
   */
  public static void write(
      Path path, String schema, List<List<@Nullable Object>> rows, WriterSettings settings)
      throws IOException {
    write(path, schema, rows, settings, ParquetProperties.DEFAULT_DICTIONARY_PAGE_SIZE);
  }

  /**
   * The same where dictionaries are given up that become too large.
   *
   * @param dictionaryBytes of a dictionary at most
   */
  public static void write(
      Path path,
      String schema,
      List<List<@Nullable Object>> rows,
      WriterSettings settings,
      int dictionaryBytes)
      throws IOException {
    MessageType type = MessageTypeParser.parseMessageType("message t { " + schema + " }");
    SimpleGroupFactory groups = new SimpleGroupFactory(type);
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new LocalOutputFile(path))
            .withConf(new PlainParquetConfiguration())
            .withType(type)
            .withWriteMode(Mode.OVERWRITE)
            .withWriterVersion(settings.version)
            .withDictionaryEncoding(settings.dictionary)
            .withDictionaryPageSize(dictionaryBytes)
            .withByteStreamSplitEncoding(settings.streamSplit)
            .withCompressionCodec(settings.codec)
            .withPageWriteChecksumEnabled(settings.checksums)
            .withPageRowCountLimit(settings.pageRows)
            .withMinRowCountForPageSizeCheck(1)
            .withRowGroupRowCountLimit(settings.groupRows)
            .build()) {
      for (List<@Nullable Object> row : rows) {
        Group group = groups.newGroup();
        for (int c = 0; c < row.size(); c++) {
          add(group, type, c, row.get(c));
        }
        writer.write(group);
      }
    }
  }

  private static void add(Group group, MessageType type, int column, @Nullable Object value) {
    switch (value) {
      case null -> {}
      case GroupFiller v -> v.fill(group);
      case Boolean v -> group.add(column, v);
      case Integer v -> group.add(column, v);
      case Long v -> group.add(column, v);
      case Float v -> group.add(column, v);
      case Double v -> group.add(column, v);
      case byte[] v -> {
        PrimitiveTypeName physical = type.getType(column).asPrimitiveType().getPrimitiveTypeName();
        if (physical == PrimitiveTypeName.INT96) {
          ByteBuffer bytes = ByteBuffer.wrap(v).order(ByteOrder.LITTLE_ENDIAN);
          group.add(
              column,
              new org.apache.parquet.example.data.simple.NanoTime(
                  bytes.getInt(8), bytes.getLong(0)));
        } else {
          group.add(column, Binary.fromConstantByteArray(v));
        }
      }
      default -> throw new IllegalArgumentException(value.toString());
    }
  }
}
