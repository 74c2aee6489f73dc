package io.aragonite.bench.command;

import io.aragonite.adapter.cli.Quantities;
import io.aragonite.adapter.options.PhysicalMemory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The host memory that a benchmark may use. */
final class HostMemoryOption {
  @Option(
      names = "--memory",
      paramLabel = "<size>",
      converter = Quantities.Bytes.class,
      description = "Host memory: 8GB (default: half of the machine's).")
  private @Nullable Long bytes;

  long bytes() {
    return bytes == null ? PhysicalMemory.bytes() / 2 : bytes;
  }
}
