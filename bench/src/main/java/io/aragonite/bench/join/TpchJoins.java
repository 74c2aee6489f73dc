package io.aragonite.bench.join;

import io.aragonite.adapter.result.ArrowResult;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ipc.ArrowReader;

/**
 * The joins J1 to J3 of Wu24's table 6, which are joins of TPC-H's queries 7, 18 and 19, from our
 * tables: numbers as they are, decimals as their digits, dates as days, texts as codes of their
 * dictionary.
 */
public final class TpchJoins implements AutoCloseable {
  private record Query(String build, String probe) {}

  private static final Map<String, Query> QUERIES =
      Map.of(
          "J1",
          new Query(
              "select o_orderkey, o_custkey, o_totalprice, o_orderdate, o_orderpriority from"
                  + " orders",
              "select l_orderkey, l_extendedprice from lineitem"
                  + " where l_shipdate between date '1995-01-01' and date '1996-12-31'"),
          "J2",
          new Query(
              "select o_orderkey, o_custkey, o_totalprice, o_orderdate from orders",
              "select l_orderkey, l_quantity from lineitem"),
          "J3",
          new Query(
              "select p_partkey, p_brand, p_size, p_container from part",
              "select l_partkey, l_quantity, l_extendedprice, l_discount from lineitem where"
                  + " l_shipinstruct = 'DELIVER IN PERSON' and l_shipmode in ('AIR', 'AIR REG')"));

  private final Connection connection;

  /**
   * @param scale of the tables, which are generated if they are not there
   */
  public TpchJoins(double scale, int threads) throws SQLException {
    connection =
        DriverManager.getConnection(
            "jdbc:aragonite:tpch=" + scale + ";device=cpu;threads=" + threads);
  }

  /** Whether there is a join of this name. */
  public static boolean has(String name) {
    return QUERIES.containsKey(name);
  }

  /** The rows of the join with a name that there {@link #has is}. */
  public JoinTables tables(String name) {
    Query query = QUERIES.get(name);
    if (query == null) {
      throw new IllegalArgumentException(name);
    }
    try {
      return new JoinTables(columns(query.build), columns(query.probe));
    } catch (SQLException | IOException e) {
      throw new IllegalStateException("The tables of " + name + " cannot be read: " + e, e);
    }
  }

  private List<long[]> columns(String sql) throws SQLException, IOException {
    List<long[]> columns = new ArrayList<>();
    int rows = 0;
    try (RootAllocator allocator = new RootAllocator();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql);
        ArrowReader reader = result.unwrap(ArrowResult.class).encodedReader(allocator)) {
      while (reader.loadNextBatch()) {
        List<FieldVector> vectors = reader.getVectorSchemaRoot().getFieldVectors();
        int more = reader.getVectorSchemaRoot().getRowCount();
        for (int c = 0; c < vectors.size(); c++) {
          if (columns.size() == c) {
            columns.add(new long[1 << 20]);
          }
          long[] values = columns.get(c);
          if (rows + more > values.length) {
            values = Arrays.copyOf(values, Math.max(rows + more, 2 * values.length));
            columns.set(c, values);
          }
          copy((BaseFixedWidthVector) vectors.get(c), more, values, rows);
        }
        rows += more;
      }
    }
    int count = rows;
    columns.replaceAll(values -> Arrays.copyOf(values, count));
    return columns;
  }

  /** The low 64 bits of each value. */
  private static void copy(BaseFixedWidthVector vector, int count, long[] to, int at) {
    ArrowBuf data = vector.getDataBuffer();
    int width = vector.getTypeWidth();
    for (int i = 0; i < count; i++) {
      long place = (long) width * i;
      to[at + i] = width >= Long.BYTES ? data.getLong(place) : data.getInt(place);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
