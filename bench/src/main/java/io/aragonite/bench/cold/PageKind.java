package io.aragonite.bench.cold;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.parquet.ParquetFile;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.table.EncodedChunk;
import io.aragonite.exec.table.StoredPage;
import io.aragonite.exec.type.DataType;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a column's pages are.
 *
 * @param type of its values
 * @param encoding of the pages of its first and last chunk; empty if devices do not decode them
 */
record PageKind(String type, String encoding) {
  /** Whether its values are texts that are not codes in memory. */
  boolean texts() {
    return (type.equals("char") || type.equals("varchar")) && !encoding.equals("dictionary");
  }

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
    PagedColumn column = found.get();
    Set<PageEncoding> encodings = new TreeSet<>();
    for (int chunk : new int[] {0, column.chunks() - 1}) {
      try (QueryMemory memory = new NativeQueryMemory(new MemoryBudget("pages", 1L << 30), 0)) {
        Decodable<EncodedChunk> made = column.chunk(chunk, memory);
        List<StoredPage> pages = made.present() ? made.get().pages() : List.of();
        pages.stream()
            .filter(page -> !page.dictionary())
            .forEach(page -> encodings.add(page.encoding()));
      }
    }
    return encodings.stream()
        .map(encoding -> encoding.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(" and "));
  }
}
