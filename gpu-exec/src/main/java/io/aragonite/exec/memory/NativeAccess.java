package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Whether the JVM lets us at native memory. It does without a flag, with warnings; flags of its own
 * can forbid it, and later releases mean to.
 */
public final class NativeAccess {
  /** What a program's JVM is started with so that it neither warns nor refuses. */
  public static final String FLAGS =
      "--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow";

  private static final @Nullable String REFUSAL = refusal();

  private NativeAccess() {}

  /**
   * @throws AragoniteException DEVICE_UNAVAILABLE, with the flags that are missing
   */
  public static void require() {
    if (REFUSAL != null) {
      throw new AragoniteException(ErrorCode.DEVICE_UNAVAILABLE, REFUSAL);
    }
  }

  /**
   * Makes the code for calls of the C library that large pieces of memory need, unless the JVM
   * forbids that: it takes some 20 ms.
   */
  public static void prepare() {
    if (isAllowed()) {
      NativeHeap.prepare();
    }
  }

  /** Whether {@link #require} passes. */
  static boolean isAllowed() {
    return REFUSAL == null;
  }

  private static @Nullable String refusal() {
    try {
      long address = Mem.allocate(Long.BYTES);
      Mem.putLong(address, 0);
      Mem.segment(address, Long.BYTES);
      Mem.free(address);
      return null;
    } catch (ExceptionInInitializerError e) {
      return refusal(e.getCause() == null ? e : e.getCause());
    } catch (NoClassDefFoundError | UnsupportedOperationException | IllegalCallerException e) {
      return refusal(e);
    }
  }

  private static String refusal(Throwable reason) {
    return "The JVM refuses access to native memory, which every device needs (%s); start it with %s."
        .formatted(AragoniteException.reason(reason), FLAGS);
  }
}
