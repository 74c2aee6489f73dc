package io.aragonite.adapter;

import io.aragonite.adapter.format.TableCatalog;
import io.aragonite.adapter.format.Unpacking;
import io.aragonite.exec.Engine;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.error.AragoniteException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The engines of this process: one for each device, memory budget and number of threads, shared by
 * the connections that ask for these, together with the tables that they have loaded. An engine is
 * closed with its last lease.
 */
final class Engines {
  private static final Map<Key, Shared> OPEN = new HashMap<>();

  private Engines() {}

  private record Key(
      ConnectionOptions.DeviceChoice device,
      long memoryBytes,
      ConnectionOptions.GpuMemory gpuMemory,
      ConnectionOptions.Spill spill,
      int threads) {}

  /** A folder as it was when it was opened: other files in it make another catalog. */
  private record Folder(Path path, long fingerprint) {}

  /** A share in an engine; close it. */
  static final class Lease implements AutoCloseable {
    private final Shared shared;
    private boolean closed;

    private Lease(Shared shared) {
      this.shared = shared;
    }

    Engine engine() {
      return shared.engine;
    }

    /**
     * The tables of a directory, which stay cached as long as the engine is open.
     *
     * @throws AragoniteException DIRECTORY_NOT_FOUND and what else can be wrong with it
     */
    TableCatalog catalog(Path directory) {
      return shared.catalog(directory);
    }

    @Override
    public void close() {
      synchronized (OPEN) {
        if (!closed) {
          closed = true;
          shared.release();
        }
      }
    }
  }

  private static final class Shared {
    private final Key key;
    private final Engine engine;
    private final Map<Folder, TableCatalog> catalogs = new HashMap<>();
    private int leases;

    Shared(Key key) {
      this.key = key;
      this.engine =
          EngineFactory.open(key.device, key.memoryBytes, key.gpuMemory, key.spill, key.threads);
    }

    synchronized TableCatalog catalog(Path directory) {
      Folder folder = folder(directory);
      TableCatalog catalog = catalogs.get(folder);
      if (catalog == null) {
        Device host = engine.device().host();
        catalog =
            TableCatalog.open(directory, host.memory(), new Unpacking(host.spill()), key.threads);
        catalogs.put(folder, catalog);
      }
      return catalog;
    }

    void release() {
      if (--leases == 0) {
        OPEN.remove(key);
        catalogs.values().forEach(TableCatalog::close);
        engine.close();
      }
    }
  }

  /**
   * @throws AragoniteException DEVICE_UNAVAILABLE
   */
  static Lease open(ConnectionOptions options) {
    Key key =
        new Key(
            EngineFactory.resolve(options.device()),
            options.memoryBytes(),
            options.gpuMemory(),
            options.spill(),
            options.threads());
    synchronized (OPEN) {
      Shared shared = OPEN.computeIfAbsent(key, Shared::new);
      shared.leases++;
      return new Lease(shared);
    }
  }

  /** Engines open now, for tests of leaks. */
  static int openEngines() {
    synchronized (OPEN) {
      return OPEN.size();
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
        fingerprint = fingerprint * 31 + attributes.lastModifiedTime().toMillis();
      }
    } catch (IOException | java.io.UncheckedIOException e) {
      // the catalog will say what is wrong with it
    }
    return new Folder(path, fingerprint);
  }
}
