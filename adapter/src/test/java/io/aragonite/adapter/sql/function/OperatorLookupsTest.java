package io.aragonite.adapter.sql.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlNameMatchers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each name is looked for once, and found as it is in the table. */
class OperatorLookupsTest {
  private static final SqlNameMatcher ANY_CASE = SqlNameMatchers.withCaseSensitive(false);

  private final List<String> asked = new ArrayList<>();
  private final SqlOperatorTable lookups =
      new OperatorLookups(
          new SqlOperatorTable() {
            @Override
            public void lookupOperatorOverloads(
                SqlIdentifier name,
                @Nullable SqlFunctionCategory category,
                SqlSyntax syntax,
                List<SqlOperator> operators,
                SqlNameMatcher matcher) {
              asked.add(name + " " + syntax);
              SqlStdOperatorTable.instance()
                  .lookupOperatorOverloads(name, category, syntax, operators, matcher);
            }

            @Override
            public List<SqlOperator> getOperatorList() {
              return SqlStdOperatorTable.instance().getOperatorList();
            }
          });

  private List<SqlOperator> look(String name, SqlSyntax syntax, SqlNameMatcher matcher) {
    List<SqlOperator> found = new ArrayList<>(List.of(SqlStdOperatorTable.ROW));
    lookups.lookupOperatorOverloads(
        new SqlIdentifier(name, SqlParserPos.ZERO), null, syntax, found, matcher);
    assertEquals(SqlStdOperatorTable.ROW, found.removeFirst()); // what was there stays
    return found;
  }

  @Test
  void eachNameIsLookedForOnce() {
    for (int i = 0; i < 3; i++) {
      assertEquals(List.of(SqlStdOperatorTable.UPPER), look("UPPER", SqlSyntax.FUNCTION, ANY_CASE));
      assertEquals(List.of(), look("c0", SqlSyntax.FUNCTION, ANY_CASE)); // so is what is none
    }
    assertEquals(List.of("UPPER FUNCTION", "c0 FUNCTION"), asked);
  }

  @Test
  void whatIsAskedForInAnotherWayIsAnother() {
    assertTrue(look("-", SqlSyntax.BINARY, ANY_CASE).contains(SqlStdOperatorTable.MINUS));
    assertTrue(look("-", SqlSyntax.PREFIX, ANY_CASE).contains(SqlStdOperatorTable.UNARY_MINUS));
    assertEquals(List.of(SqlStdOperatorTable.UPPER), look("upper", SqlSyntax.FUNCTION, ANY_CASE));
    assertEquals(
        List.of(SqlStdOperatorTable.UPPER),
        look("upper", SqlSyntax.FUNCTION, SqlNameMatchers.withCaseSensitive(true)));
    assertEquals(4, asked.size());
    assertEquals(
        SqlStdOperatorTable.instance().getOperatorList().size(), lookups.getOperatorList().size());
  }
}
