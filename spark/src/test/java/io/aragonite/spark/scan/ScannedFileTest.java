package io.aragonite.spark.scan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.spark.column.EngineColumnVector;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.executor.InputMetrics;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of a file's rows, of which a part is a row group. */
class ScannedFileTest {
  private static final int ROWS = 200_001;
  private static final int GROUP_ROWS = 140_000;
  private static final List<DataType> TYPES =
      List.of(
          DataType.of(TypeKind.INT64, true),
          DataType.of(TypeKind.VARCHAR, true),
          DataType.of(TypeKind.VARCHAR, true),
          DataType.of(TypeKind.FLOAT64, false));
  private static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType(
          "message rows { optional int64 number; optional binary few (STRING);"
              + " optional binary many (STRING); required double d; }");

  @TempDir static Path folder;
  private static Path file;

  @BeforeAll
  static void write() throws IOException {
    file = folder.resolve("rows.parquet");
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file.toUri());
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(path)
            .withConf(new Configuration(false))
            .withType(SCHEMA)
            .withRowGroupSize(1L << 30)
            .withRowGroupRowCountLimit(GROUP_ROWS)
            .build()) {
      for (int i = 0; i < ROWS; i++) {
        writer.write(row(i));
      }
    }
  }

  /** The first part has no null number, and the second no null word. */
  private static Group row(int i) {
    Group row = new SimpleGroup(SCHEMA);
    if (i < GROUP_ROWS || i % 7 != 0) {
      row.add("number", i * 1_000_003L);
    }
    if (i >= GROUP_ROWS && i < GROUP_ROWS || i % 5 != 0) {
      row.add("few", "word" + i % 9);
    }
    if (i % 11 != 0) {
      row.add("many", i + "x".repeat(i % 17));
    }
    row.add("d", i / 3.0);
    return row;
  }

  private static String text(Group row) {
    StringBuilder text = new StringBuilder();
    for (int field = 0; field < 4; field++) {
      text.append(row.getFieldRepetitionCount(field) == 0 ? "null" : row.getValueToString(field, 0));
      text.append(' ');
    }
    return text.toString();
  }

  private static SQLMetric metric() {
    return new SQLMetric("sum", 0);
  }

  /** The rows of each batch; they are the file's. */
  private static List<Integer> batches(int wanted) {
    ScanPlan plan =
        new ScanPlan(
            List.of("number", "few", "many", "d"),
            List.of(),
            List.of(),
            true,
            "CORRECTED",
            true,
            false,
            metric(),
            new ScanMetrics(metric(), metric(), metric(), metric(), metric()));
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    List<Integer> counts = new ArrayList<>();
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        ScannedFile scanned =
            new ScannedFile(
                plan,
                TYPES,
                ParquetFile.open(file),
                List.of(0, 1, 2, 3),
                new UnsafeRow(0),
                () -> new NativeQueryMemory(budget, 0),
                new InputMetrics(),
                ScannedFile.MOST_BYTES)) {
      int done = 0;
      for (ColumnBatch batch = scanned.next(memory, wanted);
          batch != null;
          batch = scanned.next(memory, wanted)) {
        check(batch, done);
        done += batch.rows();
        counts.add(batch.rows());
        for (Column column : batch.columns()) {
          Batches.free(memory, column);
        }
        assertEquals(0, memory.used());
      }
      assertEquals(ROWS, done);
    }
    return counts;
  }

  private static void check(ColumnBatch batch, int first) {
    EngineColumnVector number = new EngineColumnVector(DataTypes.LongType, batch.column(0));
    EngineColumnVector few = new EngineColumnVector(DataTypes.StringType, batch.column(1));
    EngineColumnVector many = new EngineColumnVector(DataTypes.StringType, batch.column(2));
    EngineColumnVector d = new EngineColumnVector(DataTypes.DoubleType, batch.column(3));
    for (int i = 0; i < batch.rows(); i++) {
      boolean atAnEnd = i < 70 || i >= batch.rows() - 70 || Math.abs(first + i - GROUP_ROWS) < 70;
      if (!atAnEnd && i % 29 != 0) {
        continue;
      }
      String read =
          (number.isNullAt(i) ? "null" : number.getLong(i))
              + " " + few.getUTF8String(i) + " " + many.getUTF8String(i) + " " + d.getDouble(i) + " ";
      assertEquals(text(row(first + i)), read);
    }
  }

  /** The second part begins within a word of bits of nulls. */
  @Test
  void manyRowsAreOfSeveralParts() {
    try (ParquetFile opened = ParquetFile.open(file)) {
      assertEquals(
          List.of(GROUP_ROWS, ROWS - GROUP_ROWS),
          opened.parts().stream().map(TableFile.FilePart::rows).toList());
    }
    assertEquals(List.of(ROWS), batches(1 << 20));
    assertEquals(List.of(149_984, 50_017), batches(150_000));
  }

  @Test
  void aBatchHasNoMoreRowsThanWanted() {
    List<Integer> counts = batches(4096);
    assertTrue(counts.stream().allMatch(count -> count <= 4096), counts::toString);
    assertEquals((ROWS + 4095) / 4096, counts.size());
  }
}
