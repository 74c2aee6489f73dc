package io.aragonite.adapter.sql;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * A name matcher that finds a field by the index of a row's exact names before it compares all of
 * them, whatever their case: the validator looks each column of {@code *} up several times. Where a
 * name also matches others, the validator refuses it as ambiguous whichever field it got.
 */
record IndexedNameMatcher(SqlNameMatcher names) implements SqlNameMatcher {
  static SqlNameMatcher of(SqlNameMatcher names) {
    return names instanceof IndexedNameMatcher ? names : new IndexedNameMatcher(names);
  }

  @Override
  public @Nullable RelDataTypeField field(RelDataType rowType, String fieldName) {
    RelDataTypeField exact = rowType.getField(fieldName, true, false);
    // A row whose last column is "_extra" has a field of every name.
    boolean found = exact != null && exact.getIndex() >= 0;
    return found ? exact : names.field(rowType, fieldName);
  }

  @Override
  public boolean isCaseSensitive() {
    return names.isCaseSensitive();
  }

  @Override
  public boolean matches(String string, String name) {
    return names.matches(string, name);
  }

  @Override
  public <K extends List<String>, V> @Nullable V get(
      Map<K, V> map, List<String> prefixNames, List<String> wanted) {
    return names.get(map, prefixNames, wanted);
  }

  @Override
  public String bestString() {
    return names.bestString();
  }

  @Override
  public int frequency(Iterable<String> among, String name) {
    return names.frequency(among, name);
  }

  @Override
  public Set<String> createSet() {
    return names.createSet();
  }
}
