package io.aragonite.adapter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A connection, and a folder for files that its statements read and write; ~ stands for it. */
abstract class FolderConnection {
  @TempDir Path folder;
  Connection connection;

  @BeforeEach
  void open() throws SQLException {
    connection = TestConnections.open("memory=256MB;threads=2");
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  final void file(String name, String text) throws IOException {
    Path path = folder.resolve(name);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    Files.writeString(path, text);
  }

  final String sql(String text) {
    return text.replace("~", folder.toString());
  }

  final List<String> rows(String sql) throws SQLException {
    return TestConnections.query(connection, sql(sql));
  }

  final void update(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeLargeUpdate(sql(sql));
    }
  }
}
