package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.cuda.ptx.PtxKernel;
import io.aragonite.exec.device.cuda.ptx.PtxKernels;
import io.aragonite.exec.settings.Toggle;
import org.junit.jupiter.api.Test;

/** When kernels of expressions are interpreted, and by blocks of what size. */
class FirstRunsTest {
  private final FirstRuns firstRuns = new FirstRuns(132);
  private final PtxKernel kernel = PtxKernels.ofInstructions(100);

  @Test
  void fewRowsAreInterpretedUntilThereIsMachineCode() {
    assertNotNull(firstRuns.interpreted(Toggle.AUTO, kernel, 1_000_000, false));
    assertNull(firstRuns.interpreted(Toggle.AUTO, kernel, 1_000_000, true));
  }

  @Test
  void manyRowsWait() {
    assertNull(firstRuns.interpreted(Toggle.AUTO, kernel, 1_000_000_000, false));
    PtxKernel longer = PtxKernels.ofInstructions(FirstRuns.LONGEST_TEXT / 10);
    assertNull(firstRuns.interpreted(Toggle.AUTO, longer, 1, false));
  }

  @Test
  void theSettingForcesIt() {
    assertNotNull(firstRuns.interpreted(Toggle.ON, kernel, 1_000_000_000, true));
    assertNull(firstRuns.interpreted(Toggle.OFF, kernel, 1, false));
    assertNull(firstRuns.interpreted(Toggle.ON, PtxKernels.empty(), 1, false));
  }

  @Test
  void blocksLeaveLittleSharedMemory() {
    assertEquals(256, CudaInterpreter.threads(12, 227 << 10));
    for (int shared : new int[] {99 << 10, 163 << 10, 227 << 10}) {
      for (int slots = 1; slots <= 256; slots++) {
        int threads = CudaInterpreter.threads(slots, shared);
        assertTrue(threads * slots * 8 <= shared && 256 % threads == 0 && threads >= 32);
      }
    }
    assertThrows(IllegalArgumentException.class, () -> CudaInterpreter.threads(500, 99 << 10));
  }
}
