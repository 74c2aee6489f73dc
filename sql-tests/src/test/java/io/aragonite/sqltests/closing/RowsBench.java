package io.aragonite.sqltests.closing;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Callable;

/**
 * What handing out rows takes, of several builds by turns in one process: arguments are a directory
 * that {@link Tables} has filled, the rounds, and a class path for each build. Prints the processor
 * time of the thread that reads, in nanoseconds a row: the median and the least of all rounds.
 */
public final class RowsBench {
  private static final int ROWS = 200_000;

  private static final String[] QUERIES = {
    "select v from big where v < " + ROWS,
    "select k, t, v, k + 1 from big where v < " + ROWS,
    "select cast(k as decimal(12, 2)), k from big where v < " + ROWS,
    "select upper(t) || cast(v as varchar) from big where v < " + ROWS,
  };

  private RowsBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = Integer.parseInt(args[1]);
    List<Callable<double[]>> builds = new ArrayList<>();
    for (int i = 2; i < args.length; i++) {
      builds.add(open(args[i], args[0]));
    }
    int cases = 2 * QUERIES.length;
    double[][][] nanos = new double[cases][builds.size()][rounds];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < builds.size(); i++) {
        int build = (i + round) % builds.size();
        double[] times = builds.get(build).call();
        for (int c = 0; c < cases; c++) {
          nanos[c][build][round] = times[c];
        }
      }
    }
    for (int c = 0; c < cases; c++) {
      StringBuilder line = new StringBuilder();
      for (double[] of : nanos[c]) {
        double[] warm = Arrays.copyOfRange(of, rounds / 4, rounds);
        Arrays.sort(warm);
        line.append(String.format(Locale.ROOT, "%9.2f (%6.2f)", warm[warm.length / 2], warm[0]));
      }
      System.out.printf("%s  %s%s%n", line, QUERIES[c / 2], c % 2 == 0 ? "" : ", by getString");
    }
  }

  /** A build of its own loader: what one build's code is compiled for says nothing of another's. */
  @SuppressWarnings("unchecked")
  private static Callable<double[]> open(String classPath, String directory) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      urls.add(new File(entry).toURI().toURL());
    }
    urls.add(URI.create(location()).toURL());
    URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    return (Callable<double[]>)
        loader.loadClass(Build.class.getName()).getConstructor(String.class).newInstance(directory);
  }

  private static String location() {
    return RowsBench.class.getProtectionDomain().getCodeSource().getLocation().toString();
  }

  /** One build. */
  public static final class Build implements Callable<double[]> {
    private final Connection connection;

    public Build(String directory) throws Exception {
      Thread.currentThread().setContextClassLoader(Build.class.getClassLoader());
      Driver driver =
          (Driver)
              Class.forName("io.aragonite.adapter.AragoniteDriver").getConstructor().newInstance();
      connection =
          Objects.requireNonNull(
              driver.connect(
                  "jdbc:aragonite:directory=" + directory + ";threads=1;memory=1GB",
                  new Properties()));
    }

    @Override
    public double[] call() throws SQLException {
      Thread.currentThread().setContextClassLoader(Build.class.getClassLoader());
      double[] nanos = new double[2 * QUERIES.length];
      for (int i = 0; i < nanos.length; i++) {
        nanos[i] = read(QUERIES[i / 2], i % 2 == 1);
      }
      return nanos;
    }

    private double read(String sql, boolean strings) throws SQLException {
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(sql)) {
        int columns = rows.getMetaData().getColumnCount();
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long count = 0;
        while (rows.next()) {
          for (int i = 1; i <= columns; i++) {
            count += (strings ? rows.getString(i) : rows.getObject(i)) == null ? 0 : 1;
          }
        }
        long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
        if (count != (long) columns * ROWS) {
          throw new AssertionError("values are missing: " + count);
        }
        return (double) nanos / ROWS;
      }
    }
  }
}
