package io.aragonite.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.protobuf.Message;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.calcite.adapter.java.ReflectiveSchema;
import org.apache.calcite.jdbc.CalciteConnection;
import org.codehaus.janino.ScriptEvaluator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * This JVM is a program that has the driver's jar beside older versions of its libraries, and no
 * flags for the driver.
 */
class ClashingLibrariesTest {
  private static final Path JAR = Path.of(System.getProperty("aragonite.driver.jar"));
  private static final String URL = "jdbc:aragonite:tpch=0.01;device=cpu;threads=2";

  private static String one(Connection connection, String sql) throws SQLException {
    List<String> all = all(connection, sql);
    assertEquals(1, all.size(), sql);
    return all.get(0);
  }

  private static List<String> all(Connection connection, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return List.of(String.valueOf(statement.getUpdateCount()));
      }
      try (ResultSet rows = statement.getResultSet()) {
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          List<String> row = new ArrayList<>();
          for (int i = 1; i <= columns; i++) {
            row.add(rows.getString(i));
          }
          values.add(String.join("|", row));
        }
      }
    }
    return values;
  }

  private static String jarOf(Class<?> type) {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
        .getFileName()
        .toString();
  }

  /** A row of a schema that the program's Calcite reads. */
  public static final class Larder {
    public final Provision[] provisions = {new Provision(1, "tea"), new Provision(2, "milk")};
  }

  /** Something in it. */
  public static final class Provision {
    public final int id;
    public final String what;

    Provision(int id, String what) {
      this.id = id;
      this.what = what;
    }
  }

  @Test
  void theProgramKeepsItsOwnLibraries() throws Exception {
    Class.forName("io.aragonite.adapter.AragoniteDriver");
    assertEquals("guava-20.0.jar", jarOf(ImmutableList.class));
    assertEquals("jackson-databind-2.10.5.jar", jarOf(ObjectMapper.class));
    assertEquals("arrow-vector-10.0.1.jar", jarOf(ArrowType.class));
    assertEquals("protobuf-java-3.17.1.jar", jarOf(Message.class));
    assertEquals("janino-3.1.6.jar", jarOf(ScriptEvaluator.class));
    assertEquals("slf4j-api-1.7.36.jar", jarOf(LoggerFactory.class));
    assertEquals("calcite-core-1.32.0.jar", jarOf(CalciteConnection.class));
    assertEquals(
        "org.slf4j.impl.SimpleLoggerFactory", LoggerFactory.getILoggerFactory().getClass().getName());
  }

  @Test
  void bothCalcitesAnswerAtOnce() throws SQLException {
    try (Connection ours = DriverManager.getConnection(URL);
        Connection theirs = DriverManager.getConnection("jdbc:calcite:lex=JAVA")) {
      CalciteConnection calcite = theirs.unwrap(CalciteConnection.class);
      calcite.getRootSchema().add("larder", new ReflectiveSchema(new Larder()));
      assertEquals(
          List.of("tea", "milk"),
          all(theirs, "select upper(what) as w, what from larder.provisions").stream()
              .map(row -> row.split("\\|")[1])
              .toList());
      assertEquals("25", one(ours, "select count(*) from nation"));
      assertFalse(ours.isWrapperFor(CalciteConnection.class), "that class is the program's");
    }
    Set<String> drivers =
        DriverManager.drivers()
            .map(Driver::getClass)
            .map(Class::getName)
            .filter(name -> name.contains("aragonite"))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("io.aragonite.adapter.AragoniteDriver"), drivers);
  }

  /** Joins, subqueries, aggregates and LIKE, by code that is generated while the query runs. */
  @ParameterizedTest
  @CsvSource({"1, 4", "9, 173", "13, 33", "16, 296", "22, 7"})
  void queriesOfTpchRun(int query, int rows) throws Exception {
    String path = "/io/aragonite/tpch/queries/q" + query + ".sql";
    String sql;
    try (InputStream in = EntryDriver.class.getResourceAsStream(path)) {
      sql = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    try (Connection connection = DriverManager.getConnection(URL + ";fallback=off")) {
      assertEquals(rows, all(connection, sql.replaceFirst(";\\s*$", "")).size());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "json_value('{\"a\": {\"b\": 7}}', '$.a.b') ~ 7",
        "soundex('Robert') ~ R163",
        "regexp_replace(n_name, '[AEIOU]+', '_') ~ _LGERIA",
        "to_char(timestamp '2026-11-26 10:11:12', 'YYYY-MM-DD HH24:MI') ~ 2026-11-26 10:11",
        "cast(date '2026-11-26' + interval '1' month as varchar) ~ 2026-12-26",
        "md5('a') ~ 0cc175b9c0f1b6a831c399e269772661",
        "cast(power(2, 10) + sqrt(16) as integer) ~ 1028",
        "cardinality(array[1, 2, n_nationkey]) ~ 3",
        "cast(1 as decimal(38, 10)) / 3 ~ 0.3333333333"
      })
  void functionsOfCalciteRunOnTheHost(String expression, String expected) throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL)) {
      String value = one(connection, "select " + expression + " from nation where n_nationkey = 0");
      assertTrue(value.startsWith(expected), expression + " = " + value);
    }
  }

  @Test
  void filesAreWrittenAndRead(@TempDir Path folder) throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL)) {
      for (String name : List.of("n.parquet", "n.arrow", "n.csv")) {
        String file = folder.resolve(name).toString();
        assertEquals("25", one(connection, "copy (select * from nation) to '" + file + "'"), name);
        assertEquals(
            "25|300", one(connection, "select count(*), sum(n_nationkey) from '" + file + "'"), name);
      }
    }
  }

  /** The library of stores gets as far as the network. */
  @Test
  void storesAreAsked() throws SQLException {
    String nobody = "http://127.0.0.1:1";
    String url = URL + ";s3AccessKey=a;s3SecretKey=b;s3Endpoint=" + nobody;
    try (Connection connection = DriverManager.getConnection(url)) {
      for (String file : List.of("s3://bucket/a.csv", nobody + "/a.csv")) {
        SQLException refused =
            assertThrows(
                SQLException.class, () -> all(connection, "select * from '" + file + "'"));
        assertEquals(314, refused.getErrorCode(), refused.getMessage());
        assertTrue(refused.getMessage().contains("onnection refused"), refused.getMessage());
      }
    }
  }

  @Test
  void errorsPlansAndMetadataHaveTheirTexts() throws SQLException {
    try (Connection connection = DriverManager.getConnection(URL)) {
      SQLException unknown =
          assertThrows(SQLException.class, () -> all(connection, "select nam from nation"));
      assertEquals(103, unknown.getErrorCode(), unknown.getMessage());
      SQLException syntax =
          assertThrows(SQLException.class, () -> all(connection, "select from where"));
      assertEquals(101, syntax.getErrorCode(), syntax.getMessage());
      String plan =
          String.join("\n", all(connection, "explain verbose select * from nation join region on n_regionkey = r_regionkey"));
      assertTrue(plan.contains("HashJoin [cpu]"), plan);
      assertFalse(plan.contains("shaded"), plan);
      try (ResultSet columns = connection.getMetaData().getColumns(null, null, "nation", "n_name")) {
        assertTrue(columns.next());
        assertEquals("n_name", columns.getString("COLUMN_NAME"));
      }
      try (PreparedStatement statement =
          connection.prepareStatement("select n_name from nation where n_nationkey = ?")) {
        statement.setInt(1, 7);
        try (ResultSet rows = statement.executeQuery()) {
          assertTrue(rows.next());
          assertEquals("GERMANY", rows.getString(1));
        }
      }
    }
  }

  @Test
  void theJarHasOnlyNamesOfOurs() throws IOException {
    Set<String> others = new TreeSet<>();
    try (JarFile jar = new JarFile(JAR.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
        String name = entry.getName().replaceFirst("^META-INF/versions/\\d+/", "");
        if (!name.matches("(io/aragonite|jcuda|lib|META-INF)/.*")) {
          others.add(name);
        }
      }
      assertEquals(Set.of(), others);
      assertEquals(
          "io.aragonite.jdbc", jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
      try (DataInputStream entry =
          new DataInputStream(
              jar.getInputStream(jar.getJarEntry("io/aragonite/jdbc/EntryDriver.class")))) {
        entry.readInt();
        entry.readUnsignedShort();
        assertEquals(55, entry.readUnsignedShort(), "older Javas read what says that they are old");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"--illegal-native-access=deny", "--sun-misc-unsafe-memory-access=deny"})
  void whatTheJvmForbidsIsSaidOnConnect(String flag) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                flag,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                JAR + System.getProperty("path.separator") + "target/test-classes",
                Connect.class.getName(),
                URL)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    List<String> lines = output.lines().filter(line -> !line.isBlank() && !line.startsWith("WARNING")).toList();
    assertEquals(1, lines.size(), output);
    assertTrue(lines.get(0).startsWith("504 0AX01 AR-504"), output);
    assertTrue(
        lines.get(0).contains(
            "start it with --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"),
        output);
  }

  /** A program that only connects. */
  static final class Connect {
    private Connect() {}

    public static void main(String[] args) {
      try (Connection connection = DriverManager.getConnection(args[0])) {
        System.out.println("connected");
      } catch (SQLException e) {
        System.out.println(e.getErrorCode() + " " + e.getSQLState() + " " + e.getMessage());
      }
    }
  }

  @Test
  void theDriverIsFoundUnderItsTwoNames() throws Exception {
    Driver entry = (Driver) Class.forName("io.aragonite.jdbc.EntryDriver").getConstructor().newInstance();
    Driver driver = DriverManager.getDriver(URL);
    assertEquals("io.aragonite.adapter.AragoniteDriver", driver.getClass().getName());
    assertTrue(entry.acceptsURL(URL));
    for (Driver each : List.of(entry, driver)) {
      assertFalse(each.acceptsURL("jdbc:aragonite:remote:url=http://127.0.0.1:1"));
      assertFalse(each.acceptsURL("jdbc:calcite:"));
      assertEquals(0, each.getMajorVersion());
      assertEquals(1, each.getMinorVersion());
    }
    try (Connection connection = entry.connect(URL, new java.util.Properties())) {
      assertInstanceOf(Connection.class, connection);
      assertEquals("5", one(connection, "select count(*) from region"));
    }
  }
}
