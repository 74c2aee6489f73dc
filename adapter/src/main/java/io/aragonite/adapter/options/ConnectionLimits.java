package io.aragonite.adapter.options;

import io.aragonite.adapter.error.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** What limits a connection sets itself, as its properties say; for servers that set others. */
public final class ConnectionLimits {
  private ConnectionLimits() {}

  /**
   * The longest time for a statement, null for none.
   *
   * @throws SQLException if what is given is not a time
   */
  public static @Nullable Duration timeout(Properties properties) throws SQLException {
    try {
      return ConnectionOptions.timeout(properties);
    } catch (RuntimeException e) {
      throw SqlErrors.of(e);
    }
  }
}
