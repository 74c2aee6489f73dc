package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.parse.SelectedUnnest;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT UNNEST(s) FROM t} of a struct: its fields are columns, {@code t.s.*}. The parser
 * has made a join with the elements of a list of it; of a list of one element it does nothing.
 */
final class UnnestedStruct {
  private final SqlNameMatcher names;
  private final Function<SqlNode, @Nullable RelDataType> rowType;

  /**
   * @param rowType the columns of an item of FROM
   */
  UnnestedStruct(SqlNameMatcher names, Function<SqlNode, @Nullable RelDataType> rowType) {
    this.names = names;
    this.rowType = rowType;
  }

  /** Changes a SELECT. */
  void resolve(SqlSelect select) {
    if (!(select.getFrom() instanceof SqlJoin join)
        || !SelectedUnnest.TABLE.equals(SqlValidatorUtil.alias(join.getRight()))) {
      return;
    }
    SqlCall unnest = StructColumns.unnest(join.getRight());
    SqlNode list = unnest == null ? null : unnest.operand(0);
    if (list instanceof SqlCall elements && elements.operandCount() == 1) {
      list = elements.operand(0);
    }
    List<String> path = list instanceof SqlIdentifier name ? struct(join.getLeft(), name) : null;
    if (unnest == null || list == null || path == null) {
      return;
    }
    SqlParserPos at = list.getParserPosition();
    unnest.setOperand(
        0,
        SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR.createCall(
            at, SqlLiteral.createBoolean(true, at)));
    List<String> star = new ArrayList<>(path);
    star.add("");
    SqlNodeList columns = select.getSelectList();
    columns.replaceAll(column -> {
      if (isElement(SqlUtil.stripAs(column))) {
        return new SqlIdentifier(star, column.getParserPosition());
      }
      requireNone(column);
      return column;
    });
  }

  private static boolean isElement(SqlNode node) {
    return node instanceof SqlIdentifier name && name.names.getFirst().equals(SelectedUnnest.TABLE);
  }

  private static void requireNone(SqlNode column) {
    column.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public @Nullable Void visit(SqlIdentifier name) {
            if (isElement(name)) {
              throw new AragoniteException(
                  ErrorCode.INVALID_STATEMENT,
                  "UNNEST of a struct has a column for each field, and stands in a column of its own; take a field of it: t.s.a (line %d, column %d)."
                      .formatted(
                          name.getParserPosition().getLineNum(),
                          name.getParserPosition().getColumnNum()));
            }
            return null;
          }
        });
  }

  /** The path to a struct with its table's name in front; null if the name is none of a struct. */
  private @Nullable List<String> struct(SqlNode from, SqlIdentifier name) {
    if (from instanceof SqlJoin join) {
      List<String> left = struct(join.getLeft(), name);
      return left == null ? struct(join.getRight(), name) : left;
    }
    String alias = SqlValidatorUtil.alias(from);
    RelDataType type = alias == null ? null : rowType.apply(from);
    if (alias == null || type == null) {
      return null;
    }
    boolean named = name.names.size() > 1 && names.matches(alias, name.names.getFirst());
    for (String part : named ? name.names.subList(1, name.names.size()) : name.names) {
      RelDataTypeField field = type.isStruct() ? names.field(type, part) : null;
      if (field == null) {
        return null;
      }
      type = field.getType();
    }
    if (!type.isStruct()) {
      return null;
    }
    List<String> path = new ArrayList<>(name.names);
    if (!named) {
      path.addFirst(alias);
    }
    return path;
  }
}
