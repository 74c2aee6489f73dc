package io.aragonite.adapter.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;

class QueryWordsTest {
  private static final DictionaryEncoding ENCODING =
      new DictionaryEncoding(1, false, new ArrowType.Int(32, true));

  /** Blocks of COPY are cut by these bytes: codes of long texts are few bytes, their texts many. */
  @Test
  void codesCountAsTheirTexts() {
    try (BufferAllocator allocator = new RootAllocator();
        VarCharVector words = new VarCharVector("words", allocator);
        IntVector codes =
            new IntVector(
                "codes", new FieldType(true, new ArrowType.Int(32, true), ENCODING), allocator)) {
      words.setSafe(0, "x".repeat(20_000).getBytes(StandardCharsets.UTF_8));
      words.setSafe(1, new byte[0]);
      words.setValueCount(2);
      codes.setSafe(0, 0);
      codes.setSafe(1, 1);
      codes.setSafe(2, 77_777_777); // under a null, anything may stand
      codes.setNull(2);
      codes.setSafe(3, 0);
      codes.setValueCount(4);
      QueryWords known = new QueryWords(new MapDictionaryProvider(new Dictionary(words, ENCODING)));
      assertEquals(codes.getBufferSize() + 40_000, known.bytes(codes));
      assertEquals(words.getBufferSize(), known.bytes(words));
    }
  }
}
