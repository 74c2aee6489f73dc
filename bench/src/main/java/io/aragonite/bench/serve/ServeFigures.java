package io.aragonite.bench.serve;

import java.util.List;
import java.util.Locale;

/**
 * A line of {@link ServeBench}.
 *
 * @param route how the clients come
 * @param what they ask
 * @param clients beside each other
 * @param count of statements, or of rows of the one result
 * @param p50 milliseconds of the median statement; of a result, of its fastest run
 * @param p99 of the hundredth slowest; of a result, of its slowest run
 * @param longest of the slowest
 * @param rate statements a second; of a result, GB/s
 */
record ServeFigures(
    String route,
    String what,
    int clients,
    long count,
    double p50,
    double p99,
    double longest,
    double rate) {
  static String heading() {
    return "%-12s %-18s %7s %12s %10s %10s %10s %14s%n"
        .formatted(
            "route", "what", "clients", "count", "p50 ms", "p99 ms", "max ms", "1/s or GB/s");
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "%-12s %-18s %7d %,12d %10.2f %10.2f %10.2f %14.3f%n",
        route,
        what,
        clients,
        count,
        p50,
        p99,
        longest,
        rate);
  }

  static String csv(List<ServeFigures> all) {
    StringBuilder text =
        new StringBuilder("route,what,clients,count,p50_ms,p99_ms,max_ms,per_second_or_gb\n");
    for (ServeFigures one : all) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s,%s,%d,%d,%.3f,%.3f,%.3f,%.4f%n",
              one.route,
              one.what,
              one.clients,
              one.count,
              one.p50,
              one.p99,
              one.longest,
              one.rate));
    }
    return text.toString();
  }
}
