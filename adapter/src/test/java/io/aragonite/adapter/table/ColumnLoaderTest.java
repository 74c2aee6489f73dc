package io.aragonite.adapter.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.PartDictionary;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.NativeQueryMemory;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Columns of text of parts with dictionaries of their own, and of parts without. */
final class ColumnLoaderTest {
  private static final DataType TEXT = DataType.VARCHAR.withNullable(true);

  /**
   * A part of texts.
   *
   * @param words the part's dictionary in the file's order; null: it has none
   * @param rows values of the rows
   */
  private record Part(@Nullable List<String> words, List<@Nullable String> values)
      implements TableFile.FilePart {
    @Override
    public int rows() {
      return values.size();
    }

    @Override
    public TableFile.Decoded read(int column, QueryMemory memory) {
      Buffer validity = memory.allocate((rows() + 63L) / 64 * 8);
      Mem.fill(validity.address(), validity.size(), (byte) 0);
      for (int i = 0; i < rows(); i++) {
        if (values.get(i) != null) {
          long at = validity.address() + (i >> 3);
          Mem.putByte(at, (byte) (Mem.getByte(at) | 1 << (i & 7)));
        }
      }
      PartDictionary texts = texts(words == null ? values : words, memory);
      if (words == null) {
        ColumnShape shape = ColumnShape.of(TEXT);
        return new TableFile.Decoded(
            new Column(shape, rows(), texts.bytes(), texts.offsets(), validity, null), () -> {});
      }
      Storage storage =
          words.size() <= 256 ? Storage.BYTE : words.size() <= 65_536 ? Storage.SHORT : Storage.INT;
      // The last of equal words.
      Map<String, Integer> places = new HashMap<>();
      for (int i = 0; i < words.size(); i++) {
        places.put(words.get(i), i);
      }
      Buffer numbers = memory.allocate((long) rows() * storage.width());
      for (int i = 0; i < rows(); i++) {
        int number = values.get(i) == null ? 0 : places.get(values.get(i));
        switch (storage) {
          case BYTE -> Mem.putByte(numbers.address() + i, (byte) number);
          case SHORT -> Mem.putShort(numbers.address() + 2L * i, (short) number);
          default -> Mem.putInt(numbers.address() + 4L * i, number);
        }
      }
      ColumnShape shape = new ColumnShape(TEXT, storage, true, null, null);
      return new TableFile.Decoded(
          new Column(shape, rows(), numbers, Buffer.EMPTY, validity, null), texts, () -> {});
    }

    private static PartDictionary texts(List<@Nullable String> texts, QueryMemory memory) {
      Buffer offsets = memory.allocate(4L * (texts.size() + 1));
      byte[] all =
          String.join("", texts.stream().map(text -> Objects.requireNonNullElse(text, "")).toList())
              .getBytes(StandardCharsets.UTF_8);
      Buffer bytes = memory.allocate(all.length);
      Mem.copy(all, 0, bytes.address(), all.length);
      int end = 0;
      Mem.putInt(offsets.address(), 0);
      for (int i = 0; i < texts.size(); i++) {
        String text = texts.get(i);
        end += text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
        Mem.putInt(offsets.address() + 4L * (i + 1), end);
      }
      return new PartDictionary(texts.size(), offsets, bytes);
    }
  }

  private record Texts(List<Part> texts) implements TableFile {
    @Override
    public List<FileColumn> columns() {
      return List.of(new FileColumn("t", TEXT, "text"));
    }

    @Override
    public List<FilePart> parts() {
      return List.copyOf(texts);
    }

    @Override
    public void close() {}
  }

  private static @Nullable String text(ColumnShape shape, Column column, int row) {
    if (column.validity() != null && !Mem.getBit(column.validity().address(), row)) {
      return null;
    }
    if (shape.dictionary() != null) {
      return shape.dictionary().text(column.code(row));
    }
    long offsets = column.offsets().address() + 4L * row;
    byte[] bytes = new byte[Mem.getInt(offsets + 4) - Mem.getInt(offsets)];
    Mem.copy(column.values().address() + Mem.getInt(offsets), bytes, 0, bytes.length);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static List<@Nullable String> texts(ColumnShape shape, List<Column> pieces) {
    List<@Nullable String> texts = new ArrayList<>();
    for (Column piece : pieces) {
      for (int row = 0; row < piece.dataRows(); row++) {
        texts.add(text(shape, piece, row));
      }
    }
    return texts;
  }

  /** Loads parts as a whole and part by part, and checks values, nulls, widths and dictionary. */
  private static void check(boolean few, Part... parts) {
    MemoryBudget budget = new MemoryBudget("memory", 1L << 28);
    Texts file = new Texts(List.of(parts));
    List<@Nullable String> expected =
        Arrays.stream(parts).flatMap(part -> part.values.stream()).toList();
    TreeSet<String> distinct = new TreeSet<>();
    expected.stream().filter(Objects::nonNull).forEach(distinct::add);
    ColumnLoader loader =
        new ColumnLoader(Path.of("texts"), file, 0, TEXT, budget, new LoadWorkers(2), true);
    try (LoadedColumn loaded = loader.load()) {
      assertEquals(expected, texts(loaded.shape(), loaded.pieces()));
      var dictionary = loaded.shape().dictionary();
      if (few) {
        assertNotNull(dictionary);
        assertEquals(
            List.copyOf(distinct),
            IntStream.range(0, dictionary.size()).mapToObj(dictionary::text).toList());
        assertEquals(distinct.size(), loaded.statistics().distinct());
      } else {
        assertNull(dictionary);
        assertEquals(distinct.size(), loaded.statistics().distinct(), 0.2 * distinct.size());
      }
      long present = expected.stream().filter(Objects::nonNull).count();
      assertEquals(expected.size() - present, loaded.statistics().nulls());
      assertEquals(
          expected.stream().filter(Objects::nonNull).mapToInt(String::length).average().orElse(0),
          loaded.statistics().averageWidth(),
          1e-9);
    }
    ColumnLoader.Profile profile = loader.profile();
    assertEquals(few, profile.shape().dictionary() != null);
    try (QueryMemory memory = new NativeQueryMemory(budget, 0)) {
      for (int part = 0; part < parts.length; part++) {
        assertEquals(
            parts[part].values,
            texts(
                profile.shape(),
                loader.read(profile.shape(), file.parts().get(part), expected.size(), memory)));
      }
    }
    assertEquals(0, budget.used(), "bytes in use");
  }

  private static Part numbered(List<String> words, int rows, int from) {
    return new Part(
        words,
        LongStream.range(0, rows)
            .mapToObj(i -> i % 11 == 5 ? null : words.get(from + (int) (i % (words.size() - from))))
            .toList());
  }

  private static List<String> words(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "word" + i * 7919L % 1_000_003).toList();
  }

  @Test
  void partsHaveDictionariesOfTheirOwn() {
    check(
        true,
        numbered(List.of("b", "a"), 100, 0),
        numbered(List.of("c", "", "b"), 1, 0),
        numbered(words(0, 200), 1111, 0));
  }

  @Test
  void wordsThatNoRowHasAndThoseListedTwiceCount() {
    check(
        true,
        numbered(List.of("unused", "b", "a", "b", "a"), 130, 1),
        numbered(List.of("a", "b"), 64, 0));
  }

  @Test
  void rowsAreNull() {
    Part none = new Part(List.of(), Arrays.asList(null, null, null));
    check(true, none, none);
    check(true, none, numbered(List.of("x", "y"), 90, 0), none);
    check(true, new Part(List.of("unused"), Arrays.asList(null, null)));
  }

  @Test
  void somePartsHaveNoDictionary() {
    check(
        true,
        numbered(List.of("b", "a"), 100, 0),
        new Part(null, numbered(List.of("c", "b", "d"), 1000, 0).values),
        numbered(words(0, 300), 3000, 0));
  }

  @Test
  void tooManyValuesAreTexts() {
    check(false, numbered(words(0, 3000), 3000, 0), numbered(words(3000, 6000), 3001, 0));
    check(
        false,
        numbered(words(0, 3000), 3000, 0),
        new Part(null, numbered(words(3000, 6000), 3001, 0).values),
        numbered(List.of("few"), 100, 0));
    check(false, numbered(words(0, 70_000), 70_000, 0));
  }
}
