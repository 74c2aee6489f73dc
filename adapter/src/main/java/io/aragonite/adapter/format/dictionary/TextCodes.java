package io.aragonite.adapter.format.dictionary;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Dictionary;
import java.util.List;

/**
 * Codes of texts.
 *
 * @param dictionary the texts of all chunks' dictionaries, perhaps some that no row has
 * @param codes by chunk and number in its dictionary
 */
public record TextCodes(Dictionary dictionary, List<int[]> codes) {
  /** A chunk's dictionary as codes. */
  public Buffer put(int chunk, QueryMemory memory) {
    int[] values = codes.get(chunk);
    Buffer buffer = memory.allocate(4L * values.length);
    for (int i = 0; i < values.length; i++) {
      Mem.putInt(buffer.address() + 4L * i, values[i]);
    }
    return buffer;
  }
}
