package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUcontext;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NVIDIA's driver, loaded and asked once, or the reason why there is none. Loading never throws: a
 * machine without a GPU is a machine that uses its CPU.
 */
public final class CudaDriver {
  private static final String LIBRARY = "libcuda.so.1";

  /** What nvcc made of the kernels; see build/Kernels.java. */
  private static final String KERNELS = "/io/aragonite/exec/device/cuda/kernels.properties";

  /** The oldest driver whose functions the bindings use, where the jar has no kernels. */
  private static final int OLDEST = 12_000;

  private static final Logger LOG = LoggerFactory.getLogger(CudaDriver.class);

  /** Whether {@link #openAhead} was called. */
  private static final AtomicBoolean AHEAD = new AtomicBoolean();

  private static final class Holder {
    static final CudaDriver INSTANCE = load();
  }

  private final int version;
  private final @Nullable String missing;
  private final List<CudaGpu> gpus;

  private CudaDriver(int version, @Nullable String missing, List<CudaGpu> gpus) {
    this.version = version;
    this.missing = missing;
    this.gpus = List.copyOf(gpus);
  }

  /** The driver of this machine; the first call loads it. */
  public static CudaDriver get() {
    return Holder.INSTANCE;
  }

  /**
   * Begins to open the driver and GPUs on a thread of its own: that takes some tenths of a second.
   * Whoever needs them waits for the rest. What fails here fails there again, and is told there.
   *
   * @param ordinals of the GPUs; none: all
   */
  public static void openAhead(List<Integer> ordinals) {
    if (!AHEAD.compareAndSet(false, true)) {
      return;
    }
    Thread thread = new Thread(() -> open(ordinals), "aragonite-gpu");
    thread.setDaemon(true);
    thread.start();
  }

  private static void open(List<Integer> ordinals) {
    if (kernelsVersion() == 0) {
      return;
    }
    try {
      for (CudaGpu gpu : get().gpus()) {
        if (gpu.supported() && (ordinals.isEmpty() || ordinals.contains(gpu.ordinal()))) {
          CUcontext ignored = gpu.context();
        }
      }
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("a GPU was not opened ahead", e);
    }
  }

  /** Whether there is a driver at all; it is not loaded for that. */
  public static boolean installed() {
    if (!System.getProperty("os.name").equals("Linux")
        || !System.getProperty("os.arch").equals("amd64")) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup.libraryLookup(LIBRARY, arena);
      return true;
    } catch (IllegalArgumentException | IllegalCallerException e) {
      return false;
    }
  }

  /** 1000 * major + 10 * minor of the newest CUDA that the driver speaks; 0 without a driver. */
  public int version() {
    return version;
  }

  /** Why no GPU can be used, as a sentence with the way out; null if there is one at least. */
  public @Nullable String missing() {
    return missing;
  }

  /** The GPUs, by ordinal; empty if {@link #missing} says why. */
  public List<CudaGpu> gpus() {
    return gpus;
  }

  /**
   * @throws AragoniteException DEVICE_UNAVAILABLE if there is no such GPU
   */
  public CudaGpu gpu(int ordinal) {
    if (missing != null) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE, "There is no GPU to use: " + missing);
    }
    if (ordinal < 0 || ordinal >= gpus.size()) {
      throw new AragoniteException(
          ErrorCode.DEVICE_UNAVAILABLE,
          "There is no GPU cuda:%d; this machine has cuda:0%s."
              .formatted(ordinal, gpus.size() == 1 ? "" : " to cuda:" + (gpus.size() - 1)));
    }
    return gpus.get(ordinal);
  }

  /**
   * The CUDA release that the jar's kernels were built with, as in {@link #version}; 0: none are
   * in.
   */
  public static int kernelsVersion() {
    return Integer.parseInt(kernels().getProperty("version", "0"));
  }

  /** The architectures that the jar has code for, for instance {@code 80 90 100}. */
  public static String kernelsArchitectures() {
    return kernels().getProperty("architectures", "");
  }

  private static Properties kernels() {
    Properties properties = new Properties();
    try (InputStream in = CudaDriver.class.getResourceAsStream(KERNELS)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new AragoniteException(ErrorCode.INTERNAL, "The jar's list of kernels is broken.", e);
    }
    return properties;
  }

  private static CudaDriver load() {
    if (!System.getProperty("os.name").equals("Linux")
        || !System.getProperty("os.arch").equals("amd64")) {
      return without("GPUs are used on Linux x86-64 only; use device=cpu.");
    }
    try {
      SymbolLookup.libraryLookup(LIBRARY, Arena.global());
    } catch (IllegalCallerException e) {
      return without(
          "the JVM denies native access; start it with --enable-native-access=ALL-UNNAMED.");
    } catch (IllegalArgumentException e) {
      return without(
          "no NVIDIA driver is installed (%s was not found); install one, or use device=cpu."
              .formatted(LIBRARY));
    }
    try {
      separateStreams();
      JCudaDriver.setExceptionsEnabled(false); // loads JCuda's library
      return ask();
    } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
      return without("the bindings to the NVIDIA driver could not be loaded: " + e);
    }
  }

  /**
   * Has the driver keep as many streams apart as it can, where there are several GPUs. By default
   * it puts the streams of a GPU into 8 queues, and events of some wait for what others in the same
   * queue wait for; several GPUs that exchange rows have 9 streams each and more. One GPU needs
   * fewer, and each queue makes its context take longer to open. Read by the driver when it is
   * initialised; what the environment says already stays.
   */
  private static void separateStreams() {
    if (deviceFiles() < 2) {
      return;
    }
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> setenv = linker.defaultLookup().find("setenv");
    if (setenv.isEmpty()) {
      return;
    }
    FunctionDescriptor signature =
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom("CUDA_DEVICE_MAX_CONNECTIONS");
      MemorySegment most = arena.allocateFrom("32");
      // If it cannot be set, streams are kept apart less well, and nothing else.
      int ignored = (int) linker.downcallHandle(setenv.get(), signature).invokeExact(name, most, 0);
    } catch (RuntimeException e) {
      // The JVM may deny native access: streams are kept apart less well then, as above.
    } catch (Throwable e) {
      throw new AssertionError("setting a variable does not throw", e);
    }
  }

  /** How many GPUs the system shows to this process; the driver may show fewer. */
  private static int deviceFiles() {
    String[] names = new File("/dev").list((folder, name) -> name.matches("nvidia[0-9]+"));
    return names == null ? 0 : names.length;
  }

  private static CudaDriver without(String reason) {
    return new CudaDriver(0, reason, List.of());
  }

  /**
   * Why a driver cannot run kernels, null if it can.
   *
   * @param version of the driver, as {@link #version}
   * @param kernels as {@link #kernelsVersion}
   */
  static @Nullable String tooOld(int version, int kernels) {
    // Code made for a CUDA release runs on any driver of its major release.
    int oldest = Math.max(OLDEST, kernels / 1000 * 1000);
    return version >= oldest
        ? null
        : "the NVIDIA driver is too old: it is for CUDA %d.%d, and CUDA %d.%d is needed; update it, or use device=cpu."
            .formatted(version / 1000, version % 1000 / 10, oldest / 1000, oldest % 1000 / 10);
  }

  private static CudaDriver ask() {
    int[] number = new int[1];
    int result = JCudaDriver.cuInit(0);
    if (result == CUresult.CUDA_ERROR_NO_DEVICE) {
      return without("the NVIDIA driver finds no GPU (CUDA_VISIBLE_DEVICES may hide it).");
    }
    if (result != CUresult.CUDA_SUCCESS) {
      return without(
          "the NVIDIA driver does not start: %s; nvidia-smi may say more."
              .formatted(CudaErrors.name(result)));
    }
    if (JCudaDriver.cuDriverGetVersion(number) != CUresult.CUDA_SUCCESS) {
      return without("the NVIDIA driver does not tell its version.");
    }
    int version = number[0];
    String tooOld = tooOld(version, kernelsVersion());
    if (tooOld != null) {
      return new CudaDriver(version, tooOld, List.of());
    }
    if (JCudaDriver.cuDeviceGetCount(number) != CUresult.CUDA_SUCCESS || number[0] == 0) {
      return new CudaDriver(
          version, "the NVIDIA driver finds no GPU (CUDA_VISIBLE_DEVICES may hide it).", List.of());
    }
    List<CudaGpu> gpus = new ArrayList<>();
    for (int i = 0; i < number[0]; i++) {
      gpus.add(new CudaGpu(i));
    }
    return new CudaDriver(version, null, gpus);
  }
}
