package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.CommonType;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Mapped;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Types of JSON's values. Arrays are lists, objects are structs, or maps of texts. */
public final class JsonTypes {
  static final Scalar TEXT = new Scalar(DataType.of(TypeKind.VARCHAR, true));

  /** That of nulls alone. */
  static final Scalar UNKNOWN = new Scalar(DataType.of(TypeKind.NULL, true));

  private JsonTypes() {}

  /** The type that holds the values of both; of a text and an object both are texts. */
  public static NestedType common(NestedType a, NestedType b) {
    if (a.equals(b) || b.equals(UNKNOWN)) {
      return a;
    }
    if (a.equals(UNKNOWN)) {
      return b;
    }
    if (a instanceof Scalar(DataType first) && b instanceof Scalar(DataType second)) {
      DataType both = CommonType.of(first, second);
      return both == null ? TEXT : new Scalar(both);
    }
    if (a instanceof Listed first && b instanceof Listed second) {
      return new Listed(common(first.element(), second.element()), true);
    }
    if (a instanceof Struct first && b instanceof Struct second) {
      return union(first, second);
    }
    NestedType first = values(a);
    NestedType second = values(b);
    return first == null || second == null ? TEXT : map(common(first, second));
  }

  /**
   * Whether decoded values of one type are made those of a common one, without a look at the file.
   */
  public static boolean widens(NestedType own, NestedType common) {
    return own instanceof Scalar(DataType from) && common instanceof Scalar(DataType to)
        ? !own.equals(UNKNOWN) && (from.kind().isText() || !to.kind().isText())
        : own.equals(common);
  }

  private static NestedType union(Struct a, Struct b) {
    Map<String, NestedType> fields = new LinkedHashMap<>();
    a.fields().forEach(field -> fields.put(field.name(), field.type()));
    b.fields().forEach(field -> fields.merge(field.name(), field.type(), JsonTypes::common));
    return ofKeys(fields);
  }

  /** What the values of an object's keys are together; null of what is no object. */
  private static @Nullable NestedType values(NestedType type) {
    return switch (type) {
      case Mapped map -> map.value();
      case Struct struct ->
          struct.fields().stream().map(Field::type).reduce(UNKNOWN, JsonTypes::common);
      default -> null;
    };
  }

  /** Objects whose keys are values. */
  static NestedType map(NestedType value) {
    return new Mapped(TEXT, value, true);
  }

  /**
   * The type of objects with these keys: a struct, but a map where they are too many, or not to be
   * told apart by their names.
   */
  static NestedType ofKeys(Map<String, NestedType> types) {
    long names =
        types.keySet().stream().map(key -> key.toLowerCase(Locale.ROOT)).distinct().count();
    boolean fields =
        types.size() <= JsonEvidence.MOST_FIELDS
            && names == types.size()
            && types.keySet().stream().noneMatch(String::isBlank);
    return fields
        ? new Struct(
            types.entrySet().stream().map(key -> new Field(key.getKey(), key.getValue())).toList(),
            true)
        : map(types.values().stream().reduce(UNKNOWN, JsonTypes::common));
  }

  /** The same, with texts for what has no value in a sample. */
  static NestedType known(NestedType type) {
    return switch (type) {
      case Scalar scalar -> scalar.equals(UNKNOWN) ? TEXT : scalar;
      case Listed list -> new Listed(known(list.element()), true);
      case Mapped map -> map(known(map.value()));
      case Struct struct ->
          new Struct(
              struct.fields().stream()
                  .map(field -> new Field(field.name(), known(field.type())))
                  .toList(),
              true);
    };
  }
}
