package io.aragonite.spark;

import io.aragonite.dataset.Dataset;
import io.aragonite.dataset.Dataset.BatchTask;
import io.aragonite.dataset.Dataset.DatasetTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Date;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Generated tables as Parquet files that Spark writes, and as views of a session. */
final class SparkTables {
  /** Rows of a generated batch: those of one are objects of Java's at once. */
  static final int BATCH_ROWS = 1 << 15;

  /** The data of this process: tasks of a local Spark make rows of it. */
  private static List<DatasetTable> tables = List.of();

  private SparkTables() {}

  /** Makes what is not there in a folder, and views of it. */
  static void open(SparkSession session, Dataset data, Path folder) {
    open(session, data, data.names(), folder);
  }

  /** Whether a folder has all tables. */
  static boolean complete(Dataset data, Path folder) {
    return data.names().stream().allMatch(name -> written(folder.resolve(name)));
  }

  private static boolean written(Path table) {
    return Files.exists(table.resolve("_SUCCESS"));
  }

  /** The same of some tables. */
  static void open(SparkSession session, Dataset data, List<String> names, Path folder) {
    for (String name : names) {
      Path table = folder.resolve(name);
      if (!written(table)) {
        if (tables.isEmpty()) {
          tables = data.tables();
        }
        write(session, data.names().indexOf(name), table);
      }
      session.read().parquet(table.toString()).createOrReplaceTempView(name);
    }
    tables = List.of();
  }

  private static void write(SparkSession session, int number, Path folder) {
    DatasetTable table = tables.get(number);
    List<StructField> fields = new ArrayList<>();
    for (Field field : table.schema().getFields()) {
      fields.add(DataTypes.createStructField(field.getName(), type(field.getType()), true));
    }
    int batches = table.batches().size();
    List<Integer> numbers = IntStream.range(0, batches).boxed().toList();
    JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
    JavaRDD<Row> rows =
        context
            .parallelize(numbers, Math.min(batches, Math.max(8, context.defaultParallelism())))
            .flatMap(batch -> rows(tables.get(number).batches().get(batch)));
    session
        .createDataFrame(rows, new StructType(fields.toArray(new StructField[0])))
        .write()
        .mode("overwrite")
        .parquet(folder.toString());
  }

  private static Iterator<Row> rows(BatchTask task) {
    List<Row> rows = new ArrayList<>();
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot batch = task.make(allocator)) {
      List<FieldVector> vectors = batch.getFieldVectors();
      for (int row = 0; row < batch.getRowCount(); row++) {
        Object[] values = new Object[vectors.size()];
        for (int i = 0; i < values.length; i++) {
          values[i] = value(vectors.get(i), row);
        }
        rows.add(RowFactory.create(values));
      }
    }
    return rows.iterator();
  }

  private static @Nullable Object value(FieldVector vector, int row) {
    Object value = vector.getObject(row);
    if (value == null) {
      return null;
    }
    return switch (vector.getField().getType()) {
      case ArrowType.Date date -> Date.valueOf(LocalDate.ofEpochDay((Integer) value));
      case ArrowType.Utf8 text -> value.toString();
      default -> value;
    };
  }

  private static DataType type(ArrowType type) {
    return switch (type) {
      case ArrowType.Int number ->
          number.getBitWidth() == 64 ? DataTypes.LongType : DataTypes.IntegerType;
      case ArrowType.Decimal number ->
          DataTypes.createDecimalType(number.getPrecision(), number.getScale());
      case ArrowType.Date date -> DataTypes.DateType;
      default -> DataTypes.StringType;
    };
  }
}
