package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
class CudaStreamTest {
  /** Where the GPU is full the next query tries again: nothing is left of the stream. */
  @Test
  void streamWhoseWordsAreRefusedLeavesNothing() {
    EmulatedDriver.require();
    CudaGpu gpu = TestGpu.require();
    gpu.makeCurrent();
    EmulatedDriver.hold(gpu.freeBytes());
    try {
      long streams = EmulatedDriver.streams();
      long pinned = EmulatedDriver.pinnedBytes();
      long wrongFrees = EmulatedDriver.wrongFrees();
      for (int time = 0; time < 3; time++) {
        AragoniteException error =
            assertThrows(
                AragoniteException.class, () -> new CudaStream(gpu, CudaStream.StreamUse.WORK));
        assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
        assertEquals(streams, EmulatedDriver.streams());
        assertEquals(pinned, EmulatedDriver.pinnedBytes());
        assertEquals(wrongFrees, EmulatedDriver.wrongFrees());
      }
    } finally {
      EmulatedDriver.hold(0);
    }
    CudaStream stream = new CudaStream(gpu, CudaStream.StreamUse.WORK);
    assertEquals(0, stream.readLong(stream.counts().address()));
    gpu.giveBack(stream);
  }
}
