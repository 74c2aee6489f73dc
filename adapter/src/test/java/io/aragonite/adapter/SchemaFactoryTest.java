package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.dataset.DatasetCache;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.tpch.TpchData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaFactoryTest {
  private static final String COUNT = "select count(*) from \"nation\" where \"n_regionkey\" = 1";
  private static final String PLAN = "explain plan for " + COUNT;

  @TempDir private Path folder;

  private Path model(String operand) throws IOException {
    Path model = folder.resolve("model.json");
    Files.writeString(
        model,
        """
        {version: '1.0', defaultSchema: 'shop', schemas: [
          {type: 'custom', name: 'shop', factory: 'io.aragonite.adapter.GpuSchemaFactory',
           operand: {%s}}]}
        """
            .formatted(operand));
    return model;
  }

  /** A folder beside the model with one table in it. */
  private void data() throws Exception {
    try (Connection connection = TestConnections.tpch()) {
      assertEquals(List.of("5"), query(connection, COUNT)); // the data are there now
    }
    Path data = Files.createDirectory(folder.resolve("data"));
    Path source = DatasetCache.directory(new TpchData(0.01), DatasetCache.defaultRoot());
    Files.copy(source.resolve("nation.arrow"), data.resolve("nation.arrow"));
  }

  @Test
  void generatedTablesAreMadeWhenOneIsNamed() throws Exception {
    double scale = 0.001234; // no other test's
    Path made = DatasetCache.directory(new TpchData(scale), DatasetCache.defaultRoot());
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;tpch=0.001234")) {
      assertEquals(List.of("1"), query(connection, "select 1"));
      assertTrue(Files.notExists(made), made + " is there before a table is named");
      assertEquals(List.of("25"), query(connection, "select count(*) from nation"));
      assertTrue(Files.exists(made));
    } finally {
      try (Stream<Path> files = Files.exists(made) ? Files.list(made) : Stream.empty()) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.deleteIfExists(made);
    }
  }

  @Test
  void generatingEndsWithItsStatement() throws Exception {
    double scale = 0.51234;
    Path made = DatasetCache.directory(new TpchData(scale), DatasetCache.defaultRoot());
    try (Connection connection =
        DriverManager.getConnection("jdbc:aragonite:device=cpu;tpch=0.51234;timeout=300ms")) {
      long start = System.nanoTime();
      assertError(ErrorCode.TIMED_OUT, () -> query(connection, "select count(*) from nation"));
      assertTrue(System.nanoTime() - start < 10_000_000_000L, "it did not end");
      assertFalse(Thread.currentThread().isInterrupted());
      assertTrue(Files.notExists(made));
      assertEquals(List.of("1"), query(connection, "select 1"));
    }
  }

  @Test
  void modelFileUnderCalcite() throws Exception {
    data();
    Path model = model("directory: 'data', threads: 2, memory: '256MB'");
    try (Connection connection = DriverManager.getConnection("jdbc:calcite:model=" + model)) {
      assertEquals(List.of("5"), query(connection, COUNT));
      String plan = String.join("\n", query(connection, PLAN));
      assertTrue(plan.contains("GpuAggregate") && plan.contains("GpuTableScan"), plan);
    }
  }

  @Test
  void connectStringUnderCalcite() throws Exception {
    data();
    String url =
        "jdbc:calcite:schemaFactory=io.aragonite.adapter.GpuSchemaFactory;schema.directory="
            + folder.resolve("data")
            + ";schema.threads=1";
    try (Connection connection = DriverManager.getConnection(url)) {
      assertEquals(List.of("5"), query(connection, COUNT));
    }
  }

  @Test
  void modelFileUnderOurDriver() throws Exception {
    data();
    String model = "model=" + model("directory: 'data'");
    try (Connection connection = TestConnections.open(model + ";threads=2")) {
      assertEquals("shop", connection.getSchema());
      assertEquals(
          List.of("5"), query(connection, "select count(*) from NATION where n_regionkey = 1"));
    }
  }

  private static ConnectionOptions options(Connection connection) {
    return ((ConnectionGuard) connection).session().options();
  }

  @Test
  void operandsOfTheEngineHoldUnderOurDriver() throws Exception {
    data();
    String model = "model=" + model("directory: 'data', Threads: 3, memory: '123MB'");
    try (Connection connection = TestConnections.open(model)) {
      assertEquals(3, options(connection).threads());
      assertEquals(123L << 20, options(connection).memoryBytes());
    }
    try (Connection connection = TestConnections.open(model + ";threads=2")) {
      assertEquals(2, options(connection).threads()); // the URL is stronger
      assertEquals(123L << 20, options(connection).memoryBytes());
    }
    String factory =
        "schemaFactory=io.aragonite.adapter.GpuSchemaFactory;schema.threads=3;schema.directory="
            + folder.resolve("data");
    try (Connection connection = TestConnections.open(factory)) {
      assertEquals(3, options(connection).threads());
    }
    String bad = "model=" + model("directory: 'data', threads: 'many'");
    assertError(
        ErrorCode.INVALID_PROPERTY, () -> TestConnections.open(bad).close(), "threads=many");
  }

  @Test
  void schemasThatWantTwoEnginesAreAnError() throws Exception {
    data();
    Path model = folder.resolve("two.json");
    String schema =
        "{type: 'custom', name: '%s', factory: 'io.aragonite.adapter.GpuSchemaFactory',"
            + " operand: {directory: 'data', threads: %d}}";
    Files.writeString(
        model,
        "{version: '1.0', schemas: [%s, %s]}"
            .formatted(schema.formatted("a", 1), schema.formatted("b", 2)));
    assertError(
        ErrorCode.MODEL_INVALID,
        () -> TestConnections.open("model=" + model).close(),
        "'a'",
        "'b'",
        "threads=2");
    try (Connection connection = TestConnections.open("model=" + model + ";threads=4")) {
      assertEquals(4, options(connection).threads());
    }
  }

  @Test
  void badOperandsAreNamed() throws Exception {
    String wrong = "model=" + model("direktory: 'data'");
    assertError(
        ErrorCode.UNKNOWN_PROPERTY,
        () -> TestConnections.open(wrong).close(),
        "direktory",
        "'directory'");
    String none = "model=" + model("threads: 1");
    assertError(ErrorCode.MODEL_INVALID, () -> TestConnections.open(none).close(), "shop");
    assertThrows(
        RuntimeException.class, // Calcite's own driver does not make SQLExceptions of these
        () -> DriverManager.getConnection("jdbc:calcite:" + wrong).close());
  }

  @Test
  void onlyOurClassesInModels() throws IOException {
    Path model = folder.resolve("evil.json");
    Files.writeString(
        model,
        """
        {version: '1.0', schemas: [{type: 'custom', name: 'x',
          factory: 'org.apache.calcite.adapter.jdbc.JdbcSchema$Factory', operand: {}}]}
        """);
    assertError(
        ErrorCode.CLASS_NOT_ALLOWED,
        () -> TestConnections.open("model=" + model).close(),
        "JdbcSchema");
    Files.writeString(
        model,
        """
        version: 1.0
        schemas:
          - name: x
            functions:
              - {name: F, className: java.lang.Runtime, methodName: exec}
        """);
    Path yaml = folder.resolve("evil.yaml");
    Files.move(model, yaml);
    assertError(
        ErrorCode.CLASS_NOT_ALLOWED,
        () -> TestConnections.open("model=" + yaml).close(),
        "java.lang.Runtime");
    assertError(
        ErrorCode.CLASS_NOT_ALLOWED,
        () ->
            TestConnections.open(
                    "model='inline:{version: \"1.0\", schemas: [{type: \"jdbc\", name: \"x\","
                        + " jdbcUrl: \"jdbc:x:\"}]}'")
                .close(),
        "jdbc");
  }

  /** Of a key that is there twice Calcite may take the one that was not looked at. */
  @Test
  void keysThatAreThereTwiceAreRefused() throws IOException {
    String twice =
        "{version: '1.0', schemas: [{type: 'jdbc', name: 'x', jdbcUrl: 'jdbc:x:', type: 'custom',"
            + " factory: 'io.aragonite.adapter.GpuSchemaFactory', operand: {}}]}";
    Path model = Files.writeString(folder.resolve("twice.json"), twice);
    assertError(
        ErrorCode.MODEL_INVALID, () -> TestConnections.open("model=" + model).close(), "type");
    Path yaml =
        Files.writeString(
            folder.resolve("twice.yaml"),
            """
            version: 1.0
            schemas:
              - {type: jdbc, name: x, jdbcUrl: 'jdbc:x:', type: custom, factory: io.aragonite.adapter.GpuSchemaFactory}
            """);
    assertError(
        ErrorCode.MODEL_INVALID, () -> TestConnections.open("model=" + yaml).close(), "type");
  }

  @Test
  void missingOrBrokenModel() throws IOException {
    assertError(
        ErrorCode.MODEL_INVALID,
        () -> TestConnections.open("model=" + folder.resolve("none.json")).close(),
        "none.json");
    Path broken = folder.resolve("broken.json");
    Files.writeString(broken, "{version: ");
    assertError(
        ErrorCode.MODEL_INVALID,
        () -> TestConnections.open("model=" + broken).close(),
        "broken.json");
  }
}
