package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.rows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ArrowResultTest {
  private static Connection connection;
  private BufferAllocator allocator;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  @BeforeEach
  void newAllocator() {
    allocator = new RootAllocator();
  }

  /** Closing fails if anything was not released. */
  @AfterEach
  void nothingLeaks() {
    allocator.close();
  }

  private static List<String> texts(ArrowReader reader) throws IOException {
    List<String> texts = new ArrayList<>();
    VectorSchemaRoot root = reader.getVectorSchemaRoot();
    while (reader.loadNextBatch()) {
      for (int i = 0; i < root.getRowCount(); i++) {
        StringBuilder row = new StringBuilder();
        for (FieldVector vector : root.getFieldVectors()) {
          row.append(row.isEmpty() ? "" : "|").append(vector.getObject(i));
        }
        texts.add(row.toString());
      }
    }
    return texts;
  }

  @Test
  void columnsEqualRows() throws Exception {
    String sql =
        "select l_orderkey, l_linenumber, l_quantity, l_comment, l_shipmode,"
            + " cast(l_quantity as double) from lineitem";
    try (Statement statement = connection.createStatement()) {
      List<String> expected = rows(statement.executeQuery(sql));
      try (ResultSet result = statement.executeQuery(sql);
          ArrowReader reader = result.unwrap(ArrowResult.class).reader(allocator)) {
        List<String> actual = texts(reader);
        assertEquals(60175, actual.size());
        assertEquals(expected.stream().sorted().toList(), actual.stream().sorted().toList());
        assertTrue(reader.bytesRead() > 0);
      }
    }
  }

  @Test
  void typesAndNulls() throws Exception {
    String values =
        "select * from (values (true, 1, cast(1.5 as decimal(25, 2)), 'a', date '2020-01-02'),"
            + " (false, cast(null as integer), cast(null as decimal(25, 2)), cast(null as char(1)),"
            + " cast(null as date))) as t(b, i, d, s, y)";
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(values);
        ArrowReader reader = statement.unwrap(ArrowResult.class).reader(allocator)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      assertEquals(
          List.of("b", "i", "d", "s", "y"),
          root.getSchema().getFields().stream().map(f -> f.getName()).toList());
      assertTrue(reader.loadNextBatch());
      assertEquals(2, root.getRowCount());
      assertEquals(true, root.getVector("b").getObject(0));
      assertEquals(false, root.getVector("b").getObject(1));
      assertEquals(1, root.getVector("i").getObject(0));
      DecimalVector decimals = assertInstanceOf(DecimalVector.class, root.getVector("d"));
      assertEquals(new BigDecimal("1.50"), decimals.getObject(0));
      for (String name : List.of("i", "d", "s", "y")) {
        assertTrue(root.getVector(name).isNull(1), name);
      }
      assertEquals("a", String.valueOf(root.getVector("s").getObject(0)));
      assertEquals(18263, root.getVector("y").getObject(0));
      assertFalse(reader.loadNextBatch());
    }
  }

  @Test
  void dictionariesStayEncoded() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("select l_shipmode from lineitem where l_orderkey < 100");
        ArrowReader reader = result.unwrap(ArrowResult.class).encodedReader(allocator)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      assertTrue(reader.loadNextBatch());
      assertInstanceOf(IntVector.class, root.getVector(0));
      var encoding = root.getVector(0).getField().getDictionary();
      assertNotNull(encoding);
      try (var decoded =
          (FieldVector)
              DictionaryEncoder.decode(
                  root.getVector(0), reader.getDictionaryVectors().get(encoding.getId()))) {
        assertTrue(String.valueOf(decoded.getObject(0)).matches("[A-Z ]+"));
      }
    }
  }

  @Test
  void noRows() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("select n_name, n_nationkey from nation where n_nationkey < 0");
        ArrowReader reader = result.unwrap(ArrowResult.class).reader(allocator)) {
      assertEquals(2, reader.getVectorSchemaRoot().getSchema().getFields().size());
      assertFalse(reader.loadNextBatch());
    }
  }

  @Test
  void rowsAndColumnsExcludeEachOther() throws Exception {
    try (Statement statement = connection.createStatement()) {
      assertError(ErrorCode.INVALID_CALL, () -> statement.unwrap(ArrowResult.class));
      ResultSet moved = statement.executeQuery("select n_name from nation");
      assertTrue(moved.next());
      assertError(ErrorCode.INVALID_CALL, () -> moved.unwrap(ArrowResult.class), "next()");
    }
  }

  @Test
  void afterArrowThereAreNoRows() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select n_name from nation")) {
      ArrowResult columns = rows.unwrap(ArrowResult.class);
      try (ArrowReader reader = columns.reader(allocator)) {
        assertTrue(reader.loadNextBatch());
        for (int i = 0; i < 3; i++) {
          assertError(ErrorCode.INVALID_CALL, rows::next, "as Arrow columns");
          assertError(ErrorCode.INVALID_CALL, () -> rows.getObject(1), "next()");
        }
        assertInvalidCall(() -> columns.reader(allocator), "as Arrow columns");
      }
      for (int i = 0; i < 3; i++) {
        assertError(ErrorCode.INVALID_CALL, rows::next, "as Arrow columns");
        assertError(ErrorCode.INVALID_CALL, () -> rows.getString(1), "next()");
      }
    }
  }

  @Test
  void afterRowsThereAreNoColumns() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select n_name from nation")) {
      ArrowResult columns = rows.unwrap(ArrowResult.class);
      assertTrue(rows.next());
      assertInvalidCall(() -> columns.reader(allocator), "before the first next()");
      assertTrue(rows.next());
    }
  }

  private static void assertInvalidCall(Executable action, String part) {
    AragoniteException error = assertThrows(AragoniteException.class, action);
    assertEquals(ErrorCode.INVALID_CALL, error.code());
    assertTrue(String.valueOf(error.getMessage()).contains(part), error.getMessage());
  }

  @Test
  void maxRowsHoldsForColumns() throws Exception {
    try (Statement statement = connection.createStatement()) {
      statement.setMaxRows(2);
      try (ResultSet result =
              statement.executeQuery("select n_nationkey, n_name, n_comment from nation");
          ArrowReader reader = result.unwrap(ArrowResult.class).reader(allocator)) {
        assertEquals(2, texts(reader).size());
        assertFalse(reader.loadNextBatch());
      }
    }
  }

  @Test
  void cancelEndsTheReader() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("select l_orderkey from lineitem");
        ArrowReader reader = result.unwrap(ArrowResult.class).reader(allocator)) {
      assertTrue(reader.loadNextBatch());
      statement.cancel();
      IOException error =
          assertThrows(
              IOException.class,
              () -> {
                while (reader.loadNextBatch()) {
                  reader.bytesRead();
                }
              });
      assertTrue(String.valueOf(error.getMessage()).contains("AR-602"), error.getMessage());
    }
  }
}
