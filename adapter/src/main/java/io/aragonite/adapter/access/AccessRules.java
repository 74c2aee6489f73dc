package io.aragonite.adapter.access;

import io.aragonite.adapter.access.AccessFile.Grant;
import io.aragonite.adapter.access.AccessFile.UserEntry;
import io.aragonite.adapter.access.AccessFile.UserRole;
import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.catalog.ConnectionAccess;
import io.aragonite.adapter.catalog.ConnectionAccess.RowCondition;
import io.aragonite.adapter.catalog.ConnectionAccess.SchemaGrant;
import io.aragonite.adapter.catalog.ConnectionAccess.TableGrant;
import io.aragonite.adapter.catalog.SessionSchema;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.Table;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * What the users of an access file may do. Rights add up over the roles of a user; none takes
 * another away.
 */
public final class AccessRules {
  private static final int MOST_OF_TOKENS = 1_000;
  private static final int MOST_CONDITIONS = 2_000;

  private final Path path;
  private final AccessFile file;

  /** Who looks up rights by it holds it. */
  private final CalciteConnection connection;

  private final RowConditions conditions;
  private final Map<String, UserAccess> users = new HashMap<>();

  /** Of users with roles of their tokens, the ones used last. */
  private final Map<TokenRoles, UserAccess> ofTokens =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TokenRoles, UserAccess> eldest) {
          return size() > MOST_OF_TOKENS;
        }
      };

  private record TokenRoles(String user, Set<String> roles) {}

  private AccessRules(Path path, AccessFile file, Connection connection) throws SQLException {
    this.path = path;
    this.file = file;
    this.connection = connection.unwrap(CalciteConnection.class);
    this.conditions = new RowConditions(connection, MOST_CONDITIONS);
  }

  /** A grant of a table, columns in the order of the table. */
  private record Granted(Grant grant, List<String> columns, @Nullable String rows) {
    boolean covers(Granted other) {
      return columns.containsAll(other.columns)
          && (rows == null || Objects.equals(rows, other.rows));
    }
  }

  /**
   * Reads an access file.
   *
   * @param isUser whether there is a user of a name
   * @param connection with all rights
   * @throws AragoniteException SERVER_REFUSED, with the line, if it names what there is not
   */
  public static AccessRules read(Path path, Predicate<String> isUser, Connection connection)
      throws SQLException {
    AccessRules rules = new AccessRules(path, AccessReader.read(path), connection);
    synchronized (rules.connection) {
      for (UserRole role : rules.file.roles().values()) {
        for (Grant grant : role.grants()) {
          rules.check(grant);
        }
      }
      for (Map.Entry<String, UserEntry> user : rules.file.users().entrySet()) {
        rules.add(user.getKey(), user.getValue(), isUser);
      }
    }
    return rules;
  }

  /** What a user may do; of one that the file does not name, null. */
  public @Nullable UserAccess of(String user) {
    return users.get(user);
  }

  /**
   * What a user may do with roles of a token beside those of the file. Roles that the file does not
   * have give no rights. Rights that are known are there at once, whoever's are looked up
   * meanwhile.
   *
   * @return null if the file names neither the user nor one of the roles
   * @throws AragoniteException NOT_GRANTED if the grants of the roles do not add up
   */
  public @Nullable UserAccess of(String user, Set<String> tokenRoles) {
    Set<String> known = new TreeSet<>(tokenRoles);
    known.retainAll(file.roles().keySet());
    if (known.isEmpty()) {
      return of(user);
    }
    TokenRoles key = new TokenRoles(user, known);
    UserAccess access = known(key);
    if (access != null) {
      return access;
    }
    synchronized (connection) {
      access = known(key); // who had it before may have looked them up
      if (access == null) {
        access = add(user, known);
        synchronized (ofTokens) {
          ofTokens.put(key, access);
        }
      }
      return access;
    }
  }

  private @Nullable UserAccess known(TokenRoles key) {
    synchronized (ofTokens) {
      return ofTokens.get(key);
    }
  }

  private UserAccess add(String user, Set<String> tokenRoles) {
    UserEntry entry = file.users().get(user);
    Set<String> names = new TreeSet<>(tokenRoles);
    if (entry != null) {
      names.addAll(entry.roles());
    }
    UserLimits limits = entry == null ? UserLimits.NONE : entry.limits();
    try {
      return access(
          user, new UserEntry(entry == null ? 0 : entry.line(), List.copyOf(names), limits));
    } catch (AragoniteException e) {
      // Where and what is in the file is not for the user.
      throw new AragoniteException(
          ErrorCode.NOT_GRANTED,
          "The roles of your token have grants that do not add up; ask who runs the server.",
          e);
    }
  }

  private AragoniteException refused(int line, String sentence) {
    return AccessReader.refused(path, line, sentence);
  }

  private AragoniteException unknown(
      int line, String what, String name, Collection<String> candidates) {
    return refused(
        line, "There is no %s '%s'%s".formatted(what, name, NearestName.ending(name, candidates)));
  }

  private SchemaPlus schema(Grant grant) {
    SchemaPlus root = connection.getRootSchema();
    Set<String> names = new TreeSet<>(root.subSchemas().getNames(LikePattern.any()));
    names.removeAll(Set.of("metadata", SessionSchema.NAME));
    SchemaPlus schema = root.subSchemas().get(grant.schema());
    if (schema == null || !names.contains(grant.schema())) {
      throw unknown(grant.line(), "schema", grant.schema(), names);
    }
    return schema;
  }

  private Table table(Grant grant) {
    SchemaPlus schema = schema(grant);
    String name = String.valueOf(grant.table());
    Table table = schema.tables().get(name);
    if (table == null) {
      throw unknown(
          grant.line(),
          "table of schema " + grant.schema(),
          name,
          schema.tables().getNames(LikePattern.any()));
    }
    return table;
  }

  private void check(Grant grant) {
    if (grant.table() == null) {
      var _ = schema(grant);
    } else {
      var _ = tableGrant(granted(grant), "");
    }
  }

  private Granted granted(Grant grant) {
    Table table = table(grant);
    if (grant.columns() == null && grant.rows() == null) {
      return new Granted(grant, names(table), null);
    }
    if (!(table instanceof CatalogTable)) {
      throw refused(
          grant.line(),
          "Table '%s' is no file that can be read, so its columns and rows cannot be granted."
              .formatted(grant.table()));
    }
    List<String> names = names(table);
    List<String> wanted = grant.columns() == null ? names : grant.columns();
    for (String column : wanted) {
      if (!names.contains(column)) {
        throw unknown(grant.line(), "column of table " + grant.table(), column, names);
      }
    }
    return new Granted(grant, names.stream().filter(wanted::contains).toList(), grant.rows());
  }

  private List<String> names(Table table) {
    return table instanceof CatalogTable stored ? stored.data().columnNames() : List.of();
  }

  private TableGrant tableGrant(Granted granted, String user) {
    Table table = table(granted.grant);
    // All that are named are not all that there will be.
    List<String> columns = granted.grant.columns() == null ? null : granted.columns;
    if (granted.rows == null) {
      return new TableGrant(columns, null);
    }
    List<String> names = List.of(granted.grant.schema(), String.valueOf(granted.grant.table()));
    try {
      RowCondition rows = conditions.of(names, (CatalogTable) table, granted.rows, user);
      return new TableGrant(columns, rows);
    } catch (AragoniteException | SQLException e) {
      throw refused(
          granted.grant.line(),
          "The condition '%s' of table '%s' is refused: %s"
              .formatted(granted.rows, granted.grant.table(), AragoniteException.reason(e)));
    }
  }

  private void add(String name, UserEntry user, Predicate<String> isUser) {
    if (!isUser.test(name)) {
      throw refused(user.line(), "There is no user '%s' in the file of users.".formatted(name));
    }
    users.put(name, access(name, user));
  }

  private UserAccess access(String name, UserEntry user) {
    List<UserRole> roles = new ArrayList<>();
    for (String role : user.roles()) {
      UserRole known = file.roles().get(role);
      if (known == null) {
        throw unknown(user.line(), "role", role, file.roles().keySet());
      }
      roles.add(known);
    }
    boolean everything = roles.stream().anyMatch(UserRole::everything);
    return new UserAccess(
        everything ? null : tables(name, user, roles), user.limits().orElse(file.limits()));
  }

  private ConnectionAccess tables(String name, UserEntry user, List<UserRole> roles) {
    Map<String, SchemaGrant> schemas = new LinkedHashMap<>();
    Map<List<String>, List<Granted>> tables = new LinkedHashMap<>();
    for (UserRole role : roles) {
      for (Grant grant : role.grants()) {
        if (grant.table() == null) {
          schemas.put(grant.schema(), new SchemaGrant(true, Map.of()));
        } else {
          tables
              .computeIfAbsent(List.of(grant.schema(), grant.table()), key -> new ArrayList<>())
              .add(granted(grant));
        }
      }
    }
    for (Map.Entry<List<String>, List<Granted>> entry : tables.entrySet()) {
      String schema = entry.getKey().getFirst();
      if (schemas.containsKey(schema) && schemas.get(schema).all()) {
        continue;
      }
      schemas
          .computeIfAbsent(schema, key -> new SchemaGrant(false, new LinkedHashMap<>()))
          .tables()
          .put(
              entry.getKey().getLast(), tableGrant(sum(name, user.line(), entry.getValue()), name));
    }
    return new ConnectionAccess(name, schemas, roles.stream().anyMatch(UserRole::ownTables));
  }

  /** What several grants of a table come to. */
  private Granted sum(String user, int line, List<Granted> grants) {
    Granted sum = grants.getFirst();
    for (Granted next : grants) {
      if (grants.stream().allMatch(next::covers)) {
        return next;
      }
    }
    for (Granted next : grants.subList(1, grants.size())) {
      Granted added = added(sum, next);
      if (added == null) {
        throw refused(
            line,
            "User '%s' may read table '%s' by grants of other columns and other rows, which do not"
                    .formatted(user, sum.grant.table())
                + " add up; give them the same columns or the same rows.");
      }
      sum = added;
    }
    return sum;
  }

  private @Nullable Granted added(Granted one, Granted other) {
    if (one.covers(other)) {
      return one;
    }
    if (other.covers(one)) {
      return other;
    }
    if (one.columns.equals(other.columns)) {
      // Neither covers the other, so both have conditions.
      return new Granted(
          one.grant, one.columns, "(%s\n) OR (%s\n)".formatted(one.rows, other.rows));
    }
    if (Objects.equals(one.rows, other.rows)) {
      List<String> all = names(table(one.grant));
      return new Granted(
          one.grant,
          all.stream().filter(c -> one.columns.contains(c) || other.columns.contains(c)).toList(),
          one.rows);
    }
    return null;
  }
}
