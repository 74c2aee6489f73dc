package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.memory.RawMemory;
import io.aragonite.exec.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A device with memory of its own, as a GPU has, for tests without one: its memory is host memory
 * under addresses with bit 63 set, which {@link Mem} refuses, so that code which forgets to
 * transfer fails. Its work is done by the host, between copies.
 */
public final class DiscreteDevice implements Device {
  private final ScanOps scan = new HostBackedScanOps();
  private final GatherOps gather = new HostBackedGatherOps();
  private final SortOps sort = new HostBackedSortOps();
  private final PartitionOps partition = new HostBackedPartitionOps();
  private final HashOps hash = new HostBackedHashOps();
  private final AggregateOps aggregate = new HostBackedAggregateOps();
  private final TrieOps trie = new HostBackedTrieOps();
  private final PageOps pages = new HostBackedPageOps();

  private static final long TAG = Long.MIN_VALUE;

  /** Where the device's number is in an address: another device's is refused. */
  private static final int NUMBER_SHIFT = 56;

  /** This one reaches no other's memory, and is reached by none. */
  public static final int REMOTE = 2;

  private final int number;
  private final Device host;
  private final MemoryBudget memory;
  private final DeviceProperties properties;
  private final ExpressionCompiler expressions;
  private final DerivedCache derived;

  /** Null: columns are copied for each query. */
  private final @Nullable TableCache tables;

  /** How many more blocks its memory has; every one behind the last is refused, once. */
  private final AtomicLong blocksLeft = new AtomicLong(Long.MAX_VALUE);

  /** How many more of its copies work. */
  private final AtomicLong copiesLeft = new AtomicLong(Long.MAX_VALUE);

  private volatile boolean failed;

  /**
   * @param memory of the device
   * @param host closed with this one
   */
  public DiscreteDevice(MemoryBudget memory, Device host) {
    this(0, memory, host);
  }

  /**
   * @param number of this one among several, below 64
   * @param memory of the device
   * @param host closed with this one
   */
  public DiscreteDevice(int number, MemoryBudget memory, Device host) {
    this(number, memory, host, false);
  }

  /**
   * @param number of this one among several, below 64
   * @param memory of the device
   * @param host closed with this one
   * @param keepsColumns whether columns of tables stay in its memory until that is short
   */
  public DiscreteDevice(int number, MemoryBudget memory, Device host, boolean keepsColumns) {
    this.number = number;
    this.host = host;
    this.memory = memory;
    DeviceProperties given = host.properties();
    this.properties =
        new DeviceProperties(
            given.workers(), given.batchRows(), given.morselRows(), memory.limit());
    this.derived = new DerivedCache(new RawColumnMemory(memory, new TaggedMemory()), memory);
    this.tables =
        keepsColumns
            ? new TableCache(new RawColumnMemory(memory, new TaggedMemory()), memory)
            : null;
    this.expressions = new HostBackedExpressions(host.expressions());
  }

  /** Has the block after the next {@code blocks} refused, once, as by a driver without memory. */
  public void refuseAfter(long blocks) {
    blocksLeft.set(blocks);
  }

  /** Whether a block has been refused since. */
  public boolean hasRefused() {
    return blocksLeft.get() < 0;
  }

  /** How the product finds it, where the tests of this module are on the class path. */
  public static final class Provider implements DeviceProvider {
    @Override
    public String name() {
      return "discrete";
    }

    /** A device with as much memory as its host, that keeps columns. */
    @Override
    public Device create(int number, Device host) {
      MemoryBudget memory = new MemoryBudget("memory", host.memory().limit());
      return new DiscreteDevice(number, memory, host, true);
    }
  }

  @Override
  public String name() {
    return number == 0 ? "discrete" : "discrete:" + number;
  }

  /** From now on it does not work any more. */
  public void fail() {
    failed = true;
  }

  /** As {@link #fail}, behind the next {@code copies} copies; its work is done between copies. */
  public void failAfter(long copies) {
    copiesLeft.set(copies);
  }

  private void requireWorking() {
    if (copiesLeft.getAndDecrement() <= 0) {
      failed = true;
    }
    if (failed) {
      throw new AragoniteException(ErrorCode.DEVICE_FAILED, name() + " failed, as the test wants");
    }
  }

  @Override
  public boolean usable() {
    return !failed;
  }

  @Override
  public DeviceTraits traits() {
    return DeviceTraits.GPU;
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public MemoryBudget memory() {
    return memory;
  }

  @Override
  public QueryMemory newQueryMemory(long limitBytes) {
    return new NativeQueryMemory(memory, limitBytes, null, new TaggedMemory());
  }

  @Override
  public ScanOps scan() {
    return scan;
  }

  @Override
  public GatherOps gather() {
    return gather;
  }

  @Override
  public SortOps sort() {
    return sort;
  }

  @Override
  public PartitionOps partition() {
    return partition;
  }

  @Override
  public HashOps hash() {
    return hash;
  }

  @Override
  public AggregateOps aggregate() {
    return aggregate;
  }

  @Override
  public TrieOps trie() {
    return trie;
  }

  @Override
  public PageOps pages() {
    return pages;
  }

  @Override
  public ExpressionCompiler expressions() {
    return expressions;
  }

  @Override
  public Transfers transfers() {
    return new TaggedTransfers();
  }

  @Override
  public Device host() {
    return host;
  }

  @Override
  public Table.Pin pin(ExecContext context, Table table, List<Integer> columns) {
    return tables == null
        ? Device.super.pin(context, table, columns)
        : tables.pin(context, table, columns);
  }

  @Override
  public List<? extends ColumnClaim> claim(Table table, List<Integer> columns) {
    return tables == null ? List.of() : tables.claim(table, columns);
  }

  @Override
  public boolean holds(Table table, int column) {
    return tables != null && tables.holds(table, column);
  }

  @Override
  public DerivedCache derived() {
    return derived;
  }

  @Override
  public void close() {
    if (tables != null) {
      tables.close();
    }
    derived.close();
    host.close();
  }

  private long tag() {
    return TAG | (long) number << NUMBER_SHIFT;
  }

  private long untagged(long address) {
    if (address >>> NUMBER_SHIFT != tag() >>> NUMBER_SHIFT) {
      throw new AssertionError("not an address of the device: " + Long.toHexString(address));
    }
    return address & ~tag();
  }

  private long untagged(Buffer buffer, long bytes) {
    if (bytes > buffer.size()) {
      throw new AssertionError("a transfer of " + bytes + " bytes of " + buffer);
    }
    return bytes == 0 ? 0 : untagged(buffer.address());
  }

  /** Host memory under tagged addresses. */
  private final class TaggedMemory implements RawMemory {
    @Override
    public long allocate(long bytes) {
      if (blocksLeft.getAndDecrement() == 0) {
        return 0;
      }
      long address = RawMemory.HOST.allocate(bytes);
      return address == 0 ? 0 : address | tag();
    }

    @Override
    public void free(long address) {
      RawMemory.HOST.free(untagged(address));
    }

    @Override
    public void copy(long from, long to, long bytes) {
      if (bytes > 0) {
        Mem.copy(untagged(from), untagged(to), bytes);
      }
    }

    @Override
    public void fill(long address, long bytes, byte value) {
      Mem.fill(untagged(address), bytes, value);
    }

    @Override
    public long hostView(long address) {
      return untagged(address);
    }
  }

  /**
   * Copies as late as they may be: so memory that is read before they were ordered, or freed or
   * written before they have ended, has wrong contents.
   */
  private static final class LateCopies implements CopyQueue {
    private final ExecContext context;
    private final List<Late> open = new ArrayList<>();

    LateCopies(ExecContext context) {
      this.context = context;
    }

    private final class Late implements CopyTicket {
      private final Runnable copy;
      private final boolean whenOrdered;
      private boolean done;

      Late(Runnable copy, boolean whenOrdered) {
        this.copy = copy;
        this.whenOrdered = whenOrdered;
        synchronized (open) {
          open.add(this);
        }
      }

      @Override
      public void order() {
        if (whenOrdered) {
          await();
        }
      }

      @Override
      public boolean ended() {
        synchronized (open) {
          return done;
        }
      }

      @Override
      public void await() {
        synchronized (open) {
          if (!done) {
            done = true;
            open.remove(this);
            copy.run();
          }
        }
      }
    }

    @Override
    public CopyTicket toDevice(List<ColumnMemory.Copy> copies) {
      return new Late(() -> CopyQueue.immediate(context).toDevice(copies), true);
    }

    @Override
    public CopyTicket toHost(List<ColumnMemory.Copy> copies) {
      return new Late(() -> CopyQueue.immediate(context).toHost(copies), false);
    }

    @Override
    public CopyTicket fromPeers(List<PeerCopy> copies, Point room) {
      return new Late(() -> CopyQueue.immediate(context).fromPeers(copies, room), true);
    }

    @Override
    public long toDeviceNanos() {
      return 0;
    }

    @Override
    public void close() {
      for (Late late : List.copyOf(open)) {
        late.await();
      }
    }
  }

  /** Copies between tagged and plain addresses. */
  private final class TaggedTransfers implements Transfers {
    @Override
    public boolean reaches(Device peer) {
      return peer instanceof DiscreteDevice other && number != REMOTE && other.number != REMOTE;
    }

    @Override
    public void fromPeer(ExecContext context, Device peer, Buffer from, Buffer to, long bytes) {
      requireWorking();
      if (!reaches(peer)) {
        throw new AssertionError(name() + " does not reach " + peer.name());
      }
      Mem.copy(((DiscreteDevice) peer).untagged(from, bytes), untagged(to, bytes), bytes);
    }

    @Override
    public void toHost(ExecContext context, Buffer from, long hostAddress, long bytes) {
      requireWorking();
      Mem.copy(untagged(from, bytes), hostAddress, bytes);
    }

    @Override
    public void toDevice(ExecContext context, long hostAddress, Buffer to, long bytes) {
      requireWorking();
      Mem.copy(hostAddress, untagged(to, bytes), bytes);
    }

    @Override
    public void add(ExecContext context, Buffer ints, int summand) {
      requireWorking();
      Transfers.SHARED.add(context, new Buffer(untagged(ints, ints.size()), ints.size()), summand);
    }

    @Override
    public CopyQueue newQueue(ExecContext context) {
      return new LateCopies(context);
    }

    @Override
    public void copy(ExecContext context, Buffer from, Buffer to, long bytes) {
      requireWorking();
      Mem.copy(untagged(from, bytes), untagged(to, bytes), bytes);
    }
  }
}
