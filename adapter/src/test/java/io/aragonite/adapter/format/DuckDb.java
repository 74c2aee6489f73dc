package io.aragonite.adapter.format;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.duckdb.JsonNode;
import org.jspecify.annotations.Nullable;

/** DuckDB as a writer of files and as a second opinion on what is in them. */
public final class DuckDb implements AutoCloseable {
  private final Connection connection;

  public DuckDb() throws SQLException {
    connection = DriverManager.getConnection("jdbc:duckdb:");
    execute("set threads = 1");
    execute("set timezone = 'UTC'");
    // Rows must come in the order of the file.
    execute("set preserve_insertion_order = true");
  }

  public void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** A query's rows in the form of {@link FileValues}. */
  public List<List<@Nullable Object>> rows(String sql) throws SQLException {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<@Nullable Object> row = new ArrayList<>();
        for (int c = 1; c <= columns; c++) {
          row.add(value(result, c));
        }
        rows.add(row);
      }
    }
    return rows;
  }

  private static @Nullable Object value(ResultSet result, int column) throws SQLException {
    return switch (result.getObject(column)) {
      case null -> null;
      case Byte v -> (long) v;
      case Short v -> (long) v;
      case Integer v -> (long) v;
      case BigInteger v -> new BigDecimal(v);
      case Timestamp v -> result.getObject(column, LocalDateTime.class);
      case OffsetDateTime v -> v.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime();
      case UUID v -> v.toString();
      case Blob v -> HexFormat.of().formatHex(v.getBytes(1, (int) v.length()));
      case JsonNode v -> v.toString();
      case Object v -> v;
    };
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
