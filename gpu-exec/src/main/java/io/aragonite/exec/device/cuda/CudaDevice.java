package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.AggregateOps;
import io.aragonite.exec.device.ColumnClaim;
import io.aragonite.exec.device.DerivedCache;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.DeviceTraits;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.ExpressionCompiler;
import io.aragonite.exec.device.GatherOps;
import io.aragonite.exec.device.HashOps;
import io.aragonite.exec.device.HostBackedExpressions;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.ScanOps;
import io.aragonite.exec.device.SortOps;
import io.aragonite.exec.device.TableCache;
import io.aragonite.exec.device.Transfers;
import io.aragonite.exec.device.TrieOps;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.memory.BlockPool;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.ProfileStore;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.table.Table;
import java.util.List;

/**
 * A GPU as a device. One stream a query, which belongs to the query's memory: so what a query asks
 * for happens in the order of its calls, and there is one worker.
 */
public final class CudaDevice implements Device {
  private final ScanOps scan = new CudaScanOps();
  private final GatherOps gather = new CudaGatherOps();
  private final SortOps sort = new CudaSortOps();
  private final PartitionOps partition = new CudaPartitionOps();
  private final HashOps hash = new CudaHashOps();
  private final AggregateOps aggregate = new CudaAggregateOps();
  private final TrieOps trie = new CudaTrieOps();
  private final PageOps pages = new CudaPageOps();

  /** Of its data sheet, as CudaGpu has others'. */
  private static final double H200_BANDWIDTH = 4.8e12;

  private static final double H200_CACHE = 60 << 20;

  /** Rows of a batch at most: 2^26 rows keep kernels busy for longer than their launches cost. */
  private static final int BATCH_ROWS = 1 << 26;

  /** Memory of the device for each row of a batch: dozens of columns of 8 bytes, and tables. */
  private static final int BYTES_A_ROW = 1024;

  /** Page-locked host memory of a device at most, where nobody says otherwise. */
  private static final long MOST_PINNED = 4L << 30;

  private final CudaGpu gpu;

  /** Operators ask for it again and again, since the profile is kept by it. */
  private final String model;

  private final MachineProfile shipped;
  private final Device host;
  private final MemoryBudget memory;
  private final CudaMemory allocations;
  private final DeviceProperties properties;
  private final ExpressionCompiler expressions;
  private final CudaStaging staging;
  private final Transfers transfers;
  private final CudaColumnMemory columnMemory;
  private final TableCache tables;
  private final CudaPinnedMemory pinned;
  private final BlockPool pinnedBlocks;
  private final DerivedCache derived;

  /**
   * @param memory the GPU's memory that may be used
   * @param host the CPU device beside it; closed with this one
   */
  public CudaDevice(CudaGpu gpu, MemoryBudget memory, Device host) {
    this(gpu, memory, host, batchRows(memory));
  }

  /** As the other, with so many bytes of page-locked host memory. */
  public static CudaDevice withPinned(
      CudaGpu gpu, MemoryBudget memory, Device host, long pinnedBytes) {
    return new CudaDevice(gpu, memory, host, batchRows(memory), pinnedBytes);
  }

  /**
   * @param batchRows rows of a batch at most, a multiple of 64; tests have many small ones
   */
  public CudaDevice(CudaGpu gpu, MemoryBudget memory, Device host, int batchRows) {
    this(gpu, memory, host, batchRows, Math.min(MOST_PINNED, host.memory().limit() / 4));
  }

  /**
   * @param pinnedBytes of host memory at most that is page-locked: what is locked the system cannot
   *     lend to others, and locking takes it longer than copying some times over
   */
  public CudaDevice(
      CudaGpu gpu, MemoryBudget memory, Device host, int batchRows, long pinnedBytes) {
    this.gpu = gpu;
    this.model = "%s, driver %d".formatted(gpu.productName(), CudaDriver.get().version());
    this.shipped = shipped(gpu);
    this.host = host;
    this.memory = memory;
    this.allocations = new CudaMemory(gpu, memory);
    gpu.share(allocations);
    this.properties = new DeviceProperties(1, batchRows, batchRows, memory.limit());
    this.pinned = new CudaPinnedMemory(gpu, new MemoryBudget("pinned", pinnedBytes));
    this.pinnedBlocks = new BlockPool(host.memory(), pinnedBytes, pinned);
    this.staging = new CudaStaging(gpu, host.properties().workers());
    this.transfers = new CudaTransfers(gpu, staging);
    this.columnMemory = new CudaColumnMemory(allocations, staging);
    this.tables = new TableCache(columnMemory, memory);
    this.derived = new DerivedCache(columnMemory, memory);
    this.expressions =
        new PtxExpressionCompiler(
            new CudaPtxRunner(gpu), new HostBackedExpressions(host.expressions()));
  }

  private static int batchRows(MemoryBudget memory) {
    int rows =
        (int) Math.clamp(Long.highestOneBit(memory.limit() / BYTES_A_ROW), 1 << 16, BATCH_ROWS);
    return EngineSettings.current().sizes().batchRows(rows);
  }

  /** A budget of 90 % of the memory that is free now: the driver, and others, need some yet. */
  public static MemoryBudget defaultBudget(CudaGpu gpu) {
    return defaultBudget(gpu, 0.9);
  }

  /** A budget of a share of the memory that is free now. */
  public static MemoryBudget defaultBudget(CudaGpu gpu, double share) {
    return new MemoryBudget("gpuMemory", (long) (gpu.freeBytes() * share));
  }

  public CudaGpu gpu() {
    return gpu;
  }

  @Override
  public String name() {
    return gpu.name();
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
    allocations.look();
    return new CudaQueryMemory(allocations, limitBytes);
  }

  /**
   * Large blocks are page-locked, as long as they are not more than three quarters of the budget.
   */
  @Override
  public QueryMemory newHostMemory(long limitBytes) {
    return new NativeQueryMemory(host.memory(), limitBytes, pinnedBlocks, pinned);
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
    return transfers;
  }

  /** Half of the cache has copies of what the other half serves. */
  @Override
  public long cacheBytes() {
    return gpu.l2Bytes() / 4;
  }

  @Override
  public Device host() {
    return host;
  }

  /** The tables' columns that are on the GPU. */
  public TableCache tables() {
    return tables;
  }

  @Override
  public DerivedCache derived() {
    return derived;
  }

  @Override
  public Table.Pin pin(ExecContext context, Table table, List<Integer> columns) {
    return tables.pin(context, table, columns);
  }

  @Override
  public List<? extends ColumnClaim> claim(Table table, List<Integer> columns) {
    return tables.claim(table, columns);
  }

  @Override
  public DeviceUsage usage(QueryMemory queryMemory) {
    return ((CudaQueryMemory) queryMemory).usage();
  }

  @Override
  public boolean holds(Table table, int column) {
    return tables.holds(table, column);
  }

  @Override
  public boolean usable() {
    return !gpu.retired();
  }

  /**
   * Some dozens of launches and waits, a thirtieth of the memory's bandwidth (each byte that is
   * read is moved by several kernels), and a bus of which other work takes its share.
   */
  @Override
  public String model() {
    return model;
  }

  @Override
  public MachineProfile profile() {
    return ProfileStore.get(model, shipped);
  }

  /** An H200's figures are shipped; another GPU's follow from its bandwidth until calibrated. */
  private static MachineProfile shipped(CudaGpu gpu) {
    MachineProfile h200 = MachineProfile.H200;
    return gpu.productName().contains("H200")
        ? h200
        : h200.scaled(
            gpu.productName(), gpu.bandwidth() / H200_BANDWIDTH, gpu.l2Bytes() / H200_CACHE);
  }

  /** Gives the memory back; the context stays for the next device on this GPU. */
  @Override
  public void close() {
    try {
      derived.close();
      tables.close();
      columnMemory.close();
      pinnedBlocks.close();
      staging.close();
      allocations.close();
      if (!gpu.retired()) {
        gpu.trimPool();
      }
    } finally {
      gpu.unshare(allocations);
      host.close();
    }
  }
}
