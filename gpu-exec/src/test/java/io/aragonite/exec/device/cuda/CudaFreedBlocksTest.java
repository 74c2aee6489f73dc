package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class CudaFreedBlocksTest {
  @Test
  void blocksAreFoundBySizeAndGoByAge() {
    CudaFreedBlocks blocks = new CudaFreedBlocks();
    assertEquals(0, blocks.take(64));
    assertNull(blocks.takeOldest());
    for (Buffer block :
        List.of(
            new Buffer(1000, 64),
            new Buffer(2000, 128),
            new Buffer(3000, 64),
            new Buffer(4000, 64))) {
      assertTrue(blocks.put(block));
    }
    assertEquals(0, blocks.take(100), "only just as much");
    assertEquals(4000, blocks.take(64), "the last one freed, which caches may hold yet");
    assertEquals(new Buffer(1000, 64), blocks.takeOldest());
    assertEquals(2, blocks.count());
    assertEquals(3000, blocks.take(64));
    assertEquals(0, blocks.take(64));
    assertTrue(blocks.put(new Buffer(5000, 64)));
    assertEquals(List.of(new Buffer(2000, 128), new Buffer(5000, 64)), blocks.takeAll());
    assertEquals(0, blocks.take(128));
    assertTrue(blocks.put(new Buffer(6000, 64)));
    assertEquals(List.of(new Buffer(6000, 64)), blocks.close());
    assertFalse(blocks.put(new Buffer(7000, 64)));
    assertEquals(0, blocks.count());
  }
}
