package io.aragonite.adapter.engine;

import io.aragonite.adapter.format.FilePaths;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.adapter.format.iceberg.IcebergFolder;
import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.remote.RemotePath;
import io.aragonite.adapter.table.SessionTables;
import io.aragonite.adapter.table.StatisticsStore;
import io.aragonite.adapter.table.TableCatalog;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.engine.Engine;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.memory.JvmDefects;
import io.aragonite.exec.memory.NativeAccess;
import io.aragonite.exec.runtime.QueryThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engines of this process: one for each device, memory budget and number of threads, shared by
 * the connections that ask for these, together with the tables that they have loaded. An engine is
 * closed with its last lease, which ends the queries that are still there.
 */
public final class Engines {
  /** How long who opens an engine waits for one like it to give its memory back. */
  private static final long CLOSING_SECONDS = 10;

  private static final long LOOK_MILLIS = 20;

  static final Map<Key, Shared> OPEN = new HashMap<>();

  /** Engines that are being closed; as {@link #OPEN}, guarded by its lock. */
  static final Set<Shared> CLOSING = new HashSet<>();

  private Engines() {}

  record Key(
      ConnectionOptions.DeviceChoice device,
      long memoryBytes,
      ConnectionOptions.GpuMemory gpuMemory,
      ConnectionOptions.Spill spill,
      int threads) {
    /**
     * Keys are few; what a record makes of its components is spun at the first call, in each
     * process.
     */
    @Override
    public int hashCode() {
      return 31 * Long.hashCode(memoryBytes) + threads;
    }
  }

  /** A folder as it was when it was opened: other files in it make another catalog. */
  private record Folder(Path path, long fingerprint) {
    // as that of a key
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Folder folder
          && fingerprint == folder.fingerprint
          && path.equals(folder.path);
    }

    @Override
    public int hashCode() {
      return 31 * path.hashCode() + Long.hashCode(fingerprint);
    }
  }

  /** A share in an engine; close it. */
  public static final class Lease implements AutoCloseable {
    private final Shared shared;
    private volatile boolean closed;

    private Lease(Shared shared) {
      this.shared = shared;
    }

    /**
     * @throws AragoniteException INVALID_CALL once the lease is closed
     */
    public Engine engine() {
      requireOpen();
      return shared.engine;
    }

    private void requireOpen() {
      if (closed) {
        throw new AragoniteException(ErrorCode.INVALID_CALL, "The connection is closed.");
      }
    }

    /**
     * The tables of a directory, which stay cached as long as the engine is open.
     *
     * @throws AragoniteException DIRECTORY_NOT_FOUND and what else can be wrong with it,
     *     INVALID_CALL once the lease is closed
     */
    public TableCatalog catalog(Path directory) {
      requireOpen();
      return shared.catalog(directory);
    }

    /**
     * Tables of one connection; it closes them before this lease.
     *
     * @param paths the files that its statements may name
     * @param quiet whether none of its statements runs but the one that asks
     */
    public SessionTables tables(FilePaths paths, BooleanSupplier quiet) {
      requireOpen();
      Device host = shared.engine.device().host();
      return new SessionTables(
          host.memory(), new Unpacking(host.spill()), shared.key.threads, paths, quiet);
    }

    /** The last lease waits until the engine's queries have ended. */
    @Override
    public void close() {
      synchronized (OPEN) {
        if (closed) {
          return;
        }
        closed = true;
        if (--shared.leases > 0) {
          return;
        }
        OPEN.remove(shared.key);
        CLOSING.add(shared);
      }
      // Others open and close connections meanwhile.
      shared.engine.close();
    }
  }

  /**
   * An engine of this process.
   *
   * @param number in the order in which they were opened
   * @param connections that share it
   */
  public record OpenEngine(int number, Engine engine, int connections) {}

  /** The engines that are open now. */
  public static List<OpenEngine> open() {
    synchronized (OPEN) {
      return OPEN.values().stream()
          .map(shared -> new OpenEngine(shared.number, shared.engine, shared.leases))
          .toList();
    }
  }

  static final class Shared {
    private static final AtomicInteger OPENED = new AtomicInteger();

    private final int number = OPENED.getAndIncrement();
    private final Key key;
    private final Engine engine;
    private final Map<Folder, CompletableFuture<TableCatalog>> catalogs = new HashMap<>();
    private final CountDownLatch gone = new CountDownLatch(1);
    private boolean closed;
    private int leases;

    Shared(Key key) {
      this.key = key;
      this.engine =
          EngineFactory.open(key.device, key.memoryBytes, key.gpuMemory, key.spill, key.threads);
      engine.closeLater(this::closeCatalogs);
      engine.whenClosed(this::closed);
    }

    TableCatalog catalog(Path directory) {
      while (true) {
        // Stores take their time; others that want another folder, or close, do not wait for it.
        Folder folder = folder(directory);
        CompletableFuture<TableCatalog> mine = new CompletableFuture<>();
        CompletableFuture<TableCatalog> others;
        synchronized (this) {
          requireOpen();
          others = catalogs.putIfAbsent(folder, mine);
        }
        if (others == null) {
          return open(directory, folder, mine);
        }
        TableCatalog catalog = await(others);
        if (catalog != null) {
          return catalog;
        }
      }
    }

    private void requireOpen() {
      if (closed) {
        throw new AragoniteException(ErrorCode.INVALID_CALL, "The connection is closed.");
      }
    }

    private TableCatalog open(
        Path directory, Folder folder, CompletableFuture<TableCatalog> result) {
      Device host = engine.device().host();
      TableCatalog catalog = null;
      try {
        catalog =
            TableCatalog.open(
                directory,
                host.memory(),
                new Unpacking(host.spill()),
                key.threads,
                StatisticsStore.ofUser());
        synchronized (this) {
          requireOpen();
          result.complete(catalog);
        }
        return catalog;
      } catch (Throwable e) {
        synchronized (this) {
          catalogs.remove(folder, result);
        }
        // Others wait for the answer, whatever closing comes to.
        result.completeExceptionally(e);
        if (catalog != null) {
          catalog.close();
        }
        throw e;
      }
    }

    /** Null: whoever opens it has failed, perhaps since nobody wants its connection any more. */
    private static @Nullable TableCatalog await(CompletableFuture<TableCatalog> opened) {
      StopCheck stop = StopCheck.current();
      while (true) {
        try {
          return opened.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          stop.check();
        } catch (ExecutionException e) {
          return null;
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new AragoniteException(ErrorCode.CANCELLED, "Opening a directory was interrupted.");
        }
      }
    }

    /** When no query is left; statements may still be planned. */
    private void closeCatalogs() {
      List<TableCatalog> open = new ArrayList<>();
      synchronized (this) {
        closed = true;
        for (CompletableFuture<TableCatalog> catalog : catalogs.values()) {
          // Those that are not there yet are closed by whoever opens them.
          if (catalog.isDone() && !catalog.isCompletedExceptionally()) {
            open.add(catalog.join());
          }
        }
      }
      open.forEach(TableCatalog::close);
    }

    private void closed() {
      synchronized (OPEN) {
        CLOSING.remove(this);
      }
      gone.countDown();
    }
  }

  /**
   * @throws AragoniteException DEVICE_UNAVAILABLE, also where the JVM refuses native memory or has
   *     a defect that changes answers
   */
  public static Lease open(ConnectionOptions options) {
    NativeAccess.require();
    JvmDefects.require();
    Key key =
        new Key(
            EngineFactory.resolve(options.device()),
            options.memoryBytes(),
            options.gpuMemory(),
            options.spill(),
            options.threads());
    awaitClosing(key);
    synchronized (OPEN) {
      Shared shared = OPEN.computeIfAbsent(key, Shared::new);
      shared.leases++;
      return new Lease(shared);
    }
  }

  /** Waits a while for an engine that has the memory, or the GPU, which the next one wants. */
  private static void awaitClosing(Key key) {
    Shared closing;
    synchronized (OPEN) {
      closing = CLOSING.stream().filter(shared -> shared.key.equals(key)).findAny().orElse(null);
    }
    if (closing != null && QueryThreads.mayWait()) {
      try {
        boolean ignored = closing.gone.await(CLOSING_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What there is in the metadata of an Iceberg table: folders of stores have no times. */
  private static long metadata(Path folder, BasicFileAttributes attributes) throws IOException {
    String name = String.valueOf(folder.getFileName());
    if (!attributes.isDirectory() || !name.equals(IcebergFolder.METADATA)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList().hashCode();
    }
  }

  private static Folder folder(Path directory) {
    Path path = directory.toAbsolutePath().normalize();
    long fingerprint = 0;
    try (Stream<Path> files = Files.walk(path, 2)) {
      for (Path file : files.sorted().toList()) {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        fingerprint = fingerprint * 31 + file.hashCode();
        fingerprint = fingerprint * 31 + attributes.size();
        fingerprint = fingerprint * 31 + attributes.lastModifiedTime().hashCode();
        fingerprint = fingerprint * 31 + Objects.hashCode(attributes.fileKey());
        if (RemotePath.is(file)) {
          fingerprint = fingerprint * 31 + metadata(file, attributes);
        }
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      // the catalog will say what is wrong with it
    }
    return new Folder(path, fingerprint);
  }
}
