package io.aragonite.bench.plan;

import io.aragonite.tpch.TpchQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Queries whose planning is measured. */
public final class PlanningQueries {
  private static final String EXTENSION = ".sql";

  /** A query and how reports call it. */
  public record NamedQuery(String name, String sql) {}

  private PlanningQueries() {}

  /** Those of TPC-H. */
  public static List<NamedQuery> tpch() {
    return TpchQuery.all().stream()
        .map(query -> new NamedQuery("q" + query.number(), query.sql()))
        .toList();
  }

  /** The files of a folder that end in {@code .sql}; q2 comes before q10. */
  public static List<NamedQuery> of(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> entries = Files.list(folder)) {
      files =
          entries
              .filter(file -> file.toString().endsWith(EXTENSION))
              .sorted(Comparator.comparing(PlanningQueries::padded))
              .toList();
    }
    List<NamedQuery> queries = new ArrayList<>();
    for (Path file : files) {
      String name = String.valueOf(file.getFileName());
      queries.add(
          new NamedQuery(
              name.substring(0, name.length() - EXTENSION.length()), Files.readString(file)));
    }
    return queries;
  }

  private static String padded(Path file) {
    StringBuilder padded = new StringBuilder();
    String name = String.valueOf(file.getFileName());
    int digits = 0;
    for (int i = 0; i < name.length(); i++) {
      digits = Character.isDigit(name.charAt(i)) ? digits + 1 : 0;
      int from = padded.length() - digits + 1;
      padded.append(name.charAt(i));
      if (digits > 0 && (i + 1 == name.length() || !Character.isDigit(name.charAt(i + 1)))) {
        padded.insert(from, "0".repeat(Math.max(0, 9 - digits)));
      }
    }
    return padded.toString();
  }
}
