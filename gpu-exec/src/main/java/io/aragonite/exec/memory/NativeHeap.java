package io.aragonite.exec.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The C library's allocator. Callers align and account. */
final class NativeHeap {
  private static final MethodHandle MALLOC =
      handle("malloc", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
  private static final MethodHandle FREE =
      handle("free", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

  private NativeHeap() {}

  private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  /** An address, or 0 if the system has no memory. */
  static long malloc(long bytes) {
    try {
      return (long) MALLOC.invokeExact(bytes);
    } catch (Throwable e) {
      throw new AssertionError("malloc does not throw", e);
    }
  }

  static void free(long address) {
    try {
      FREE.invokeExact(address);
    } catch (Throwable e) {
      throw new AssertionError("free does not throw", e);
    }
  }
}
