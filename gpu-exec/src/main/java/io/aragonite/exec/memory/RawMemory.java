package io.aragonite.exec.memory;

/**
 * What {@link NativeQueryMemory} hands out: where blocks come from, and how their bytes are set and
 * moved. Host memory, or what a test puts in its place. (Memory of a GPU comes in the order of a
 * query's stream and is not looked at by the host: it has accounts of its own.) Safe for several
 * threads.
 */
public interface RawMemory {
  /** The C library's. */
  RawMemory HOST = new HostMemory();

  /** Asks for huge pages in a range of host memory; that is advice, and may have no effect. */
  static void adviseHuge(long address, long bytes) {
    NativeHeap.adviseHuge(address, bytes);
  }

  /**
   * A block of {@code bytes} bytes, aligned to 16 at least.
   *
   * @return its address, never 0; 0 if there is no memory
   */
  long allocate(long bytes);

  /** Gives a block back. */
  void free(long address);

  /** Copies between two places in this memory that do not overlap. */
  void copy(long from, long to, long bytes);

  /** Sets bytes. */
  void fill(long address, long bytes, byte value);

  /**
   * Where the host sees an address, for the checks of {@link MemoryDebug}; 0 if it does not, and
   * then there are no checks.
   */
  default long hostView(long address) {
    return 0;
  }

  /**
   * What a request for {@code bytes} is to be rounded up to, so that blocks that are kept serve
   * later ones.
   */
  default long rounded(long bytes) {
    return bytes;
  }

  /** Whether large blocks are to be aligned for the host's huge pages. */
  default boolean hugePages() {
    return false;
  }

  /** Host memory. */
  final class HostMemory implements RawMemory {
    private HostMemory() {}

    @Override
    public long allocate(long bytes) {
      return NativeHeap.malloc(bytes);
    }

    @Override
    public void free(long address) {
      NativeHeap.free(address);
    }

    @Override
    public void copy(long from, long to, long bytes) {
      Mem.copy(from, to, bytes);
    }

    @Override
    public void fill(long address, long bytes, byte value) {
      Mem.fill(address, bytes, value);
    }

    @Override
    public long hostView(long address) {
      return address;
    }

    @Override
    public boolean hugePages() {
      return true;
    }
  }
}
