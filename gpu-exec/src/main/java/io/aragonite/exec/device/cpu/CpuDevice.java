package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.AggregateOps;
import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.DeviceTraits;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.GatherOps;
import io.aragonite.exec.device.HashOps;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.RawColumnMemory;
import io.aragonite.exec.device.ScanOps;
import io.aragonite.exec.device.SortOps;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.device.TrieOps;
import io.aragonite.exec.device.WindowOps;
import io.aragonite.exec.device.cpu.window.CpuWindowOps;
import io.aragonite.exec.memory.BlockPool;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.memory.RawMemory;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.ProfileStore;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The processors of this machine as a device. */
public final class CpuDevice implements Device {
  private final ScanOps scan = new CpuScanOps();
  private final GatherOps gather = new CpuGatherOps();
  private final SortOps sort = new CpuSortOps();
  private final PartitionOps partition = new CpuPartitionOps();
  private final HashOps hash = new CpuHashOps();
  private final AggregateOps aggregate = new CpuAggregateOps();
  private final WindowOps windows = new CpuWindowOps();
  private final TrieOps trie = new CpuTrieOps();
  private final PageOps pages = new CpuPageOps();

  /** Calibration measures one core, whatever the number of workers. */
  private static final String MODEL = "a core of " + processor();

  /**
   * Rows of a batch. A worker's L2 cache (1 MiB on the machines at hand, 256 KiB at least) should
   * hold the dozen intermediate columns of 8 bytes that a pipeline has at once, 32 KiB each at this
   * size; and the fixed cost of a batch, about a microsecond an operator, should vanish in the
   * nanosecond or so that a row costs.
   */
  public static final int BATCH_ROWS = 4096;

  /** Rows of a morsel: some hundred microseconds of work, so that workers end together. */
  public static final int MORSEL_ROWS = 16 * BATCH_ROWS;

  /** Memory kept between queries at most: what the larger TPC-H queries at scale 1 use. */
  private static final long POOL_BYTES = 256 << 20;

  private final DeviceProperties properties;
  private final MemoryBudget memory;
  private final BlockPool pool;
  private final SpillSpace spill;
  private final DerivedCache derived;
  private final ExpressionCompiler expressions;

  /**
   * @param workers threads of a query
   * @param memory the host memory that queries and tables share
   */
  public CpuDevice(int workers, MemoryBudget memory, ExpressionCompiler expressions) {
    this(workers, memory, expressions, new SpillSpace(null, Long.MAX_VALUE, memory));
  }

  /**
   * As the other.
   *
   * @param spill over the same memory; closed with the device
   */
  public CpuDevice(
      int workers, MemoryBudget memory, ExpressionCompiler expressions, SpillSpace spill) {
    this(
        workers,
        memory,
        expressions,
        spill,
        EngineSettings.current().sizes().batchRows(BATCH_ROWS),
        EngineSettings.current().sizes().batchRows(MORSEL_ROWS));
  }

  /** A device with other sizes of batch and morsel, for tests. */
  public CpuDevice(
      int workers,
      MemoryBudget memory,
      ExpressionCompiler expressions,
      int batchRows,
      int morselRows) {
    this(
        workers,
        memory,
        expressions,
        new SpillSpace(null, Long.MAX_VALUE, memory),
        batchRows,
        morselRows);
  }

  /** A device with other sizes of batch and morsel, for tests. */
  public CpuDevice(
      int workers,
      MemoryBudget memory,
      ExpressionCompiler expressions,
      SpillSpace spill,
      int batchRows,
      int morselRows) {
    this.spill = spill;
    this.properties = new DeviceProperties(workers, batchRows, morselRows, memory.limit());
    this.memory = memory;
    this.pool = new BlockPool(memory, Math.min(POOL_BYTES, memory.limit() / 8));
    this.derived = new DerivedCache(new RawColumnMemory(memory, RawMemory.HOST), memory);
    this.expressions = expressions;
    CpuInlining.request();
  }

  @Override
  public String name() {
    return "cpu";
  }

  @Override
  public DeviceTraits traits() {
    return DeviceTraits.CPU;
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
    return new NativeQueryMemory(memory, limitBytes, pool);
  }

  @Override
  public SpillSpace spill() {
    return spill;
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
  public WindowOps windows() {
    return windows;
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
    return Transfers.SHARED;
  }

  @Override
  public Device host() {
    return this;
  }

  @Override
  public DerivedCache derived() {
    return derived;
  }

  @Override
  public String model() {
    return MODEL;
  }

  @Override
  public MachineProfile profile() {
    return ProfileStore.get(MODEL, MachineProfile.CORE).workers(properties.workers());
  }

  @Override
  public void close() {
    spill.close();
    derived.close();
    pool.close();
  }

  private static String processor() {
    String arch = System.getProperty("os.arch", "an unknown processor");
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(arch);
    } catch (IOException | UncheckedIOException e) {
      return arch;
    }
  }
}
