package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import java.util.List;

/**
 * Copies between a device's memory and the host's. Calls of one query take place in the order of
 * its other work on the device, so nothing has to be waited for before a copy. Stateless: what
 * belongs to a query (its stream) comes with the context.
 */
public interface Transfers {
  /** Copies to the host; returns when the bytes are there. */
  void toHost(ExecContext context, Buffer from, long hostAddress, long bytes);

  /**
   * Copies several pieces to the host; returns when all are there, and waits once if they are
   * small.
   *
   * @param to where in host memory each piece goes, whose size is what is copied
   */
  default void toHost(ExecContext context, List<Buffer> from, List<Buffer> to) {
    for (int i = 0; i < from.size(); i++) {
      toHost(context, from.get(i), to.get(i).address(), to.get(i).size());
    }
  }

  /** Copies to the device; the host memory may be used again on return. */
  void toDevice(ExecContext context, long hostAddress, Buffer to, long bytes);

  /** Copies within the device. */
  void copy(ExecContext context, Buffer from, Buffer to, long bytes);

  /** Adds to each 32-bit number of a buffer of the device: offsets of texts put together. */
  void add(ExecContext context, Buffer ints, int summand);

  /** Copies of a query that take place beside its other work, as far as the device can. */
  default CopyQueue newQueue(ExecContext context) {
    return CopyQueue.immediate(context);
  }

  /**
   * Whether {@link #fromPeer} brings something from a device's memory; else it must go through the
   * host's.
   */
  default boolean reaches(Device peer) {
    return false;
  }

  /**
   * Copies from another device's memory into this one's, in the order of this query's work. The
   * bytes must be there already, and stay until {@link #await} has returned.
   */
  default void fromPeer(ExecContext context, Device peer, Buffer from, Buffer to, long bytes) {
    throw new UnsupportedOperationException("no way to " + peer.name());
  }

  /** Waits until all that the query has asked of the device is done. */
  default void await(ExecContext context) {}

  /** The 32-bit value at {@code offset}. */
  default int readInt(ExecContext context, Buffer from, long offset) {
    return (int) read(context, from, offset, 4);
  }

  /** The 64-bit value at {@code offset}. */
  default long readLong(ExecContext context, Buffer from, long offset) {
    return read(context, from, offset, 8);
  }

  private long read(ExecContext context, Buffer from, long offset, int width) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    long word = scratch.allocate(8).address();
    toHost(context, new Buffer(from.address() + offset, width), word, width);
    long value = width == 4 ? Mem.getInt(word) : Mem.getLong(word);
    scratch.release(mark);
    return value;
  }

  /** Of a device whose memory is host memory. */
  Transfers SHARED =
      new Transfers() {
        @Override
        public void toHost(ExecContext context, Buffer from, long hostAddress, long bytes) {
          Mem.copy(from.address(), hostAddress, bytes);
        }

        @Override
        public void toDevice(ExecContext context, long hostAddress, Buffer to, long bytes) {
          Mem.copy(hostAddress, to.address(), bytes);
        }

        @Override
        public void copy(ExecContext context, Buffer from, Buffer to, long bytes) {
          Mem.copy(from.address(), to.address(), bytes);
        }

        @Override
        public void add(ExecContext context, Buffer ints, int summand) {
          for (long at = ints.address(); at < ints.address() + ints.size(); at += 4) {
            Mem.putInt(at, Mem.getInt(at) + summand);
          }
        }

        @Override
        public int readInt(ExecContext context, Buffer from, long offset) {
          return Mem.getInt(from.address() + offset);
        }

        @Override
        public long readLong(ExecContext context, Buffer from, long offset) {
          return Mem.getLong(from.address() + offset);
        }
      };
}
