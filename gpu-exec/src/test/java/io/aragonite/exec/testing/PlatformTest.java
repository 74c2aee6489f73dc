package io.aragonite.exec.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

/** What the build promises every test: JDK 25, Arrow memory. */
class PlatformTest {
  @Test
  void runsOnJdk25() {
    assertEquals(25, Runtime.version().feature());
  }

  @Test
  void hasArrowMemory() {
    try (RootAllocator allocator = new RootAllocator();
        ArrowBuf buffer = allocator.buffer(64)) {
      buffer.setLong(0, 42);
      assertEquals(42, buffer.getLong(0));
    }
  }
}
