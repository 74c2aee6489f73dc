package io.aragonite.adapter;

import static io.aragonite.adapter.TestConnections.assertError;
import static io.aragonite.adapter.TestConnections.open;
import static io.aragonite.adapter.TestConnections.query;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.adapter.engine.OpenEngines;
import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.options.PhysicalMemory;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PropertiesTest {
  private static ConnectionOptions options(String name, String value) {
    Properties properties = new Properties();
    properties.setProperty(name, value);
    return ConnectionOptions.of(properties);
  }

  @ParameterizedTest
  @CsvSource({
    "1048576,1048576",
    "512MB,536870912",
    "8GB,8589934592",
    "1.5 gb,1610612736",
    "2GiB,2147483648",
    "4096kb,4194304",
  })
  void memoryHasUnits(String text, long bytes) {
    assertEquals(bytes, options("memory", text).memoryBytes());
  }

  @Test
  void memoryCanBeAShare() {
    long physical = PhysicalMemory.bytes();
    assertTrue(physical > 1 << 28);
    assertEquals(physical / 4, options("MEMORY", "25%").memoryBytes(), 1);
    assertEquals(physical / 2, ConnectionOptions.of(new Properties()).memoryBytes(), 1);
  }

  @ParameterizedTest
  @CsvSource({"30,30000", "30s,30000", "500ms,500", "5min,300000", "0.5h,1800000"})
  void timeHasUnits(String text, long millis) {
    assertEquals(Duration.ofMillis(millis), options("timeout", text).timeout());
  }

  @Test
  void zeroIsNoTimeout() {
    assertNull(options("timeout", "0").timeout());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory=12XB",
        "memory=-1",
        "memory=0",
        "memory=1KB",
        "memory=101%",
        "memory=1e99TB",
        "threads=0",
        "threads=two",
        "device=tpu",
        "device=cuda:",
        "device=cuda:x",
        "device=cuda:0,0",
        "device=cuda:0,",
        "gpuMemory=0%",
        "gpuMemory=much",
        "fallback=maybe",
        "tpch=none",
        "tpch=-1",
        "tpch=0.0000001",
        "timeout=soon",
        "caseSensitive=perhaps",
        "conformance=NONE_SUCH",
        "schema=nowhere"
      })
  void badValuesAreRefused(String property) {
    String name = property.substring(0, property.indexOf('='));
    assertError(ErrorCode.INVALID_PROPERTY, () -> open(property).close(), name);
  }

  @ParameterizedTest
  @CsvSource({"treads,threads", "Divice,device", "conformence,conformance", "memori,memory"})
  void unknownPropertyNamesTheNearest(String given, String nearest) {
    assertError(
        ErrorCode.UNKNOWN_PROPERTY, () -> open(given + "=1").close(), given, "'" + nearest + "'");
  }

  @Test
  void noDeviceHasAWayOut() {
    assumeTrue(CudaDriver.get().gpus().isEmpty(), "this machine has a GPU");
    assertError(
        ErrorCode.DEVICE_UNAVAILABLE, () -> open("device=cuda").close(), "device=cpu", "auto");
    assertError(ErrorCode.DEVICE_UNAVAILABLE, () -> open("device=cuda:0").close(), "device=cpu");
  }

  @Test
  void gpuThatDoesNotExistIsNamed() {
    assumeTrue(!CudaDriver.get().gpus().isEmpty(), "this machine has no GPU");
    assertError(ErrorCode.DEVICE_UNAVAILABLE, () -> open("device=cuda:99").close(), "cuda:99");
  }

  @Test
  void missingDirectoryIsNamed(@TempDir Path folder) {
    Path missing = folder.resolve("missing");
    assertError(
        ErrorCode.DIRECTORY_NOT_FOUND, () -> open("directory=" + missing).close(), "missing");
    assertError(
        ErrorCode.DIRECTORY_EMPTY, () -> open("directory=" + folder).close(), folder.toString());
  }

  @Test
  void otherUrlsAreLeftToOtherDrivers() throws SQLException {
    AragoniteDriver driver = new AragoniteDriver();
    assertNull(driver.connect("jdbc:other:", new Properties()));
    assertFalse(driver.acceptsURL("jdbc:calcite:"));
    assertTrue(driver.acceptsURL("jdbc:aragonite:"));
  }

  @Test
  void toolsSeeTheProperties() throws SQLException {
    DriverPropertyInfo[] info =
        new AragoniteDriver().getPropertyInfo("jdbc:aragonite:threads=3", new Properties());
    List<String> names = Arrays.stream(info).map(i -> i.name).toList();
    assertTrue(names.containsAll(List.of("tpch", "directory", "device", "fallback", "lex")));
    DriverPropertyInfo threads =
        Arrays.stream(info).filter(i -> i.name.equals("threads")).findFirst().orElseThrow();
    assertEquals("3", threads.value);
    assertNotNull(threads.description);
  }

  @Test
  void calcitePropertiesWork() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("fun", "standard,postgresql");
    properties.setProperty("user", "someone");
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:", properties)) {
      assertEquals(List.of("b"), query(connection, "select split_part('a,b', ',', 2)"));
    }
    try (Connection connection = open("quoting=BRACKET")) {
      assertEquals(
          List.of("2", "1"),
          query(connection, "select [a #1] from (values (1), (2)) as t([a #1]) order by #1 desc"));
    }
    try (Connection connection = open("lex=MYSQL")) {
      assertEquals(List.of("1"), query(connection, "select `a b` from (values (1)) as t(`a b`)"));
    }
  }

  @Test
  void enginesAreSharedAndClosed() throws SQLException {
    int before = OpenEngines.count();
    try (Connection one = open("memory=64MB;threads=1");
        Connection two = open("memory=64MB;threads=1")) {
      assertEquals(before + 1, OpenEngines.count());
      assertEquals(query(one, "select 1 + 1"), query(two, "select 2"));
    }
    assertEquals(before, OpenEngines.count());
    assertError(ErrorCode.INVALID_PROPERTY, () -> open("schema=nowhere").close());
    assertEquals(before, OpenEngines.count(), "an engine outlived a connection that failed");
  }
}
