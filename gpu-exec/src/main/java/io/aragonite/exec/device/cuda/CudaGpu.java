package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One GPU: what it is, its context, the kernels loaded onto it. There is one object a GPU in the
 * process, {@link CudaDriver} has them; the context is made at first use and kept. Safe for several
 * threads.
 */
public final class CudaGpu {
  private static final Logger LOG = LoggerFactory.getLogger(CudaGpu.class);
  private static final String FOLDER = "/io/aragonite/exec/device/cuda/";

  /** The oldest compute capability that kernels are made for. */
  private static final int OLDEST = 80;

  /** How long work that may be behind that of a GPU which has failed is waited for. */
  private static final long PATIENCE_NANOS = 10_000_000_000L;

  /** How long the driver is asked for such work without a rest, and how long rests are then. */
  private static final long SPIN_NANOS = 10_000_000;

  private static final long POLL_NANOS = 20_000;

  private final int ordinal;
  private final CUdevice device = new CUdevice();
  private final String productName;
  private final int sms;
  private final int l2Bytes;
  private final long memoryBytes;
  private final int capability;
  private final int maxSharedBytes;
  private final boolean readsRegistered;
  private final double bandwidth;
  private final ConcurrentHashMap<KernelFamily, CudaModule> modules = new ConcurrentHashMap<>();
  private final List<CudaMemory> memories = new CopyOnWriteArrayList<>();

  /** Ordinals of the GPUs whose memory this one has been let reach, or cannot. */
  private final Set<Integer> reached = new HashSet<>();

  private final Map<CudaStream.StreamUse, Queue<CudaStream>> idleStreams =
      new EnumMap<>(CudaStream.StreamUse.class);
  private final ConcurrentLinkedQueue<CUevent> idleEvents = new ConcurrentLinkedQueue<>();
  private volatile @Nullable CUcontext context;
  private volatile @Nullable String retired;
  private long pool;

  CudaGpu(int ordinal) {
    this.ordinal = ordinal;
    for (CudaStream.StreamUse use : CudaStream.StreamUse.values()) {
      idleStreams.put(use, new ConcurrentLinkedQueue<>());
    }
    check(JCudaDriver.cuDeviceGet(device, ordinal), "opening the GPU");
    byte[] bytes = new byte[256];
    check(JCudaDriver.cuDeviceGetName(bytes, bytes.length, device), "asking for its name");
    int length = 0;
    while (length < bytes.length && bytes[length] != 0) {
      length++;
    }
    productName = new String(bytes, 0, length, StandardCharsets.UTF_8);
    sms = attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    l2Bytes = attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    capability =
        10 * attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
            + attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    maxSharedBytes =
        attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    readsRegistered =
        optional(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)
            != 0;
    double clock = 1e3 * optional(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    int width = optional(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    // Newer drivers do not tell the clock; any GPU that is worth it has 300 GB/s.
    bandwidth = Math.max(300e9, 2 * clock * width / 8);
    long[] total = new long[1];
    check(JCudaDriver.cuDeviceTotalMem(total, device), "asking for its memory");
    memoryBytes = total[0];
  }

  private int attribute(int attribute) {
    int[] value = new int[1];
    check(
        JCudaDriver.cuDeviceGetAttribute(value, attribute, device),
        "asking for attribute " + attribute);
    return value[0];
  }

  /** 0 where the driver does not tell. */
  private int optional(int attribute) {
    int[] value = new int[1];
    int result = JCudaDriver.cuDeviceGetAttribute(value, attribute, device);
    return result == CUresult.CUDA_SUCCESS ? value[0] : 0;
  }

  /** The number among the GPUs that this process sees. */
  public int ordinal() {
    return ordinal;
  }

  /** The device's name, for instance {@code cuda:0}. */
  public String name() {
    return "cuda:" + ordinal;
  }

  /** What NVIDIA calls it. */
  public String productName() {
    return productName;
  }

  /** Streaming multiprocessors. */
  public int sms() {
    return sms;
  }

  public int l2Bytes() {
    return l2Bytes;
  }

  public long memoryBytes() {
    return memoryBytes;
  }

  /** Bytes a second that its memory could read at best. */
  public double bandwidth() {
    return bandwidth;
  }

  /** 10 * major + minor of the compute capability, for instance 90. */
  public int capability() {
    return capability;
  }

  /** What machine code for it depends on: its architecture, and the driver that makes the code. */
  String target() {
    return "sm_" + capability + ", driver " + CudaDriver.get().version();
  }

  /** Whether it is new enough for the kernels. */
  public boolean supported() {
    return capability >= OLDEST;
  }

  /** Whether its kernels read page-locked memory of the C library at the host's addresses. */
  boolean readsRegistered() {
    return readsRegistered;
  }

  /** Shared memory that a block can have at most. */
  public int maxSharedBytes() {
    return maxSharedBytes;
  }

  /** Whether kernels of this GPU can read the other's memory. */
  public boolean canAccess(CudaGpu other) {
    int[] can = new int[1];
    check(JCudaDriver.cuDeviceCanAccessPeer(can, device, other.device), "asking for peer access");
    return can[0] != 0;
  }

  /** Bytes of its memory that nobody holds now. */
  public long freeBytes() {
    makeCurrent();
    long[] free = new long[1];
    long[] total = new long[1];
    check(JCudaDriver.cuMemGetInfo(free, total), "asking for its free memory");
    return free[0];
  }

  /**
   * @throws AragoniteException DEVICE_FAILED if it is retired
   */
  void requireWorking() {
    if (retired != null) {
      throw gone();
    }
  }

  /** Makes the calling thread's driver calls go to this GPU. */
  void makeCurrent() {
    requireWorking();
    CUcontext open = context;
    check(JCudaDriver.cuCtxSetCurrent(open == null ? open() : open), "making its context current");
  }

  /** Its context, which is made at first use. */
  CUcontext context() {
    CUcontext open = context;
    return open == null ? open() : open;
  }

  /**
   * Has this GPU read the other's memory directly from now on, if it can; copies between the two go
   * through the host's else. The calling thread's context is this GPU's then.
   */
  void reach(CudaGpu peer) {
    synchronized (reached) {
      if (!reached.add(peer.ordinal) || peer.ordinal == ordinal || !canAccess(peer)) {
        return;
      }
      CUcontext other = peer.context();
      makeCurrent();
      int result = JCudaDriver.cuCtxEnablePeerAccess(other, 0);
      if (result != CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
        check(result, "reaching the memory of " + peer);
      }
      // What a pool hands out is its own GPU's alone until it is told otherwise.
      check(CudaDriverCalls.share(peer.pool, ordinal), "reaching the memory pool of " + peer);
    }
  }

  /** Whether its kernels read the other's memory. */
  boolean reads(CudaGpu peer) {
    reach(peer);
    return peer.ordinal != ordinal && canAccess(peer);
  }

  private synchronized CUcontext open() {
    CUcontext open = context;
    if (open == null) {
      open = new CUcontext();
      check(JCudaDriver.cuDevicePrimaryCtxRetain(open, device), "making a context");
      pool = CudaDriverCalls.keepingPool(ordinal);
      if (pool == 0) {
        LOG.warn("{} has no memory pool that keeps memory; allocations will be slow", name());
      }
      context = open;
    }
    return open;
  }

  /** Remembers whose memory is this GPU's, for {@link #reclaim} and {@link #trimPool}. */
  void share(CudaMemory memory) {
    memories.add(memory);
  }

  void unshare(CudaMemory memory) {
    memories.remove(memory);
  }

  /** Asks the caches of all devices on this GPU to give up memory. */
  void reclaim(long bytes) {
    long released = 0;
    for (CudaMemory memory : memories) {
      if (released < bytes) {
        released += memory.budget().reclaim(bytes - released);
      }
    }
  }

  /** Gives memory that was freed, but is kept for the next allocation, back to the system. */
  void trimPool() {
    memories.forEach(CudaMemory::dropKept);
    makeCurrent();
    check(CudaDriverCalls.trim(pool), "giving memory back");
  }

  /**
   * A kernel of the jar.
   *
   * @param name one of the family's
   * @throws AragoniteException DEVICE_UNAVAILABLE if the jar was built without kernels
   */
  CudaKernel kernel(KernelFamily family, String name) {
    if (!family.kernels().contains(name)) {
      throw new IllegalArgumentException("no kernel of " + family + ": " + name);
    }
    return module(family).kernel(name);
  }

  private CudaModule module(KernelFamily family) {
    CudaModule module = modules.get(family);
    return module != null
        ? module
        : modules.computeIfAbsent(family, f -> load(f.fileName(), image(f.fileName())));
  }

  /**
   * Loads code that was made at run time.
   *
   * @param name for messages
   * @param image a cubin, or PTX text that ends with a zero byte
   */
  public CudaModule load(String name, byte[] image) {
    return new CudaModule(this, name, image);
  }

  private static byte[] image(String file) {
    try (InputStream in = CudaGpu.class.getResourceAsStream(FOLDER + file + ".fatbin")) {
      if (in == null) {
        throw new AragoniteException(
            ErrorCode.DEVICE_UNAVAILABLE,
            "This build has no GPU kernels (%s.fatbin), since there was no nvcc when it was made; build it where the CUDA toolkit is, or use device=cpu"
                .formatted(file));
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "The kernels of " + file + " could not be read.", e);
    }
  }

  /** A stream that nobody uses; to be given back by {@link #giveBack}. */
  CudaStream takeStream(CudaStream.StreamUse use) {
    CudaStream idle = idle(use).poll();
    return idle == null ? new CudaStream(this, use) : idle;
  }

  void giveBack(CudaStream stream) {
    if (retired == null) {
      idle(stream.use()).add(stream);
    }
  }

  private Queue<CudaStream> idle(CudaStream.StreamUse use) {
    return Objects.requireNonNull(idleStreams.get(use));
  }

  /** An event that nobody uses, with a clock; to be given back by {@link #giveBack}. */
  CUevent takeEvent() {
    CUevent idle = idleEvents.poll();
    if (idle != null) {
      return idle;
    }
    CUevent event = new CUevent();
    makeCurrent();
    check(JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DEFAULT), "making an event");
    return event;
  }

  void giveBack(CUevent event) {
    if (retired == null) {
      idleEvents.add(event);
    }
  }

  /** Whether an error has made the GPU useless for this process. */
  public boolean retired() {
    return retired != null;
  }

  /**
   * Takes a driver call's result.
   *
   * @param doing what was tried, for instance {@code launching ara_fill}
   * @throws AragoniteException if it is an error; one that stays retires the GPU
   */
  void check(int result, String doing) {
    if (result == CUresult.CUDA_SUCCESS) {
      return;
    }
    if (!CudaErrors.sticky(result)) {
      throw CudaErrors.exception(name(), doing, result);
    }
    retire(CudaErrors.name(result) + " at " + doing);
    throw gone();
  }

  /**
   * Waits for work of this GPU.
   *
   * @param others behind whose work it may be, which never ends where the driver keeps this GPU
   *     alive after one of them has failed: then this one is not used any more either, since nobody
   *     knows what of its memory is still to be read
   * @param asks the driver whether it has ended
   * @param waits in the driver
   * @throws AragoniteException DEVICE_FAILED
   */
  void await(Set<CudaGpu> others, IntSupplier asks, IntSupplier waits, String doing) {
    makeCurrent();
    if (others.isEmpty()) {
      check(waits.getAsInt(), doing);
      return;
    }
    long start = System.nanoTime();
    long left = 0;
    int result = asks.getAsInt();
    while (result == CUresult.CUDA_ERROR_NOT_READY) {
      long now = System.nanoTime();
      if (left == 0 && others.stream().anyMatch(CudaGpu::retired)) {
        left = now;
      }
      if (left != 0 && now - left > PATIENCE_NANOS) {
        retire("it waited for work of another GPU, which has failed, at " + doing);
        throw gone();
      }
      // As the driver does, which is not asked to wait: nothing ends that.
      if (now - start < SPIN_NANOS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(POLL_NANOS);
      }
      makeCurrent();
      result = asks.getAsInt();
    }
    check(result, doing);
  }

  private void retire(String reason) {
    synchronized (this) {
      if (retired != null) {
        return;
      }
      retired = reason;
    }
    LOG.error("{} is not used any more: {}", name(), reason);
    for (CudaGpu other : CudaDriver.get().gpus()) {
      if (!other.retired() && other.lost()) {
        other.retire("lost with " + name());
      }
    }
  }

  /**
   * Whether all that is asked of it fails. Drivers give the error of a kernel to all GPUs of the
   * process, once it is known on one.
   */
  private boolean lost() {
    CUcontext open = context;
    return open != null
        && (CudaErrors.sticky(JCudaDriver.cuCtxSetCurrent(open))
            || CudaErrors.sticky(JCudaDriver.cuMemGetInfo(new long[1], new long[1])));
  }

  private AragoniteException gone() {
    return new AragoniteException(
        ErrorCode.DEVICE_FAILED,
        "%s failed (%s) and is not used any more by this process; connect with another device=, or start the process again"
            .formatted(name(), retired));
  }

  @Override
  public String toString() {
    return name();
  }
}
