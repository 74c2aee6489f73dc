package io.aragonite.adapter.sql.parse;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/** {@code ORDER BY ALL} of a query with a star, whose columns the parser does not know. */
public final class OrderByAll {
  private OrderByAll() {}

  /** Whether an ORDER BY is by all columns. */
  public static boolean is(SqlNodeList orders) {
    return orders.size() == 1 && QueryForms.isAll(QueryForms.expression(orders.get(0)));
  }

  /** Puts the numbers of so many columns in its place. */
  public static void expand(SqlNodeList orders, int columns) {
    SqlNode all = orders.get(0);
    List<SqlNode> numbers = new ArrayList<>();
    for (int i = 1; i <= columns; i++) {
      numbers.add(
          QueryForms.modified(
              all, SqlLiteral.createExactNumeric(String.valueOf(i), all.getParserPosition())));
    }
    orders.clear();
    orders.addAll(numbers);
  }
}
