package io.aragonite.exec.spill;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.runtime.QueryMetrics;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.SizeSettings;
import io.aragonite.exec.spill.file.SpillFile;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.spill.file.SpillingQuery;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A query's collections, and how much memory it may count on. Blocks leave a device's own memory by
 * the query's own thread when its account is short; they leave the host's by whoever is short of
 * that.
 */
public final class QuerySpill implements SpillingQuery, AutoCloseable {
  public static final long SMALLEST_BLOCK = 8 << 10;
  private static final long LARGEST_BLOCK = 64 << 20;

  /** What part of its room a device partitions at once, which takes four times as much. */
  private static final int RUN_SHARE = 16;

  /** As {@link #RUN_SHARE}, of rows that stay in one piece; which takes three times as much. */
  private static final int WHOLE_RUN_SHARE = 10;

  /** What part of the memory a block is at most. */
  private static final int BLOCK_SHARE = 64;

  /** How often a query asks again in a second for memory that there should have been. */
  private static final int MOST_TRIES = 100;

  private static final long TRIES_NANOS = 1_000_000_000;

  private static final AtomicLong NUMBERS = new AtomicLong();

  /** Those of when the query began. */
  private final SizeSettings sizes;

  private final SpillSpace space;
  private final Device device;
  private final QueryMemory memory;
  private final QueryMemory hostMemory;
  private final long limit;

  private final @Nullable Object statement;

  /** The limit that it was given, 0: none. */
  private final long given;

  /**
   * Whether the device's memory is the host's: blocks leave that for files, and else the device's
   * for the host's first.
   */
  private final boolean shared;

  private @Nullable ExecContext coordinator;
  private boolean waits;
  private final Set<SpillableRowCollection> collections = ConcurrentHashMap.newKeySet();

  /** Of a run there are as many blocks as parts: whoever adds up looks at runs instead. */
  private final Set<PartitionedRun> runs = ConcurrentHashMap.newKeySet();

  private final long number = NUMBERS.incrementAndGet();
  private final AtomicInteger tries = new AtomicInteger();
  private volatile long triedSince;

  /** How many queries had ended when it last asked. */
  private final AtomicLong ends = new AtomicLong();

  private volatile boolean outdone;

  private volatile boolean emits;

  /** Whether the thread is doing what the query can do without. */
  private final ThreadLocal<Boolean> optional = ThreadLocal.withInitial(() -> false);

  /** Held while blocks leave the device because somebody is short of its memory. */
  private final Object givingWay = new Object();

  /** Blocks on their way from the device to the host, the longest first; guarded by itself. */
  private final Deque<Spillable> leaving = new ArrayDeque<>();

  private long leavingBytes;

  /** What parts of runs are still read for, in order; guarded by itself. */
  private final Deque<CoalescedPrefetch> arriving = new ArrayDeque<>();

  /** How often rows were given up that had come before they were wanted. */
  private volatile int drops;

  /** Blocks that may leave ahead, those wanted last first; guarded as those are. */
  private final PriorityQueue<Spillable> candidates =
      new PriorityQueue<>(Comparator.comparingLong(Spillable::turn).reversed());

  /**
   * @param limit bytes that the query may hold at most; 0: what the device has
   * @param statement as in {@link SpillingQuery#statement}
   */
  public QuerySpill(
      Device device,
      QueryMemory memory,
      QueryMemory hostMemory,
      long limit,
      @Nullable Object statement) {
    this.statement = statement;
    this.sizes = EngineSettings.current().sizes();
    this.space = device.host().spill();
    this.device = device;
    this.memory = memory;
    this.hostMemory = hostMemory;
    this.shared = device.traits().hostMemory();
    long budget = device.memory().limit();
    this.given = limit;
    this.limit = limit == 0 ? budget : Math.min(limit, budget);
    ends.set(space.ended());
    space.add(this);
  }

  /** What of a query is done on the host, in the memory that it has there: not a query more. */
  private QuerySpill(QuerySpill whole) {
    statement = whole.statement;
    sizes = whole.sizes;
    space = whole.space;
    device = whole.device.host();
    memory = whole.hostMemory;
    hostMemory = memory;
    shared = true;
    given = whole.given;
    limit = given == 0 ? budget().limit() : Math.min(given, budget().limit());
  }

  /** For rows of the same query on the host, which its memory there is for. */
  public QuerySpill onHost() {
    return new QuerySpill(this);
  }

  public QueryMemory memory() {
    return memory;
  }

  /** Of the device's memory. */
  @Override
  public MemoryBudget budget() {
    return device.memory();
  }

  public QueryMemory hostMemory() {
    return hostMemory;
  }

  /**
   * For rows that go to the host's memory: of no scope, since they outlive the work that wanted
   * their room on the device.
   */
  public Allocator leavingTo() {
    return hostMemory()::allocateBlock;
  }

  SpillFile newFile() {
    return space.newFile();
  }

  /** Rows that have been taken while they are on their way. */
  void arriving(CoalescedPrefetch rows) {
    synchronized (arriving) {
      arriving.add(rows);
      while (!arriving.isEmpty() && arriving.getFirst().ended()) {
        arriving.removeFirst().release();
      }
    }
  }

  void add(PartitionedRun run) {
    runs.add(run);
  }

  void forget(PartitionedRun run) {
    runs.remove(run);
  }

  void forget(SpillableRowCollection collection) {
    collections.remove(collection);
  }

  /**
   * Registers the device's own memory's way out: called by the thread that is short of it.
   *
   * @param waits whether to wait for memory that other queries hold when nothing is left to give up
   */
  public void watch(ExecContext worker, boolean waits) {
    coordinator = worker;
    this.waits = waits;
    MemoryBudget hostBudget = device.host().memory();
    if (shared) {
      memory.onShortage(wanted -> orWait(evict(wanted), memory, hostBudget, wanted));
    } else {
      memory.onShortage(
          wanted -> orWait(leaveDevice(worker, wanted), memory, device.memory(), wanted));
      hostMemory.onShortage(wanted -> orWait(evict(wanted), hostMemory, hostBudget, wanted));
    }
  }

  private long orWait(long released, QueryMemory of, MemoryBudget budget, long wanted) {
    ExecContext context = coordinator;
    if (released > 0 || !waits || context == null || optional.get()) {
      return released;
    }
    // Of a limit of its own a query gets no more by waiting.
    boolean own = given > 0 && of.used() + wanted > given;
    if (own) {
      return 0;
    }
    boolean hope = space.awaitOthers(this, budget, wanted, context::checkCancelled);
    outdone |= !hope && space.sharing(budget) > 1;
    return hope ? 1 : 0;
  }

  /** Whether it was refused memory that others hold. */
  public boolean outdone() {
    return outdone;
  }

  /** Its rows are read from now on: it cannot begin again. */
  public void beginEmitting() {
    emits = true;
  }

  @Override
  public @Nullable Object statement() {
    return statement;
  }

  @Override
  public boolean emits() {
    return emits;
  }

  /** Does what the query can do without: it does not wait for memory. */
  public void optionally(Runnable work) {
    boolean before = optional.get();
    optional.set(true);
    try {
      work.run();
    } finally {
      optional.set(before);
    }
  }

  /** Whether other queries have ended since this was last asked, or since it began. */
  @Override
  public boolean sawEnd(long count) {
    return ends.getAndSet(count) != count;
  }

  /** Whether it may ask again for memory that there should have been. */
  @Override
  public boolean mayTryAgain() {
    long now = System.nanoTime();
    if (now - triedSince > TRIES_NANOS) {
      triedSince = now;
      tries.set(0);
    }
    return tries.incrementAndGet() <= MOST_TRIES;
  }

  /** How often rows that had come to the device ahead had to make room; never on the host. */
  public int drops() {
    return drops;
  }

  /**
   * Waits, within bounds, until no other query waits for memory, before any is taken.
   *
   * @param alone whether to wait until there is no other one: together they did not fit
   */
  public void enter(boolean alone) {
    ExecContext context = coordinator;
    if (waits && context != null) {
      space.enter(this, alone, context::checkCancelled);
    }
  }

  /**
   * Waits for something that another query makes.
   *
   * @param made whether that one still makes it
   */
  public void following(BooleanSupplier made, Runnable wait) {
    space.following(this, made, wait);
  }

  /** Queries have numbers in the order in which they begin. */
  @Override
  public long number() {
    return number;
  }

  /** A collection of rows that are all read together. */
  public SpillableRowCollection newRowCollection(
      List<ColumnShape> shapes, QueryMetrics.NodeMetrics node) {
    return newRowCollection(shapes, 1, 0, node);
  }

  /**
   * @param writers how many places rows collect in at once before they make blocks, over all
   *     collections that are written together
   * @param turn see {@link SpillableRowCollection#turn}
   */
  public SpillableRowCollection newRowCollection(
      List<ColumnShape> shapes, int writers, long turn, QueryMetrics.NodeMetrics node) {
    // What a device with memory of its own does with a block costs calls of its driver.
    long bytes = fairShare() / BLOCK_SHARE * (shared ? 4 : 8) / Math.max(4, writers);
    long block =
        sizes.spillBytes() > 0
            ? sizes.spillBytes() / 8
            : Math.clamp(bytes, SMALLEST_BLOCK, shared ? LARGEST_BLOCK : Long.MAX_VALUE);
    SpillableRowCollection collection = new SpillableRowCollection(this, shapes, block, turn, node);
    collections.add(collection);
    return collection;
  }

  /** Whether every other block leaves memory at once. */
  boolean eager() {
    return sizes.spillBytes() > 0;
  }

  /**
   * Has blocks begin to leave a device's own memory when they fill half of it, those that are
   * wanted last first: so that nobody has to wait for room later.
   *
   * @param fresh a block that is new, or a run: of these nothing stays, since they have rows of all
   *     parts
   */
  public void ahead(Spillable fresh) {
    ExecContext context = coordinator;
    if (shared || context == null) {
      return;
    }
    synchronized (leaving) {
      candidates.add(fresh);
      optionally(() -> startLeaving(fresh, context));
    }
  }

  private void startLeaving(Spillable fresh, ExecContext context) {
    synchronized (leaving) {
      endLeaving(0);
      long most =
          sizes.spillBytes() > 0
              ? sizes.spillBytes()
              : fairShare() / (fresh instanceof PartitionedRun ? 4 : 2);
      while (memory.used() - leavingBytes > most) {
        Spillable block = candidates.poll();
        if (block == null) {
          return;
        }
        // What is in use now, or gone, is not looked at again: it leaves when somebody is short.
        if (block.resident() && block.startLeaving(context)) {
          leaving.add(block);
          leavingBytes += block.bytes();
        }
      }
    }
  }

  /**
   * Frees the device's memory of blocks that have left it, the longest on their way first.
   *
   * @param wanted how many bytes to wait for: no more, so that the bus does not come to rest
   */
  private long endLeaving(long wanted) {
    synchronized (leaving) {
      long released = 0;
      while (!leaving.isEmpty() && leaving.getFirst().endLeaving(released < wanted)) {
        Spillable block = leaving.removeFirst();
        leavingBytes -= block.bytes();
        released += block.resident() ? 0 : block.bytes();
      }
      return released;
    }
  }

  /**
   * Bytes of rows that are partitioned at once on a device with memory of its own.
   *
   * @param whole whether they stay in one piece
   */
  public long runBytes(boolean whole) {
    return room() / (whole ? WHOLE_RUN_SHARE : RUN_SHARE);
  }

  /** Whether so many bytes more on the device leave room for the query's work. */
  boolean roomAhead(long bytes) {
    return memory.used() + bytes <= fairShare() / 4 * 3;
  }

  /** Has a block leave memory, in tests. */
  void push(RowBlock block) {
    ExecContext context = coordinator;
    if (!shared && context != null) {
      block.leaveDevice(context);
    }
    block.evict(shared);
  }

  /** What the query may hold so that others that run now can hold as much. */
  public long fairShare() {
    return Math.min(limit, budget().shareable() / space.sharing(budget()));
  }

  /**
   * Bytes of the device's memory that the query can count on beside what it holds and cannot give
   * up.
   */
  public long room() {
    long kept = memory.used() - (shared ? spillable() : onDevice());
    // The rest is for batches on their way, blocks that fill, and what estimates leave out.
    long room = Math.max(0, (fairShare() - kept) / 8 * 5);
    return sizes.spillBytes() > 0 ? Math.min(sizes.spillBytes(), room) : room;
  }

  /** Bytes of the device's memory that columns of tables may fill beside the query's own rows. */
  public long scanRoom() {
    return sizes.streamedBytes() > 0 ? sizes.streamedBytes() : fairShare() / 2;
  }

  /** Bytes of host memory that could be given up. */
  @Override
  public long spillable() {
    long bytes = 0;
    for (SpillableRowCollection collection : collections) {
      for (SpillableBlock block : collection.ownBlocks()) {
        bytes += block.onHostBytes(shared);
      }
    }
    for (PartitionedRun run : runs) {
      bytes += run.onHostBytes();
    }
    return bytes;
  }

  private long onDevice() {
    long bytes = 0;
    for (SpillableRowCollection collection : collections) {
      for (SpillableBlock block : collection.ownBlocks()) {
        bytes += block.onDeviceBytes();
      }
      bytes += collection.comingBytes();
    }
    for (PartitionedRun run : runs) {
      bytes += run.onDeviceBytes();
    }
    return bytes;
  }

  /** Moves blocks from the host's memory to files: of those wanted last, the newest first. */
  @Override
  public long evict(long wanted) {
    long released = 0;
    for (PartitionedRun run : runs) {
      if (released < wanted) {
        released += run.evict();
      }
    }
    for (SpillableRowCollection collection : byTurn()) {
      List<SpillableBlock> blocks = collection.ownBlocks();
      for (int i = blocks.size() - 1; i >= 0 && released < wanted; i--) {
        released += blocks.get(i).evict(shared);
      }
    }
    return released;
  }

  /**
   * By one worker at a time: another would find every block taken, and memory still short, while
   * the first has it copied.
   */
  private long leaveDevice(ExecContext context, long wanted) {
    synchronized (givingWay) {
      long released = endLeaving(wanted);
      for (PartitionedRun run : runs) {
        if (released < wanted) {
          released += run.leaveDevice(context);
        }
      }
      for (SpillableRowCollection collection : byTurn()) {
        List<SpillableBlock> blocks = collection.ownBlocks();
        for (int i = blocks.size() - 1; i >= 0 && released < wanted; i--) {
          released += blocks.get(i).leaveDevice(context);
        }
        if (released < wanted) {
          long dropped = collection.dropComing();
          drops += dropped > 0 ? 1 : 0;
          released += dropped;
        }
      }
      return released;
    }
  }

  private List<SpillableRowCollection> byTurn() {
    return collections.stream().sorted((a, b) -> Long.compare(b.turn(), a.turn())).toList();
  }

  /** Tells queries that wait for memory that this one has given back all of its own. */
  public void leave() {
    space.remove(this);
  }

  /** Frees all collections. */
  @Override
  public void close() {
    RuntimeException error = null;
    synchronized (arriving) {
      try {
        arriving.forEach(CoalescedPrefetch::release);
      } catch (RuntimeException e) {
        error = e;
      }
      arriving.clear();
    }
    for (SpillableRowCollection collection : collections) {
      try {
        collection.close();
      } catch (RuntimeException e) {
        error = e;
      }
    }
    if (error != null) {
      throw error;
    }
  }
}
