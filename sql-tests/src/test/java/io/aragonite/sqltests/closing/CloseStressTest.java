package io.aragonite.sqltests.closing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.adapter.cli.Main;
import io.aragonite.exec.testing.TestSample;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Everything that can be closed, while it is used, in JVMs of their own. {@code
 * -Daragonite.stress.seconds=N} has each kind of devices do so for so long; {@code
 * -Daragonite.test.device=cuda} runs on a GPU alone.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class CloseStressTest {
  private static final TestSample SAMPLE = new TestSample(CloseStressTest.class);

  private static final int SECONDS = Integer.getInteger("aragonite.stress.seconds", 1);
  private static final int ROWS = Integer.getInteger("aragonite.stress.rows", 300_000);

  @TempDir private static Path tables;
  @TempDir private Path folder;

  @BeforeAll
  static void write() throws SQLException {
    Tables.write(tables, ROWS);
  }

  private static long seed() {
    String given = System.getProperty("aragonite.seed", "");
    return given.isEmpty() ? System.nanoTime() % 1_000_000 : Long.parseLong(given);
  }

  private static String url() {
    return "jdbc:aragonite:directory=" + tables + ";threads=2";
  }

  private void stress(Child.Setup setup) throws Exception {
    long seed = seed();
    List<String> arguments = List.of(url(), String.valueOf(seed), String.valueOf(SECONDS));
    Child child = Child.start(setup, folder, CloseStress.class, arguments);
    int status = child.exit(SECONDS + 300);
    System.out.printf("CloseStressTest on %s: %s%n", setup, child.output());
    assertEquals(
        0, status, () -> "on " + setup + ", -Daragonite.seed=" + seed + "\n" + child.output());
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1, true",
    "'', 1, false",
    "discrete, 1, false",
    "discrete, 2, true",
    "discrete, 4, false"
  })
  void onDevicesOfTests(String device, int devices, boolean debug) throws Exception {
    SAMPLE.assume(0.5);
    assumeTrue(System.getProperty("aragonite.test.device", "").isEmpty());
    stress(new Child.Setup(device, devices, debug));
  }

  @Test
  void onTheDeviceThatIsGiven() throws Exception {
    assumeTrue(!System.getProperty("aragonite.test.device", "").isEmpty());
    stress(Child.Setup.given(true));
    stress(Child.Setup.given(false));
  }

  /** Workers are in native memory when the process ends. */
  @Test
  void exitInTheMidstOfQueries() throws Exception {
    Random random = new Random(seed());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS - 5);
    int times = 0;
    do {
      String millis = String.valueOf(800 + random.nextInt(1500));
      Child child =
          Child.start(
              Child.Setup.given(random.nextBoolean()),
              folder,
              ExitInQueries.class,
              List.of(url() + ";memory=2GB", millis));
      assertEquals(7, child.exit(60), child::output);
      times++;
    } while (System.nanoTime() < end);
    System.out.printf("CloseStressTest: %d exits%n", times);
  }

  /** A server that is told to end while clients' queries run. */
  @Test
  void aServerEndsInTheMidstOfQueries() throws Exception {
    Random random = new Random(seed());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS - 5);
    int times = 0;
    do {
      terminateServer(random);
      times++;
    } while (System.nanoTime() < end);
    System.out.printf("CloseStressTest: %d servers ended%n", times);
  }

  private void terminateServer(Random random) throws Exception {
    Child child =
        Child.start(
            Child.Setup.given(random.nextBoolean()),
            folder,
            Main.class,
            List.of("serve", "--port", "0", "--url", url() + ";memory=2GB"));
    String remote = child.await("Connect with ", 60);
    List<CompletableFuture<Boolean>> clients =
        List.of(
            client(remote, "select count(*) from big a join big b on a.k = b.k"),
            client(remote, "select sum(char_length(repeat(t, 2000))) from big"),
            client(remote, "select k, t, v from big"));
    Thread.sleep(500 + random.nextInt(1000));
    child.terminate();
    // It has let queries run on for a while, cancelled the rest, and ended.
    assertEquals(0, child.exit(60), child::output);
    for (CompletableFuture<Boolean> client : clients) {
      client.get(60, TimeUnit.SECONDS);
    }
  }

  private static CompletableFuture<Boolean> client(String url, String sql) {
    return CompletableFuture.supplyAsync(() -> {
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        while (true) {
          try (ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
              rows.getObject(1);
            }
          }
        }
      } catch (SQLException | RuntimeException e) {
        return true;
      }
    });
  }
}
