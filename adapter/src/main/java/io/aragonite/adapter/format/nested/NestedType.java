package io.aragonite.adapter.format.nested;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.translate.TypeMapping;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;

/** The type of a column of lists, structs or maps, or of what is in them. */
public sealed interface NestedType {
  boolean nullable();

  /** The same type, of which everything may be null: files of one table differ in that. */
  default NestedType relaxed() {
    return switch (this) {
      case Scalar scalar -> new Scalar(scalar.type().withNullable(true));
      case Listed list -> new Listed(list.element().relaxed(), true);
      case Mapped map -> new Mapped(map.key().relaxed(), map.value().relaxed(), true);
      case Struct struct ->
          new Struct(
              struct.fields().stream()
                  .map(field -> new Field(field.name(), field.type().relaxed()))
                  .toList(),
              true);
    };
  }

  /**
   * What values of a SQL type are stored as; everything in lists, structs and maps may be null.
   *
   * @return of what cannot be stored scalars of a kind that says so
   */
  static NestedType of(RelDataType type) {
    if (type.isStruct()) {
      return new Struct(
          type.getFieldList().stream()
              .map(field -> new Field(field.getName(), within(field.getType())))
              .toList(),
          true);
    }
    return switch (type.getSqlTypeName()) {
      case ARRAY -> new Listed(within(Objects.requireNonNull(type.getComponentType())), true);
      case MAP ->
          new Mapped(
              within(Objects.requireNonNull(type.getKeyType())),
              within(Objects.requireNonNull(type.getValueType())),
              true);
      default -> new Scalar(TypeMapping.of(type));
    };
  }

  private static NestedType within(RelDataType type) {
    return of(type) instanceof Scalar scalar
        ? new Scalar(unbounded(scalar.type()).withNullable(true))
        : of(type);
  }

  /** The lengths of texts in lists, structs and maps are no limits. */
  private static DataType unbounded(DataType type) {
    return switch (type.kind()) {
      case CHAR, VARCHAR -> DataType.of(TypeKind.VARCHAR, true);
      case BINARY -> DataType.of(TypeKind.BINARY, true);
      default -> local(type);
    };
  }

  /** Whether values of this type are the same bytes in another one. */
  default boolean sameBytes(NestedType other) {
    return switch (this) {
      case Scalar a -> other instanceof Scalar b && unbounded(a.type()).sameAs(unbounded(b.type()));
      case Listed a -> other instanceof Listed b && a.element().sameBytes(b.element());
      case Mapped a ->
          other instanceof Mapped b && a.key().sameBytes(b.key()) && a.value().sameBytes(b.value());
      case Struct a ->
          other instanceof Struct b
              && a.fields().size() == b.fields().size()
              && IntStream.range(0, a.fields().size())
                  .allMatch(i -> a.fields().get(i).type().sameBytes(b.fields().get(i).type()));
    };
  }

  /** The type's name in messages. */
  default String sqlName() {
    return switch (this) {
      case Scalar scalar -> scalar.type().withNullable(true).toString();
      case Listed list -> list.element().sqlName() + " ARRAY";
      case Mapped map -> "(%s, %s) MAP".formatted(map.key().sqlName(), map.value().sqlName());
      case Struct struct ->
          struct.fields().stream()
              .map(field -> field.name() + " " + field.type().sqlName())
              .collect(Collectors.joining(", ", "ROW(", ")"));
    };
  }

  /**
   * What a scalar is within lists, structs and maps, which have no instants: a moment that is
   * adjusted to UTC is a TIMESTAMP of UTC there.
   */
  static DataType local(DataType type) {
    return type.kind() == TypeKind.INSTANT
        ? DataType.timestamp(type.precision(), type.nullable())
        : type;
  }

  /** A value that is not nested. */
  record Scalar(DataType type) implements NestedType {
    @Override
    public boolean nullable() {
      return type.nullable();
    }
  }

  /** Values one behind the other. */
  record Listed(NestedType element, boolean nullable) implements NestedType {}

  /** Values with names. */
  record Struct(List<Field> fields, boolean nullable) implements NestedType {
    public Struct {
      fields = List.copyOf(fields);
    }
  }

  /** Keys, each once, with values. */
  record Mapped(NestedType key, NestedType value, boolean nullable) implements NestedType {}

  /** A part of a struct. */
  record Field(String name, NestedType type) {}
}
