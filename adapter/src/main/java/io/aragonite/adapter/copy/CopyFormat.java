package io.aragonite.adapter.copy;

/** The formats that files are written in. */
public enum CopyFormat {
  PARQUET,
  CSV,
  ARROW;

  /** What the names of such files end with. */
  String extension() {
    return switch (this) {
      case PARQUET -> ".parquet";
      case CSV -> ".csv";
      case ARROW -> ".arrow";
    };
  }
}
