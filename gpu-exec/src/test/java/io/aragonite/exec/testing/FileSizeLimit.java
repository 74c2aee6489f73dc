package io.aragonite.exec.testing;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * How long a file of this process may become, as {@code setrlimit(RLIMIT_FSIZE)} has it, until it
 * is closed: a write beyond that fails, as on a disk that is full. Java ignores the signal that
 * comes with it. One at a time; whoever writes files beside the test is meant too.
 */
public final class FileSizeLimit implements AutoCloseable {
  private static final int RLIMIT_FSIZE = 1;
  private static final MethodHandle GET = handle("getrlimit");
  private static final MethodHandle SET = handle("setrlimit");

  /** Soft and hard limit as they were. */
  private final long soft;

  private final long hard;

  /**
   * @param bytes from which on nothing can be written
   */
  public FileSizeLimit(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
      call(GET, limit);
      soft = limit.getAtIndex(ValueLayout.JAVA_LONG, 0);
      hard = limit.getAtIndex(ValueLayout.JAVA_LONG, 1);
    }
    set(bytes);
  }

  /** Whether there is such a limit. */
  public static boolean isKnown() {
    return System.getProperty("os.name").equals("Linux");
  }

  private static MethodHandle handle(String name) {
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor descriptor =
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS);
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  private static void call(MethodHandle function, MemorySegment limit) {
    int result;
    try {
      result = (int) function.invokeExact(RLIMIT_FSIZE, limit);
    } catch (Throwable e) {
      throw new AssertionError("a function of C does not throw", e);
    }
    if (result != 0) {
      throw new IllegalStateException("the limit of files cannot be had or set");
    }
  }

  private void set(long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
      limit.setAtIndex(ValueLayout.JAVA_LONG, 0, bytes);
      limit.setAtIndex(ValueLayout.JAVA_LONG, 1, hard);
      call(SET, limit);
    }
  }

  @Override
  public void close() {
    set(soft);
  }
}
