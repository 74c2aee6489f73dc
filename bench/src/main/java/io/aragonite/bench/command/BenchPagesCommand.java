package io.aragonite.bench.command;

import io.aragonite.adapter.cli.Main;
import io.aragonite.bench.cold.ColdEngine;
import io.aragonite.bench.cold.PageBench;
import io.aragonite.dataset.DatasetCache;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code aragonite bench pages}: how fast columns of Parquet files get to a device. */
@Command(
    name = "pages",
    description = {
      "Brings columns of TPC-H's lineitem, as a Parquet file for each codec, to a device: decoded by"
          + " the host, and by the device itself (aragonite.pages). Each time a new connection, which"
          + " has brought another column before, runs a query over one column, and again when the"
          + " column is there; the difference is what is printed, with the values' bytes (of texts"
          + " in dictionaries their codes') over it. Of l_mixed some texts are in dictionaries:"
          + " ship modes in a quarter of the rows, comments in the others. COPY makes the files where they are missing.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchPagesCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions("cuda", 5);

  @Option(
      names = "--scale",
      paramLabel = "<n>",
      description = "The scale factor (default: ${DEFAULT-VALUE}).")
  private double scale = 1;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "<name>",
      description = "Columns (default: ${DEFAULT-VALUE}).")
  private List<String> columns =
      List.of(
          "l_orderkey",
          "l_linenumber",
          "l_quantity",
          "l_extendedprice",
          "l_shipdate",
          "l_shipmode",
          "l_comment",
          "l_mixed");

  @Option(
      names = "--codecs",
      split = ",",
      paramLabel = "<name>",
      description = "none, snappy, zstd, lz4_raw, gzip (default: ${DEFAULT-VALUE}).")
  private List<String> codecs = List.of("none", "snappy", "zstd", "lz4_raw");

  @Override
  public Integer call() throws Exception {
    options.check();
    PageBench bench =
        new PageBench(
            new ColdEngine(options.device(), "device=" + options.device()),
            options.threads(),
            options.repeat(),
            options.out());
    options.writeCsv(bench.run(scale, columns, codecs, DatasetCache.defaultRoot()));
    options.out().flush();
    return bench.complaints().isEmpty() ? 0 : Main.FAILED;
  }
}
