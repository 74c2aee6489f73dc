package io.aragonite.adapter;

import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.util.Util;

/** Parameter markers of statements. */
final class Markers {
  private Markers() {}

  /** Whether a statement has any. */
  static boolean in(SqlNode statement) {
    try {
      statement.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public Void visit(SqlDynamicParam parameter) {
              throw Util.FoundOne.NULL;
            }
          });
      return false;
    } catch (Util.FoundOne e) {
      return true;
    }
  }
}
