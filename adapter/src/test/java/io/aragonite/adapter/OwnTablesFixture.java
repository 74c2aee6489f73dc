package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A connection with tables of its own, which leaves no files behind. */
abstract class OwnTablesFixture {
  @TempDir Path folder;
  Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2;spill=" + folder);
  }

  @AfterEach
  void close() throws Exception {
    connection.close();
    try (Stream<Path> left = Files.walk(folder)) {
      assertEquals(List.of(), left.filter(Files::isRegularFile).toList());
    }
  }

  int update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  List<String> rows(String sql) throws SQLException {
    return query(connection, sql);
  }

  SQLException error(ErrorCode code, String sql, String... words) {
    return assertError(code, () -> update(sql), words);
  }
}
