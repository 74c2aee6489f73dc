package io.aragonite.adapter;

import io.aragonite.adapter.format.DuckDb;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder of a test for an Iceberg table, what writes it and a connection that reads it. */
abstract class IcebergTestFolder {
  static final Schema SALES =
      new Schema(
          Types.NestedField.required(1, "id", Types.IntegerType.get()),
          Types.NestedField.optional(2, "name", Types.StringType.get()),
          Types.NestedField.optional(3, "price", Types.DecimalType.of(9, 2)),
          Types.NestedField.optional(4, "moment", Types.TimestampType.withoutZone()));
  static final String IDS = "id: 1, name: 2, price: 3, moment: 4";

  @TempDir Path folder;
  DuckDb duck;
  Connection connection;

  @BeforeEach
  void open() throws SQLException {
    duck = new DuckDb();
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    duck.close();
  }

  /** A table of sales. */
  IcebergWriter sales(int format, PartitionSpec spec, String... properties) throws IOException {
    return new IcebergWriter(folder.resolve("t"), duck, format, SALES, spec, properties);
  }

  /** Rows of ids from one to another, of days from 2024-01-01 on. */
  static String rows(int from, int to) {
    return "select i::int as id, 'n' || i as name, (i * 1.5)::decimal(9, 2) as price, "
        + "timestamp '2024-01-01' + i * interval 1 day as moment from range(%d, %d) t(i)"
            .formatted(from, to);
  }

  /** The table's folder, as a statement names it. */
  String table() {
    return "'" + folder.resolve("t") + "'";
  }

  /** Adds a file with rows of ids from one to another. */
  DataFile append(IcebergWriter writer, String name, int from, int to)
      throws SQLException, IOException {
    return writer.append(
        writer.parquet(name, rows(from, to), IDS),
        to - from,
        "",
        Map.of("id", List.of(from, to - 1)));
  }
}
