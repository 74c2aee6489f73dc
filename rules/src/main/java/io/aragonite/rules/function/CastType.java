package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** A type of values that are cast or compared, which generated code has as a text. */
sealed interface CastType {
  /** A list. */
  record OfList(CastType element) implements CastType {
    @Override
    public String text() {
      return "[" + element.text();
    }
  }

  /** A map. */
  record OfMap(CastType key, CastType value) implements CastType {
    @Override
    public String text() {
      return "{" + key.text() + value.text();
    }
  }

  /** A row, whose fields have names. */
  record OfRow(List<String> names, List<CastType> fields) implements CastType {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder("(" + fields.size() + ";");
      for (int i = 0; i < fields.size(); i++) {
        text.append(URLEncoder.encode(names.get(i), StandardCharsets.UTF_8))
            .append(';')
            .append(fields.get(i).text());
      }
      return text.toString();
    }
  }

  /** Any other value. */
  record Plain(SqlTypeName name, int precision, int scale) implements CastType {
    @Override
    public String text() {
      return "%s:%d:%d;".formatted(name, precision, scale);
    }

    boolean isText() {
      return name == SqlTypeName.CHAR || name == SqlTypeName.VARCHAR;
    }

    /** The engine's type; null if it casts none. */
    @Nullable DataType engines() {
      return switch (name) {
        case BOOLEAN -> type(TypeKind.BOOLEAN);
        case TINYINT -> type(TypeKind.INT8);
        case SMALLINT -> type(TypeKind.INT16);
        case INTEGER -> type(TypeKind.INT32);
        case BIGINT -> type(TypeKind.INT64);
        case REAL -> type(TypeKind.FLOAT32);
        case FLOAT, DOUBLE -> type(TypeKind.FLOAT64);
        case DECIMAL -> new DataType(TypeKind.DECIMAL, precision, scale, true);
        case CHAR -> new DataType(TypeKind.CHAR, precision, 0, true);
        case VARCHAR -> new DataType(TypeKind.VARCHAR, precision, 0, true);
        case BINARY, VARBINARY -> new DataType(TypeKind.BINARY, precision, 0, true);
        case DATE -> type(TypeKind.DATE);
        case TIME -> new DataType(TypeKind.TIME, 6, 0, true);
        case TIMESTAMP -> new DataType(TypeKind.TIMESTAMP, precision, 0, true);
        default -> null;
      };
    }

    /** The engine's type of an interval; null of others. */
    @Nullable DataType interval() {
      return SqlTypeName.YEAR_INTERVAL_TYPES.contains(name)
          ? type(TypeKind.INTERVAL_MONTH)
          : SqlTypeName.DAY_INTERVAL_TYPES.contains(name) ? type(TypeKind.INTERVAL_DAY) : null;
    }

    private static DataType type(TypeKind kind) {
      return DataType.of(kind, true);
    }
  }

  /** What {@link #parse} reads. */
  String text();

  static CastType of(RelDataType type) {
    if (type.isStruct()) {
      List<CastType> fields = new ArrayList<>();
      for (RelDataTypeField field : type.getFieldList()) {
        fields.add(of(field.getType()));
      }
      return new OfRow(type.getFieldNames(), fields);
    }
    SqlTypeName name = type.getSqlTypeName();
    return switch (name) {
      case ARRAY -> new OfList(of(requireNonNull(type.getComponentType())));
      case MAP ->
          new OfMap(of(requireNonNull(type.getKeyType())), of(requireNonNull(type.getValueType())));
      default ->
          new Plain(name, type.getPrecision(), name == SqlTypeName.DECIMAL ? type.getScale() : 0);
    };
  }

  static CastType parse(String text) {
    return new Reader(text).next();
  }

  /** Reads types one after the other. */
  final class Reader {
    private final String text;
    private int at;

    private Reader(String text) {
      this.text = text;
    }

    private CastType next() {
      switch (text.charAt(at)) {
        case '[' -> {
          at++;
          return new OfList(next());
        }
        case '{' -> {
          at++;
          return new OfMap(next(), next());
        }
        case '(' -> {
          at++;
          int count = Integer.parseInt(word());
          List<String> names = new ArrayList<>();
          List<CastType> fields = new ArrayList<>();
          for (int i = 0; i < count; i++) {
            names.add(URLDecoder.decode(word(), StandardCharsets.UTF_8));
            fields.add(next());
          }
          return new OfRow(names, fields);
        }
        default -> {
          String[] parts = word().split(":", -1);
          return new Plain(
              SqlTypeName.valueOf(parts[0]),
              Integer.parseInt(parts[1]),
              Integer.parseInt(parts[2]));
        }
      }
    }

    /** What stands before the next semicolon. */
    private String word() {
      int end = text.indexOf(';', at);
      String word = text.substring(at, end);
      at = end + 1;
      return word;
    }
  }
}
