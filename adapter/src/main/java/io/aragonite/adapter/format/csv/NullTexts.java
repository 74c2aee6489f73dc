package io.aragonite.adapter.format.csv;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which texts stand for null. An empty field does, except that quotes around nothing are an empty
 * text. Unless others are declared, {@code \\N} does as well, and where a number, date or truth
 * value should be, the usual words do; they are ordinary text in a text column.
 */
final class NullTexts {
  private static final List<String> WORDS =
      List.of("\\N", "NULL", "null", "Null", "NA", "N/A", "n/a", "#N/A");

  private final boolean declared;
  private final byte[][] words;

  NullTexts(@Nullable List<String> declared) {
    this.declared = declared != null;
    List<String> texts = declared != null ? declared : WORDS;
    this.words =
        texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
  }

  boolean isNullText(CsvField field) {
    if (field.quoted) {
      return false;
    }
    if (declared) {
      return isWord(field);
    }
    return field.from == field.to || field.equalTo(words[0]);
  }

  /**
   * Whether a field that should be a value of another type than text is surely null. One between
   * quotes that is a value of its type is that: COPY quotes values that are written as null is.
   */
  boolean isNull(CsvField field) {
    return field.from == field.to || (declared && !field.quoted && isWord(field));
  }

  /** Whether a field that is no value of its type, which is not text, is null. */
  boolean isWord(CsvField field) {
    for (byte[] word : words) {
      if (field.equalTo(word)) {
        return true;
      }
    }
    return false;
  }
}
