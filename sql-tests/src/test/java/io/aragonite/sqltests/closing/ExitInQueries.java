package io.aragonite.sqltests.closing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;

/**
 * Ends a process in the midst of queries: arguments are the URL and the milliseconds after which
 * {@code System.exit} is called. Its status is 7.
 */
final class ExitInQueries {
  private ExitInQueries() {}

  public static void main(String[] args) throws Exception {
    String[] queries = {
      "select count(*) from big a join big b on a.k = b.k",
      "select sum(char_length(repeat(t, 2000))) from big",
      "select k, t, v from big order by t, v"
    };
    Connection connection = DriverManager.getConnection(args[0]);
    for (String sql : queries) {
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            try (Statement statement = connection.createStatement()) {
              while (true) {
                try (ResultSet rows = statement.executeQuery(sql)) {
                  while (rows.next()) {
                    rows.getObject(1);
                  }
                }
              }
            } catch (Exception e) {
              System.out.println("ended by " + e);
            }
          });
    }
    Thread.sleep(Long.parseLong(args[1]));
    System.out.println("exits");
    System.exit(7);
  }
}
