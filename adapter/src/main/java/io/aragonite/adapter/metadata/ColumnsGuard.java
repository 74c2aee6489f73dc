package io.aragonite.adapter.metadata;

import io.aragonite.adapter.execution.ClientRequest;
import io.aragonite.adapter.jdbc.DelegatingResultSetMetaData;
import io.aragonite.adapter.remote.UrlRedaction;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.Period;
import java.util.regex.Pattern;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a result, with sizes that values fit into; Avatica takes digits for characters.
 * Tables that are signed URLs are shown without their signatures.
 */
public final class ColumnsGuard extends DelegatingResultSetMetaData {
  /** The type's name, as Calcite has it. */
  public static final String UUID = SqlTypeName.UUID.getName();

  private static final Pattern DIGITS = Pattern.compile("\\([0-9, ]*\\)");

  public ColumnsGuard(ResultSetMetaData target) {
    super(target);
  }

  @Override
  public int getColumnDisplaySize(int column) throws SQLException {
    return call("getColumnDisplaySize", () -> displaySize(column));
  }

  @Override
  public int getColumnType(int column) throws SQLException {
    return call(
        "getColumnType",
        () ->
            ClientRequest.isNarrow() && isText(column)
                ? Types.VARCHAR
                : isInstant(column) ? Types.TIMESTAMP_WITH_TIMEZONE : target.getColumnType(column));
  }

  @Override
  public String getColumnTypeName(int column) throws SQLException {
    return call("getColumnTypeName", () -> typeName(target.getColumnTypeName(column)));
  }

  @Override
  public String getColumnClassName(int column) throws SQLException {
    return call("getColumnClassName", () -> className(column));
  }

  private String className(int column) throws SQLException {
    boolean instant = isInstant(column);
    if (!isText(column)) {
      return target.getColumnClassName(column);
    }
    if (ClientRequest.isNarrow()) {
      return String.class.getName();
    }
    if (isUuid(column)) {
      return java.util.UUID.class.getName();
    }
    return (instant
            ? OffsetDateTime.class
            : isMonths(target.getColumnTypeName(column)) ? Period.class : Duration.class)
        .getName();
  }

  /**
   * The instant has a type of its own in JDBC; Avatica reads it as a TIMESTAMP. To a client of the
   * server it is a text, whose type's name says what it is.
   */
  private boolean isInstant(int column) throws SQLException {
    return isInstant(target.getColumnTypeName(column));
  }

  /** Whether a column's values are texts to a client of the server. */
  private boolean isText(int column) throws SQLException {
    return isInstant(column) || isInterval(column) || isUuid(column);
  }

  private boolean isUuid(int column) throws SQLException {
    return UUID.equals(target.getColumnTypeName(column));
  }

  private boolean isInterval(int column) throws SQLException {
    return isInterval(target.getColumnTypeName(column));
  }

  /** Whether a type, as Calcite or Avatica names it, is an interval. */
  public static boolean isInterval(@Nullable String typeName) {
    return typeName != null
        && typeName.startsWith("INTERVAL")
        && !typeName.contains("ARRAY")
        && !typeName.contains("MULTISET");
  }

  /** Whether an interval of such a type counts months. */
  public static boolean isMonths(String typeName) {
    return typeName.contains("YEAR") || typeName.contains("MONTH");
  }

  static boolean isInstant(@Nullable String typeName) {
    return typeName != null
        && typeName.startsWith(SqlTypeName.TIMESTAMP_WITH_LOCAL_TIME_ZONE.getName());
  }

  /**
   * A type's name, for Calcite's own ones of instants and intervals those that they are written
   * with.
   */
  public static String typeName(String name) {
    return isInstant(name)
        ? "TIMESTAMP WITH TIME ZONE"
        : isInterval(name) ? DIGITS.matcher(name.replace('_', ' ')).replaceAll("") : name;
  }

  @Override
  public String getTableName(int column) throws SQLException {
    return call(
        "getTableName",
        () -> {
          // A server's results have none.
          String name = target.getTableName(column);
          return name == null ? "" : UrlRedaction.redact(name);
        });
  }

  @Override
  public int getPrecision(int column) throws SQLException {
    return call("getPrecision", () -> isTime(column) ? time(column) : target.getPrecision(column));
  }

  @Override
  public int getScale(int column) throws SQLException {
    return call(
        "getScale", () -> isTime(column) ? target.getPrecision(column) : target.getScale(column));
  }

  @Override
  public boolean isSigned(int column) throws SQLException {
    return call("isSigned", () -> isNumber(target.getColumnType(column)));
  }

  private boolean isTime(int column) throws SQLException {
    int type = target.getColumnType(column);
    return type == Types.DATE || type == Types.TIME || type == Types.TIMESTAMP;
  }

  private static boolean isNumber(int type) {
    return switch (type) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.DECIMAL -> true;
      case Types.REAL, Types.FLOAT, Types.DOUBLE, Types.NUMERIC -> true;
      default -> false;
    };
  }

  private int time(int column) throws SQLException {
    return TypeMetadata.size(target.getColumnType(column), target.getPrecision(column));
  }

  private int displaySize(int column) throws SQLException {
    int type = target.getColumnType(column);
    return switch (type) {
      case Types.DATE, Types.TIME, Types.TIMESTAMP -> time(column);
      case Types.BOOLEAN -> 5;
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT ->
          TypeMetadata.size(type, 0) + 1;
      case Types.DECIMAL -> target.getPrecision(column) + 2;
      case Types.REAL, Types.FLOAT, Types.DOUBLE -> 25;
      default -> target.getColumnDisplaySize(column);
    };
  }
}
