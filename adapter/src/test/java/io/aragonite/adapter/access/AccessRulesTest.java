package io.aragonite.adapter.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.aragonite.adapter.catalog.CatalogTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.calcite.jdbc.CalciteConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rights of users that come with tokens, of whom there may be any number at once. */
@Timeout(60)
class AccessRulesTest {
  private static final String ACCESS =
      """
      {"roles": {"clerk": {"grants": [
         {"schema": "files", "table": "people", "rows": "owner = CURRENT_USER"}]}}}
      """;

  @TempDir private Path folder;

  private Connection connect() throws Exception {
    Path data = Files.createDirectories(folder.resolve("data"));
    Files.writeString(data.resolve("people.csv"), "id,owner\n1,ann\n2,bob\n");
    return DriverManager.getConnection("jdbc:aragonite:device=cpu;threads=1;directory=" + data);
  }

  @Test
  void conditionsOfFewUsersAreKept() throws Exception {
    try (Connection connection = connect()) {
      CatalogTable people =
          (CatalogTable)
              connection
                  .unwrap(CalciteConnection.class)
                  .getRootSchema()
                  .subSchemas()
                  .get("files")
                  .tables()
                  .get("people");
      RowConditions conditions = new RowConditions(connection, 2);
      List<String> path = List.of("files", "people");
      Object first = conditions.of(path, people, "owner = CURRENT_USER", "ann");
      for (String user : List.of("bob", "cyd", "dan")) {
        assertNotEquals(first, conditions.of(path, people, "owner = CURRENT_USER", user));
      }
      assertEquals(2, conditions.size());
      assertEquals(first, conditions.of(path, people, "owner = CURRENT_USER", "ann"));
    }
  }

  @Test
  void knownRightsDoNotWaitForOthers() throws Exception {
    Path file = Files.writeString(folder.resolve("access.json"), ACCESS);
    try (Connection connection = connect();
        ExecutorService users = Executors.newCachedThreadPool()) {
      AccessRules rules = AccessRules.read(file, user -> true, connection);
      Set<String> clerk = Set.of("clerk");
      UserAccess ann = rules.of("ann", clerk);
      Future<UserAccess> other;
      synchronized (connection.unwrap(CalciteConnection.class)) { // somebody's are looked up
        other = users.submit(() -> rules.of("bob", clerk));
        assertEquals(ann, users.submit(() -> rules.of("ann", clerk)).get(20, TimeUnit.SECONDS));
        assertFalse(other.isDone());
      }
      assertNotNull(other.get());
    }
  }
}
