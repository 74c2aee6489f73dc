package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Accumulator;
import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryLeaks;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.plan.AggregateFunction;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
class CudaDeviceTest {
  private static final long MEMORY = 1L << 30;

  @Test
  void bytesGoThereAndBack() {
    Random random = TestSeed.random(CudaDeviceTest.class);
    int piece = CudaStaging.PIECE;
    try (CudaDevice device = TestGpu.device(MEMORY);
        Arena arena = Arena.ofShared()) {
      for (int bytes :
          new int[] {
            1, 63, 4096, 4097, 65_536, 65_537, piece - 1, piece, piece + 1, 19 * piece + 5
          }) {
        try (TestContext context = new TestContext(device)) {
          byte[] sent = new byte[bytes];
          random.nextBytes(sent);
          long host = arena.allocate(bytes, 64).address();
          long back = arena.allocate(bytes, 64).address();
          Mem.copy(sent, 0, host, bytes);
          Buffer one = context.memory().allocate(bytes);
          Buffer other = context.memory().allocate(bytes);
          device.transfers().toDevice(context, host, one, bytes);
          Mem.fill(host, bytes, (byte) 0); // it may be used again
          device.transfers().copy(context, one, other, bytes);
          device.transfers().toHost(context, other, back, bytes);
          byte[] received = new byte[bytes];
          Mem.copy(back, received, 0, bytes);
          assertArrayEquals(sent, received, bytes + " bytes");
          DeviceUsage usage = device.usage(context.memory());
          assertEquals(bytes, usage.toDeviceBytes());
          assertEquals(bytes, usage.toHostBytes());
        }
      }
    }
  }

  /** Each wait is a kernel that brings what is waited for. */
  @Test
  void resultsOfAggregatesAreWaitedForOnce() {
    try (CudaDevice device = TestGpu.device(MEMORY);
        TestContext context = new TestContext(device)) {
      List<Accumulator> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(
            context
                .aggregate()
                .newAccumulator(
                    context, AggregateFunction.COUNT, null, DataType.INT64, context.memory()));
        all.getLast().update(context, null, null, null, 7, 1);
      }
      long before = device.usage(context.memory()).kernels();
      all.forEach(one -> one.finish(context, 1, context.memory()));
      long apart = device.usage(context.memory()).kernels() - before;
      List<Column> results =
          context.aggregate().finish(context, all, List.of(1, 1, 1, 1, 1), false, context.memory());
      long together = device.usage(context.memory()).kernels() - before - apart;
      assertEquals(apart - 4, together);
      results.forEach(result -> assertEquals(List.of(7L), context.values(result)));
      all.forEach(Accumulator::close);
    }
  }

  /** Of any length, from any address, more of them than a launch brings; and none. */
  @Test
  void smallResultsComeByKernels() {
    Random random = TestSeed.random(CudaDeviceTest.class);
    int bytes = 20_000;
    try (CudaDevice device = TestGpu.device(MEMORY);
        TestContext context = new TestContext(device);
        QueryMemory hostMemory = device.newHostMemory(0)) {
      byte[] sent = new byte[bytes];
      random.nextBytes(sent);
      // What words for results have before a kernel writes to them.
      Arrays.fill(sent, 0, 8, (byte) -1);
      Buffer host = hostMemory.allocate(bytes);
      Mem.copy(sent, 0, host.address(), bytes);
      Buffer there = context.memory().allocate(bytes);
      device.transfers().toDevice(context, host.address(), there, bytes);
      for (int round = 0; round < 20; round++) {
        List<Buffer> from = new ArrayList<>();
        List<Buffer> to = new ArrayList<>();
        int pieces = round == 0 ? 0 : round == 1 ? 600 : 1 + random.nextInt(40);
        Buffer back = hostMemory.allocate(bytes);
        int at = 0;
        for (int i = 0; i < pieces; i++) {
          int length = random.nextInt(pieces > 100 ? 24 : 200);
          int first = random.nextInt(bytes - length);
          from.add(there.slice(round % 2 == 0 ? first & -8 : first, length));
          to.add(back.slice(at, length));
          at += length;
        }
        long before = device.usage(context.memory()).toHostBytes();
        device.transfers().toHost(context, from, to);
        assertEquals(at, device.usage(context.memory()).toHostBytes() - before);
        for (int i = 0; i < pieces; i++) {
          int length = (int) to.get(i).size();
          int first = (int) (from.get(i).address() - there.address());
          byte[] received = new byte[length];
          Mem.copy(to.get(i).address(), received, 0, length);
          assertArrayEquals(
              Arrays.copyOfRange(sent, first, first + length), received, "piece " + i);
        }
        int place = random.nextInt(bytes / 8 - 1) * 8;
        assertEquals(
            Mem.getLong(host.address() + place),
            device.transfers().readLong(context, there, place));
        assertEquals(
            Mem.getInt(host.address() + place + 4),
            device.transfers().readInt(context, there, place + 4));
        assertEquals(-1, device.transfers().readLong(context, there, 0));
      }
    }
  }

  /** Of any length, from and to any address, in page-locked memory; and results beside copies. */
  @Test
  void manySmallCopiesComeTogether() {
    Random random = TestSeed.random(CudaDeviceTest.class);
    int bytes = 4 << 20;
    try (CudaDevice device = TestGpu.device(MEMORY);
        TestContext context = new TestContext(device);
        QueryMemory hostMemory = device.newHostMemory(0)) {
      byte[] sent = new byte[bytes];
      random.nextBytes(sent);
      Buffer host = hostMemory.allocate(bytes);
      Mem.copy(sent, 0, host.address(), bytes);
      assertTrue(CudaPinnedMemory.holds(host.address(), bytes), "it is page-locked");
      for (int step : new int[] {1, 2, 4, 8, 16}) {
        Buffer to = context.memory().allocate(bytes);
        context.memory().fill(to, (byte) 0);
        byte[] expected = new byte[bytes];
        List<ColumnMemory.Copy> copies = new ArrayList<>();
        int at = 0;
        for (int i = 0; i < 40; i++) {
          int length =
              step * (i < 3 ? i + 1 : random.nextInt(i % 5 == 0 ? 70_000 : 3000) / step + 1);
          int from = random.nextInt((bytes - length) / step) * step;
          at += step * random.nextInt(9);
          if (at + length > bytes) {
            break;
          }
          copies.add(new ColumnMemory.Copy(host.address() + from, to.slice(at, length)));
          System.arraycopy(sent, from, expected, at, length);
          at += length;
        }
        long before = device.usage(context.memory()).toDeviceBytes();
        try (CopyQueue queue = device.transfers().newQueue(context)) {
          CopyQueue.CopyTicket ticket = queue.toDevice(copies);
          ticket.order();
          ticket.await();
          // The copy engine may be busy.
          long there = hostMemory.allocate(bytes).address();
          queue.toHost(List.of(new ColumnMemory.Copy(there, to))).await();
          assertEquals(Mem.getLong(there + 24), device.transfers().readLong(context, to, 24));
          assertEquals(Mem.getInt(there + 4), device.transfers().readInt(context, to, 4));
        }
        long copied = copies.stream().mapToLong(copy -> copy.device().size()).sum();
        assertEquals(copied, device.usage(context.memory()).toDeviceBytes() - before);
        long back = hostMemory.allocate(bytes).address();
        device.transfers().toHost(context, to, back, bytes);
        byte[] received = new byte[bytes];
        Mem.copy(back, received, 0, bytes);
        assertArrayEquals(expected, received, "addresses that are multiples of " + step);
      }
    }
  }

  @Test
  void unalignedFillAndIotaStayInside() {
    try (CudaDevice device = TestGpu.device(MEMORY);
        TestContext context = new TestContext(device)) {
      for (int width : new int[] {1, 2, 4, 8}) {
        Buffer whole = context.memory().allocate(400 * width);
        context.scan().fill(context, whole, width, -1, 400);
        Buffer part = whole.slice(3L * width, 100L * width);
        context.scan().fill(context, part, width, 5, 100);
        byte[] bytes = context.bytes(whole, 400 * width);
        for (int i = 0; i < 110; i++) {
          boolean inside = i >= 3 && i < 103;
          if (i < 103 || width * 103 % 16 == 0) {
            assertEquals(inside ? 5 : -1, bytes[i * width], "width " + width + " at " + i);
          }
        }
      }
      Buffer ints = context.memory().allocate(4 * 200);
      context.scan().iota(context, ints.slice(4, 4 * 150), Integer.MAX_VALUE - 1, 150);
      int[] read = context.ints(ints, 151);
      for (int i = 0; i < 150; i++) {
        assertEquals(Integer.MAX_VALUE - 1 + i, read[i + 1]);
      }
    }
  }

  @Test
  void wrongArgumentsAreRefusedBeforeTheLaunch() {
    try (CudaDevice device = TestGpu.device(MEMORY);
        TestContext context = new TestContext(device)) {
      CudaStream stream = CudaStream.of(context);
      CudaKernel kernel = stream.gpu().kernel(KernelFamily.FILL, "ara_iota");
      Buffer buffer = context.memory().allocate(64);
      assertEquals(
          ErrorCode.INTERNAL,
          assertThrows(AragoniteException.class, () -> stream.launch(kernel, 1, 32, 0, buffer, 1))
              .code());
      AragoniteException error =
          assertThrows(
              AragoniteException.class, () -> stream.launch(kernel, 1, 32, 0, buffer, 1L, 1));
      assertTrue(error.getMessage().contains("Argument 1"), error.getMessage());
      stream.launch(kernel, 1, 32, 0, buffer, 1, 1);
      stream.sync();
    }
  }

  @Test
  void memoryGoesBackAndItsShortageIsAnError() {
    try (CudaDevice device = TestGpu.device(100 << 20)) {
      try (QueryMemory memory = device.newQueryMemory(0)) {
        memory.allocate(60 << 20);
        AragoniteException error =
            assertThrows(AragoniteException.class, () -> memory.allocate(60 << 20));
        assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
        assertTrue(error.getMessage().contains("gpuMemory"), error.getMessage());
        memory.allocate(10 << 20);
      }
      MemoryLeaks.assertReleased(device.memory());
    }
    // A budget that promises more than there is.
    try (CudaDevice device = TestGpu.device(1L << 50)) {
      long free = device.gpu().freeBytes();
      try (QueryMemory memory = device.newQueryMemory(0)) {
        AragoniteException error =
            assertThrows(
                AragoniteException.class, () -> memory.allocate(device.gpu().memoryBytes() * 2));
        assertEquals(ErrorCode.MEMORY_EXCEEDED, error.code());
        assertTrue(error.getMessage().contains("cuda:0"), error.getMessage());
        Buffer small = memory.allocate(1 << 20);
        memory.free(small);
      }
      MemoryLeaks.assertReleased(device.memory());
      device.gpu().trimPool();
      long after = device.gpu().freeBytes();
      assertTrue(after >= free - (64 << 20), after + " bytes free, before " + free);
    }
  }

  @Test
  void freedBlocksAreUsedAgain() {
    try (CudaDevice device = TestGpu.device(100 << 20)) {
      Buffer first;
      try (QueryMemory memory = device.newQueryMemory(0)) {
        first = memory.allocate(40 << 20);
        Buffer second = memory.allocate(40 << 20);
        try (QueryMemory other = device.newQueryMemory(0)) {
          memory.free(first);
          // The first query's stream may have work for what it has freed.
          assertNotEquals(first.address(), other.allocate(10 << 20).address());
        }
        assertEquals(first, memory.allocate(40 << 20));
        memory.free(first);
        memory.free(second);
        // More than the budget has room for beside what is kept.
        memory.free(memory.allocate(90 << 20));
        first = memory.allocate(20 << 20);
      }
      try (QueryMemory memory = device.newQueryMemory(0)) {
        assertEquals(first, memory.allocate(20 << 20), "of a query that has ended");
        Buffer fresh = memory.allocate(20 << 20);
        assertNotEquals(first.address(), fresh.address());
        assertEquals(2 * CudaQueryMemory.padded(20 << 20), device.memory().used());
      }
      MemoryLeaks.assertReleased(device.memory());
    }
  }

  /**
   * Events of one that has copied would wait for others' copies, see {@link CudaStream.StreamUse}.
   */
  @Test
  void aStreamForCopiesIsForNothingElse() {
    TestGpu.require();
    CudaGpu gpu = CudaDriver.get().gpu(0);
    CudaStream copies = gpu.takeStream(CudaStream.StreamUse.TO_DEVICE);
    gpu.giveBack(copies);
    for (CudaStream.StreamUse use : CudaStream.StreamUse.values()) {
      CudaStream stream = gpu.takeStream(use);
      assertEquals(use, stream.use());
      gpu.giveBack(stream);
    }
  }
}
