package io.aragonite.exec.memory;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.settings.DiagnosticSettings;
import io.aragonite.exec.settings.EngineSettings;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks on the use of native memory, on with the system property {@code aragonite.memory.debug}
 * (as in all tests): new buffers are poisoned, red zones around them are verified when they are
 * given back, and open accounts are remembered with the place that opened them.
 */
public final class MemoryDebug {
  private static final DiagnosticSettings SETTINGS = EngineSettings.atStart();

  /** Whether the checks are on. */
  public static final boolean ON = SETTINGS.memoryDebug();

  /**
   * Whether GPUs set bytes that kernels read and do not use, such as those behind each buffer: then
   * a tool that reports reads of memory that nobody wrote ({@code compute-sanitizer --tool
   * initcheck}) reports none of these. On with {@code aragonite.memory.slack}.
   */
  public static final boolean SLACK = SETTINGS.memorySlack();

  /** What every byte of a new buffer is when the checks are on. */
  public static final byte POISON = (byte) 0xA5;

  /** Bytes of a red zone. */
  static final int ZONE = 64;

  private static final long ZONE_WORD = 0xFEFD_FCFB_FAF9_F8F7L;
  private static final int FRAMES = 14;
  private static final Origin NOWHERE = new Origin(null);
  private static final Set<NativeQueryMemory> OPEN = ConcurrentHashMap.newKeySet();

  private MemoryDebug() {}

  /** The accounts that are open, if the checks are on. */
  static Set<NativeQueryMemory> open() {
    return OPEN;
  }

  static void opened(NativeQueryMemory memory) {
    OPEN.add(memory);
  }

  static void closed(NativeQueryMemory memory) {
    OPEN.remove(memory);
  }

  /** Where the caller was called from; nowhere unless the checks are on. */
  static Origin origin() {
    return ON ? new Origin(new Throwable()) : NOWHERE;
  }

  /**
   * Frames of a stack, for messages. They get names when somebody asks for them: each piece of an
   * arena has an origin, and most of the time of tests that take many pieces went to names.
   */
  record Origin(@Nullable Throwable frames) {
    @Override
    public String toString() {
      return frames == null
          ? ""
          : Arrays.stream(frames.getStackTrace())
              .skip(2)
              .limit(FRAMES)
              .map(StackTraceElement::toString)
              .collect(Collectors.joining("\n    at "));
    }
  }

  /** Memory that the host does not see is neither painted, poisoned nor checked. */
  static void paintZone(RawMemory raw, long deviceAddress) {
    long address = raw.hostView(deviceAddress);
    if (address == 0) {
      return;
    }
    for (int i = 0; i < ZONE; i += 8) {
      Mem.putLong(address + i, ZONE_WORD);
    }
  }

  /**
   * @throws AragoniteException INTERNAL if something was written into the zone
   */
  static void checkZone(RawMemory raw, long deviceZone, String side, Buffer buffer, Origin origin) {
    long zone = raw.hostView(deviceZone);
    if (zone == 0) {
      return;
    }
    for (int i = 0; i < ZONE; i++) {
      byte expected = (byte) (ZONE_WORD >>> ((i & 7) * 8));
      if (Mem.getByte(zone + i) != expected) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "Memory %s a buffer of %,d bytes was overwritten (byte %d of the red zone); the buffer comes from %s"
                .formatted(side, buffer.size(), i, origin));
      }
    }
  }

  static void poison(RawMemory raw, long deviceAddress, long bytes) {
    long address = raw.hostView(deviceAddress);
    if (address != 0) {
      Mem.fill(address, bytes, POISON);
    }
  }
}
