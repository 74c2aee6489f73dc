package io.aragonite.exec.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** What the emulated GPU's driver tells of itself, and NVIDIA's does not. */
public final class EmulatedDriver {
  private EmulatedDriver() {}

  /** Skips the test on a real GPU. */
  public static void require() {
    TestGpu.require();
    Assumptions.assumeTrue(find("emulatedHold").isPresent(), "not an emulated GPU");
  }

  private static Optional<MemorySegment> find(String name) {
    return SymbolLookup.libraryLookup("libcuda.so.1", Arena.global()).find(name);
  }

  private static MethodHandle function(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(find(name).orElseThrow(), type);
  }

  private static long number(String name) {
    try {
      return (long) function(name, FunctionDescriptor.of(ValueLayout.JAVA_LONG)).invokeExact();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Streams that have been made and not ended. */
  public static long streams() {
    return number("emulatedStreams");
  }

  /** Bytes of the driver's page-locked memory. */
  public static long pinnedBytes() {
    return number("emulatedPinned");
  }

  /** Calls so far that make or end something, or may wait for all that a GPU does. */
  public static long heavyCalls() {
    return number("emulatedHeavyCalls");
  }

  /** Frees so far of what was not memory of a GPU. */
  public static long wrongFrees() {
    return number("emulatedWrongFrees");
  }

  /** Has so much of the GPUs' memory be in use by somebody else. */
  public static void hold(long bytes) {
    try {
      function("emulatedHold", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG)).invokeExact(bytes);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
