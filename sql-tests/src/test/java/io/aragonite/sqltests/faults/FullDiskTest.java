package io.aragonite.sqltests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.testing.FileSizeLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that COPY and tables of a connection write, which the system does not let grow beyond some
 * bytes: the statement has written all, or it says which file it could not write, nothing of it is
 * left, and the connection goes on. {@code -Daragonite.faults.every=true} tries more lengths.
 */
@Timeout(300)
class FullDiskTest {
  private static final boolean EVERY = Boolean.getBoolean("aragonite.faults.every");
  private static final Set<Integer> ERRORS =
      Set.of(ErrorCode.FILE_UNREADABLE.number(), ErrorCode.DISK_FAILED.number());

  /** More than any of the files has. */
  private static final long LONGEST = 4 << 20;

  @TempDir private Path folder = Path.of("");

  @Test
  void anyWriteMayFail() throws IOException, SQLException {
    assumeTrue(FileSizeLimit.isKnown(), "files have no limit here");
    Map<String, String> properties = Map.of("memory", "221MB", "device", "cpu", "threads", "2");
    List<String> wrong = new ArrayList<>();
    try (FaultMachine machine = new FaultMachine(folder, properties, Map.of())) {
      for (FaultCase one : FaultCase.changes()) {
        try {
          sweep(machine, one.in(machine.out().toString()));
        } catch (AssertionError e) {
          wrong.add(e.toString());
        }
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  private static void sweep(FaultMachine machine, FaultCase one) throws IOException, SQLException {
    machine.execute(one.setup());
    final List<String> unmade = machine.state(one);
    machine.run(one.sql());
    final List<String> made = machine.state(one);
    machine.undo(one);
    machine.begin();
    int failed = 0;
    for (long bytes = 0; bytes < LONGEST; bytes += EVERY ? 1 + bytes / 10 : 1 + 3 * bytes) {
      String what = one.name() + ", files of " + bytes + " bytes";
      boolean done = false;
      String message = "";
      try (FileSizeLimit _ = new FileSizeLimit(bytes)) {
        machine.run(one.sql());
        done = true;
      } catch (SQLException e) {
        message = e.getMessage();
        if (!ERRORS.contains(e.getErrorCode())) {
          throw new AssertionError(what + ": " + message, e);
        }
      }
      assertEquals(done ? made : unmade, machine.state(one), what + ": " + message);
      if (done) {
        machine.undo(one);
      } else {
        failed++;
        boolean named =
            message.contains(machine.out().toString())
                || message.contains(machine.spill().toString());
        assertTrue(named, what + ": " + message);
      }
      machine.assertNothingLeft(what);
    }
    assertTrue(failed > 0, one.name() + " wrote no file");
  }
}
