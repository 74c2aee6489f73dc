package io.aragonite.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.fuzz.Fuzzer.FuzzOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Databases of DuckDB's that are ended by an error of their own, or do not answer: others take their places. */
@Timeout(120)
class LostPeerTest {
  @TempDir private Path directory = Path.of("");

  /** DuckDB's own tests end a database so: its checkpoint fails behind what cannot be taken back. */
  private List<String> ending(String name) {
    return List.of(
        "attach '%s' as %s".formatted(directory.resolve(name), name),
        "use " + name,
        "create table t as select range as r from range(10)",
        "set debug_checkpoint_abort = 'before_truncate'",
        "checkpoint");
  }

  @Test
  void anEndedDatabaseIsLost() throws Exception {
    try (PeerSession session = new PeerSession(60)) {
      assertThrows(SQLException.class, () -> execute(session, "select from nowhere"));
      assertFalse(session.isLost());
      for (String sql : ending("ended").subList(0, 4)) {
        execute(session, sql);
      }
      assertFalse(session.isLost());
      assertThrows(LostPeerException.class, () -> execute(session, "checkpoint"));
      assertTrue(session.isLost());
      assertThrows(LostPeerException.class, () -> execute(session, "select 1"));
    }
  }

  @Test
  void oneThatDoesNotAnswerIsLost() throws Exception {
    long begin = System.nanoTime();
    try (PeerSession session = new PeerSession(1)) {
      LostPeerException error =
          assertThrows(
              LostPeerException.class,
              () ->
                  execute(session, "select count(*) from range(100000000) a, range(100000) b where a.range % 7 = b.range % 5"));
      assertTrue(error.getMessage().contains("no answer in 1 s"), error.getMessage());
      assertTrue(session.isLost());
    }
    assertTrue(System.nanoTime() - begin < 60_000_000_000L);
  }

  private static void execute(PeerSession session, String sql) throws SQLException {
    session.ask(
        connection -> {
          try (var statement = connection.createStatement()) {
            return statement.execute(sql);
          }
        });
  }

  /** The first two databases end, one before a statement and one while its tables are made. */
  @Test
  void theRunGoesOnWithAnother() throws Exception {
    List<FuzzConfiguration> plain = FuzzConfiguration.all("cpu").subList(0, 1);
    List<FuzzPeer> made = new ArrayList<>();
    Fuzzer fuzzer =
        new Fuzzer(
            new FuzzOptions(1, 0, 9, 3, 0, 1, 1_000_000, 0, false, List.of("peer"), plain),
            (tables, folder) -> {
              FuzzPeer peer = new FuzzPeer(tables, folder);
              made.add(peer);
              if (made.size() <= 2) {
                try {
                  for (String sql : ending("file" + made.size())) {
                    peer.update(sql);
                  }
                } catch (LostPeerException e) {
                  if (made.size() == 2) {
                    peer.close();
                    peer.delete();
                    throw e;
                  }
                }
              }
              return peer;
            });
    Path folders = Files.createDirectory(directory.resolve("run"));
    FuzzReport report = fuzzer.run(folders, text -> {});
    assertEquals(List.of(), report.findings());
    assertEquals(2, report.lostPeers());
    assertEquals(3, made.size());
    assertEquals(6, report.statements(), report.table());
    assertTrue(report.agreed() > 0, report.table());
    FuzzReport sum = new FuzzReport();
    report.lines().forEach(sum::addLine);
    assertEquals(2, sum.lostPeers());
    try (Stream<Path> left = Files.list(folders)) {
      assertEquals(List.of(), left.toList());
    }
  }
}
