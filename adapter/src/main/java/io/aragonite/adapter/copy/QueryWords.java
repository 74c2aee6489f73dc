package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.Mem;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.jspecify.annotations.Nullable;

/** The texts of columns that a query brings as codes. */
record QueryWords(DictionaryProvider dictionaries) {
  /** The texts by the codes that a column has; null if it has values. */
  @Nullable FieldVector of(FieldVector column) {
    DictionaryEncoding encoding = column.getField().getDictionary();
    Dictionary dictionary = encoding == null ? null : dictionaries.lookup(encoding.getId());
    return dictionary == null ? null : dictionary.getVector();
  }

  /** Bytes that the values of a column would take, about: a code stands for its text. */
  long bytes(FieldVector column) {
    long bytes = column.getBufferSize();
    if (!(of(column) instanceof VarCharVector words) || !(column instanceof IntVector codes)) {
      return bytes;
    }
    long offsets = words.getOffsetBuffer().memoryAddress();
    long code = codes.getDataBuffer().memoryAddress();
    boolean nulls = codes.getNullCount() > 0;
    for (int row = 0; row < codes.getValueCount(); row++) {
      if (!nulls || !codes.isNull(row)) {
        long at = offsets + 4L * Mem.getInt(code + 4L * row);
        bytes += Mem.getInt(at + 4) - Mem.getInt(at);
      }
    }
    return bytes;
  }
}
