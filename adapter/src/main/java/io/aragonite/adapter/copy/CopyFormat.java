package io.aragonite.adapter.copy;

import java.util.List;

/** The formats that files are written in. */
public enum CopyFormat {
  PARQUET(".parquet"),
  CSV(".csv"),
  ARROW(".arrow"),
  JSON(".json", ".jsonl", ".ndjson");

  private final List<String> extensions;

  CopyFormat(String... extensions) {
    this.extensions = List.of(extensions);
  }

  /** What the names of such files end with. */
  String extension() {
    return extensions.getFirst();
  }

  /** Whether a name ends as those of such files do. */
  boolean isNameOf(String lowerCaseName) {
    return extensions.stream().anyMatch(lowerCaseName::endsWith);
  }
}
