package io.aragonite.adapter.metadata;

import io.aragonite.adapter.error.JdbcGuard;
import java.lang.reflect.Method;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a result, with sizes that values fit into; Avatica takes digits for characters.
 */
public final class ColumnsGuard extends JdbcGuard<ResultSetMetaData> {
  public ColumnsGuard(ResultSetMetaData target) {
    super(ResultSetMetaData.class, target);
  }

  @Override
  @Nullable
  public Object call(Method method, @Nullable Object @Nullable [] args) throws Throwable {
    if (args != null && args.length == 1 && args[0] instanceof Integer column) {
      switch (method.getName()) {
        case "getColumnDisplaySize":
          return displaySize(column);
        case "getPrecision":
          return isTime(column) ? time(column) : target.getPrecision(column);
        case "getScale":
          return isTime(column) ? target.getPrecision(column) : target.getScale(column);
        case "isSigned":
          return isNumber(target.getColumnType(column));
        default:
          break;
      }
    }
    return forward(method, args);
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
