package io.aragonite.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jdk.incubator.vector.LongVector;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;

/** What the build promises every test: JDK 25, the Vector API, Arrow memory. */
class PlatformTest {
  @Test
  void runsOnJdk25() {
    assertEquals(25, Runtime.version().feature());
  }

  @Test
  void hasVectorsAndArrowMemory() {
    try (RootAllocator allocator = new RootAllocator();
        ArrowBuf buffer = allocator.buffer(64)) {
      buffer.setLong(0, 42);
      LongVector vector = LongVector.broadcast(LongVector.SPECIES_128, buffer.getLong(0));
      assertEquals(42, vector.lane(1));
    }
  }
}
