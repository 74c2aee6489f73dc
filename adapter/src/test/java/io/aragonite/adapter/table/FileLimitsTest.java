package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.adapter.format.TestUnpacking;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.csv.CsvFile;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.spill.file.ScratchFile;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What files of a directory may be and become. */
@Timeout(60)
class FileLimitsTest {
  @TempDir private Path directory;
  @TempDir private Path spill;

  private static Path bomb(Path path, int mebibytes) throws IOException {
    byte[] line = "a,b\n".repeat(1 << 18).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(path))) {
      for (int i = 0; i < mebibytes; i++) {
        out.write(line);
      }
    }
    return path;
  }

  private static AragoniteException failure(CsvFile file) {
    return assertThrows(AragoniteException.class, file::parts);
  }

  private static long files(Path folder) throws IOException {
    try (Stream<Path> found = Files.walk(folder)) {
      return found.filter(path -> path.toString().endsWith(".spill")).count();
    }
  }

  @Test
  void aFileThatUnpacksToTooMuchIsRefused() throws IOException {
    Path path = bomb(directory.resolve("t.csv.gz"), 64);
    assertTrue(Files.size(path) < 128 << 10);
    try (SpillSpace space = new SpillSpace(spill, Long.MAX_VALUE, new MemoryBudget("m", 1 << 20));
        CsvFile file = CsvFile.open(path, new Unpacking(space, 1 << 20))) {
      AragoniteException error = failure(file);
      assertEquals(ErrorCode.RESULT_TOO_LARGE, error.code());
      assertTrue(error.getMessage().contains("gunzip"), error.getMessage());
      assertEquals(0, space.used());
      assertEquals(0, files(spill));
    }
  }

  @Test
  void unpackedBytesCountAsSpilled() throws IOException {
    Path path = bomb(directory.resolve("t.csv.gz"), 8);
    try (SpillSpace space = new SpillSpace(spill, 6 << 20, new MemoryBudget("m", 1 << 20));
        CsvFile file = CsvFile.open(path, new Unpacking(space))) {
      AragoniteException error = failure(file);
      assertEquals(ErrorCode.DISK_FAILED, error.code());
      assertTrue(error.getMessage().contains("spillLimit"), error.getMessage());
      assertEquals(0, space.used());
    }
    try (SpillSpace space = new SpillSpace(spill, 9 << 20, new MemoryBudget("m", 1 << 20))) {
      try (CsvFile file = CsvFile.open(path, new Unpacking(space))) {
        assertTrue(file.parts().size() > 1);
        assertEquals(8 << 20, space.used());
        assertEquals(0, files(spill), "its name is gone while it is mapped");
      }
      assertEquals(0, space.used());
    }
  }

  @Test
  void nobodyElseReadsWhatIsUnpacked() throws IOException {
    assumeTrue(directory.getFileSystem().supportedFileAttributeViews().contains("posix"));
    Path path = bomb(directory.resolve("t.csv.gz"), 1);
    try (SpillSpace space = new SpillSpace(spill, Long.MAX_VALUE, new MemoryBudget("m", 1 << 20));
        ScratchFile file =
            new Unpacking(space).copy(path, new GZIPInputStream(Files.newInputStream(path)))) {
      assertEquals(
          "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())));
      assertEquals(
          "rwx------",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path().getParent())));
    }
  }

  @Test
  void unpackingEndsWithItsQuery() throws IOException {
    Path path = bomb(directory.resolve("t.csv.gz"), 16);
    AtomicInteger looks = new AtomicInteger();
    StopCheck check =
        new StopCheck(() -> {
          if (looks.incrementAndGet() == 3) {
            throw new AragoniteException(ErrorCode.CANCELLED, "The query was cancelled.");
          }
        });
    try (SpillSpace space = new SpillSpace(spill, Long.MAX_VALUE, new MemoryBudget("m", 1 << 20));
        CsvFile file = CsvFile.open(path, new Unpacking(space))) {
      try (StopCheck.Scope _ = check.enter()) {
        assertEquals(ErrorCode.CANCELLED, failure(file).code());
      }
      assertEquals(0, space.used());
      assertTrue(file.parts().size() > 1, "another query reads it");
    }
  }

  @Test
  void whatIsNoFileIsNeverOpened() throws Exception {
    Files.writeString(directory.resolve("good.csv"), "a,b\n1,2\n");
    for (String name :
        new String[] {"p.csv", "q.parquet", "r.arrow", "s.csv.gz", "good2.csv.json"}) {
      Process made = new ProcessBuilder("mkfifo", directory.resolve(name).toString()).start();
      assumeTrue(made.waitFor() == 0);
    }
    Files.writeString(directory.resolve("good2.csv"), "a,b\n1,2\n");
    Files.createSymbolicLink(directory.resolve("fifo.csv"), directory.resolve("p.csv"));
    Files.createSymbolicLink(directory.resolve("gone.csv"), directory.resolve("nothing"));
    Files.createSymbolicLink(directory.resolve("loop.csv"), directory.resolve("loop.csv"));
    Files.createSymbolicLink(directory.resolve("null.csv"), Path.of("/dev/zero"));
    Path parts = Files.createDirectory(directory.resolve("parts"));
    assumeTrue(
        new ProcessBuilder("mkfifo", parts.resolve("x.parquet").toString()).start().waitFor() == 0);
    Files.createSymbolicLink(parts.resolve("up"), directory);
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(directory.resolve("sock.csv")));
      MemoryBudget budget = new MemoryBudget("test", 64 << 20);
      try (TableCatalog catalog = TableCatalog.open(directory, budget, TestUnpacking.ANY, 2)) {
        assertEquals(Arrays.asList("good"), catalog.tables().keySet().stream().toList());
        for (String name :
            new String[] {
              "p", "q", "r", "s", "good2", "fifo", "gone", "loop", "null", "parts", "sock"
            }) {
          AragoniteException error = catalog.broken().get(name);
          assertTrue(error != null, name);
          assertTrue(error.getMessage().contains(directory.toString()), error.getMessage());
        }
        assertTrue(
            catalog.broken().get("p").getMessage().contains("named pipe"),
            catalog.broken().get("p").getMessage());
      }
    }
  }
}
