package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.FunctionForms;
import io.aragonite.adapter.sql.function.NodeCopy;
import io.aragonite.adapter.sql.parse.AsofColumns;
import io.aragonite.adapter.sql.parse.OrderByAll;
import io.aragonite.adapter.sql.parse.SelectedUnnest;
import io.aragonite.adapter.sql.parse.TokenForms;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
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
import org.apache.calcite.sql.util.SqlShuttle;
import org.apache.calcite.sql.validate.SqlValidatorUtil;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * {@code COLUMNS(*)}, {@code COLUMNS(t.*)} and {@code COLUMNS('pattern')} in a SELECT list or in
 * WHERE: the column around them, or the condition, stands once for each column of FROM or of a
 * table, or for each whose name has the pattern in it. All conditions are to hold.
 */
final class ColumnsExpansion {
  private static final String NAME = "COLUMNS";

  private final Function<SqlNode, @Nullable RelDataType> rowType;
  private final UsingColumns using;

  /** A column of FROM, and what it stands for. */
  record StarColumn(String name, SqlNode value) {}

  /**
   * @param rowType the columns of an item of FROM
   */
  ColumnsExpansion(Function<SqlNode, @Nullable RelDataType> rowType, UsingColumns using) {
    this.rowType = rowType;
    this.using = using;
  }

  /** Changes the list and the condition of a SELECT. */
  void expand(SqlSelect select) {
    SqlNodeList columns = select.getSelectList();
    SqlNodeList expanded = new SqlNodeList(columns.getParserPosition());
    for (SqlNode column : columns) {
      expanded.addAll(expanded(column, select));
    }
    if (expanded.size() != columns.size() || !expanded.getList().equals(columns.getList())) {
      select.setSelectList(expanded);
    }
    if (select.getWhere() != null) {
      select.setWhere(condition(select.getWhere(), select.getFrom()));
    }
  }

  private SqlNode condition(SqlNode condition, @Nullable SqlNode from) {
    SqlCall call = call(condition);
    if (call == null || isNumber(call)) {
      return condition;
    }
    SqlParserPos at = condition.getParserPosition();
    if (condition.getKind() == SqlKind.AND) {
      return ((SqlCall) condition)
          .getOperandList().stream()
              .map(part -> condition(part, from))
              .reduce((left, right) -> SqlStdOperatorTable.AND.createCall(at, left, right))
              .orElse(condition);
    }
    return each(condition, call, from).stream()
        .map(SqlUtil::stripAs)
        .map(part -> condition(part, from))
        .reduce((left, right) -> SqlStdOperatorTable.AND.createCall(at, left, right))
        .orElse(condition);
  }

  private List<SqlNode> expanded(SqlNode column, SqlSelect select) {
    SqlIdentifier modified = StarModifiers.star(column);
    if (modified != null) {
      return select.getFrom() != null
              && (UsingColumns.hasCommon(select.getFrom())
                  || StarModifiers.hasMarks(column)
                  || select.getOrderList() != null && OrderByAll.is(select.getOrderList()))
          ? StarModifiers.modified(
              (SqlCall) column,
              star(modified, select.getFrom()),
              modified.names.size() == 1 ? own(select.getFrom()) : List.of())
          : List.of(column);
    }
    SqlCall call = call(column);
    if (call == null) {
      boolean star =
          column instanceof SqlIdentifier name && name.isStar() && name.names.size() == 1;
      if (star && hasAsofColumns(select.getFrom())) {
        return all(select, column.getParserPosition(), false);
      }
      return star && using.comparesValues(select.getFrom())
          ? all(select, column.getParserPosition(), true)
          : List.of(column);
    }
    return isNumber(call)
        ? expanded(numbered(column, select), select)
        : each(column, call, select.getFrom()).stream()
            .flatMap(each -> expanded(each, select).stream())
            .toList();
  }

  /** How many columns a SELECT has; -1: its list has a form that is not known here. */
  int count(SqlSelect select) {
    int count = 0;
    for (SqlNode column : select.getSelectList()) {
      if (!(column instanceof SqlIdentifier star) || !star.isStar()) {
        if (column.getClass().getSimpleName().startsWith("SqlStar")) {
          return -1;
        }
        count++;
      } else if (star.names.size() <= 2 && select.getFrom() != null) {
        String table = star.names.size() == 1 ? null : star.names.getFirst();
        count += columns(select.getFrom(), table, star.getParserPosition()).size();
      } else {
        return -1;
      }
    }
    return count;
  }

  private static boolean hasAsofColumns(@Nullable SqlNode from) {
    return from instanceof SqlJoin join
        && (!AsofColumns.of(join).isEmpty()
            || hasAsofColumns(join.getLeft())
            || hasAsofColumns(join.getRight()));
  }

  /** The columns of a star, those of USING once, and first if they shall be. */
  private List<SqlNode> all(SqlSelect select, SqlParserPos at, boolean first) {
    List<SqlNode> all = new ArrayList<>();
    for (StarColumn column : columns(Objects.requireNonNull(select.getFrom()), null, at, first)) {
      all.add(named(column, at));
    }
    return all;
  }

  /** Of all tables, common columns first as Calcite has them; or of the star's table. */
  private List<StarColumn> star(SqlIdentifier star, SqlNode from) {
    SqlParserPos at = star.getParserPosition();
    return star.names.size() == 1
        ? columns(from, null, at, true)
        : columns(from, star.names.get(star.names.size() - 2), at);
  }

  /** The columns of all tables, those of USING as often as they are there. */
  private List<StarColumn> own(SqlNode from) {
    if (!(from instanceof SqlJoin join)) {
      return ofTable(from, null, from.getParserPosition());
    }
    List<StarColumn> columns = new ArrayList<>(own(join.getLeft()));
    columns.addAll(own(join.getRight()));
    return columns;
  }

  static SqlNode named(StarColumn column, SqlParserPos at) {
    return column.value instanceof SqlIdentifier
        ? column.value
        : SqlStdOperatorTable.AS.createCall(at, column.value, new SqlIdentifier(column.name, at));
  }

  /** With columns of FROM in place of {@code #1}. */
  private SqlNode numbered(SqlNode column, SqlSelect select) {
    if (column instanceof SqlCall call && isNumber(call)) {
      return named(column(call, select), call.getParserPosition());
    }
    SqlNode made =
        column.accept(
            new SqlShuttle() {
              @Override
              public @Nullable SqlNode visit(SqlCall call) {
                return isNumber(call)
                    ? column(call, select).value
                    : call.getKind().belongsTo(SqlKind.QUERY) ? call : super.visit(call);
              }
            });
    return made == null ? column : made;
  }

  private static boolean isNumber(SqlCall call) {
    return call.getOperator().getName().equals(TokenForms.COLUMN_NUMBER);
  }

  private StarColumn column(SqlCall call, SqlSelect select) {
    int number = ((SqlLiteral) call.operand(0)).intValue(true);
    List<StarColumn> columns =
        select.getFrom() == null
            ? List.of()
            : columns(select.getFrom(), null, call.getParserPosition());
    if (number < 1 || number > columns.size()) {
      throw FunctionForms.invalid(
          call, "There is no column #%d; FROM has %d".formatted(number, columns.size()));
    }
    return columns.get(number - 1);
  }

  /** The first COLUMNS or number of a column outside of subqueries; null if there is none. */
  private static @Nullable SqlCall call(SqlNode column) {
    try {
      column.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
              if (isColumns(call) || isNumber(call)) {
                throw new Util.FoundOne(call);
              }
              return call.getKind().belongsTo(SqlKind.QUERY) ? null : super.visit(call);
            }
          });
      return null;
    } catch (Util.FoundOne e) {
      return (SqlCall) e.getNode();
    }
  }

  private static boolean isColumns(SqlCall call) {
    return call.getOperator() instanceof SqlFunction
        && call.getOperator().getName().equalsIgnoreCase(NAME)
        && call.operandCount() == 1;
  }

  private List<SqlNode> each(SqlNode column, SqlCall call, @Nullable SqlNode from) {
    List<String> listed = listed(call);
    String pattern = listed.isEmpty() ? pattern(call) : null;
    String table = table(call);
    List<SqlNode> made = new ArrayList<>();
    List<StarColumn> all =
        from == null ? List.of() : columns(from, table, call.getParserPosition());
    requireKnown(call, all);
    for (String name : listed) {
      if (all.stream().noneMatch(each -> each.name.equalsIgnoreCase(name))) {
        throw FunctionForms.invalid(call, "COLUMNS has a column that is not there: " + name);
      }
    }
    for (StarColumn each : all) {
      boolean unlisted =
          !listed.isEmpty() && listed.stream().noneMatch(each.name::equalsIgnoreCase);
      if (unlisted
          || pattern != null && !matches(call, pattern, each.name)
          || isExcluded(call, each.name)) {
        continue;
      }
      SqlNode value = Objects.requireNonNull(column.accept(new Replacement(call, each.value)));
      boolean named = value.getKind() == SqlKind.AS;
      made.add(
          named
              ? value
              : SqlStdOperatorTable.AS.createCall(
                  call.getParserPosition(),
                  value,
                  new SqlIdentifier(each.name, call.getParserPosition())));
    }
    if (made.isEmpty()) {
      throw FunctionForms.invalid(call, "No column of FROM is meant by " + call);
    }
    return made;
  }

  /** Null for a star. */
  private static @Nullable String pattern(SqlCall call) {
    SqlNode operand = call.operand(0);
    if (operand instanceof SqlIdentifier name && name.isStar() || excluding(call) != null) {
      return null;
    }
    if (operand instanceof SqlLiteral literal && literal.getValue() instanceof NlsString text) {
      return text.getValue();
    }
    throw FunctionForms.invalid(
        call,
        "COLUMNS takes *, * EXCLUDE (x), a regular expression as a literal, ['a', 'b'], or c -> c"
            + " LIKE 'a%'");
  }

  /** The names in {@code COLUMNS(['a', 'b'])}; empty of others. */
  private static List<String> listed(SqlCall call) {
    List<String> names = new ArrayList<>();
    if (call.operand(0).getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR) {
      for (SqlNode name : ((SqlCall) call.operand(0)).getOperandList()) {
        if (name instanceof SqlLiteral literal && literal.getValue() instanceof NlsString text) {
          names.add(text.getValue());
        } else {
          return List.of();
        }
      }
    }
    return names;
  }

  /** The names in {@code COLUMNS(* EXCLUDE (x))}; null of others. */
  private static @Nullable SqlCall excluding(SqlCall call) {
    return call.operand(0) instanceof SqlCall names
            && names.getOperator().getName().equals(TokenForms.EXCLUDED)
        ? names
        : null;
  }

  private static void requireKnown(SqlCall call, List<StarColumn> all) {
    SqlCall names = excluding(call);
    for (SqlNode name : names == null ? List.<SqlNode>of() : names.getOperandList()) {
      if (all.stream().noneMatch(each -> isNamed(name, each.name))) {
        throw FunctionForms.invalid(
            call, "COLUMNS(* EXCLUDE ...) has a column that is not there: " + name);
      }
    }
  }

  private static boolean isNamed(SqlNode node, String name) {
    return node instanceof SqlIdentifier column && Util.last(column.names).equalsIgnoreCase(name);
  }

  private static boolean isExcluded(SqlCall call, String name) {
    SqlCall names = excluding(call);
    return names != null && names.getOperandList().stream().anyMatch(each -> isNamed(each, name));
  }

  private static boolean matches(SqlCall call, String pattern, String name) {
    try {
      return Pattern.compile(pattern).matcher(name).find();
    } catch (PatternSyntaxException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_REGEX,
          "'%s' is no regular expression: %s.".formatted(pattern, e.getDescription()),
          e);
    }
  }

  /** The table of {@code COLUMNS(t.*)}; null if all are meant. */
  private static @Nullable String table(SqlCall call) {
    if (!(call.operand(0) instanceof SqlIdentifier star) || star.names.size() == 1) {
      return null;
    }
    if (star.names.size() > 2) {
      throw FunctionForms.invalid(
          call, "COLUMNS takes a star with at most the name of a table before it");
    }
    return star.names.getFirst();
  }

  /**
   * Columns in their order; those of USING and NATURAL once, where the left ones are.
   *
   * @param table whose they are; null: all
   */
  private List<StarColumn> columns(SqlNode from, @Nullable String table, SqlParserPos at) {
    return columns(from, table, at, false);
  }

  /**
   * The same.
   *
   * @param first whether those of USING and NATURAL come first, but for ASOF joins
   */
  private List<StarColumn> columns(
      SqlNode from, @Nullable String table, SqlParserPos at, boolean first) {
    if (!(from instanceof SqlJoin join)) {
      return ofTable(from, table, at);
    }
    List<StarColumn> columns = new ArrayList<>(columns(join.getLeft(), table, at, first));
    List<StarColumn> right = columns(join.getRight(), table, at, first);
    if (table != null) {
      columns.addAll(right);
      return columns;
    }
    List<String> shared =
        join.isNatural()
            ? columns.stream().map(StarColumn::name).toList()
            : UsingColumns.listed(join);
    for (StarColumn column : right) {
      int place =
          shared.stream().anyMatch(column.name::equalsIgnoreCase)
              ? place(columns, column.name)
              : -1;
      if (place < 0) {
        columns.add(column);
      } else {
        StarColumn left = columns.get(place);
        columns.set(
            place,
            new StarColumn(left.name, UsingColumns.common(join, left.value, column.value, at)));
      }
    }
    return first && AsofColumns.of(join).isEmpty() ? inFront(shared, right, columns) : columns;
  }

  /** With the columns in front that both sides share. */
  private static List<StarColumn> inFront(
      List<String> shared, List<StarColumn> right, List<StarColumn> columns) {
    List<StarColumn> ordered = new ArrayList<>();
    for (String name : shared) {
      if (place(right, name) >= 0) {
        ordered.add(columns.remove(place(columns, name)));
      }
    }
    ordered.addAll(columns);
    return ordered;
  }

  private static int place(List<StarColumn> columns, String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name.equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }

  private List<StarColumn> ofTable(SqlNode from, @Nullable String wanted, SqlParserPos at) {
    String table = SqlValidatorUtil.alias(from);
    if (SelectedUnnest.TABLE.equals(table)
        || wanted != null && !wanted.equalsIgnoreCase(table == null ? "" : table)) {
      return List.of();
    }
    RelDataType columns = rowType.apply(from);
    if (columns == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "COLUMNS cannot be had of this FROM; put it into a subquery with a name.");
    }
    List<StarColumn> made = new ArrayList<>();
    for (String column : columns.getFieldNames()) {
      List<String> path = table == null ? List.of(column) : List.of(table, column);
      made.add(new StarColumn(column, new SqlIdentifier(path, at)));
    }
    return made;
  }

  /** A copy with a column in place of the same calls. */
  private static final class Replacement extends SqlShuttle {
    private final SqlCall wanted;
    private final SqlNode column;

    Replacement(SqlCall wanted, SqlNode column) {
      this.wanted = wanted;
      this.column = column;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
      if (isColumns(call)) {
        if (!call.toString().equals(wanted.toString())) {
          throw FunctionForms.invalid(call, "A column has one COLUMNS; all of it are the same");
        }
        return column.accept(new NodeCopy());
      }
      if (call.getKind().belongsTo(SqlKind.QUERY)) {
        return call; // a copy would have no scope
      }
      CallCopyingArgHandler handler = new CallCopyingArgHandler(call, true);
      call.getOperator().acceptCall(this, call, false, handler);
      return handler.result();
    }
  }
}
