package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.KernelStore;
import io.aragonite.exec.device.cuda.ptx.PtxKernel;
import io.aragonite.exec.device.cuda.ptx.PtxKernels;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done around kernels of expressions: row numbers of bits, texts by their addresses. */
@Tag("gpu")
class CudaPtxRunnerTest {
  private static final int[] SIZES = {
    0, 1, 31, 32, 33, 63, 65, 511, 512, 513, 4095, 4097, 16_383, 16_385, 70_001
  };

  private final Random random = TestSeed.random(getClass());
  private final CudaGpu gpu = TestGpu.require();
  private final CudaDevice device =
      new CudaDevice(
          gpu,
          new MemoryBudget("memory", 1L << 30),
          new CpuDevice(1, new MemoryBudget("memory", 1L << 30), new CpuExpressionCompiler()));
  private final TestContext context = new TestContext(device);
  private final CudaPtxRunner rows = new CudaPtxRunner(gpu);

  @AfterEach
  void close() {
    context.close();
    device.close();
  }

  @Test
  void positionsOfBits() {
    for (int size : SIZES) {
      for (int oneIn : new int[] {1, 2, 50, Integer.MAX_VALUE}) {
        // Bits behind the last row may be anything.
        int[] words = random.ints((size + 31) / 32).toArray();
        List<Integer> expected = new ArrayList<>();
        for (int row = 0; row < size; row++) {
          boolean on = random.nextInt(oneIn) == 0;
          words[row / 32] =
              on ? words[row / 32] | 1 << row % 32 : words[row / 32] & ~(1 << row % 32);
          if (on) {
            expected.add(row);
          }
        }
        Buffer out = context.memory().allocate(4L * size);
        int count = rows.positions(context, context.ints(words), size, out);
        assertEquals(expected.size(), count);
        assertArrayEquals(
            expected.stream().mapToInt(Integer::intValue).toArray(), context.ints(out, count));
        context.scratch().reset();
      }
    }
  }

  @Test
  void laterProcessesHaveItsMachineCode(@TempDir Path folder) throws InterruptedException {
    KernelStore store = new KernelStore(folder.resolve("kernels"), "build", gpu.target());
    PtxKernel kernel = PtxKernels.empty();
    new CudaPtxRunner(gpu, 10, store).run(context, kernel, 1, new long[0]);
    CudaPtxRunner later = new CudaPtxRunner(gpu, 10, store);
    PtxKernel kept = later.kept("empty");
    for (int i = 0; kept == null && i < 1000; i++) {
      Thread.sleep(10); // it is written by a thread of the assembler
      kept = later.kept("empty");
    }
    assertNotNull(Objects.requireNonNull(kept, "nothing is kept").machineCode(gpu.target()));
    later.run(context, kept, 1, new long[0]);
    assertArrayEquals(new int[] {7}, context.ints(context.ints(7), 1)); // waits
  }

  @Test
  void textsByAddress() {
    byte[] heap = new byte[10_000];
    random.nextBytes(heap);
    for (int i = 0; i < heap.length; i++) {
      heap[i] = (byte) ('a' + (heap[i] & 15));
    }
    Buffer bytes = context.bytes(heap);
    ColumnShape shape = ColumnShape.of(DataType.VARCHAR);
    for (int size : SIZES) {
      for (int longest : new int[] {0, 1, 9, 60}) {
        long[] addresses = new long[size];
        int[] lengths = new int[size];
        List<Object> expected = new ArrayList<>();
        for (int row = 0; row < size; row++) {
          // Now and then one that is longer than a tile.
          boolean huge = longest == 60 && random.nextInt(2000) == 0;
          lengths[row] = huge ? 9000 : random.nextInt(longest + 1);
          int from = random.nextInt(heap.length - lengths[row] + 1);
          addresses[row] = bytes.address() + from;
          expected.add(new String(heap, from, lengths[row], StandardCharsets.US_ASCII));
        }
        Column texts =
            rows.texts(context, shape, size, context.longs(addresses), context.ints(lengths), null);
        assertEquals(expected, context.values(texts));
        int[] offsets = context.ints(texts.offsets(), size + 1);
        assertEquals(IntStream.of(lengths).sum(), offsets[size]);
        context.scratch().reset();
      }
    }
  }
}
