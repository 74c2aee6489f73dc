package io.aragonite.exec.spill.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a disk gives back is what was written, or an error. */
class SpillFileTest {
  private static final int BYTES = 2 * SpillCodec.PIECE + 12_345;

  @TempDir private Path folder = Path.of("");

  private static byte[] bytes(boolean compressible) {
    byte[] bytes = new byte[BYTES];
    if (compressible) {
      for (int i = 0; i < BYTES; i++) {
        bytes[i] = (byte) (i >>> 7);
      }
    } else {
      new Random(7).nextBytes(bytes);
    }
    return bytes;
  }

  private Path file() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> f.toString().endsWith(".spill")).findFirst().orElseThrow();
    }
  }

  @Test
  void aChangedByteOrAHoleIsAnError() throws IOException {
    for (boolean compressible : new boolean[] {false, true}) {
      byte[] bytes = bytes(compressible);
      try (Arena arena = Arena.ofConfined();
          SpillSpace space = new SpillSpace(folder, 1 << 30, new MemoryBudget("memory", 1));
          SpillFile spilled = space.newFile()) {
        MemorySegment written = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        SpillFile.Extent extent = spilled.write(new Buffer(written.address(), BYTES));
        long size = Files.size(file());
        assertEquals(compressible, size < BYTES / 2);
        MemorySegment read = arena.allocate(BYTES);
        spilled.read(extent, read.address());
        assertArrayEquals(bytes, read.toArray(ValueLayout.JAVA_BYTE));

        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
          for (long at : new long[] {0, size / 2, size - 1}) {
            file.seek(at);
            int was = file.read();
            file.seek(at);
            file.write(was ^ 1);
            assertFails(spilled, extent, read);
            file.seek(at);
            file.write(was);
          }
          spilled.read(extent, read.address());
          file.setLength(size / 3);
          assertFails(spilled, extent, read);
          file.setLength(size);
          assertFails(spilled, extent, read);
        }
      }
    }
  }

  private void assertFails(SpillFile file, SpillFile.Extent extent, MemorySegment to) {
    AragoniteException error =
        assertThrows(AragoniteException.class, () -> file.read(extent, to.address()));
    assertEquals(ErrorCode.DISK_FAILED, error.code());
    assertTrue(error.getMessage().contains(folder.toString()), error::getMessage);
  }
}
