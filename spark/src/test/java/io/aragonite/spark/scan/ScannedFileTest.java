package io.aragonite.spark.scan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.device.Batches;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.spark.column.ConversionCounter;
import io.aragonite.spark.column.EngineColumnVector;
import io.aragonite.spark.column.VectorBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
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

  private static final ConversionCounter UNCOUNTED =
      new ConversionCounter() {
        @Override
        public void rows(long count) {}

        @Override
        public void columnRows(long count) {}
      };

  @TempDir static Path folder;
  private static Path file;

  @BeforeAll
  static void write() throws IOException {
    file = folder.resolve("rows.parquet");
    write(file, ROWS, GROUP_ROWS, ScannedFileTest::row);
  }

  private static void write(Path file, int rows, int groupRows, IntFunction<Group> row)
      throws IOException {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file.toUri());
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(path)
            .withConf(new Configuration(false))
            .withType(SCHEMA)
            .withRowGroupSize(1L << 30)
            .withRowGroupRowCountLimit(groupRows)
            .build()) {
      for (int i = 0; i < rows; i++) {
        writer.write(row.apply(i));
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

  private static ScannedFile open(Path path, List<DataType> types, MemoryBudget budget, long most) {
    List<String> names = List.of("number", "few", "many", "d").subList(0, types.size());
    ScanPlan plan =
        new ScanPlan(
            names,
            List.of(),
            List.of(),
            true,
            "CORRECTED",
            true,
            false,
            metric(),
            new ScanMetrics(metric(), metric(), metric(), metric(), metric()));
    return new ScannedFile(
        plan,
        types,
        ParquetFile.open(path),
        IntStream.range(0, types.size()).boxed().toList(),
        new UnsafeRow(0),
        () -> new NativeQueryMemory(budget, 0),
        new InputMetrics(),
        most);
  }

  /** The rows of each batch; they are the file's, with codes for texts that are few or without. */
  private static List<Integer> batches(int wanted) {
    List<Integer> counts = batches(wanted, false);
    assertEquals(counts, batches(wanted, true));
    return counts;
  }

  private static List<Integer> batches(int wanted, boolean coded) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    List<Integer> counts = new ArrayList<>();
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        ScannedFile scanned = open(file, TYPES, budget, ScannedFile.MOST_BYTES)) {
      List<Storage> storages =
          List.of(Storage.LONG, coded ? Storage.CODE8 : Storage.BYTES, Storage.BYTES, Storage.DOUBLE);
      List<ColumnShape> shapes =
          coded
              ? ScanDictionaries.encode(
                  List.of(scanned), TYPES, () -> new NativeQueryMemory(budget, 0))
              : TYPES.stream().map(ColumnShape::of).toList();
      int done = 0;
      for (ColumnBatch batch = scanned.next(memory, wanted);
          batch != null;
          batch = scanned.next(memory, wanted)) {
        assertEquals(storages, batch.shapes().stream().map(ColumnShape::storage).toList());
        assertEquals(shapes, batch.shapes());
        check(batch, done);
        done += batch.rows();
        counts.add(batch.rows());
        // Of parts of more rows than are wanted nothing but codes and few texts is copied.
        boolean ofPart = wanted < 10_000;
        assertEquals(List.of(ofPart, false, ofPart, ofPart), owned(scanned, batch));
        free(scanned, batch, memory);
        assertEquals(0, memory.used());
      }
      assertEquals(ROWS, done);
    }
    assertEquals(0, budget.used());
    return counts;
  }

  private static List<Boolean> owned(ScannedFile file, ColumnBatch batch) {
    return IntStream.range(0, batch.columns().size()).mapToObj(file::owns).toList();
  }

  private static void free(ScannedFile file, ColumnBatch batch, QueryMemory memory) {
    for (int i = 0; i < batch.columns().size(); i++) {
      if (!file.owns(i)) {
        Batches.free(memory, batch.column(i));
      }
    }
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
    // The last rows of a part are a batch of their own.
    int ofParts = Math.ceilDiv(GROUP_ROWS, 4096) + Math.ceilDiv(ROWS - GROUP_ROWS, 4096);
    assertEquals(ofParts, counts.size());
  }

  /** Dictionaries of several files become one; texts that a file lacks are other files'. */
  @Test
  void filesShareADictionary() throws IOException {
    List<List<String>> texts =
        Stream.of(List.of("b", "d", ""), List.<String>of(), List.of("c", "a", "d"))
            .map(some -> Collections.nCopies(100, some).stream().flatMap(List::stream).toList())
            .toList();
    List<DataType> types = List.of(TYPES.get(0), TYPES.get(1));
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    List<ScannedFile> files = new ArrayList<>();
    for (List<String> own : texts) {
      Path path = folder.resolve("texts%d.parquet".formatted(files.size()));
      write(path, own.size(), 128, i -> texts(i, own.get(i)));
      files.add(open(path, types, budget, ScannedFile.MOST_BYTES));
    }
    List<ColumnShape> shapes =
        ScanDictionaries.encode(files, types, () -> new NativeQueryMemory(budget, 0));
    Dictionary dictionary = Objects.requireNonNull(shapes.get(1).dictionary());
    assertEquals(
        List.of("", "a", "b", "c", "d"),
        IntStream.range(0, dictionary.size()).mapToObj(dictionary::text).toList());
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (int i = 0; i < files.size(); i++) {
        List<String> read = new ArrayList<>();
        for (ColumnBatch batch = files.get(i).next(memory, 64);
            batch != null;
            batch = files.get(i).next(memory, 64)) {
          assertEquals(shapes, batch.shapes());
          for (int row = 0; row < batch.rows(); row++) {
            read.add(dictionary.text(batch.column(1).code(row)));
          }
        }
        assertEquals(texts.get(i), read);
        files.get(i).close();
      }
    }
  }

  private static Group texts(int number, String few) {
    Group row = new SimpleGroup(SCHEMA);
    row.add("number", (long) number);
    row.add("few", few);
    row.add("d", 0.0);
    return row;
  }

  /** Texts that grow from row to row, all of them others, or a few long ones in dictionaries. */
  @Test
  void aBatchHasNoMoreBytesThanItMay() throws IOException {
    long most = 1 << 20;
    int rows = 20_000;
    Path path = folder.resolve("growing.parquet");
    write(
        path,
        rows,
        1500,
        i -> {
          Group row = texts(i, "y".repeat(i / 1500 * 40) + i % 3);
          if (i % 13 != 0 || i < 2000) {
            row.add("many", i + "x".repeat(i / 20));
          }
          return row;
        });
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    int done = 0;
    int batches = 0;
    try (QueryMemory memory = new NativeQueryMemory(budget, 0);
        ScannedFile scanned = open(path, TYPES, budget, most)) {
      for (ColumnBatch batch = scanned.next(memory, 1 << 20);
          batch != null;
          batch = scanned.next(memory, 1 << 20)) {
        long used = memory.used();
        // Each buffer begins where the allocator says, and has some bytes behind it.
        assertTrue(used <= most + (4 << 10), "%,d bytes from row %d on".formatted(used, done));
        for (int i = 0; i < batch.rows(); i++) {
          String few = "y".repeat((done + i) / 1500 * 40) + (done + i) % 3;
          assertEquals(few, new EngineColumnVector(DataTypes.StringType, batch.column(1)).getUTF8String(i).toString());
        }
        batches++;
        done += batch.rows();
        free(scanned, batch, memory);
      }
    }
    assertEquals(rows, done);
    // A batch of less than half of the bytes is one whose next rows are many.
    assertTrue(batches < 60, batches + " batches");
  }

  /** Where Spark takes a file over, its texts become the codes that were told. */
  @Test
  void textsOfSparksReaderBecomeCodes() {
    Dictionary dictionary = new Dictionary(new byte[][] {{}, {'a'}, {'b', 'c'}});
    ColumnShape text = ColumnShape.of(TYPES.get(1));
    ColumnShape coded =
        new ColumnShape(text.type(), Storage.CODE, true, dictionary, null).narrowest();
    MemoryBudget budget = new MemoryBudget("memory", 1L << 20);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (String last : List.of("a", "x")) {
        OnHeapColumnVector vector = new OnHeapColumnVector(4, DataTypes.StringType);
        vector.putByteArray(0, "bc".getBytes(UTF_8));
        vector.putNull(1);
        vector.putByteArray(2, new byte[0]);
        vector.putByteArray(3, last.getBytes(UTF_8));
        ColumnarBatch batch = new ColumnarBatch(new ColumnVector[] {vector}, 4);
        BatchSource.BatchReader reader =
            TextEncoding.over(
                new VectorBatches(List.of(batch).iterator(), List.of(text.type()), UNCOUNTED),
                List.of(coded));
        if (last.equals("x")) {
          AragoniteException error =
              assertThrows(AragoniteException.class, () -> reader.next(memory, 100));
          assertEquals(ErrorCode.FILE_BROKEN, error.code());
          continue;
        }
        ColumnBatch made = Objects.requireNonNull(reader.next(memory, 100));
        assertEquals(List.of(coded), made.shapes());
        EngineColumnVector read = new EngineColumnVector(DataTypes.StringType, made.column(0));
        assertEquals(
            "bc null  a",
            read.getUTF8String(0) + " " + read.getUTF8String(1) + " " + read.getUTF8String(2) + " " + read.getUTF8String(3));
        Batches.free(memory, made.column(0));
        assertEquals(0, memory.used());
        assertNull(reader.next(memory, 100));
      }
    }
  }
}
