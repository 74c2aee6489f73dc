package io.aragonite.adapter.sql;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * How large expressions become when the aliases in them are written out: {@code SELECT a + a AS b,
 * b + b AS c, c + c AS d} doubles with each column, and planning would not end.
 */
final class AliasGrowth extends SqlBasicVisitor<@Nullable Void> {
  private static final long MOST_PARTS = 20_000;

  private final SqlNameMatcher matcher;
  private final Predicate<String> isColumn;

  /** Parts of the columns before, by their names as the matcher takes them. */
  private final Map<String, Long> sizes = new HashMap<>();

  private long parts;

  /** Whether an alias is among the parts: a long text of one's own is no growth. */
  private boolean grown;

  private AliasGrowth(SqlNameMatcher matcher, Predicate<String> isColumn) {
    this.matcher = matcher;
    this.isColumn = isColumn;
  }

  /**
   * Looks at the columns and WHERE of a query.
   *
   * @param isColumn whether FROM, or that of a query around it, has a column of a name
   * @throws AragoniteException INVALID_STATEMENT for one that is too large
   */
  static void require(SqlSelect select, SqlNameMatcher matcher, Predicate<String> isColumn) {
    AliasGrowth growth = new AliasGrowth(matcher, isColumn);
    for (SqlNode column : select.getSelectList()) {
      growth.begin();
      if (column.getKind() == SqlKind.AS
          && ((SqlCall) column).operand(1) instanceof SqlIdentifier alias) {
        ((SqlCall) column).operand(0).accept(growth);
        growth.check(alias.getSimple());
        growth.sizes.putIfAbsent(growth.key(alias.getSimple()), growth.parts);
      } else {
        column.accept(growth);
        growth.check("SELECT");
      }
    }
    SqlNode where = select.getWhere();
    if (where != null && !growth.sizes.isEmpty()) {
      growth.begin();
      where.accept(growth);
      growth.check("WHERE");
    }
  }

  private void begin() {
    parts = 0;
    grown = false;
  }

  private void check(String place) {
    if (grown && parts > MOST_PARTS) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "With the columns before written out for their aliases, %s has more than %d parts; select some of them in a FROM item first."
              .formatted(place, MOST_PARTS));
    }
  }

  @Override
  public @Nullable Void visit(SqlIdentifier name) {
    parts += size(name);
    return null;
  }

  private long size(SqlIdentifier name) {
    Long size = name.isSimple() && !name.isStar() ? sizes.get(key(name.getSimple())) : null;
    if (size == null || isColumn.test(name.getSimple())) {
      return 1;
    }
    grown = true;
    return size;
  }

  private String key(String name) {
    return matcher.isCaseSensitive()
        ? name
        : name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
  }

  @Override
  public @Nullable Void visit(SqlCall call) {
    parts++;
    return call.getKind().belongsTo(SqlKind.QUERY) ? null : super.visit(call);
  }
}
