package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.testing.TestSeed;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Selections of more pieces than blocks begin with, and of launches whose number wraps around. The
 * contract's sizes have three pieces at most.
 */
@Tag("gpu")
class CudaSelectTest {
  /** Rows of a piece. */
  private static final int PIECE = CudaConstants.SelectIdsPolicy.PIECE;

  private final Random random = TestSeed.random(getClass());
  private final CudaGpu gpu = TestGpu.require();
  private final CudaDevice device =
      new CudaDevice(
          gpu,
          new MemoryBudget("memory", 1L << 30),
          new CpuDevice(1, new MemoryBudget("memory", 1L << 30), new CpuExpressionCompiler()));
  private final TestContext context = new TestContext(device);

  @AfterEach
  void close() {
    context.close();
    device.close();
  }

  /** One piece, as many as run at once, one more, and several for each block. */
  @Test
  void manyPieces() {
    int resident = 2 * gpu.sms();
    for (int pieces : new int[] {1, 4, 17, resident, resident + 1, 3 * resident - 1}) {
      for (int oneIn : new int[] {1, 2, 50, 5000}) {
        check(pieces * PIECE - random.nextInt(PIECE), oneIn);
      }
    }
  }

  @Test
  void numbersOfLaunchesWrapAround() {
    CudaStream stream = CudaStream.of(context);
    for (int first = -4; first < 0; first++) {
      synchronized (stream) {
        stream.fill(stream.counts().address(), (byte) 0, stream.counts().size());
        stream.launches = first; // as if so many had been
      }
      for (int i = 0; i < 6; i++) {
        check(5 * PIECE + random.nextInt(PIECE), 1 + random.nextInt(40));
        flags(3 * PIECE + random.nextInt(PIECE), 1 + random.nextInt(40));
      }
    }
  }

  private void check(int rows, int oneIn) {
    Buffer host = context.hostMemory().allocate(4L * rows);
    for (int i = 0; i < rows; i++) {
      Mem.putInt(host.address() + 4L * i, random.nextInt(oneIn) == 0 ? i : -1);
    }
    Buffer ids = context.memory().allocate(4L * rows);
    Buffer out = context.memory().allocate(4L * rows + 64);
    device.transfers().toDevice(context, host.address(), ids, 4L * rows);
    for (boolean matched : new boolean[] {true, false}) {
      int[] expected =
          IntStream.range(0, rows)
              .filter(i -> Mem.getInt(host.address() + 4L * i) >= 0 == matched)
              .toArray();
      int found = context.scan().selectIds(context, ids, rows, matched, out);
      assertArrayEquals(expected, context.ints(out, found), rows + " rows, one in " + oneIn);
    }
    context.memory().free(ids);
    context.memory().free(out);
    context.hostMemory().free(host);
  }

  private void flags(int rows, int oneIn) {
    Buffer host = context.hostMemory().allocate(rows);
    for (int i = 0; i < rows; i++) {
      Mem.putByte(host.address() + i, (byte) (random.nextInt(oneIn) == 0 ? 1 : 0));
    }
    Buffer flags = context.memory().allocate(rows);
    Buffer out = context.memory().allocate(4L * rows + 64);
    device.transfers().toDevice(context, host.address(), flags, rows);
    int[] expected =
        IntStream.range(0, rows).filter(i -> Mem.getByte(host.address() + i) != 0).toArray();
    int found = context.scan().select(context, flags, rows, true, out);
    assertArrayEquals(expected, context.ints(out, found), rows + " flags, one in " + oneIn);
    context.memory().free(flags);
    context.memory().free(out);
    context.hostMemory().free(host);
  }
}
