package io.aragonite.exec.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** What the emulated GPU's driver tells of itself, and NVIDIA's does not. */
final class EmulatedDriver {
  private EmulatedDriver() {}

  /** Skips the test on a real GPU. */
  static void require() {
    TestGpu.require();
    Assumptions.assumeTrue(find("emulatedHold").isPresent(), "not an emulated GPU");
  }

  private static Optional<MemorySegment> find(String name) {
    return SymbolLookup.libraryLookup("libcuda.so.1", Arena.global()).find(name);
  }

  /** Streams that have been made and not ended. */
  static int streams() {
    try {
      return (int)
          Linker.nativeLinker()
              .downcallHandle(
                  find("emulatedStreams").orElseThrow(),
                  FunctionDescriptor.of(ValueLayout.JAVA_INT))
              .invokeExact();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Bytes of the driver's page-locked memory. */
  static long pinnedBytes() {
    try {
      return (long)
          Linker.nativeLinker()
              .downcallHandle(
                  find("emulatedPinned").orElseThrow(),
                  FunctionDescriptor.of(ValueLayout.JAVA_LONG))
              .invokeExact();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Has so much of the GPUs' memory be in use by somebody else. */
  static void hold(long bytes) {
    try {
      Linker.nativeLinker()
          .downcallHandle(
              find("emulatedHold").orElseThrow(), FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG))
          .invokeExact(bytes);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
