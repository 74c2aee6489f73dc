package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.vector.Dictionary;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What a query has brought to its GPU of dictionaries: their texts, and tables over their codes.
 * Brought at first use, known by identity, freed with the query's memory. Safe for several threads.
 */
final class CudaDictionaries {
  /**
   * A dictionary's texts by code.
   *
   * @param offsets size + 1 of them, 32-bit
   */
  record DictionaryTexts(Buffer offsets, Buffer bytes) {}

  private final QueryMemory memory;
  private final Map<Dictionary, DictionaryTexts> texts = new IdentityHashMap<>();
  private final Map<int[], Buffer> tables = new IdentityHashMap<>();

  /**
   * @param memory the query's memory on the GPU
   */
  CudaDictionaries(QueryMemory memory) {
    this.memory = memory;
  }

  static CudaDictionaries of(ExecContext context) {
    return ((CudaQueryMemory) context.memory()).dictionaries();
  }

  synchronized DictionaryTexts texts(ExecContext context, Dictionary dictionary) {
    DictionaryTexts known = texts.get(dictionary);
    if (known == null) {
      known = bring(context, dictionary);
      texts.put(dictionary, known);
    }
    return known;
  }

  private DictionaryTexts bring(ExecContext context, Dictionary dictionary) {
    int size = dictionary.size();
    int[] starts = new int[size + 1];
    long total = 0;
    for (int code = 0; code < size; code++) {
      total += dictionary.bytes(code).length;
      if (total > Integer.MAX_VALUE) {
        throw new AragoniteException(
            ErrorCode.RESULT_TOO_LARGE,
            "A dictionary has more than 2^31 bytes, which cannot be one piece of the GPU's memory;"
                + " use device=cpu.");
      }
      starts[code + 1] = (int) total;
    }
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Buffer host = scratch.allocate(total);
    for (int code = 0; code < size; code++) {
      byte[] value = dictionary.bytes(code);
      Mem.copy(value, 0, host.address() + starts[code], value.length);
    }
    Buffer bytes = memory.allocate(total);
    CudaStream.of(context).write(host.address(), bytes.address(), total);
    DictionaryTexts brought = new DictionaryTexts(copy(context, starts), bytes);
    scratch.release(mark);
    return brought;
  }

  /** A table that stays as it is, such as a translation of codes. */
  synchronized Buffer ints(ExecContext context, int[] values) {
    Buffer known = tables.get(values);
    if (known == null) {
      known = copy(context, values);
      tables.put(values, known);
    }
    return known;
  }

  private Buffer copy(ExecContext context, int[] values) {
    QueryMemory.Arena scratch = context.hostScratch();
    long mark = scratch.mark();
    Buffer host = scratch.allocate(4L * values.length);
    for (int i = 0; i < values.length; i++) {
      Mem.putInt(host.address() + 4L * i, values[i]);
    }
    Buffer copy = memory.allocate(host.size());
    CudaStream.of(context).write(host.address(), copy.address(), host.size());
    scratch.release(mark);
    return copy;
  }
}
