package io.aragonite.adapter.format.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCursor;
import org.junit.jupiter.api.Test;

/** Values of varying length whose lengths lie. */
class ByteArraysTest {
  private static final int COUNT = 20_000;
  private static final int TEXT_BYTES = 8;

  /**
   * There is room for what a page has beside its lengths: a value that claims the bytes of other
   * lengths too is not copied before these are found to be missing.
   */
  @Test
  void aValueThatClaimsTheLengthsOfOthers() {
    long pageBytes = 4L * COUNT + TEXT_BYTES;
    try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("memory", 1 << 24), 0);
        BytesBuilder bytes = new BytesBuilder(memory)) {
      Buffer page = memory.allocate(pageBytes);
      Buffer ends = memory.allocate(4L * COUNT);
      Mem.fill(page.address(), pageBytes, (byte) 0);
      for (int length : new int[] {TEXT_BYTES + 1, 4 * COUNT, (int) pageBytes - 4, -1}) {
        Mem.putInt(page.address(), length);
        MalformedPageException error =
            assertThrows(
                MalformedPageException.class,
                () -> ByteArrays.append(cursor(page, pageBytes), COUNT, bytes, ends.address()));
        assertEquals("a value is longer than its page", error.getMessage());
        assertEquals(0, bytes.size());
      }
      Mem.putInt(page.address(), TEXT_BYTES);
      ByteArrays.append(cursor(page, pageBytes), COUNT, bytes, ends.address());
      assertEquals(TEXT_BYTES, bytes.size());
      memory.free(page);
      memory.free(ends);
    }
  }

  private static PageCursor cursor(Buffer page, long bytes) {
    return new PageCursor(page.address(), page.address() + bytes);
  }
}
