package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Defects of the JVM that change what arrays hold, and so answers, without a word. What has one is
 * refused: a program may run in any JVM that its users have.
 */
public final class JvmDefects {
  /** Java releases from this one on are built with the fix of JDK-8380060. */
  private static final int COMPACT_HEADERS_FIXED = 27;

  private static final int PINNING_BROKEN = 25;
  private static final int PINNING_FIXED_UPDATE = 3;

  /** Where the bytes of an array begin if its header is a compact one: no other layout has this. */
  private static final int COMPACT_BASE = 12;

  private static final String HEADERS =
      "Java %s with compact object headers can change the bytes of texts (JDK-8380060); start the"
          + " JVM with -XX:-UseCompactObjectHeaders.";

  private static final String PINNING =
      "Java %s with the G1 collector can change arrays that native code reads, such as pages that"
          + " are decompressed (JDK-8377811); use Java 25.0.%d or newer, or start the JVM with"
          + " -XX:+UseParallelGC.";

  /** Without native memory nothing runs, and nothing is to be looked at by its means. */
  private static final Optional<String> FOUND =
      NativeAccess.isAllowed()
          ? find(Runtime.version(), Mem.byteArrayBase() == COMPACT_BASE, JvmDefects::usesG1)
          : Optional.empty();

  private JvmDefects() {}

  /**
   * @throws AragoniteException DEVICE_UNAVAILABLE, with the defect and what to run instead
   */
  public static void require() {
    if (FOUND.isPresent()) {
      throw new AragoniteException(ErrorCode.DEVICE_UNAVAILABLE, FOUND.get());
    }
  }

  /** What this JVM has of them, a sentence with the way out; empty if it has none. */
  public static Optional<String> found() {
    return FOUND;
  }

  /**
   * @param g1 asked only where it matters, since asking loads many classes
   */
  static Optional<String> find(
      Runtime.Version version, boolean compactHeaders, BooleanSupplier g1) {
    if (compactHeaders && version.feature() < COMPACT_HEADERS_FIXED) {
      return Optional.of(HEADERS.formatted(version));
    }
    boolean old =
        version.feature() == PINNING_BROKEN
            && version.interim() == 0
            && version.update() < PINNING_FIXED_UPDATE;
    if (old && g1.getAsBoolean()) {
      return Optional.of(PINNING.formatted(version, PINNING_FIXED_UPDATE));
    }
    return Optional.empty();
  }

  private static boolean usesG1() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .anyMatch(collector -> collector.getName().startsWith("G1"));
  }
}
