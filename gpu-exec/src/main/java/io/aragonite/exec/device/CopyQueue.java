package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies of a query between the host's memory and its device's that take place beside the query's
 * other work, both directions beside each other, each in the order of its calls: so the bus is busy
 * while the device computes (Rui and Tu 2017, section 3.4). Called by one thread of the query at a
 * time; closed before the query's memory is.
 */
public interface CopyQueue extends AutoCloseable {
  /** A call's copies. Until they have ended neither side's memory may be freed or written. */
  interface CopyTicket {
    /** Has what the query asks its device for from now on happen behind the copies. */
    void order();

    /** Returns when the copies have ended. */
    void await();

    /** Whether the copies have ended. */
    boolean ended();

    /** Of several calls' copies. */
    static CopyTicket all(List<CopyTicket> tickets) {
      return new CopyTicket() {
        @Override
        public void order() {
          tickets.forEach(CopyTicket::order);
        }

        @Override
        public void await() {
          tickets.forEach(CopyTicket::await);
        }

        @Override
        public boolean ended() {
          return tickets.stream().allMatch(CopyTicket::ended);
        }
      };
    }
  }

  /**
   * Begins to copy to the device, behind all that the query has asked for so far (which may still
   * use the memory that the device's buffers had before).
   */
  CopyTicket toDevice(List<ColumnMemory.Copy> copies);

  /** Begins to copy to the host, behind all that the query has asked for so far. */
  CopyTicket toHost(List<ColumnMemory.Copy> copies);

  /** A place in the order of what a query asks its device for. */
  interface Point {
    /** Behind which everything may be done at once. */
    Point PAST = new Point() {};
  }

  /** Behind all that the query has asked for so far. */
  default Point point() {
    return Point.PAST;
  }

  /**
   * A piece of another device's memory and where it goes.
   *
   * @param peer which is reached ({@link Transfers#reaches}), or the device itself
   * @param to as large
   * @param there of the peer's query: behind it the bytes are there
   */
  record PeerCopy(Device peer, Buffer from, Buffer to, Point there) {
    /** Of bytes that are there already. */
    public PeerCopy(Device peer, Buffer from, Buffer to) {
      this(peer, from, to, Point.PAST);
    }
  }

  /**
   * Begins to copy from other devices' memory, behind all that the query has asked for so far. The
   * bytes must stay until the ticket has been awaited.
   */
  default CopyTicket fromPeers(List<PeerCopy> copies) {
    return fromPeers(copies, point());
  }

  /**
   * The same.
   *
   * @param room of this query: behind it the memory that is written may be written
   */
  CopyTicket fromPeers(List<PeerCopy> copies, Point room);

  /**
   * What one of a device's streams did for a while.
   *
   * @param from by System.nanoTime(), to within what it takes to ask a device for its clock
   */
  record Stretch(String stream, String what, long from, long to) {}

  /** Keeps {@link #stretches} from now on, as far as the device has a clock. */
  default void trace() {}

  /**
   * What the query asks its device for from now on is for {@code what}; null: for nothing that is
   * kept. Until {@link #trace} is called nothing is.
   */
  default void mark(@Nullable String what) {}

  /** What the device's streams did since {@link #trace}; waits until they have done it. */
  default List<Stretch> stretches() {
    return List.of();
  }

  /** Nanoseconds in which copies to the device were under way, those that were ordered at least. */
  long toDeviceNanos();

  /** What slowed copies down, as far as a user can do something about it; empty: nothing. */
  default String remark() {
    return "";
  }

  /** Returns when all copies have ended. */
  @Override
  void close();

  /** Where nothing can be done beside anything: copies have ended when the call returns. */
  static CopyQueue immediate(ExecContext context) {
    return new CopyQueue() {
      private long toDevice;

      @Override
      public CopyTicket toDevice(List<ColumnMemory.Copy> copies) {
        long start = System.nanoTime();
        for (ColumnMemory.Copy copy : copies) {
          transfers().toDevice(context, copy.host(), copy.device(), copy.device().size());
        }
        toDevice += System.nanoTime() - start;
        return DONE;
      }

      @Override
      public CopyTicket toHost(List<ColumnMemory.Copy> copies) {
        for (ColumnMemory.Copy copy : copies) {
          transfers().toHost(context, copy.device(), copy.host(), copy.device().size());
        }
        return DONE;
      }

      @Override
      public CopyTicket fromPeers(List<PeerCopy> copies, Point room) {
        for (PeerCopy copy : copies) {
          long bytes = copy.to().size();
          if (copy.peer().equals(context.device())) {
            transfers().copy(context, copy.from(), copy.to(), bytes);
          } else {
            transfers().fromPeer(context, copy.peer(), copy.from(), copy.to(), bytes);
          }
        }
        transfers().await(context);
        return DONE;
      }

      private Transfers transfers() {
        return context.device().transfers();
      }

      @Override
      public long toDeviceNanos() {
        return toDevice;
      }

      @Override
      public void close() {
        // All copies have ended.
      }
    };
  }

  /** Of copies that have ended. */
  CopyTicket DONE =
      new CopyTicket() {
        @Override
        public void order() {
          // Nothing is under way.
        }

        @Override
        public void await() {
          // Nothing is under way.
        }

        @Override
        public boolean ended() {
          return true;
        }
      };
}
