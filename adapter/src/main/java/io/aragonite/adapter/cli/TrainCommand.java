package io.aragonite.adapter.cli;

import io.aragonite.adapter.shell.terminal.InteractiveShell;
import io.aragonite.dataset.Directories;
import io.aragonite.dataset.ProgressListener;
import io.aragonite.tpch.TpchData;
import io.aragonite.tpch.TpchQuery;
import io.aragonite.tpch.TpchTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code aragonite train}: a bit of everything, for the launcher, which has the JVM keep what it
 * learned meanwhile. It runs on the CPU alone: a GPU's memory is for the queries of users.
 */
@Command(
    name = "train",
    hidden = true,
    description = "Runs a bit of everything, for the JVM's AOT cache.",
    mixinStandardHelpOptions = true,
    addMethodSubcommands = false)
final class TrainCommand implements Callable<Integer> {
  /** Large enough for the second compiler to be asked for loops over rows, and to know them. */
  private static final double SCALE = 0.01;

  /** Rows enough for plans to look at some parts of the table alone. */
  private static final String LARGE =
      "select o_orderkey, o_orderdate, o_clerk, o_orderpriority from orders, nation, region where"
          + " r_regionkey < 3";

  /** Rows with structs and lists. */
  private static final String OBJECTS =
      "select o_orderkey as id, o_orderdate as day, {'name': o_clerk, 'address': {'city':"
          + " o_orderpriority, 'zip': o_custkey}, 'tags': [o_orderstatus, o_orderpriority]} as"
          + " customer, [{'sku': o_clerk, 'price': o_totalprice}, {'sku': 'x', 'price': 1.5}] as"
          + " items from orders";

  /** Whose relations filter each other before their joins, where these are large. */
  private static final int[] TRANSFERS = {2, 3, 5, 8, 9, 18, 20, 21};

  private static final String TRANSFER = "aragonite.join.transfer";

  /** Groups, joins, subqueries of each kind: most of what a first query loads is in them. */
  private static final int[] QUERIES = {1, 3, 13, 21, 22};

  @Option(
      names = "--seconds",
      description = "Goes on for so long, so that the JVM learns what is called often.")
  private int seconds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("aragonite-train");
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      Path arrow = TpchData.ensure(SCALE, folder, 1, ProgressListener.NONE);
      Path files = Files.createDirectory(folder.resolve("files"));
      try (InputStream rows =
          Objects.requireNonNull(TrainCommand.class.getResourceAsStream("lineitem.parquet"))) {
        Files.copy(rows, files.resolve("lineitem.parquet"));
      }
      String orders =
          run(
              "sql",
              "--device=cpu",
              "--directory",
              arrow.toString(),
              "--format=csv",
              "select * from orders limit 500");
      Files.writeString(files.resolve("orders.csv"), orders);
      train(arrow.toString(), files.toString());
      nested(arrow.toString(), files);
      InteractiveShell.rehearse(
          "jdbc:aragonite:device=cpu;directory=" + arrow,
          folder.resolve("history"),
          "select r_name from region order by 1;\n.tables\n.quit\n");
      goOn(arrow.toString(), Files.createDirectory(folder.resolve("parquet")), end);
      return 0;
    } finally {
      Directories.deleteTree(folder);
    }
  }

  private static void train(String arrow, String files) {
    for (int number : QUERIES) {
      run("sql", "--device=cpu", "--directory", arrow, TpchQuery.of(number).sql());
    }
    run("sql", "--device=cpu", "--directory", files, TpchQuery.of(6).sql());
    run(
        "sql",
        "--device=cpu",
        "--directory",
        files,
        "--format=json",
        "--time",
        "select o_orderpriority, count(*), sum(l_extendedprice) from orders join lineitem on"
            + " l_orderkey = o_orderkey group by o_orderpriority order by 1; select 1");
    run("sql", "--device=cpu", "select 1");
    run("sql", "--device=cpu", "--directory", arrow, "--analyze", "select count(*) from nation");
    run("sql", "--device=cpu", "--directory", arrow, "explain plan for select * from region");
    run("sql", "--device=cpu", "--directory", arrow, "select no_such_column from region");
    run("tpch", "--help");
    run("serve", "--help");
    run("doctor", "--help");
  }

  /** Reads objects in each other, from a file of them; twice, so that the loops are known. */
  private static void nested(String arrow, Path files) {
    Path file = files.resolveSibling("objects.jsonl");
    copy(arrow, "(" + OBJECTS + ")", file);
    String name = file.toString().replace("'", "''");
    for (int i = 0; i < 2; i++) {
      run(
          "sql",
          "--device=cpu",
          "select sum(x.price), max(t.customer.name) from (select customer, unnest(items) as x from"
              + " '"
              + name
              + "') t");
    }
  }

  /** Reads Parquet files anew for each query, as first queries of processes do; once at least. */
  private static void goOn(String arrow, Path parquet, long end) throws IOException {
    for (TpchTable table : TpchTable.values()) {
      Path parts = Files.createDirectory(parquet.resolve(table.tableName()));
      copy(arrow, table.tableName(), parts.resolve("part.parquet"));
    }
    Path large = Files.createDirectory(parquet.resolveSibling("large"));
    copy(arrow, "(" + LARGE + ")", large.resolve("large.parquet"));
    run(
        "sql",
        "--device=cpu",
        "--directory",
        large.toString(),
        "select o_orderpriority, count(*) from large where o_orderdate < date '1994-01-01' and"
            + " o_orderkey in (select o_orderkey from large where o_clerk like '%1') group by 1");
    System.setProperty(TRANSFER, "on");
    for (int number : TRANSFERS) {
      run("sql", "--device=cpu", "--directory", parquet.toString(), TpchQuery.of(number).sql());
    }
    System.clearProperty(TRANSFER);
    do {
      for (TpchQuery query : TpchQuery.all()) {
        run("sql", "--device=cpu", "--directory", parquet.toString(), query.sql());
      }
    } while (System.nanoTime() < end);
  }

  private static void copy(String directory, String rows, Path file) {
    String name = file.toString().replace("'", "''");
    run("sql", "--device=cpu", "--directory", directory, "copy " + rows + " to '" + name + "'");
  }

  /** What a command prints. */
  private static String run(String... arguments) {
    CommandLine line = Main.commandLine();
    StringWriter out = new StringWriter();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(new StringWriter()));
    line.execute(arguments);
    return out.toString();
  }
}
