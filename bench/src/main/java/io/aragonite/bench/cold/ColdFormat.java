package io.aragonite.bench.cold;

import java.util.Locale;

/** The files that a cold run reads. */
public enum ColdFormat {
  PARQUET("Parquet"),
  CSV("CSV"),
  /** What module tpch makes; DuckDB has no reader of them and loads all tables when it opens. */
  ARROW("Arrow");

  private final String title;

  ColdFormat(String title) {
    this.title = title;
  }

  /** As people write it. */
  String title() {
    return title;
  }

  /** How the names of the files end. */
  String extension() {
    return name().toLowerCase(Locale.ROOT);
  }
}
