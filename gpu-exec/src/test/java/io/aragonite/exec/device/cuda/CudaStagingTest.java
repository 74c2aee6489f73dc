package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.testing.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
class CudaStagingTest {
  private static final int BYTES = 3 * CudaStaging.PIECE + 5;

  /** Where the last of its buffers is refused the others are given back, and made again later. */
  @Test
  void pinnedMemoryThatIsRefusedLeavesNothing() {
    byte[] bytes = new byte[BYTES];
    TestSeed.random(getClass()).nextBytes(bytes);
    try (CudaDevice device = TestGpu.device(1 << 30);
        TestContext context = new TestContext(device);
        CudaStaging staging = new CudaStaging(TestGpu.require(), 2);
        Arena arena = Arena.ofConfined()) {
      CudaStream stream = CudaStream.of(context);
      MemorySegment host = arena.allocate(BYTES, 64);
      host.copyFrom(MemorySegment.ofArray(bytes));
      Buffer there = context.memory().allocate(BYTES);
      staging.pinned().reserve(1, "the test");
      for (int time = 0; time < 2; time++) {
        AragoniteException error =
            assertThrows(
                AragoniteException.class,
                () -> staging.toDevice(context, stream, host.address(), there.address(), BYTES));
        assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
        assertEquals(1, staging.pinned().used());
      }
      staging.pinned().release(1);
      staging.toDevice(context, stream, host.address(), there.address(), BYTES);
      host.fill((byte) 0);
      staging.toHost(context, stream, there.address(), host.address(), BYTES);
      assertArrayEquals(bytes, host.toArray(ValueLayout.JAVA_BYTE));
      staging.close();
      assertEquals(0, staging.pinned().used());
    }
  }
}
