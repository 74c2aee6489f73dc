package io.aragonite.bench.command;

import io.aragonite.adapter.cli.Main;
import io.aragonite.bench.cold.ColdEngine;
import io.aragonite.bench.files.CopyBench;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code aragonite bench copy}: how fast files are written, and many small ones read. */
@Command(
    name = "copy",
    description = {
      "Writes TPC-H's lineitem by COPY to Parquet, CSV and Arrow files, beside DuckDB (but Arrow),"
          + " and reads folders of many small Parquet and CSV files, by a new connection each time"
          + " and by one that has them open. Prints times, processor times and, over the bytes of"
          + " the values, rates; the first run is apart. Both engines read what was written.",
      "Exit status 0: all answers are right; 1: one is not."
    },
    mixinStandardHelpOptions = true)
final class BenchCopyCommand implements Callable<Integer> {
  @Mixin private BenchOptions options = new BenchOptions("cpu", 5);

  @Option(
      names = "--scale",
      paramLabel = "<n>",
      description = "The scale factor (default: ${DEFAULT-VALUE}).")
  private double scale = 0.1;

  @Option(
      names = "--files",
      paramLabel = "<n>",
      description =
          "Files of 1,000 rows in each folder; 0: none are read (default: ${DEFAULT-VALUE}).")
  private int files = 1000;

  @Override
  public Integer call() throws Exception {
    options.check();
    options.require(files >= 0, "--files is not negative");
    options.require(ColdEngine.hasDuckDb(), "DuckDB's driver is not on the class path");
    CopyBench bench =
        new CopyBench(options.device(), options.threads(), options.repeat(), options.out());
    options.writeCsv(bench.run(scale, files));
    options.out().flush();
    return bench.complaints().isEmpty() ? 0 : Main.FAILED;
  }
}
