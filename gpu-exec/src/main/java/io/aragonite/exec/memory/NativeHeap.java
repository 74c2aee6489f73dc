package io.aragonite.exec.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The C library's allocator. Callers align and account.
 *
 * <p>Large pieces are meant for huge pages where the system has them (Linux): tables are visited at
 * random, and with pages of 4 KiB nearly every visit would miss the TLB as well.
 */
final class NativeHeap {
  /** Size and alignment of a huge page; larger pieces are aligned to it. */
  static final long HUGE_PAGE = 2 << 20;

  /** Pieces from this size on are aligned to, and advised to be, huge pages. */
  static final long LARGE = 2 * HUGE_PAGE;

  /** Pieces from this size on are mappings of their own, which go back to the system when freed. */
  private static final int OWN_MAPPING = 1 << 20;

  private NativeHeap() {}

  /**
   * What large pieces want of the C library beside its allocator. Java makes code for each kind of
   * call first, which takes some 10 ms: a process without large pieces does without.
   */
  private static final class LargePieces {
    private static final int MADV_HUGEPAGE = 14;

    /** glibc's number of the size from which a piece is a mapping of its own. */
    private static final int M_MMAP_THRESHOLD = -3;

    private static final Logger LOG = LoggerFactory.getLogger(NativeHeap.class);

    private static final @Nullable MethodHandle MADVISE = madvise();

    static {
      returnAll();
    }

    private LargePieces() {}

    private static @Nullable MethodHandle madvise() {
      if (!System.getProperty("os.name").equals("Linux")) {
        return null;
      }
      Linker linker = Linker.nativeLinker();
      return linker
          .defaultLookup()
          .find("madvise")
          .map(symbol ->
              linker.downcallHandle(
                  symbol,
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_LONG,
                      ValueLayout.JAVA_LONG,
                      ValueLayout.JAVA_INT)))
          .orElse(null);
    }

    /**
     * Has glibc give pieces of a megabyte and more back to the system when they are freed. Left
     * alone it raises that size to 32 MB as such pieces are freed, and keeps what is smaller, which
     * then counts for this process although no budget knows of it. {@link BlockPool} keeps pieces
     * better.
     */
    private static void returnAll() {
      Linker linker = Linker.nativeLinker();
      FunctionDescriptor ofInts =
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      linker
          .defaultLookup()
          .find("mallopt")
          .ifPresent(symbol -> {
            try {
              int done =
                  (int)
                      linker
                          .downcallHandle(symbol, ofInts)
                          .invokeExact(M_MMAP_THRESHOLD, OWN_MAPPING);
              if (done == 0) {
                LOG.debug("mallopt(M_MMAP_THRESHOLD) was refused");
              }
            } catch (Throwable e) {
              throw new AssertionError("mallopt does not throw", e);
            }
          });
    }

    /** Initializes this class. */
    static void prepare() {}

    static void adviseHuge(long address, long bytes) {
      if (MADVISE == null) {
        return;
      }
      try {
        int result = (int) MADVISE.invokeExact(address, bytes, MADV_HUGEPAGE);
        if (result != 0) {
          LOG.debug("madvise(MADV_HUGEPAGE) of {} bytes was refused", bytes);
        }
      } catch (Throwable e) {
        throw new AssertionError("madvise does not throw", e);
      }
    }
  }

  /** Makes what {@link #malloc} needs for its first large piece. */
  static void prepare() {
    LargePieces.prepare();
  }

  /** An address, or 0 if the system has no memory. */
  static long malloc(long bytes) {
    if (bytes >= OWN_MAPPING) {
      LargePieces.prepare();
    }
    try {
      return Mem.allocate(Math.max(bytes, 1)); // 0 bytes have no address
    } catch (OutOfMemoryError e) {
      return 0;
    }
  }

  /** Asks for huge pages in a range; that is advice, and may have no effect. */
  static void adviseHuge(long address, long bytes) {
    LargePieces.adviseHuge(address, bytes);
  }

  static void free(long address) {
    Mem.free(address);
  }
}
