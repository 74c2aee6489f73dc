package io.aragonite.adapter.shell;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How results are printed. */
public enum ResultFormat {
  /** Columns of equal width, with names. */
  TABLE,
  /** A line for each column. */
  VERTICAL,
  /** RFC 4180, with names in the first line. */
  CSV(".csv"),
  /** Values between tabs, with names in the first line; null is {@code \N}. */
  TSV(".tsv"),
  /** A table of Markdown. */
  MARKDOWN(".md"),
  /** An array of objects. */
  JSON(".json"),
  /** An object a line. */
  JSONLINES(".jsonl", ".ndjson"),
  /** A Parquet file, which COPY writes. */
  PARQUET(".parquet"),
  /** An Arrow file, which COPY writes. */
  ARROW(".arrow"),
  /** Values of the first column as they are: plans. */
  PLAIN;

  private final List<String> endings;

  ResultFormat(String... endings) {
    this.endings = List.of(endings);
  }

  /** Whether COPY writes it, to a file. */
  boolean isCopied() {
    return this == PARQUET || this == ARROW;
  }

  /** Whether a file of it is one result and nothing else. */
  boolean isWhole() {
    return isCopied() || this == JSON;
  }

  /** The name that users write. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(ResultFormat::label).toList();
  }

  /** That of a name, whatever its case; null if there is none. */
  static @Nullable ResultFormat of(String name) {
    for (ResultFormat format : values()) {
      if (format.label().equals(name.toLowerCase(Locale.ROOT))) {
        return format;
      }
    }
    return null;
  }

  /** That of files with such a name; null if the name does not say. */
  static @Nullable ResultFormat ofFile(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (ResultFormat format : values()) {
      if (format.endings.stream().anyMatch(lower::endsWith)) {
        return format;
      }
    }
    return null;
  }
}
