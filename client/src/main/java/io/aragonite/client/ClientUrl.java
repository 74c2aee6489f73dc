package io.aragonite.client;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;
import org.apache.calcite.avatica.ConnectStringParser;

/** A connection's URL, for the driver and for people, who see no password and no token. */
final class ClientUrl {
  private ClientUrl() {}

  /** Those of the text behind the prefix, and of {@code info}. */
  static Properties properties(String text, Properties info) throws SQLException {
    try {
      return ConnectStringParser.parse(text, info);
    } catch (SQLException e) {
      // It shows the whole text, and is no cause for that reason.
      throw new SQLException(
          "AR-402 (USER): A value of the URL begins with a quote and has no end, or goes on behind"
              + " it; write the value between two quotes, and a quote in it twice.",
          "HY024",
          402);
    }
  }

  /** The URL of these properties, without what nobody else may know. */
  static String shown(Properties properties) {
    Properties open = new Properties();
    for (String name : properties.stringPropertyNames()) {
      String value = properties.getProperty(name);
      if (name.equalsIgnoreCase("url")) {
        open.setProperty(name, value.replaceFirst("//[^/]*@", "//"));
      } else if (!isSecret(name.toLowerCase(Locale.ROOT))) {
        open.setProperty(name, value);
      }
    }
    return ClientDriver.PREFIX + ConnectStringParser.getParamString(open);
  }

  private static boolean isSecret(String name) {
    return name.contains("password") || name.contains("bearer") || name.equals("token");
  }
}
