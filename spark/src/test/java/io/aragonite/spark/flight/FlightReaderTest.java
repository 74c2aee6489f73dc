package io.aragonite.spark.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.spark.isolated.IsolatedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams that end too early, and what is not as expected. */
class FlightReaderTest {
  private static final String URL = "jdbc:aragonite:device=cpu;memory=256MB;tpch=0.001";
  private static final String MANY = // some 9 million rows
      "select a.l_orderkey o, a.l_comment c from lineitem a, orders b";

  private static FlightReader reader(String location, String statement, String columns) {
    return new FlightReader(
        new FlightServer(location, null, null), statement, StructType.fromDDL(columns));
  }

  private static AragoniteException gone(FlightReader reader) {
    AragoniteException error =
        assertThrows(
            AragoniteException.class,
            () -> {
              while (reader.next()) {
                assertTrue(reader.get().numRows() > 0);
              }
            });
    assertEquals(ErrorCode.SOURCE_FAILED, error.code());
    assertTrue(error.getMessage().contains("is not there, or went away"), error.getMessage());
    return error;
  }

  /** Closing a reader fails where vectors are left. */
  @Test
  void serverThatGoesAway() throws Exception {
    String location;
    try (IsolatedServer server = new IsolatedServer(URL)) {
      location = server.location();
      FlightReader few = reader(location, "select n_name n, 1.5 d from nation", "n string, d decimal(2,1)");
      assertTrue(few.next());
      assertEquals(25, few.get().numRows());
      assertEquals("1.5", few.get().column(1).getDecimal(24, 2, 1).toString());
      assertFalse(few.next());
      few.close();
      FlightReader left = reader(location, MANY, "o bigint, c string");
      assertTrue(left.next());
      left.close();
      FlightReader wrong = reader(location, "select n_nationkey k from nation", "k date");
      AragoniteException type = assertThrows(AragoniteException.class, wrong::next);
      assertEquals(ErrorCode.TYPE_UNSUPPORTED, type.code());
      assertTrue(type.getMessage().contains("The column k is Int"), type.getMessage());
      wrong.close();
      FlightReader failing =
          reader(location, "select 1 / (n_nationkey - n_nationkey) from nation", "k bigint");
      String refused = assertThrows(FlightRuntimeException.class, failing::next).getMessage();
      assertTrue(refused.contains("AR-201"), refused);
      failing.close();
      try (CutLine line = new CutLine(location)) {
        FlightReader cut = reader(line.location(), MANY, "o bigint, c string");
        assertTrue(cut.next());
        line.close();
        gone(cut);
        cut.close();
      }
    }
    FlightReader late = reader(location, MANY, "o bigint, c string");
    assertTrue(gone(late).getMessage().contains(location));
    late.close();
  }

  /** Told at once, without the password; the server goes on. */
  @Test
  void whoIsNotLetInIsTold(@TempDir Path folder) throws Exception {
    Path users = Files.writeString(folder.resolve("users"), "ann: secret,user\n");
    try (IsolatedServer server = new IsolatedServer(URL, users)) {
      for (FlightServer wrong :
          List.of(
              new FlightServer(server.location(), "ann", "guess4321"),
              new FlightServer(server.location(), "nobody", "secret"),
              new FlightServer(server.location(), "ann", null),
              new FlightServer(server.location(), null, null))) {
        FlightReader reader = new FlightReader(wrong, "select 1 n", StructType.fromDDL("n int"));
        long start = System.nanoTime();
        FlightRuntimeException error = assertThrows(FlightRuntimeException.class, reader::next);
        reader.close();
        assertTrue(System.nanoTime() - start < 20e9);
        assertEquals(FlightStatusCode.UNAUTHENTICATED, error.status().code());
        assertFalse(error.toString().contains("guess4321"), error.toString());
      }
      FlightReader right =
          new FlightReader(
              new FlightServer(server.location(), "ann", "secret"),
              "select 1 n",
              StructType.fromDDL("n int"));
      assertTrue(right.next());
      assertEquals(1, right.get().column(0).getInt(0));
      right.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "host:1", "http://host:1", "grpc://host", "grpc://:5", "grpc:// x:1"})
  void locationsThatAreNone(String location) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> new FlightServer(location, null, null))
            .getMessage();
    assertTrue(message.contains("names no server: '" + location + "'"), message);
  }

  @Test
  void passwordsAreNotShown() {
    FlightServer server =
        FlightServer.of(Map.of("flight", "grpc+tls://h:1", "user", "ann", "password", "secret"));
    assertEquals("grpc+tls://h:1", String.valueOf(server));
  }
}
