package io.aragonite.adapter.table;

import io.aragonite.adapter.format.PagedColumn;
import io.aragonite.adapter.format.dictionary.ChunkDictionaries;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Which columns of texts that are in no dictionary a device decodes. */
final class PlainTexts {
  /** Bytes of texts that the host has decoded before a device begins. */
  private static final long FEW_BYTES = 256L << 20;

  private PlainTexts() {}

  /**
   * Why the host is to decode a column.
   *
   * @param distinct how many texts there are; null if that is not known exactly
   * @param limit texts of a dictionary at most
   * @return null: the device decodes it
   */
  static @Nullable String refusal(
      PagedColumn column, @Nullable Double distinct, int limit, MemoryBudget budget) {
    long bytes = IntStream.range(0, column.chunks()).mapToLong(column::size).sum();
    if (bytes < FEW_BYTES && EngineSettings.current().decodesOnDevice() != Toggle.ON) {
      return "texts that are in no dictionary, of less than %,d MB".formatted(FEW_BYTES >> 20);
    }
    boolean repeated =
        distinct == null ? ChunkDictionaries.repeat(column, budget) : distinct <= limit;
    return repeated ? "texts that repeat, for which the host makes a dictionary" : null;
  }
}
