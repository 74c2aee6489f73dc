package io.aragonite.bench.cold;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.StoredPage;
import io.aragonite.exec.type.DataType;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a column's pages are.
 *
 * @param type of its values
 * @param encoding of the pages of its first chunk; empty if devices do not decode them
 */
record PageKind(String type, String encoding) {
  static PageKind of(ParquetFile file, String column) {
    int index =
        IntStream.range(0, file.columns().size())
            .filter(i -> file.columns().get(i).name().equalsIgnoreCase(column))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("there is no column " + column));
    DataType type = file.columns().get(index).type();
    return new PageKind(type == null ? "" : name(type), encoding(file, index));
  }

  private static String name(DataType type) {
    return type.kind().name().toLowerCase(Locale.ROOT);
  }

  private static String encoding(ParquetFile file, int index) {
    Decodable<PagedColumn> found = file.encoded(index);
    if (!found.present()) {
      return "";
    }
    try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("pages", 1L << 30), 0)) {
      Decodable<EncodedChunk> chunk = found.get().chunk(0, memory);
      List<StoredPage> pages = chunk.present() ? chunk.get().pages() : List.of();
      return pages.stream()
          .filter(page -> !page.dictionary())
          .map(page -> page.encoding().name().toLowerCase(Locale.ROOT))
          .distinct()
          .collect(Collectors.joining(" and "));
    }
  }
}
