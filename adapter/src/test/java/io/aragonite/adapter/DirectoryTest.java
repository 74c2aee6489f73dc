package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files as tables, from JDBC: awkward ones work, wrong ones are errors that name the place. */
class DirectoryTest {
  @TempDir private Path folder;

  private void file(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private Connection open() throws SQLException {
    return TestConnections.open("directory=" + folder + ";memory=256MB;threads=2");
  }

  @Test
  void csvFilesAreTables() throws Exception {
    file("pets.csv", "id,name,born,weight\n1,Rex,2020-01-31,12.50\n2,Tom,,3.25\n");
    file("owners.csv", "pet,owner\n1,Ann\n");
    try (Connection connection = open()) {
      assertEquals(
          List.of("Rex|2020-01-31|Ann", "Tom|null|null"),
          query(
              connection,
              "select name, born, owner from pets left join owners on id = pet order by id"));
      assertEquals(List.of("15.75"), query(connection, "select sum(weight) from PETS"));
    }
  }

  @Test
  void emptyOneRowAndNullColumns() throws Exception {
    file("nothing.csv", "a,b\n");
    file("single.csv", "a,b\n1,\n");
    try (Connection connection = open()) {
      assertEquals(List.of("0"), query(connection, "select count(*) from nothing"));
      assertEquals(List.of(), query(connection, "select a, b from nothing order by a"));
      assertEquals(List.of("null"), query(connection, "select max(b) from single"));
      assertEquals(
          List.of("1|null"),
          query(connection, "select s.a, n.b from single s left join nothing n on s.b = n.b"));
    }
  }

  @Test
  void awkwardNames() throws Exception {
    file("odd name.csv", "\"a \"\"quoted\"\" one\",\"two\nlines\",\"*/ + 1\"\n1,2,3\n");
    try (Connection connection = open()) {
      assertEquals(
          List.of("1|2|4"),
          query(
              connection,
              "select \"a \"\"quoted\"\" one\", \"two\nlines\", \"*/ + 1\" + 1 from \"odd name\""
                  + " where \"*/ + 1\" > 2"));
    }
  }

  @Test
  void twoThousandColumns() throws Exception {
    String names = IntStream.range(0, 2000).mapToObj(i -> "c" + i).collect(Collectors.joining(","));
    String values =
        IntStream.range(0, 2000).mapToObj(String::valueOf).collect(Collectors.joining(","));
    file("wide.csv", names + "\n" + values + "\n" + values + "\n");
    try (Connection connection = open()) {
      List<String> rows = query(connection, "select * from wide");
      assertEquals(values.replace(',', '|'), rows.get(1));
      assertEquals(List.of("3998"), query(connection, "select sum(c1999) from wide"));
    }
  }

  @Test
  void aLongText() throws Exception {
    String text = "x".repeat(1 << 20);
    file("long.csv", "id,t\n1," + text + "\n2,short\n");
    try (Connection connection = open()) {
      assertEquals(
          List.of("1048576", "5"),
          query(connection, "select char_length(t) from \"long\" order by id"));
      assertEquals(List.of(text), query(connection, "select t from \"long\" where id = 1"));
    }
  }

  @Test
  void filesThatChangeAreReadAnew() throws Exception {
    file("t.csv", "a\n1\n");
    try (Connection first = open()) {
      assertEquals(List.of("1"), query(first, "select a from t"));
      file("t.csv", "a\n1\n22\n");
      try (Connection second = open()) {
        assertEquals(List.of("1", "22"), query(second, "select a from t order by a"));
      }
      assertEquals(List.of("2"), query(first, "select 1 + 1"));
    }
  }

  @Test
  void aLinkThatLeadsNowhereSpoilsNoOtherTable() throws Exception {
    file("good.csv", "a\n1\n");
    Files.createSymbolicLink(folder.resolve("gone.csv"), folder.resolve("nothing.csv"));
    try (Connection connection = open()) {
      assertEquals(List.of("1"), query(connection, "select a from good"));
      assertError(
          ErrorCode.FILE_BROKEN,
          () -> query(connection, "select * from gone"),
          "gone.csv",
          "there is no such file");
      assertEquals(List.of("1"), query(connection, "select a from good"));
    }
  }

  @Test
  void theInformationSchemaLeavesOutWhatCannotBeRead() throws Exception {
    file("good.csv", "a,b\n1,x\n");
    file("empty.csv", "");
    try (Connection connection = open()) {
      String from = " from information_schema.%s where table_name in ('good', 'empty') order by 1";
      assertEquals(
          List.of("empty", "good"),
          query(connection, "select table_name" + from.formatted("tables")));
      assertEquals(
          List.of("a", "b"), query(connection, "select column_name" + from.formatted("columns")));
      assertError(
          ErrorCode.FILE_BROKEN,
          () -> query(connection, "select count(*) from empty"),
          "empty.csv");
    }
  }

  @Test
  void wrongFilesAreNamed() throws Exception {
    file("good.csv", "a\n1\n");
    file("broken.csv", "a,b\n1,2\n3\n");
    file("damaged.parquet", "PAR1 and nothing that follows");
    assertError(
        ErrorCode.FILE_BROKEN,
        () -> {
          try (Connection connection = open()) {
            query(connection, "select * from damaged");
          }
        },
        "damaged.parquet");
    Files.delete(folder.resolve("damaged.parquet"));
    try (Connection connection = open()) {
      assertError(
          ErrorCode.CSV_FIELD_COUNT, () -> query(connection, "select * from broken"), "broken.csv");
      assertEquals(List.of("1"), query(connection, "select a from good"));
    }
    file("good.parquet", "");
    assertError(ErrorCode.DUPLICATE_TABLE, () -> open().close(), "good.parquet", "good.csv");
    Files.delete(folder.resolve("good.parquet"));
    file("GOOD.csv", "b\n2\n");
    assertError(ErrorCode.DUPLICATE_TABLE, () -> open().close(), "GOOD.csv", "good.csv");
    Files.delete(folder.resolve("GOOD.csv"));
    file("cased.csv", "id,ID\n1,2\n");
    try (Connection connection = open()) {
      assertEquals(List.of("1|2"), query(connection, "select id, id_2 from cased"));
    }
  }
}
