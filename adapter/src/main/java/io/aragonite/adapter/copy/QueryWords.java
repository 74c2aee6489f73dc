package io.aragonite.adapter.copy;

import org.apache.arrow.vector.FieldVector;
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
}
