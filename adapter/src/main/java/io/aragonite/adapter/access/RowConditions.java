package io.aragonite.adapter.access;

import io.aragonite.adapter.catalog.CatalogTable;
import io.aragonite.adapter.catalog.ConnectionAccess.RowCondition;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.sql.parse.StatementParser;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.rules.runtime.GpuQuery;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.calcite.avatica.AvaticaPreparedStatement;
import org.apache.calcite.config.CalciteConnectionConfig;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.parser.SqlParserUtil;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Conditions of grants, as expressions over stored columns. They are read by a connection with all
 * rights and the settings of the server, so that no setting of a client changes what they mean.
 */
final class RowConditions {
  private static final Set<String> USER =
      Set.of("CURRENT_USER", "USER", "SESSION_USER", "SYSTEM_USER");

  /** Names that stand in a text of SQL as they are, however it is read. */
  private static final Pattern PLAIN_NAME = Pattern.compile("[^'\"\\\\\\p{Cntrl}]*");

  private record Key(List<String> table, String condition) {}

  private final Connection connection;

  /** The ones used last: tokens bring users of any number. */
  private final Map<Key, RowCondition> known;

  /**
   * @param most how many are kept
   */
  RowConditions(Connection connection, int most) {
    this.connection = connection;
    known =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Key, RowCondition> eldest) {
            return size() > most;
          }
        };
  }

  /** How many are kept now. */
  int size() {
    return known.size();
  }

  /** A place in a text. */
  private record Place(int begin, int end) {}

  /**
   * The condition of a grant for a user.
   *
   * @throws AragoniteException SERVER_REFUSED if it is none that tells of each row by itself
   * @throws SQLException if it cannot be read
   */
  RowCondition of(List<String> path, CatalogTable table, String condition, String user)
      throws SQLException {
    String own = withUser(condition, user);
    Key key = new Key(path, own);
    RowCondition done = known.get(key);
    if (done == null) {
      done = planned(path, table, own);
      known.put(key, done);
    }
    return done;
  }

  /** The condition with the user's name in the place of CURRENT_USER. */
  private String withUser(String condition, String user) throws SQLException {
    List<Place> places = new ArrayList<>();
    parsed(condition)
        .accept(
            new SqlBasicVisitor<@Nullable Void>() {
              @Override
              public @Nullable Void visit(SqlIdentifier name) {
                if (name.isSimple()
                    && !name.isComponentQuoted(0)
                    && USER.contains(name.getSimple().toUpperCase(Locale.ROOT))) {
                  SqlParserPos at = name.getParserPosition();
                  places.add(
                      new Place(
                          SqlParserUtil.lineColToIndex(
                              condition, at.getLineNum(), at.getColumnNum()),
                          SqlParserUtil.lineColToIndex(
                                  condition, at.getEndLineNum(), at.getEndColumnNum())
                              + 1));
                }
                return null;
              }
            });
    if (!places.isEmpty() && !PLAIN_NAME.matcher(user).matches()) {
      throw refused("CURRENT_USER cannot stand for a name with a quote or a backslash in it.");
    }
    StringBuilder text = new StringBuilder(condition);
    places.sort(Comparator.comparingInt(Place::begin).reversed());
    places.forEach(
        place -> text.replace(place.begin, place.end, "CAST('" + user + "' AS VARCHAR)"));
    return text.toString();
  }

  private SqlNode parsed(String condition) throws SQLException {
    CalciteConnectionConfig config = connection.unwrap(CalciteConnection.class).config();
    SqlParser.Config parser =
        SqlParser.config()
            .withQuotedCasing(config.quotedCasing())
            .withUnquotedCasing(config.unquotedCasing())
            .withQuoting(config.quoting())
            .withConformance(config.conformance())
            .withCaseSensitive(config.caseSensitive());
    try {
      return SqlParser.create(condition, StatementParser.in(parser)).parseExpression();
    } catch (SqlParseException e) {
      String sentence = String.valueOf(e.getMessage());
      throw refused("it cannot be read: " + sentence.lines().findFirst().orElse(""));
    }
  }

  private RowCondition planned(List<String> path, CatalogTable table, String condition)
      throws SQLException {
    String quote = connection.getMetaData().getIdentifierQuoteString();
    String end = quote.equals("[") ? "]" : quote;
    List<String> quoted =
        path.stream().map(name -> quote + name.replace(end, end + end) + end).toList();
    String sql = "SELECT (%s\n) FROM %s".formatted(condition, String.join(".", quoted));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      PreparedPlan plan =
          statement.unwrap(AvaticaPreparedStatement.class).handle.signature
                  instanceof ExecutionSignature<?> signature
              ? signature.plan()
              : null;
      GpuQuery query = plan == null ? null : plan.query();
      if (plan == null || query == null || !query.hostFunctions().isEmpty()) {
        throw refused(
            query == null
                ? "the engine has no operation for it."
                : "the engine has no operation for " + String.join(", ", query.hostFunctions()));
      }
      if (!plan.cacheable()) {
        throw refused("it depends on the moment.");
      }
      return condition(table, query.plan());
    }
  }

  private static RowCondition condition(CatalogTable table, PhysicalPlan plan) {
    PhysicalPlan rows = plan;
    Expr condition = null;
    if (plan instanceof PhysicalPlan.Project project) {
      rows = project.input();
      condition = project.expressions().getFirst();
    } else if (plan.types().size() == 1) {
      condition = plan.references().getFirst();
    }
    if (!(rows instanceof PhysicalPlan.Scan scan)
        || condition == null
        || scan.table() != table.data()) {
      throw refused("it is to say of each row by itself whether it is granted.");
    }
    if (condition.type().kind() != TypeKind.BOOLEAN || !isPlain(condition)) {
      throw refused("it is to be true or false of a row, and of nothing but its columns.");
    }
    List<DataType> types = table.data().columnTypes();
    return new RowCondition(table.data().columnNames(), types, scan.columns(), condition);
  }

  /** Whether it depends on columns alone. */
  private static boolean isPlain(Expr expr) {
    return switch (expr) {
      case Expr.InputRef _, Expr.Literal _ -> true;
      case Expr.Call call -> call.args().stream().allMatch(RowConditions::isPlain);
      case Expr.Parameter _, Expr.HostFunctionCall _, Expr.KeyWord _ -> false;
    };
  }

  private static AragoniteException refused(String sentence) {
    return new AragoniteException(ErrorCode.SERVER_REFUSED, sentence);
  }
}
