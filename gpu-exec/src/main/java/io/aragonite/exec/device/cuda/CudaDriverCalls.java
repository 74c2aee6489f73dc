package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Functions of the driver that JCuda 12.6 has no binding for, by the foreign function interface;
 * and launches, for which its binding takes 0.4 us more than the 3 us of the driver.
 */
final class CudaDriverCalls {
  /** CU_MEMPOOL_ATTR_RELEASE_THRESHOLD. */
  private static final int RELEASE_THRESHOLD = 4;

  private static final MethodHandle LAUNCH =
      Objects.requireNonNull(
          find(
              "cuLaunchKernel",
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_LONG)));

  private static final @Nullable MethodHandle PARAMETER =
      find(
          "cuFuncGetParamInfo",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS));
  private static final @Nullable MethodHandle DEFAULT_POOL =
      find(
          "cuDeviceGetDefaultMemPool",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
  private static final @Nullable MethodHandle SET_POOL =
      find(
          "cuMemPoolSetAttribute",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS));
  private static final @Nullable MethodHandle TRIM_POOL =
      find(
          "cuMemPoolTrimTo",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

  private static final @Nullable MethodHandle POOL_ACCESS =
      find(
          "cuMemPoolSetAccess",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG));

  private static final @Nullable MethodHandle HOST_ALLOC =
      find(
          "cuMemHostAlloc",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT));

  private static final @Nullable MethodHandle COPY_TOGETHER =
      find(
          "cuMemcpyBatchAsync_v2",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG));

  /** Bytes of CUmemcpyAttributes, whose first word is the order of accesses. */
  private static final long COPY_ATTRIBUTES = 24;

  /** CU_MEMCPY_SRC_ACCESS_ORDER_STREAM. */
  private static final int IN_STREAM_ORDER = 1;

  /** CU_MEM_LOCATION_TYPE_DEVICE. */
  private static final int DEVICE_LOCATION = 1;

  /** CU_MEM_ACCESS_FLAGS_PROT_READWRITE. */
  private static final int READ_WRITE = 3;

  private CudaDriverCalls() {}

  private static @Nullable MethodHandle find(String name, FunctionDescriptor descriptor) {
    return SymbolLookup.libraryLookup("libcuda.so.1", Arena.global())
        .find(name)
        .map(symbol -> Linker.nativeLinker().downcallHandle(symbol, descriptor))
        .orElse(null);
  }

  /**
   * Launches a kernel.
   *
   * @param arguments where the addresses of its arguments are
   * @return what the driver says
   */
  static int launch(
      long function, int blocks, int threads, int sharedBytes, long stream, long arguments) {
    try {
      return (int)
          LAUNCH.invokeExact(
              function, blocks, 1, 1, threads, 1, 1, sharedBytes, stream, arguments, 0L);
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }

  /** Bytes of each of a kernel's parameters; null where the driver cannot tell (before 12.4). */
  static int @Nullable [] parameterWidths(long function) {
    if (PARAMETER == null) {
      return null;
    }
    List<Integer> widths = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment offset = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
      while (true) {
        int result = (int) PARAMETER.invokeExact(function, (long) widths.size(), offset, size);
        if (result != 0) {
          // An index behind the last is an invalid value; anything else says nothing.
          if (result != CUresult.CUDA_ERROR_INVALID_VALUE) {
            return null;
          }
          return widths.stream().mapToInt(Integer::intValue).toArray();
        }
        widths.add((int) size.get(ValueLayout.JAVA_LONG, 0));
      }
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }

  /**
   * The default memory pool of a GPU, made to keep what is freed until it is trimmed: taking memory
   * from the system costs milliseconds.
   *
   * @return the pool's handle; 0 where the driver has none
   */
  static long keepingPool(int ordinal) {
    if (DEFAULT_POOL == null || SET_POOL == null) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(ValueLayout.JAVA_LONG);
      if ((int) DEFAULT_POOL.invokeExact(value, ordinal) != 0) {
        return 0;
      }
      long pool = value.get(ValueLayout.JAVA_LONG, 0);
      value.set(ValueLayout.JAVA_LONG, 0, -1L);
      int result = (int) SET_POOL.invokeExact(pool, RELEASE_THRESHOLD, value);
      return result == 0 ? pool : 0;
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }

  /**
   * Page-locked host memory for all GPUs of the process. JCuda's binding makes a byte buffer of it,
   * and so stops at 2 GB.
   *
   * @return its address; 0 if the driver has none
   */
  static long hostMemory(long bytes) {
    if (HOST_ALLOC == null) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(ValueLayout.JAVA_LONG);
      int flags = JCudaDriver.CU_MEMHOSTALLOC_PORTABLE;
      int result = (int) HOST_ALLOC.invokeExact(address, bytes, flags);
      return result == CUresult.CUDA_SUCCESS ? address.get(ValueLayout.JAVA_LONG, 0) : 0;
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }

  /**
   * Has copies of page-locked memory to the device made in any order among themselves, which the
   * copy engine makes without a rest between them.
   *
   * @param stream behind whose work they come
   * @return what the driver says; CUDA_ERROR_NOT_SUPPORTED before 13.0
   */
  static int copyTogether(List<ColumnMemory.Copy> copies, long stream) {
    if (COPY_TOGETHER == null) {
      return CUresult.CUDA_ERROR_NOT_SUPPORTED;
    }
    try (Arena arena = Arena.ofConfined()) {
      long count = copies.size();
      MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, count);
      MemorySegment from = arena.allocate(ValueLayout.JAVA_LONG, count);
      MemorySegment bytes = arena.allocate(ValueLayout.JAVA_LONG, count);
      for (int i = 0; i < count; i++) {
        ColumnMemory.Copy copy = copies.get(i);
        to.setAtIndex(ValueLayout.JAVA_LONG, i, copy.device().address());
        from.setAtIndex(ValueLayout.JAVA_LONG, i, copy.host());
        bytes.setAtIndex(ValueLayout.JAVA_LONG, i, copy.device().size());
      }
      MemorySegment attributes = arena.allocate(COPY_ATTRIBUTES, Long.BYTES);
      attributes.set(ValueLayout.JAVA_INT, 0, IN_STREAM_ORDER);
      MemorySegment ofAll = arena.allocate(ValueLayout.JAVA_LONG);
      return (int) COPY_TOGETHER.invokeExact(to, from, bytes, count, attributes, ofAll, 1L, stream);
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }

  /** Gives what a pool keeps back to the system. */
  static int trim(long pool) {
    if (TRIM_POOL == null || pool == 0) {
      return 0;
    }
    try {
      return (int) TRIM_POOL.invokeExact(pool, 0L);
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }

  /**
   * Lets another GPU reach what a pool hands out.
   *
   * @param ordinal of that GPU
   */
  static int share(long pool, int ordinal) {
    if (POOL_ACCESS == null || pool == 0) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment access = arena.allocate(ValueLayout.JAVA_INT, 3);
      access.setAtIndex(ValueLayout.JAVA_INT, 0, DEVICE_LOCATION);
      access.setAtIndex(ValueLayout.JAVA_INT, 1, ordinal);
      access.setAtIndex(ValueLayout.JAVA_INT, 2, READ_WRITE);
      return (int) POOL_ACCESS.invokeExact(pool, access, 1L);
    } catch (Throwable e) {
      throw new AssertionError("the driver's functions do not throw", e);
    }
  }
}
