package io.aragonite.adapter.sql.function;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * The operators of a table while one statement is validated: each name is looked for once.
 * Calcite's validator asks several times for the name of each column and function, and a connection
 * looks into all its schemas each time. For one thread.
 */
public final class OperatorLookups implements SqlOperatorTable {
  private final SqlOperatorTable table;
  private final Map<Lookup, List<SqlOperator>> found = new HashMap<>();

  private record Lookup(
      List<String> names,
      @Nullable SqlFunctionCategory category,
      SqlSyntax syntax,
      boolean caseSensitive) {}

  /**
   * @param table whose operators do not change meanwhile
   */
  public OperatorLookups(SqlOperatorTable table) {
    this.table = table;
  }

  @Override
  public void lookupOperatorOverloads(
      SqlIdentifier name,
      @Nullable SqlFunctionCategory category,
      SqlSyntax syntax,
      List<SqlOperator> operators,
      SqlNameMatcher matcher) {
    Lookup lookup = new Lookup(name.names, category, syntax, matcher.isCaseSensitive());
    List<SqlOperator> known = found.get(lookup);
    if (known == null) {
      List<SqlOperator> met = new ArrayList<>();
      table.lookupOperatorOverloads(name, category, syntax, met, matcher);
      known = List.copyOf(met);
      found.put(lookup, known);
    }
    operators.addAll(known);
  }

  @Override
  public List<SqlOperator> getOperatorList() {
    return table.getOperatorList();
  }
}
