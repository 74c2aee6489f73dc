package io.aragonite.adapter.format.dictionary;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.table.Decodable;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Makes one dictionary of those of a column's chunks. */
public final class ChunkDictionaries {
  /** Texts of a column's dictionary at least; it may have one for {@link #ROWS_A_TEXT} rows. */
  private static final int LEAST_LIMIT = 256;

  private static final int ROWS_A_TEXT = 8;

  private ChunkDictionaries() {}

  /** Who does some tasks, in any order and perhaps several at once. */
  @FunctionalInterface
  public interface ChunkLoop {
    /** Runs a task for 0 to {@code tasks - 1}. */
    void forEach(int tasks, IntConsumer task);
  }

  /**
   * How many texts a column's dictionary may have to be worth it.
   *
   * @param rows of the column
   * @param most texts, whatever the rows
   */
  public static int limit(long rows, int most) {
    return (int) Math.max(LEAST_LIMIT, Math.min(rows / ROWS_A_TEXT, most));
  }

  /**
   * Reads the dictionaries, without the pages that refer to them.
   *
   * @param limit texts of a dictionary at most
   * @param memory for the time of reading; used by several threads, and closed by its owner
   * @param loop reads the chunks
   * @param dictionaries makes a dictionary of texts in ascending order
   * @return without a value if a chunk has no dictionary, or they have too many texts
   * @throws io.aragonite.exec.error.AragoniteException FILE_BROKEN
   */
  public static Decodable<TextCodes> of(
      PagedColumn column,
      int limit,
      QueryMemory memory,
      ChunkLoop loop,
      Function<byte[][], Dictionary> dictionaries) {
    List<@Nullable Decodable<PartDictionary>> words =
        new ArrayList<>(Collections.nCopies(column.chunks(), null));
    loop.forEach(words.size(), i -> words.set(i, column.words(i, limit, memory)));
    DistinctBytes distinct = new DistinctBytes(limit);
    List<int[]> numbers = new ArrayList<>();
    for (Decodable<PartDictionary> of : words) {
      if (of == null || !of.present()) {
        return Decodable.byHost(of == null ? "" : of.reason());
      }
      int[] own = numbers(of.get(), distinct);
      if (own == null) {
        return Decodable.byHost("more than %,d texts".formatted(limit));
      }
      numbers.add(own);
    }
    return Decodable.of(sorted(distinct, numbers, dictionaries));
  }

  /**
   * Whether each text is there twice or more, on average, of a column's first page of texts that
   * are in no dictionary; without such a page they may be.
   */
  public static boolean repeat(PagedColumn column, MemoryBudget budget) {
    for (int chunk = 0; chunk < column.chunks(); chunk++) {
      try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
        Decodable<PartDictionary> some = column.words(chunk, Integer.MAX_VALUE, memory);
        if (some.present()) {
          int count = some.get().count();
          return count == 0 || numbers(some.get(), new DistinctBytes(count / 2)) != null;
        }
      }
    }
    return true;
  }

  /** Of a chunk's texts; null if they are too many. */
  private static int @Nullable [] numbers(PartDictionary words, DistinctBytes distinct) {
    int[] numbers = new int[words.count()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = distinct.add(words.address(i), words.length(i));
      if (numbers[i] < 0) {
        return null;
      }
    }
    return numbers;
  }

  /** Numbers become places in the order of texts. */
  private static TextCodes sorted(
      DistinctBytes distinct, List<int[]> numbers, Function<byte[][], Dictionary> dictionaries) {
    byte[][] texts = new byte[distinct.count()][];
    Arrays.setAll(texts, distinct::value);
    int[] order =
        IntStream.range(0, texts.length)
            .boxed()
            .sorted(Comparator.comparing(i -> texts[i], Arrays::compareUnsigned))
            .mapToInt(i -> i)
            .toArray();
    int[] codes = new int[order.length];
    byte[][] ascending = new byte[order.length][];
    for (int code = 0; code < order.length; code++) {
      codes[order[code]] = code;
      ascending[code] = texts[order[code]];
    }
    numbers.forEach(own -> Arrays.setAll(own, i -> codes[own[i]]));
    return new TextCodes(dictionaries.apply(ascending), numbers);
  }
}
