package io.aragonite.tpch;

import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * A column of a TPC-H table. None of them is ever null.
 *
 * @param name the name in the specification, lower case
 * @param kind what the column holds
 * @param length the declared length of a CHAR or VARCHAR in characters, 0 for every other kind
 */
public record TpchColumn(String name, TpchType kind, int length) {

  /**
   * Key of the field metadata that holds the declared SQL type of a string, as {@code CHAR(10)}.
   */
  public static final String SQL_TYPE_KEY = "aragonite.type";

  /** What a column holds, in the terms of the specification (clause 1.3.1). */
  public enum TpchType {
    /** An "identifier": 64-bit integer. */
    BIGINT(new ArrowType.Int(64, true)),
    /** An "integer": 32 bits. */
    INTEGER(new ArrowType.Int(32, true)),
    /** A "decimal": DECIMAL(15,2). */
    DECIMAL(new ArrowType.Decimal(15, 2, 128)),
    /** Days since 1970-01-01. */
    DATE(new ArrowType.Date(DateUnit.DAY)),
    /** Fixed text: stored without padding, as UTF-8 (all of it is ASCII). */
    CHAR(ArrowType.Utf8.INSTANCE),
    /** Variable text, UTF-8 (all of it is ASCII). */
    VARCHAR(ArrowType.Utf8.INSTANCE);

    private final ArrowType arrow;

    TpchType(ArrowType arrow) {
      this.arrow = arrow;
    }
  }

  /** The declared SQL type, for example {@code DECIMAL(15,2)} or {@code VARCHAR(44)}. */
  public String sqlType() {
    return switch (kind) {
      case BIGINT, INTEGER, DATE -> kind.name();
      case DECIMAL -> "DECIMAL(15,2)";
      case CHAR, VARCHAR -> kind.name() + "(" + length + ")";
    };
  }

  /** The Arrow field: not nullable, with {@link #SQL_TYPE_KEY} where the column is a string. */
  public Field field() {
    Map<String, String> metadata = length > 0 ? Map.of(SQL_TYPE_KEY, sqlType()) : Map.of();
    return new Field(name, new FieldType(false, kind.arrow, null, metadata), null);
  }

  /**
   * Reads {@code "l_comment VARCHAR(44)"}.
   *
   * @throws IllegalArgumentException if the kind is unknown or the length no number
   */
  static TpchColumn parse(String declaration) {
    int space = declaration.indexOf(' ');
    int open = declaration.indexOf('(');
    String name = declaration.substring(0, space);
    if (open < 0) {
      return new TpchColumn(name, TpchType.valueOf(declaration.substring(space + 1)), 0);
    }
    TpchType kind = TpchType.valueOf(declaration.substring(space + 1, open));
    int length = Integer.parseInt(declaration.substring(open + 1, declaration.length() - 1));
    return new TpchColumn(name, kind, length);
  }
}
