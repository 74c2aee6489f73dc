package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.cuda.CudaConstants.MergePathPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.ScanPolicy;
import io.aragonite.exec.device.cuda.ptx.KernelStore;
import io.aragonite.exec.device.cuda.ptx.PtxBytecode;
import io.aragonite.exec.device.cuda.ptx.PtxKernel;
import io.aragonite.exec.device.cuda.ptx.PtxRunner;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs kernels of expressions on a GPU. Their PTX is assembled when they are first used, unless an
 * earlier process has kept their machine code. Meanwhile they are interpreted where that is
 * quicker.
 */
final class CudaPtxRunner implements PtxRunner {
  private static final Logger LOG = LoggerFactory.getLogger(CudaPtxRunner.class);
  private static final int MAX_MODULES = 2_000;

  /** Blocks of a multiprocessor. */
  private static final int MOST_BLOCKS = 8;

  /** Shared memory of a multiprocessor, less what each of some blocks needs beside. */
  private static final int SM_SHARED = 200 << 10;

  /** For messages. */
  private static final String EXPRESSION = "an expression";

  private final CudaGpu gpu;
  private final int maxModules;
  private final FirstRuns firstRuns;

  /** Kernels and their machine code of earlier processes; null if none are kept. */
  private final @Nullable KernelStore store;

  /** Code by its text's owner; what was not used for longest is unloaded. */
  private final Map<PtxKernel, LoadedModule> modules = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Code on the GPU.
   *
   * @param module complete when it is there
   * @param users the streams that it has been launched in
   */
  private record LoadedModule(CompletableFuture<CudaModule> module, Set<CudaStream> users) {}

  CudaPtxRunner(CudaGpu gpu) {
    this(gpu, MAX_MODULES, KernelStore.ofUser(gpu.target()));
  }

  /** With another limit and store, for tests. */
  CudaPtxRunner(CudaGpu gpu, int maxModules, @Nullable KernelStore store) {
    this.gpu = gpu;
    this.maxModules = maxModules;
    this.firstRuns = new FirstRuns(gpu.sms());
    this.store = store;
  }

  @Override
  public @Nullable PtxKernel kept(String key) {
    return store == null ? null : store.load(key);
  }

  private synchronized CompletableFuture<CudaModule> module(PtxKernel kernel, CudaStream user) {
    LoadedModule known = modules.get(kernel);
    if (known == null) {
      if (modules.size() >= maxModules) {
        unloadEldest();
      }
      CudaModule kept = kept(kernel);
      known =
          new LoadedModule(
              kept == null
                  ? CudaAssembler.submit(() -> assembled(kernel))
                  : CompletableFuture.completedFuture(kept),
              new HashSet<>());
      modules.put(kernel, known);
    }
    known.users.add(user);
    return known.module;
  }

  /** The machine code of a kernel, loaded, and kept for later processes. */
  private CudaModule assembled(PtxKernel kernel) {
    byte[] code = CudaAssembler.assemble(gpu, kernel.text());
    CudaModule module = gpu.load(EXPRESSION, code);
    if (store != null) {
      CudaAssembler.submit(() -> store.save(kernel, code));
    }
    return module;
  }

  /** Machine code of an earlier process; null if there is none, or none that the driver takes. */
  private @Nullable CudaModule kept(PtxKernel kernel) {
    byte[] code = kernel.machineCode(gpu.target());
    try {
      return code == null ? null : gpu.load(EXPRESSION, code);
    } catch (AragoniteException e) {
      LOG.debug("the machine code of an earlier process is passed over", e);
      return null;
    }
  }

  private CudaKernel loaded(PtxKernel kernel, CompletableFuture<CudaModule> module) {
    try {
      return await(module).kernel(PtxKernel.ENTRY);
    } catch (AragoniteException e) {
      forget(kernel, module);
      throw e;
    }
  }

  /** Code that was not loaded, for want of memory perhaps, is tried again by the next query. */
  private synchronized void forget(PtxKernel kernel, CompletableFuture<CudaModule> module) {
    LoadedModule known = modules.get(kernel);
    if (known != null && known.module.equals(module) && module.isCompletedExceptionally()) {
      modules.remove(kernel);
    }
  }

  private static CudaModule await(CompletableFuture<CudaModule> module) {
    try {
      return module.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof AragoniteException known
          ? known
          : new AragoniteException(ErrorCode.INTERNAL, "An expression was not assembled.", e);
    }
  }

  private void unloadEldest() {
    var eldest = modules.entrySet().iterator();
    LoadedModule loaded = eldest.next().getValue();
    // It may be running for another query. Streams know whom they wait for, the driver does not: a
    // wait for all of the GPU's work would not end behind another GPU that has failed.
    loaded.users.forEach(stream -> stream.awaitAll("waiting for kernels"));
    if (!loaded.module.isCompletedExceptionally()) {
      await(loaded.module).close();
    }
    eldest.remove();
  }

  @Override
  public boolean isReady(ExecContext context, PtxKernel kernel) {
    Toggle interprets = EngineSettings.current().interpretsExpressions();
    CompletableFuture<CudaModule> module = module(kernel, CudaStream.of(context));
    if (module.isCompletedExceptionally()) {
      forget(kernel, module);
      return false;
    }
    return interprets == Toggle.AUTO ? module.isDone() : interprets == Toggle.OFF;
  }

  @Override
  public void run(ExecContext context, PtxKernel kernel, int rows, long[] args) {
    CudaStream stream = CudaStream.of(context);
    CompletableFuture<CudaModule> module = module(kernel, stream);
    PtxBytecode code =
        firstRuns.interpreted(
            EngineSettings.current().interpretsExpressions(), kernel, rows, module.isDone());
    if (code != null) {
      CudaInterpreter.run(context, code, rows, args);
      return;
    }
    Object[] values = new Object[args.length];
    for (int i = 0; i < args.length; i++) {
      values[i] = args[i];
    }
    stream.launch(
        loaded(kernel, module),
        kernel.blocks(rows, gpu.sms() * residentBlocks(kernel)),
        PtxKernel.THREADS,
        kernel.sharedBytes(),
        values);
  }

  /** Blocks that a multiprocessor runs at a time. */
  private static long residentBlocks(PtxKernel kernel) {
    int shared = kernel.sharedBytes();
    return shared == 0 ? MOST_BLOCKS : Math.clamp(SM_SHARED / shared, 1, MOST_BLOCKS);
  }

  @Override
  public int positions(ExecContext context, Buffer bits, int rows, Buffer out) {
    return CudaSelect.selectBits(context, bits, rows, out);
  }

  @Override
  public Column texts(
      ExecContext context,
      ColumnShape shape,
      int rows,
      Buffer addresses,
      Buffer lengths,
      @Nullable Buffer validity) {
    Buffer offsets = context.scratch().allocate(4L * rows + 4);
    if (rows == 0) {
      CudaScan.fill(context, offsets, Integer.BYTES, 0, 1);
      return new Column(shape, 0, Buffer.EMPTY, offsets, validity, null);
    }
    long mark = context.scratch().mark();
    CudaLookBack pass = CudaLookBack.of(context, rows, ScanPolicy.TILE);
    pass.launchShared(
        KernelFamily.SCAN,
        "ara_length_offsets",
        ScanPolicy.THREADS,
        ScanPolicy.TILE * ScanPolicy.ROW_BYTES,
        lengths,
        rows,
        offsets);
    long total = pass.await();
    context.scratch().release(mark);
    if (total > Integer.MAX_VALUE) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A batch of computed texts takes %,d bytes, more than 2 GiB; make the texts shorter"
              .formatted(total));
    }
    Buffer bytes = context.scratch().allocate(total);
    if (total > 0) {
      collect(context, rows, addresses, offsets, total, bytes);
    }
    return new Column(shape, rows, bytes, offsets, validity, null);
  }

  private static void collect(
      ExecContext context, int rows, Buffer addresses, Buffer offsets, long total, Buffer bytes) {
    CudaStream stream = CudaStream.of(context);
    int tiles = CudaLookBack.blocks(rows + total, MergePathPolicy.TILE);
    long mark = context.scratch().mark();
    Buffer starts = context.scratch().allocate(4L * tiles + 4);
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER_TEXT, "ara_text_split"),
        CudaLookBack.blocks(tiles + 1L, CudaLookBack.THREADS),
        CudaLookBack.THREADS,
        0,
        offsets,
        rows,
        tiles,
        starts);
    stream.launch(
        stream.gpu().kernel(KernelFamily.GATHER_TEXT, "ara_text_collect"),
        tiles,
        CudaLookBack.THREADS,
        0,
        addresses,
        offsets,
        rows,
        starts,
        bytes);
    context.scratch().release(mark);
  }
}
