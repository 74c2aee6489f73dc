package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.result.ArrowResult;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** INSERT, UPDATE and DELETE with RETURNING, from JDBC. */
class ReturningTest extends OwnTablesFixture {
  @BeforeEach
  void table() throws SQLException {
    update("create table t (id int primary key, s varchar(10) default 'none')");
  }

  private static List<String> read(ResultSet rows) throws SQLException {
    List<String> read = new ArrayList<>();
    while (rows.next()) {
      read.add(rows.getObject(1) + "|" + rows.getObject(2));
    }
    return read;
  }

  private long files() throws Exception {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).count();
    }
  }

  @Test
  void noAggregates() throws Exception {
    try (Statement statement = connection.createStatement()) {
      assertError(
          ErrorCode.INVALID_STATEMENT,
          () -> statement.execute("insert into t (id) values (1) returning count(*)"),
          "no aggregates: count(*)");
      assertEquals(List.of(), rows("select * from t"));
    }
  }

  @Test
  void rowsOfAStatement() throws Exception {
    try (Statement statement = connection.createStatement()) {
      assertTrue(statement.execute("insert into t (id) values (1), (2) returning id, s"));
      assertEquals(-1, statement.getUpdateCount());
      try (ResultSet rows = statement.getResultSet()) {
        ResultSetMetaData columns = rows.getMetaData();
        assertEquals("id s", columns.getColumnLabel(1) + " " + columns.getColumnLabel(2));
        assertEquals("INTEGER", columns.getColumnTypeName(1));
        assertEquals(List.of("1|none", "2|none"), read(rows));
      }
      assertFalse(statement.getMoreResults());
      assertEquals(List.of("1|none", "2|none"), rows("select * from t order by id"));
    }
  }

  /** The table changes whether somebody reads the rows or not. */
  @Test
  void rowsThatNobodyReads() throws Exception {
    try (Statement statement = connection.createStatement()) {
      assertTrue(statement.execute("insert into t (id) values (1) returning id"));
      assertTrue(statement.execute("delete from t returning id"));
    }
    assertEquals(List.of("0"), rows("select count(*) from t"));
  }

  @Test
  void aPreparedStatement() throws Exception {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into t values (?, ?) returning s, id + 1 as next")) {
      assertEquals("next", insert.getMetaData().getColumnLabel(2));
      assertEquals("INTEGER", insert.getParameterMetaData().getParameterTypeName(1));
      for (int i = 0; i < 3; i++) {
        insert.setInt(1, i);
        insert.setString(2, "s" + i);
        try (ResultSet rows = insert.executeQuery()) {
          assertEquals(List.of("s" + i + "|" + (i + 1)), read(rows));
        }
      }
      insert.setInt(1, 2);
      assertError(ErrorCode.DUPLICATE_KEY, insert::executeQuery, "t_pk");
    }
    assertEquals(List.of("3"), rows("select count(*) from t"));
  }

  @Test
  void rowsAsArrow() throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "insert into t (id) select i from generate_series(1, 5000) as g(i) returning id")) {
      long count = 0;
      try (BufferAllocator allocator = new RootAllocator();
          ArrowReader reader = rows.unwrap(ArrowResult.class).reader(allocator)) {
        while (reader.loadNextBatch()) {
          count += reader.getVectorSchemaRoot().getRowCount();
        }
      }
      assertEquals(5000, count);
    }
  }

  /** A statement that has rows is no update, and changes nothing where a number is wanted. */
  @Test
  void whereANumberIsWanted() throws Exception {
    update("prepare p as insert into t (id) values (9) returning id");
    try (Statement statement = connection.createStatement();
        PreparedStatement prepared =
            connection.prepareStatement("insert into t (id) values (8) returning id")) {
      for (String sql : List.of("insert into t (id) values (7) returning id", "execute p")) {
        assertError(ErrorCode.INVALID_CALL, () -> statement.executeUpdate(sql), "RETURNING");
        statement.addBatch(sql);
        assertError(ErrorCode.INVALID_CALL, statement::executeBatch);
      }
      assertError(ErrorCode.INVALID_CALL, prepared::executeUpdate, "RETURNING");
      prepared.addBatch();
      assertError(ErrorCode.INVALID_CALL, prepared::executeBatch);
      assertEquals(List.of("0"), rows("select count(*) from t"));
      assertEquals(List.of("9"), rows("execute p"));
    }
  }

  /** Rows are kept on disk until their result is closed. */
  @Test
  void nothingIsLeft() throws Exception {
    update("insert into t (id) values (1)");
    long before = files();
    try (Statement statement = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        try (ResultSet rows = statement.executeQuery("update t set s = 'x' returning id, s")) {
          assertTrue(files() > before);
          assertEquals(List.of("1|x"), read(rows));
        }
      }
      assertError(
          ErrorCode.DIVISION_BY_ZERO,
          () -> statement.executeQuery("update t set s = 'y' returning 1 / (id - 1)"));
    }
    update("insert into t (id) values (2)"); // what was retired ends when nothing runs
    assertEquals(before, files());
    assertEquals(List.of("1|x", "2|none"), rows("select * from t order by id"));
  }

  @Test
  void namesOfOtherSchemas() throws Exception {
    update("create schema more");
    update("create table more.t (a int, \"b c\" varchar)");
    assertEquals(List.of("1|x"), rows("insert into more.t values (1, 'x') returning a, \"b c\""));
    assertEquals(List.of("2|1"), rows("update more.t as \"U\" set a = a + 1 returning \"U\".a, 1"));
    assertEquals(List.of("2"), rows("delete from more.t returning t.a"));
  }
}
