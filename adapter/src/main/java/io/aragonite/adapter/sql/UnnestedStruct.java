package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.parse.SelectedUnnest;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
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
    if (unnest != null
        && list instanceof SqlCall places
        && places.getOperator().getName().equals("GENERATE_SERIES")) {
      ofSeveral(select, join.getLeft(), places);
      return;
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
    SqlNodeList columns = select.getSelectList();
    columns.replaceAll(column -> {
      if (isElement(SqlUtil.stripAs(column))) {
        return star(path, column);
      }
      requireNone(column);
      return column;
    });
  }

  private static SqlIdentifier star(List<String> path, SqlNode column) {
    List<String> star = new ArrayList<>(path);
    star.add("");
    return new SqlIdentifier(star, column.getParserPosition());
  }

  /**
   * Of structs beside lists: the places are those of the lists alone, and a struct stands beside
   * each.
   */
  private void ofSeveral(SqlSelect select, SqlNode from, SqlCall places) {
    if (!(places.operand(1) instanceof SqlCall greatest)) {
      return;
    }
    List<SqlNode> sizes = new ArrayList<>();
    Map<String, List<String>> structs = new HashMap<>();
    for (SqlNode size : greatest.getOperandList()) {
      SqlIdentifier name = sized(size);
      List<String> path = name == null ? null : struct(from, name);
      if (name == null || path == null) {
        sizes.add(size);
      } else {
        structs.put(name.toString(), path);
      }
    }
    if (structs.isEmpty()) {
      return;
    }
    places.setOperand(
        1,
        sizes.isEmpty()
            ? places.operand(0)
            : sizes.size() == 1
                ? sizes.getFirst()
                : greatest.getOperator().createCall(greatest.getParserPosition(), sizes));
    select
        .getSelectList()
        .replaceAll(column -> {
          SqlNode value = SqlUtil.stripAs(column);
          boolean element =
              value.getKind() == SqlKind.ITEM && isElement(((SqlCall) value).operand(1));
          List<String> path = element ? structs.get(((SqlCall) value).operand(0).toString()) : null;
          return path == null ? column : star(path, column);
        });
  }

  /** The name whose CARDINALITY a size is of; null if it is that of an expression. */
  private static @Nullable SqlIdentifier sized(SqlNode size) {
    @Nullable SqlIdentifier[] name = new SqlIdentifier[1];
    size.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public @Nullable Void visit(SqlCall call) {
            if (call.getOperator().equals(SqlStdOperatorTable.CARDINALITY)) {
              name[0] = call.operand(0) instanceof SqlIdentifier column ? column : null;
              return null;
            }
            return super.visit(call);
          }
        });
    return name[0];
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
