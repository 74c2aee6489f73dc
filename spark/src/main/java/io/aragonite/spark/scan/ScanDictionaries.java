package io.aragonite.spark.scan;

import io.aragonite.adapter.format.JoinedPages;
import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.dictionary.ChunkDictionaries;
import io.aragonite.adapter.format.dictionary.TextCodes;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.DictionaryCache;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a task's files come out as codes: texts that are few, all of which are in the
 * dictionaries of their row groups. These are read for it, before the pages that refer to them.
 */
final class ScanDictionaries {
  /** Texts of a task's dictionary at most. A file has them once a row group, or fewer times. */
  private static final int MOST_TEXTS = 1 << 12;

  /** Tasks that have the same texts share a dictionary, and what was compiled for it. */
  private static final DictionaryCache DICTIONARIES = new DictionaryCache(MOST_TEXTS);

  private ScanDictionaries() {}

  /**
   * Has columns of files come out as codes.
   *
   * @param files all that a task reads
   * @param types of the columns that come out; those behind the files' are as they are
   * @param accounts open accounts for what is read
   * @return the shapes of all columns
   */
  static List<ColumnShape> encode(
      List<ScannedFile> files, List<DataType> types, Supplier<QueryMemory> accounts) {
    List<ColumnShape> shapes = new ArrayList<>();
    List<ScannedFile> read = files.stream().filter(file -> file.rows() > 0).toList();
    for (int i = 0; i < types.size(); i++) {
      ColumnShape shape = ColumnShape.of(types.get(i));
      TextCodes texts = read.isEmpty() ? null : texts(read, i, types.get(i), accounts);
      if (texts != null) {
        shape =
            new ColumnShape(
                    shape.type(), Storage.CODE, shape.mayBeNull(), texts.dictionary(), null)
                .narrowest();
        give(read, i, shape, texts);
      }
      shapes.add(shape);
    }
    return List.copyOf(shapes);
  }

  private static @Nullable TextCodes texts(
      List<ScannedFile> files, int column, DataType type, Supplier<QueryMemory> accounts) {
    if (!type.kind().isText() || !files.getFirst().isOfFile(column)) {
      return null;
    }
    List<PagedColumn> paged = new ArrayList<>();
    for (ScannedFile file : files) {
      Decodable<PagedColumn> own = file.encoded(column);
      if (!own.present() || !own.get().texts()) {
        return null;
      }
      paged.add(own.get());
    }
    Decodable<PagedColumn> joined = JoinedPages.of(paged);
    if (!joined.present()) {
      return null;
    }
    long rows = files.stream().mapToLong(ScannedFile::rows).sum();
    try (QueryMemory memory = accounts.get()) {
      Decodable<TextCodes> made =
          ChunkDictionaries.of(
              joined.get(),
              ChunkDictionaries.limit(rows, MOST_TEXTS),
              memory,
              (chunks, read) -> {
                for (int i = 0; i < chunks; i++) {
                  read.accept(i);
                }
              },
              DICTIONARIES::of);
      return made.present() && made.get().dictionary().size() > 0 ? made.get() : null;
    } catch (AragoniteException e) {
      if (ParquetScan.isOfFile(e)) {
        return null; // who reads the pages tells
      }
      throw e;
    }
  }

  private static void give(
      List<ScannedFile> files, int column, ColumnShape shape, TextCodes texts) {
    int first = 0;
    for (ScannedFile file : files) {
      int groups = file.groups();
      file.encode(column, shape, texts.codes().subList(first, first + groups));
      first += groups;
    }
  }
}
