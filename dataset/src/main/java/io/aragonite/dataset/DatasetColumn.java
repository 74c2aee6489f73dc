package io.aragonite.dataset;

import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * A column of a generated table.
 *
 * @param name the name in the specification, lower case
 * @param kind what the column holds
 * @param length the declared length of a CHAR or VARCHAR in characters, digits of a DECIMAL, 0 for
 *     every other kind
 * @param scale digits of a DECIMAL after the point, else 0
 * @param nullable whether there are rows without a value
 */
public record DatasetColumn(String name, ColumnKind kind, int length, int scale, boolean nullable) {

  /**
   * Key of the field metadata that holds the declared SQL type of a string, as {@code CHAR(10)}.
   */
  public static final String SQL_TYPE_KEY = "aragonite.type";

  /** What a column holds. */
  public enum ColumnKind {
    /** 64-bit integer. */
    BIGINT,
    /** 32-bit integer. */
    INTEGER,
    /** Exact number, with at most 18 digits. */
    DECIMAL,
    /** Days since 1970-01-01. */
    DATE,
    /** Fixed text: stored without padding, as UTF-8. */
    CHAR,
    /** Variable text, UTF-8. */
    VARCHAR
  }

  /** The declared SQL type, for example {@code DECIMAL(15,2)} or {@code VARCHAR(44)}. */
  public String sqlType() {
    return switch (kind) {
      case BIGINT, INTEGER, DATE -> kind.name();
      case DECIMAL -> "DECIMAL(" + length + "," + scale + ")";
      case CHAR, VARCHAR -> kind.name() + "(" + length + ")";
    };
  }

  /** The Arrow field, with {@link #SQL_TYPE_KEY} where the column is a string. */
  public Field field() {
    boolean text = kind == ColumnKind.CHAR || kind == ColumnKind.VARCHAR;
    Map<String, String> metadata = text ? Map.of(SQL_TYPE_KEY, sqlType()) : Map.of();
    return new Field(name, new FieldType(nullable, arrowType(), null, metadata), null);
  }

  private ArrowType arrowType() {
    return switch (kind) {
      case BIGINT -> new ArrowType.Int(64, true);
      case INTEGER -> new ArrowType.Int(32, true);
      case DECIMAL -> new ArrowType.Decimal(length, scale, 128);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case CHAR, VARCHAR -> ArrowType.Utf8.INSTANCE;
    };
  }
}
