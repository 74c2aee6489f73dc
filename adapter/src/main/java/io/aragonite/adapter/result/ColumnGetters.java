package io.aragonite.adapter.result;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.translate.AragoniteTypeSystem;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.function.IntUnaryOperator;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.jspecify.annotations.Nullable;

/**
 * JDBC's getters of numbers. Avatica's hand out the low bits of what does not fit; these say so:
 * {@code NUMERIC_OVERFLOW}, whose SQLSTATE is 22003. A fraction is cut towards zero where a whole
 * number is asked for, as JDBC has it. Texts are parsed. A null is 0.
 */
public final class ColumnGetters {
  private static final long MILLIS_PER_DAY = 86_400_000L;

  /** The first day of the year 10000. */
  private static final long FIRST_LONG_YEAR = java.time.LocalDate.of(10_000, 1, 1).toEpochDay();

  private static final byte OTHER = 0;
  private static final byte TINYINT = 1;
  private static final byte SMALLINT = 2;
  private static final byte INTEGER = 3;
  private static final byte BIGINT = 4;
  private static final byte FLOATING = 5;
  private static final byte DECIMAL = 6;
  private static final byte BOOLEAN = 7;
  private static final byte TEXT = 8;
  private static final byte DATE = 9;
  private static final byte MOMENT = 10;
  private static final byte BYTES = 11;
  private static final byte ARRAY = 12;
  private static final byte STRUCT = 13;

  private final ResultSet rows;
  private final IntUnaryOperator nanos;

  /** What the columns hold, from 1; empty until a value is read. */
  private byte[] kinds = {};

  /**
   * @param rows whose values are read, at its present row
   * @param nanos of the second of a column's timestamp where it has more than {@code rows} knows
   *     of; -1 elsewhere
   */
  public ColumnGetters(ResultSet rows, IntUnaryOperator nanos) {
    this.rows = rows;
    this.nanos = nanos;
  }

  private byte kind(int column) throws SQLException {
    byte[] known = kinds;
    if (known.length == 0) {
      known = kinds(rows.getMetaData(), hasOurTypes());
      kinds = known;
    }
    return column > 0 && column < known.length ? known[column] : OTHER;
  }

  /** With another type system times are read as Calcite's own driver has them. */
  private boolean hasOurTypes() throws SQLException {
    Statement statement = rows.getStatement();
    return statement == null
        || statement
                .getConnection()
                .unwrap(CalciteConnection.class)
                .config()
                .typeSystem(RelDataTypeSystem.class, RelDataTypeSystem.DEFAULT)
            instanceof AragoniteTypeSystem;
  }

  private static byte[] kinds(ResultSetMetaData columns, boolean ours) throws SQLException {
    byte[] kinds = new byte[columns.getColumnCount() + 1];
    for (int i = 1; i < kinds.length; i++) {
      kinds[i] =
          switch (columns.getColumnType(i)) {
            case Types.TINYINT -> TINYINT;
            case Types.SMALLINT -> SMALLINT;
            case Types.INTEGER -> INTEGER;
            case Types.BIGINT -> BIGINT;
            case Types.REAL, Types.FLOAT, Types.DOUBLE -> FLOATING;
            case Types.DECIMAL, Types.NUMERIC -> DECIMAL;
            case Types.BOOLEAN, Types.BIT -> BOOLEAN;
            case Types.CHAR, Types.VARCHAR -> TEXT;
            case Types.TIME, Types.TIMESTAMP -> ours ? MOMENT : OTHER;
            case Types.DATE -> DATE;
            case Types.BINARY, Types.VARBINARY -> BYTES;
            case Types.ARRAY -> ARRAY;
            case Types.STRUCT -> STRUCT;
            default -> OTHER;
          };
    }
    return kinds;
  }

  /** {@link ResultSet#getString(int)}: a moment's fraction of a second without zeros at its end. */
  public @Nullable String getString(int column) throws SQLException {
    String text = rows.getString(column);
    if (text == null) {
      return null;
    }
    int kind = kind(column);
    if (kind == MOMENT || kind == DATE) {
      text = withYear(text, rows.getLong(column), kind == DATE);
    }
    int fraction = nanos.applyAsInt(column);
    if (fraction >= 0) {
      int point = text.lastIndexOf('.');
      String second = point < 0 ? text : text.substring(0, point);
      return withoutZeros("%s.%09d".formatted(second, fraction));
    }
    return kind(column) == MOMENT ? withoutZeros(text) : text;
  }

  /** Avatica writes the last four digits of a year. */
  private static String withYear(String moment, long count, boolean days) {
    long day = days ? count : Math.floorDiv(count, MILLIS_PER_DAY);
    return day < FIRST_LONG_YEAR
        ? moment
        : java.time.LocalDate.ofEpochDay(day).getYear() + moment.substring(4);
  }

  private static String withoutZeros(String moment) {
    int point = moment.lastIndexOf('.');
    int end = moment.length();
    while (point >= 0 && end > point && (moment.charAt(end - 1) == '0' || end - 1 == point)) {
      end--;
    }
    return moment.substring(0, end);
  }

  /** {@link ResultSet#getByte(int)}. */
  public byte getByte(int column) throws SQLException {
    return (byte) integer(column, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte");
  }

  /** {@link ResultSet#getShort(int)}. */
  public short getShort(int column) throws SQLException {
    return (short) integer(column, Short.MIN_VALUE, Short.MAX_VALUE, "short");
  }

  /** {@link ResultSet#getInt(int)}. */
  public int getInt(int column) throws SQLException {
    byte kind = kind(column);
    return kind >= TINYINT && kind <= INTEGER
        ? rows.getInt(column)
        : (int) integer(column, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
  }

  /** {@link ResultSet#getLong(int)}. */
  public long getLong(int column) throws SQLException {
    byte kind = kind(column);
    return kind >= TINYINT && kind <= BIGINT
        ? rows.getLong(column)
        : integer(column, Long.MIN_VALUE, Long.MAX_VALUE, "long");
  }

  /** {@link ResultSet#getDouble(int)}. */
  public double getDouble(int column) throws SQLException {
    byte kind = kind(column);
    return switch (kind) {
      case TEXT -> text(column, "double", Double::parseDouble, 0.0);
      case DATE, MOMENT, BYTES, ARRAY -> throw refused(column, "double");
      default -> rows.getDouble(column);
    };
  }

  /** {@link ResultSet#getFloat(int)}. */
  public float getFloat(int column) throws SQLException {
    return switch (kind(column)) {
      case TEXT -> narrow(column, text(column, "float", Double::parseDouble, 0.0));
      case DATE, MOMENT, BYTES, ARRAY -> throw refused(column, "float");
      case FLOATING, DECIMAL -> narrow(column, rows.getDouble(column));
      default -> rows.getFloat(column);
    };
  }

  private float narrow(int column, double value) throws SQLException {
    float narrowed = (float) value;
    if (Float.isInfinite(narrowed) && !Double.isInfinite(value)) {
      throw overflow(column, "float");
    }
    return narrowed;
  }

  /** {@link ResultSet#getBigDecimal(int)}. */
  public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
    return switch (kind(column)) {
      case TEXT -> decimal(column, "BigDecimal");
      case DATE, MOMENT, BYTES, ARRAY -> throw refused(column, "BigDecimal");
      case BOOLEAN -> {
        boolean value = rows.getBoolean(column);
        if (rows.wasNull()) {
          yield null;
        }
        yield value ? BigDecimal.ONE : BigDecimal.ZERO;
      }
      case FLOATING -> {
        double value = rows.getDouble(column);
        if (Double.isNaN(value) || Double.isInfinite(value)) {
          throw overflow(column, "BigDecimal");
        }
        yield rows.getBigDecimal(column);
      }
      default -> rows.getBigDecimal(column);
    };
  }

  /** {@link ResultSet#getBoolean(int)}: whether a number is not zero. */
  public boolean getBoolean(int column) throws SQLException {
    return switch (kind(column)) {
      case TINYINT, SMALLINT, INTEGER, BIGINT -> rows.getLong(column) != 0;
      case FLOATING -> rows.getDouble(column) != 0;
      case DECIMAL -> {
        BigDecimal value = rows.getBigDecimal(column);
        yield value != null && value.signum() != 0;
      }
      case TEXT -> text(column, "boolean", ColumnGetters::truth, false);
      case DATE, MOMENT, BYTES, ARRAY -> throw refused(column, "boolean");
      default -> rows.getBoolean(column);
    };
  }

  private static boolean truth(String text) {
    return switch (text.toLowerCase(java.util.Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw new NumberFormatException(text);
    };
  }

  private long integer(int column, long least, long most, String type) throws SQLException {
    switch (kind(column)) {
      case FLOATING:
        return whole(column, rows.getDouble(column), least, most, type);
      case DECIMAL, TEXT:
        BigDecimal decimal = decimal(column, type);
        return decimal == null ? 0 : whole(column, decimal, least, most, type);
      case DATE, MOMENT, BYTES, ARRAY:
        throw refused(column, type);
      case BOOLEAN:
        return rows.getBoolean(column) ? 1 : 0;
      default:
        long value = rows.getLong(column);
        if (value < least || value > most) {
          throw overflow(column, type);
        }
        return value;
    }
  }

  private long whole(int column, double value, long least, long most, String type)
      throws SQLException {
    // 2^63 is no long, but what Long.MAX_VALUE is as a double
    boolean fits = value >= -0x1p63 && value < 0x1p63;
    long whole = (long) value;
    if (!fits || whole < least || whole > most) {
      throw overflow(column, type);
    }
    return whole;
  }

  private long whole(int column, BigDecimal value, long least, long most, String type)
      throws SQLException {
    // the whole part of a number of a billion digits is not computed
    if ((long) value.precision() - value.scale() > 19) {
      throw overflow(column, type);
    }
    BigInteger whole = value.setScale(0, RoundingMode.DOWN).unscaledValue();
    if (whole.bitLength() > 63 || whole.longValue() < least || whole.longValue() > most) {
      throw overflow(column, type);
    }
    return whole.longValue();
  }

  private @Nullable BigDecimal decimal(int column, String type) throws SQLException {
    return kind(column) == TEXT
        ? this.<@Nullable BigDecimal>text(column, type, BigDecimal::new, null)
        : rows.getBigDecimal(column);
  }

  /** How a text is read. */
  private interface Parser<V> {
    V parse(String text);
  }

  private <V extends @Nullable Object> V text(int column, String type, Parser<V> parser, V ofNull)
      throws SQLException {
    String text = rows.getString(column);
    if (text == null) {
      return ofNull;
    }
    try {
      return parser.parse(text.strip());
    } catch (NumberFormatException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_CAST,
          "The text '%s' of column %d is not a %s; read it with getString."
              .formatted(text, column, type),
          e);
    }
  }

  private AragoniteException overflow(int column, String type) throws SQLException {
    return new AragoniteException(
        ErrorCode.NUMERIC_OVERFLOW,
        "The value %s of column %d does not fit a %s; read it as a wider type, or with getObject."
            .formatted(rows.getString(column), column, type));
  }

  /** Whether a column holds texts. */
  boolean isText(int column) throws SQLException {
    return kind(column) == TEXT;
  }

  /** Whether a column holds bytes. */
  boolean isBytes(int column) throws SQLException {
    return kind(column) == BYTES;
  }

  /** Whether a column holds arrays. */
  boolean isArray(int column) throws SQLException {
    return kind(column) == ARRAY;
  }

  /** Whether a column holds rows. */
  boolean isStruct(int column) throws SQLException {
    return kind(column) == STRUCT;
  }

  /** Whether a column is known to hold numbers, truth values or bytes, of which no date is made. */
  boolean isNoMoment(int column) throws SQLException {
    byte kind = kind(column);
    return kind >= TINYINT && kind <= BOOLEAN || kind == BYTES || kind == ARRAY;
  }

  /** Whether a column is known to hold dates, times or timestamps. */
  boolean isMoment(int column) throws SQLException {
    byte kind = kind(column);
    return kind == DATE || kind == MOMENT;
  }

  /** Whether a column is known to hold times or timestamps. */
  boolean isClock(int column) throws SQLException {
    return kind(column) == MOMENT;
  }

  /** What a getter ends with that has nothing for values of a column's type. */
  AragoniteException refused(int column, String type) throws SQLException {
    return new AragoniteException(
        ErrorCode.INVALID_CALL,
        "Column %d is a %s, which cannot be read as a %s; read it with getObject."
            .formatted(column, rows.getMetaData().getColumnTypeName(column), type));
  }
}
