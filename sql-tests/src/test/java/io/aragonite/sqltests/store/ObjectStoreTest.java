package io.aragonite.sqltests.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What statements read from, and write to, a store of S3's protocol. */
class ObjectStoreTest {
  @TempDir private static Path folder;
  private static @Nullable ObjectStoreProcess store;

  @BeforeAll
  static void start() throws Exception {
    assertTrue(
        Files.exists(ObjectStoreProcess.CLASS_PATH),
        "build module object-store first: mvn -pl sql-tests/object-store generate-resources");
    store = new ObjectStoreProcess(folder, "lake", "other");
    try (Connection connection = open("")) {
      for (int year = 2022; year <= 2024; year++) {
        for (int part = 0; part < 2; part++) {
          run(
              connection,
              "copy (select s.i + %d as id, mod(s.i, 7) as kind from generate_series(1, 50000) s(i)) to 's3://lake/sales/year=%d/part-%d.parquet'"
                  .formatted(part * 50_000, year, part));
        }
      }
      run(connection, "copy (values (1, 'Rex'), (2, 'Tom')) to 's3://lake/pets/pets.csv'");
      run(connection, "copy (values (3, 'Kim')) to 's3://lake/pets/_hidden.csv'");
      run(connection, "copy (values (1, 9)) to 's3://lake/pets/ages.jsonl'");
      run(connection, "copy (values (1, 'secret')) to 's3://other/secret.csv'");
    }
  }

  @AfterAll
  static void stop() {
    if (store != null) {
      store.close();
    }
  }

  private static String endpoint() {
    return Objects.requireNonNull(store).endpoint();
  }

  private static Connection open(String more) throws SQLException {
    return openAs(ObjectStoreProcess.SECRET, more);
  }

  private static Connection openAs(String secret, String more) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:aragonite:device=cpu;memory=256MB;threads=2;s3Endpoint=%s;s3AccessKey=%s;s3SecretKey=%s;remoteTimeout=10s%s"
            .formatted(endpoint(), ObjectStoreProcess.KEY, secret, more));
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= columns; i++) {
          row.append(i == 1 ? "" : "|").append(result.getString(i));
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }

  private static List<String> rows(String sql) throws SQLException {
    try (Connection connection = open("")) {
      return rows(connection, sql);
    }
  }

  private static void error(Connection connection, int code, String sql, String... words) {
    SQLException error = assertThrows(SQLException.class, () -> run(connection, sql));
    String message = String.valueOf(error.getMessage());
    assertEquals(code, error.getErrorCode(), message);
    for (String word : words) {
      assertTrue(message.contains(word), message);
    }
    assertFalse(message.contains("SECRET"), message);
  }

  @Test
  void filesFoldersAndPatternsAreTables() throws Exception {
    assertEquals(
        List.of("50000|150003"),
        rows("select count(*), sum(kind) from 's3://lake/sales/year=2022/part-0.parquet'"));
    assertEquals(List.of("300000"), rows("select count(*) from 's3://lake/sales/*/*.parquet'"));
    assertEquals(
        List.of("100000"),
        rows(
            "select count(*) from 's3://lake/sales/**/part-[1-9].parquet' where id > 50000 and kind"
                + " < 9 and \"year\" < 2024"));
    assertEquals(List.of("300000"), rows("select count(*) from read_parquet('s3://lake/sales')"));
    assertEquals(
        List.of("Rex|9"),
        rows(
            "select p.\"EXPR$1\", a.\"EXPR$1\" from 's3://lake/pets/*.csv' p join"
                + " 's3a://lake/pets/ages.jsonl' a on p.\"EXPR$0\" = a.\"EXPR$0\""));
    assertEquals(
        List.of("200000"),
        rows(
            "select count(*) from read_parquet(['s3://lake/sales/year=2022/*.parquet',"
                + " 's3://lake/sales/year=2024/'])"));
  }

  @Test
  void foldersArePartitions() throws Exception {
    String sql =
        "select \"year\", count(*), max(id) from 's3://lake/sales/**/*.parquet' where \"year\" >="
            + " 2023 group by \"year\" order by 1";
    assertEquals(List.of("2023|100000|100000", "2024|100000|100000"), rows(sql));
    String plan = String.join("\n", rows("explain " + sql));
    assertTrue(plan.contains("part=[files {2, 3, 4, 5} of 6]"), plan);
  }

  @Test
  void copyReplacesWhatIsMeantOnly() throws Exception {
    try (Connection connection = open("")) {
      String target = "'s3://lake/written/a.parquet'";
      run(connection, "copy (select 1 as a) to " + target);
      error(connection, 311, "copy (select 2 as a) to " + target, "s3://lake/written/a.parquet");
      assertEquals(List.of("1"), rows(connection, "select * from " + target));
      run(connection, "copy (select 2 as a) to %s (overwrite)".formatted(target));
      assertEquals(List.of("2"), rows(connection, "select * from " + target));
      error(
          connection,
          311,
          "copy (select 1 as a, 2 as b) to 's3://lake/w' (format parquet, partition_by (b))",
          "partition_by");
      error(
          connection,
          201,
          "copy (select 1 / (id - 7) as a from 's3://lake/sales/year=2022/part-0.parquet') to"
              + " 's3://lake/failed.parquet'");
      error(connection, 311, "select * from 's3://lake/failed.parquet'", "no file");
    }
  }

  @Test
  void aFolderOfAStoreIsADirectory() throws Exception {
    try (Connection connection = open(";directory=s3://lake/pets;fileAccess=directory")) {
      assertEquals(List.of("2"), rows(connection, "select count(*) from pets"));
      assertEquals(List.of("1|9"), rows(connection, "select * from ages"));
      assertEquals(List.of("2"), rows(connection, "select count(*) from 'p*.csv'"));
      assertEquals(
          List.of("2"), rows(connection, "select count(*) from 's3://lake/pets/pets.csv'"));
      for (String outside :
          List.of(
              "s3://other/secret.csv",
              "s3://lake/sales/year=2022/part-0.parquet",
              "../sales/year=2022/part-0.parquet",
              "s3://lake/pets/../../other/secret.csv",
              "s3://lake/pets2/a.csv",
              "http://127.0.0.1:1/a.csv")) {
        error(connection, 307, "select * from '%s'".formatted(outside));
      }
      error(connection, 311, "select * from '/etc/hostname.csv'", "no file");
      error(connection, 312, "copy (select 1 as a) to 's3://lake/pets/new.csv'");
    }
    try (Connection connection = open(";directory=s3://lake/sales")) {
      assertEquals(List.of("100000"), rows(connection, "select count(*) from \"year=2023\""));
    }
  }

  @Test
  void errorsSayWhatIsMissing() throws Exception {
    String file = "s3://lake/sales/year=2022/part-0.parquet";
    try (Connection connection = open("")) {
      error(connection, 311, "select * from 's3://lake/none.parquet'", "s3://lake/none.parquet");
      error(
          connection, 311, "select * from 's3://lake/none/*.parquet'", "s3://lake/none/*.parquet");
      error(connection, 314, "select * from 's3://nowhere/*.csv'", "no bucket nowhere");
    }
    try (Connection connection = openAs("WRONGSECRET", "")) {
      error(
          connection,
          314,
          "select * from '%s'".formatted(file),
          file,
          "403",
          "credentials are wrong");
    }
    System.setProperty("aws.disableEc2Metadata", "true");
    try (Connection connection =
        DriverManager.getConnection(
            "jdbc:aragonite:device=cpu;memory=256MB;threads=2;s3Endpoint=" + endpoint())) {
      error(connection, 314, "select * from 's3://lake/sales/**'", "403", "s3AccessKey=");
    } finally {
      System.clearProperty("aws.disableEc2Metadata");
    }
    try (Connection connection =
        DriverManager.getConnection(
            "jdbc:aragonite:device=cpu;memory=256MB;threads=2;s3Endpoint=http://127.0.0.1:1;s3AccessKey=a;s3SecretKey=b")) {
      error(connection, 314, "select * from '%s'".formatted(file), file);
    }
  }

  @Test
  void wildcardsInNamesAreNamesFirst() throws Exception {
    try (Connection connection = open("")) {
      run(connection, "copy (select 1 as a) to 's3://lake/odd/a[1].csv'");
      run(connection, "copy (select 2 as a) to 's3://lake/odd/a1.csv'");
      assertEquals(List.of("1"), rows(connection, "select * from 's3://lake/odd/a[1].csv'"));
      assertEquals(List.of("2"), rows(connection, "select * from 's3://lake/odd/a[1-9].csv'"));
      error(connection, 311, "select * from 's3://lake/{odd.csv'", "not a pattern");
    }
  }

  /** A table of a directory is that of the objects when the connection was opened. */
  @Test
  void aNewConnectionReadsWhatADirectoryHasNow() throws Exception {
    try (Connection writer = open("")) {
      for (int i = 1; i <= 2; i++) {
        run(writer, "copy (select %d as a) to 's3://lake/changing/a.csv' (overwrite)".formatted(i));
        try (Connection reader = open(";directory=s3://lake/changing")) {
          assertEquals(List.of(String.valueOf(i)), rows(reader, "select a from a"));
        }
      }
    }
  }

  /** A table whose object is another one now is read anew. */
  @Test
  void tablesAreThoseOfThePresentObjects() throws Exception {
    try (Connection writer = open("");
        Connection reader = open("")) {
      for (int i = 0; i < 3; i++) {
        run(
            writer,
            "copy (select %d as a) to 's3://lake/present.parquet' (overwrite)".formatted(i));
        assertEquals(
            List.of(String.valueOf(i)), rows(reader, "select a from 's3://lake/present.parquet'"));
      }
    }
  }
}
