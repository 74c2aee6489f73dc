package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ColumnMemory;
import io.aragonite.exec.device.CopyQueue.PeerCopy;
import io.aragonite.exec.device.DeviceUsage;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import jcuda.driver.CUevent;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A query's order of work on a GPU. What is called runs after all that was called before; calls
 * return at once, but {@link #sync} and the reads wait. Errors of a kernel come out of a later call
 * that waits, of {@link #sync} at the latest. Safe for several threads, whose calls are then in
 * some order.
 *
 * <p>Most waits are for a few bytes, which {@link CudaReadback} brings.
 */
public final class CudaStream {
  private static final int MAX_ARGUMENTS = 512;

  /** Words of {@link #counts}, see launch_counts.cuh; any number of rows has fewer counts. */
  static final int COUNTS = 8192;

  /**
   * What a stream does all its life. The driver has events and waits of a stream take place where
   * its last work did: on a copy engine, behind the large copies of other streams there, if it has
   * copied. A stream that orders others must not have been one for copies before.
   */
  enum StreamUse {
    WORK,
    TO_DEVICE,
    TO_HOST,
    FROM_PEERS,
    TO_PEER
  }

  private final CudaGpu gpu;
  private final StreamUse use;
  private final Handle stream = new Handle();

  /** In pinned memory: the values of a launch's arguments, and the addresses of these. */
  private final long arguments;

  private final long argumentPointers;
  private final CudaReadback readback;
  private final Buffer counts;
  int launches = 1;
  private final @Nullable CudaTrace trace;

  /** Whose events the stream, or one that it waits for, waits for; since it was taken. */
  private final Set<CudaGpu> others = ConcurrentHashMap.newKeySet();

  /** When the first of what has not been waited for was asked for, if there is some. */
  private long begun;

  private boolean timing;

  /** Whether several copies were to be made together, which the driver cannot. */
  private boolean oneByOne;

  private long kernels;
  private long toDeviceBytes;
  private long toHostBytes;
  private long nanos;

  /** What the foreign functions want of it. */
  private static final class Handle extends CUstream {
    long address() {
      return getNativePointer();
    }
  }

  CudaStream(CudaGpu gpu, StreamUse use) {
    this.gpu = gpu;
    this.use = use;
    gpu.makeCurrent();
    gpu.check(
        JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING),
        "making a stream");
    CudaStreamMemory memory;
    try {
      memory =
          CudaStreamMemory.take(
              gpu,
              stream,
              CudaReadback.PINNED_BYTES + 16L * MAX_ARGUMENTS,
              8L * COUNTS + CudaReadback.DEVICE_BYTES);
    } catch (RuntimeException e) {
      // Queries try again, and would leave a stream each time.
      if (!gpu.retired()) {
        gpu.makeCurrent();
        JCudaDriver.cuStreamDestroy(stream);
      }
      throw e;
    }
    trace = CudaTrace.ON ? new CudaTrace(gpu, stream) : null;
    arguments = memory.pinned() + CudaReadback.PINNED_BYTES;
    argumentPointers = arguments + 8L * MAX_ARGUMENTS;
    for (int i = 0; i < MAX_ARGUMENTS; i++) {
      Mem.putLong(argumentPointers + 8L * i, arguments + 8L * i);
    }
    counts = new Buffer(memory.words(), 8L * COUNTS);
    readback = new CudaReadback(this, memory.pinned(), memory.words() + 8L * COUNTS);
  }

  /** The stream of the query that a context belongs to, which must run on a GPU. */
  public static CudaStream of(ExecContext context) {
    return ((CudaQueryMemory) context.memory()).stream();
  }

  public CudaGpu gpu() {
    return gpu;
  }

  StreamUse use() {
    return use;
  }

  CUstream handle() {
    return stream;
  }

  /**
   * Launches a kernel; nothing happens if there are no blocks.
   *
   * @param sharedBytes dynamic shared memory of a block
   * @param args the kernel's parameters in order: a {@link Buffer} is its address, numbers have
   *     their own width, as the kernel's must be
   */
  public synchronized void launch(
      CudaKernel kernel, long blocks, int threads, int sharedBytes, Object... args) {
    if (blocks == 0) {
      return;
    }
    if (blocks < 0 || blocks > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.INTERNAL, "Kernel " + kernel + " was launched with " + blocks + " blocks.");
    }
    int[] widths = kernel.widths();
    if (args.length > MAX_ARGUMENTS || widths != null && widths.length != args.length) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "Kernel %s was launched with %d arguments and has %s"
              .formatted(kernel, args.length, widths == null ? "at most 512" : widths.length));
    }
    for (int i = 0; i < args.length; i++) {
      int width = put(arguments + 8L * i, args[i]);
      if (widths != null && widths[i] != width) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "Argument %d of kernel %s has %d bytes and must have %d"
                .formatted(i, kernel, width, widths[i]));
      }
    }
    begin();
    kernel.allowShared(sharedBytes);
    beginStep();
    int result =
        CudaDriverCalls.launch(
            kernel.function().value(),
            (int) blocks,
            threads,
            sharedBytes,
            stream.address(),
            argumentPointers);
    if (result != CUresult.CUDA_SUCCESS) {
      gpu.check(result, "launching " + kernel);
    }
    endStep(kernel.name());
    kernels++;
  }

  /** Writes an argument's value; returns its width. */
  private static int put(long slot, Object value) {
    switch (value) {
      case Buffer buffer -> Mem.putLong(slot, buffer.address());
      case Long number -> Mem.putLong(slot, number);
      case Integer number -> Mem.putInt(slot, number);
      case Double number -> Mem.putDouble(slot, number);
      case Float number -> Mem.putFloat(slot, number);
      case Short number -> Mem.putShort(slot, number);
      case Byte number -> Mem.putByte(slot, number);
      case Boolean flag -> Mem.putByte(slot, (byte) (flag ? 1 : 0));
      default -> throw new IllegalArgumentException(value.getClass() + " is no kernel argument");
    }
    return switch (value) {
      case Buffer _, Long _, Double _ -> 8;
      case Integer _, Float _ -> 4;
      case Short _ -> 2;
      default -> 1;
    };
  }

  /**
   * Blocks for a grid-stride loop over {@code items} by blocks of {@code threads}: as many as fill
   * the GPU some times over, or as there is work for.
   */
  public long gridStride(long items, int threads) {
    long resident = (long) gpu.sms() * Math.max(1, 2048 / threads);
    return Math.min((items + threads - 1) / threads, 4 * resident);
  }

  /** Before a step of {@link CudaTrace}; of every step that should be seen. */
  void beginStep() {
    if (trace != null) {
      trace.before();
    }
  }

  /** Behind it. */
  void endStep(String what) {
    if (trace != null) {
      trace.after(what);
    }
  }

  /** Starts the clock of what runs until the next wait. */
  private void begin() {
    gpu.makeCurrent();
    if (!timing) {
      begun = System.nanoTime();
      timing = true;
    }
  }

  /** Stops it. */
  void end() {
    if (timing) {
      timing = false;
      nanos += System.nanoTime() - begun;
    }
  }

  /**
   * Waits until all is done.
   *
   * @throws AragoniteException DEVICE_FAILED if a kernel failed, which retires the GPU
   */
  public synchronized void sync() {
    beginStep();
    awaitAll("waiting for kernels");
    endStep("wait");
    end();
  }

  /** As {@link #sync}, beside other threads' calls. */
  void awaitAll(String doing) {
    gpu.await(
        others,
        () -> JCudaDriver.cuStreamQuery(stream),
        () -> JCudaDriver.cuStreamSynchronize(stream),
        doing);
  }

  /** Waits until this stream has come to an event that is recorded in it. */
  void await(CUevent event, String doing) {
    gpu.await(
        others,
        () -> JCudaDriver.cuEventQuery(event),
        () -> JCudaDriver.cuEventSynchronize(event),
        doing);
  }

  /**
   * Takes a 64-bit word of pinned memory that a kernel may write to: no copy is needed then to
   * bring a count to the host. It is given out again after some other results.
   */
  synchronized long takeResult() {
    return readback.takeResult();
  }

  /**
   * Words on the device in which blocks of a kernel tell each other what they have counted, at
   * first 0; for {@link #launchCounting}.
   */
  Buffer counts() {
    return counts;
  }

  /**
   * Launches a kernel that uses the words.
   *
   * @param args as of {@link #launch}, of a number that is one more from launch to launch, and
   *     never 0
   */
  synchronized void launchCounting(
      CudaKernel kernel, long blocks, int threads, int sharedBytes, IntFunction<Object[]> args) {
    launch(kernel, blocks, threads, sharedBytes, args.apply(launches));
    // Behind the launch: one that fails has used no words.
    if (++launches == 0) {
      fill(counts.address(), (byte) 0, counts.size());
      launches = 1;
    }
  }

  /**
   * What a kernel has written to a word of {@link #takeResult}. The kernel may still be at work for
   * this stream; who is to read its other results elsewhere calls {@link #sync}.
   */
  synchronized long awaitResult(long address) {
    toHostBytes += Long.BYTES;
    return readback.awaitResult(address);
  }

  /** The 32-bit number at a device address, when all before is done. */
  public synchronized int readInt(long address) {
    return Mem.getInt(readSmall(address, Integer.BYTES));
  }

  /** The 64-bit number at a device address, when all before is done. */
  public synchronized long readLong(long address) {
    return Mem.getLong(readSmall(address, Long.BYTES));
  }

  /** Where the host has some bytes until it reads others. */
  private long readSmall(long address, int bytes) {
    toHostBytes += bytes;
    return readback.read(address, bytes);
  }

  /** Copies device memory to the host; returns when the bytes are there. */
  public synchronized void read(long address, long hostAddress, long bytes) {
    if (bytes == 0) {
      return;
    }
    if (bytes <= CudaReadback.SMALL) {
      Mem.copy(readSmall(address, (int) bytes), hostAddress, bytes);
      return;
    }
    awaitOthersFor(hostAddress, bytes);
    readPinned(address, hostAddress, bytes);
    sync();
  }

  /**
   * To be called before a copy of host memory. More than some bytes of pageable memory are copied
   * within the driver's call, behind all that was asked for before: where that may be behind
   * another GPU's work, whose failure would not end the call, it is waited for here.
   */
  private void awaitOthersFor(long hostAddress, long bytes) {
    if (bytes > CudaReadback.SMALL
        && !others.isEmpty()
        && !CudaPinnedMemory.holds(hostAddress, bytes)) {
      awaitAll("waiting for other GPUs");
    }
  }

  /**
   * Copies pieces of device memory to the host with one wait; returns when the bytes are there.
   *
   * @param to where each piece goes, whose size is what is copied; {@link CudaReadback#SMALL} bytes
   *     at most, each {@link CudaReadback#padded}
   */
  synchronized void readAll(List<Buffer> from, List<Buffer> to) {
    readback.readAll(from, to);
    to.forEach(piece -> toHostBytes += piece.size());
  }

  /** Copies host memory to the device; the host memory may be used again on return. */
  public synchronized void write(long hostAddress, long address, long bytes) {
    if (bytes == 0) {
      return;
    }
    awaitOthersFor(hostAddress, bytes);
    // Pageable memory is copied to the driver's own staging memory before the call returns.
    writePinned(hostAddress, address, bytes);
    if (CudaPinnedMemory.holds(hostAddress, bytes)) {
      sync();
    }
  }

  /**
   * Copies pinned memory to the device at some time.
   *
   * @param done recorded behind the copy: the memory may be used again then
   */
  synchronized void writePinned(HostPointer memory, long address, long bytes, CUevent done) {
    begin();
    gpu.check(
        JCudaDriver.cuMemcpyHtoDAsync(new DevicePointer(address), memory, bytes, stream),
        "copying to the device");
    gpu.check(JCudaDriver.cuEventRecord(done, stream), "recording an event");
    toDeviceBytes += bytes;
  }

  /**
   * Copies device memory to pinned memory at some time.
   *
   * @param done recorded behind the copy: the bytes are there then
   */
  synchronized void readPinned(long address, HostPointer memory, long bytes, CUevent done) {
    begin();
    gpu.check(
        JCudaDriver.cuMemcpyDtoHAsync(memory, new DevicePointer(address), bytes, stream),
        "copying to the host");
    gpu.check(JCudaDriver.cuEventRecord(done, stream), "recording an event");
    toHostBytes += bytes;
  }

  /**
   * Copies page-locked memory to the device at some time; the caller knows when it may be used
   * again.
   */
  synchronized void writePinned(long hostAddress, long address, long bytes) {
    begin();
    gpu.check(
        JCudaDriver.cuMemcpyHtoDAsync(
            new DevicePointer(address), new HostPointer(hostAddress), bytes, stream),
        "copying to the device");
    toDeviceBytes += bytes;
  }

  /**
   * Copies page-locked memory to the device at some time, in any order. One after the other, the
   * engine rests some 5 us between copies: half a megabyte at a time comes with 41 GB/s then, and
   * with 54 where the driver is given all at once (H200).
   */
  synchronized void writePinned(List<ColumnMemory.Copy> copies) {
    begin();
    List<ColumnMemory.Copy> some = copies.stream().filter(c -> c.device().size() > 0).toList();
    int result =
        some.size() > 1
            ? CudaDriverCalls.copyTogether(some, stream.address())
            : CUresult.CUDA_ERROR_NOT_SUPPORTED;
    if (result == CUresult.CUDA_ERROR_NOT_SUPPORTED) {
      oneByOne |= some.size() > 1;
      some.forEach(c -> writePinned(c.host(), c.device().address(), c.device().size()));
      return;
    }
    gpu.check(result, "copying to the device");
    for (ColumnMemory.Copy copy : some) {
      toDeviceBytes += copy.device().size();
    }
  }

  /** Whether copies went one by one, since the counters were reset, that were to go together. */
  synchronized boolean copiedOneByOne() {
    return oneByOne;
  }

  /** Copies to page-locked memory at some time; the caller knows when the bytes are there. */
  synchronized void readPinned(long address, long hostAddress, long bytes) {
    begin();
    gpu.check(
        JCudaDriver.cuMemcpyDtoHAsync(
            new HostPointer(hostAddress), new DevicePointer(address), bytes, stream),
        "copying to the host");
    toHostBytes += bytes;
  }

  /** Notes a place in the order of work. */
  synchronized void record(CUevent event) {
    gpu.makeCurrent();
    gpu.check(JCudaDriver.cuEventRecord(event, stream), "recording an event");
  }

  /**
   * Has what is called from now on run when another stream has come to an event.
   *
   * @param of the other stream
   */
  synchronized void waitFor(CUevent event, CudaStream of) {
    others.addAll(of.others);
    others.add(of.gpu);
    others.remove(gpu);
    gpu.makeCurrent();
    gpu.check(JCudaDriver.cuStreamWaitEvent(stream, event, 0), "ordering streams");
  }

  /** Counts bytes that another stream has copied for this one's query. */
  synchronized void addCopied(DeviceUsage other) {
    toDeviceBytes += other.toDeviceBytes();
    toHostBytes += other.toHostBytes();
  }

  /** Sets device memory to a byte. */
  public synchronized void fill(long address, byte value, long bytes) {
    if (bytes > 0) {
      begin();
      beginStep();
      gpu.check(
          JCudaDriver.cuMemsetD8Async(new DevicePointer(address), value, bytes, stream),
          "filling memory");
      endStep("fill");
    }
  }

  /** Copies within the device; the pieces must not overlap. */
  public synchronized void copy(long from, long to, long bytes) {
    if (bytes > 0) {
      begin();
      beginStep();
      gpu.check(
          JCudaDriver.cuMemcpyDtoDAsync(
              new DevicePointer(to), new DevicePointer(from), bytes, stream),
          "copying on the device");
      endStep("copy");
    }
  }

  /** Copies this GPU's memory to another's. */
  synchronized void copyTo(CudaGpu peer, List<PeerCopy> copies) {
    begin();
    beginStep();
    for (PeerCopy copy : copies) {
      gpu.check(
          JCudaDriver.cuMemcpyPeerAsync(
              new DevicePointer(copy.to().address()),
              peer.context(),
              new DevicePointer(copy.from().address()),
              gpu.context(),
              copy.to().size(),
              stream),
          "copying to " + peer);
    }
    endStep("push");
  }

  /** Copies from another GPU's memory. */
  synchronized void copyFrom(CudaGpu peer, long from, long to, long bytes) {
    if (bytes > 0) {
      gpu.reach(peer);
      begin();
      gpu.check(
          JCudaDriver.cuMemcpyPeerAsync(
              new DevicePointer(to),
              gpu.context(),
              new DevicePointer(from),
              peer.context(),
              bytes,
              stream),
          "copying from " + peer);
    }
  }

  /** What was done since the stream was taken. */
  synchronized DeviceUsage usage() {
    return new DeviceUsage(kernels, toDeviceBytes, toHostBytes, nanos);
  }

  /** Begins another query. */
  synchronized void resetCounters() {
    if (trace != null) {
      trace.print();
    }
    kernels = 0;
    toDeviceBytes = 0;
    toHostBytes = 0;
    nanos = 0;
    timing = false;
    oneByOne = false;
    others.clear();
  }
}
