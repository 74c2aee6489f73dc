package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.AggregateNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * {@code SELECT t.s.a FROM t GROUP BY s}: a field of a struct that rows are grouped by. Calcite
 * takes it for a column that they are not grouped by, so it becomes {@code t.s['a']}.
 */
final class GroupedStructs extends SqlShuttle {
  private final List<SqlIdentifier> keys;
  private final SqlNameMatcher names;
  private final Function<String, @Nullable RelDataType> structs;

  private GroupedStructs(
      List<SqlIdentifier> keys,
      SqlNameMatcher names,
      Function<String, @Nullable RelDataType> structs) {
    this.keys = keys;
    this.names = names;
    this.structs = structs;
  }

  /**
   * Changes fields in a SELECT whose columns have the names of their tables in front.
   *
   * @param structs the type of FROM's column of a name that is a struct; null if there is none
   */
  static void resolve(
      SqlSelect select, SqlNameMatcher names, Function<String, @Nullable RelDataType> structs) {
    List<SqlIdentifier> keys = new ArrayList<>();
    if (select.getGroup() != null) {
      select.getGroup().forEach(key -> add(key, select.getSelectList(), names, keys));
    }
    if (keys.isEmpty()) {
      return;
    }
    GroupedStructs fields = new GroupedStructs(keys, names, structs);
    SqlNodeList columns = fields.expanded(select.getSelectList());
    select.setSelectList(columns);
    columns.replaceAll(column -> {
      SqlNode changed = fields.changed(column);
      return column instanceof SqlIdentifier field && !(changed instanceof SqlIdentifier)
          ? SqlStdOperatorTable.AS.createCall(
              field.getParserPosition(),
              changed,
              new SqlIdentifier(field.names.getLast(), field.getParserPosition()))
          : changed;
    });
    if (select.getHaving() != null) {
      select.setHaving(fields.changed(select.getHaving()));
    }
    if (select.getQualify() != null) {
      select.setQualify(fields.changed(select.getQualify()));
    }
    if (select.getOrderList() != null) {
      select.getOrderList().replaceAll(fields::changed);
    }
  }

  private static void add(
      SqlNode key, SqlNodeList columns, SqlNameMatcher names, List<SqlIdentifier> keys) {
    switch (key) {
      case SqlNodeList list -> list.forEach(part -> add(part, columns, names, keys));
      case SqlIdentifier name -> {
        keys.add(name);
        columns.stream()
            .filter(column ->
                column.getKind() == SqlKind.AS
                    && name.isSimple()
                    && names.matches(((SqlCall) column).operand(1).toString(), name.getSimple()))
            .map(SqlUtil::stripAs)
            .filter(SqlIdentifier.class::isInstance)
            .forEach(column -> keys.add((SqlIdentifier) column));
      }
      case SqlNumericLiteral number when number.isInteger() -> {
        int place = number.intValue(false);
        if (place >= 1
            && place <= columns.size()
            && SqlUtil.stripAs(columns.get(place - 1)) instanceof SqlIdentifier name
            && !name.isStar()) {
          keys.add(name);
        }
      }
      case SqlCall sets ->
          sets.getOperandList().stream()
              .filter(Objects::nonNull)
              .forEach(part -> add(part, columns, names, keys));
      default -> {}
    }
  }

  /** The columns with the fields of a struct in place of {@code t.s.*}. */
  private SqlNodeList expanded(SqlNodeList columns) {
    SqlNodeList expanded = new SqlNodeList(columns.getParserPosition());
    for (SqlNode column : columns) {
      RelDataType struct = column instanceof SqlIdentifier star ? struct(star) : null;
      if (struct == null) {
        expanded.add(column);
        continue;
      }
      SqlIdentifier star = (SqlIdentifier) column;
      for (RelDataTypeField field : struct.getFieldList()) {
        List<String> path = new ArrayList<>(star.names.subList(0, star.names.size() - 1));
        path.add(field.getName());
        expanded.add(new SqlIdentifier(path, star.getParserPosition()));
      }
    }
    return expanded;
  }

  /** The type whose fields {@code t.s.*} has, if rows are grouped by {@code s}; else null. */
  private @Nullable RelDataType struct(SqlIdentifier star) {
    int end = star.names.size() - 1;
    if (!star.isStar()
        || end < 2
        || keys.stream().noneMatch(key -> isColumn(key, star) || begins(key, star))) {
      return null;
    }
    RelDataType type = structs.apply(star.names.get(1));
    for (String part : star.names.subList(2, end)) {
      RelDataTypeField field = type == null ? null : names.field(type, part);
      type = field == null ? null : field.getType();
    }
    return type != null && type.isStruct() ? type : null;
  }

  private SqlNode changed(SqlNode node) {
    return Objects.requireNonNull(node.accept(this));
  }

  /** An aggregate is of rows, but one of a window is of groups. */
  @Override
  public @Nullable SqlNode visit(SqlCall call) {
    if (call.getKind().belongsTo(SqlKind.QUERY) || AggregateNames.isAggregate(call)) {
      return call;
    }
    if (call.getKind() == SqlKind.OVER && call.operand(0) instanceof SqlCall function) {
      for (int i = 0; i < function.operandCount(); i++) {
        SqlNode operand = function.operand(i);
        if (operand != null) {
          function.setOperand(i, changed(operand));
        }
      }
    }
    return super.visit(call);
  }

  @Override
  public SqlNode visit(SqlIdentifier name) {
    for (SqlIdentifier key : keys) {
      int struct = isColumn(key, name) ? 2 : begins(key, name) ? key.names.size() : 0;
      if (struct > 0 && struct < name.names.size() && !name.isStar()) {
        return field(name, struct);
      }
    }
    return name;
  }

  private boolean isColumn(SqlIdentifier key, SqlIdentifier name) {
    return key.isSimple()
        && name.names.size() > 2
        && names.matches(name.names.get(1), key.getSimple())
        && structs.apply(key.getSimple()) != null;
  }

  private boolean begins(SqlIdentifier key, SqlIdentifier name) {
    int parts = key.names.size();
    if (parts < 2 || name.names.size() <= parts || key.isStar()) {
      return false;
    }
    for (int i = 0; i < parts; i++) {
      if (!names.matches(key.names.get(i), name.names.get(i))) {
        return false;
      }
    }
    return structs.apply(key.names.get(1)) != null;
  }

  /** {@code t.s['a']['b']} for {@code t.s.a.b}. */
  private static SqlNode field(SqlIdentifier name, int struct) {
    SqlNode value = name.getComponent(0, struct);
    for (int i = struct; i < name.names.size(); i++) {
      SqlParserPos at = name.getComponentParserPosition(i);
      SqlNode field = SqlLiteral.createCharString(name.names.get(i), at);
      value = SqlStdOperatorTable.ITEM.createCall(at, value, field);
    }
    return value;
  }
}
