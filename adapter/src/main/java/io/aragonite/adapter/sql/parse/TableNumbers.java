package io.aragonite.adapter.sql.parse;

import static java.util.Objects.requireNonNull;

import io.aragonite.adapter.sql.SessionNames;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUserDefinedTypeNameSpec;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's {@code 't'::regclass}, the number that a table has in pg_class, and {@code
 * oid::regclass}, the name of the table of a number: queries of pg_class.
 */
final class TableNumbers {
  private static final String TABLES = "pg_class";
  private static final String SCHEMAS = "pg_namespace";

  private static final String NUMBER = "$oid";
  private static final String NAMED = "$relname";

  /** Names of whatever schema a connection begins with. */
  private static final Set<String> FIRST = Set.of("main", "public");

  private final SqlParserPos at;

  private TableNumbers(SqlParserPos at) {
    this.at = at;
  }

  /** What is written in the place of such a cast; null for what is none. */
  static @Nullable SqlNode of(SqlCall call) {
    if (call.getKind() != SqlKind.CAST) {
      return null;
    }
    SqlNode value = call.operand(0);
    if (isRegclass(call)) {
      return new TableNumbers(call.getParserPosition()).made(value);
    }
    boolean text =
        call.operand(1) instanceof SqlDataTypeSpec type
                && type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec known
                && List.of("VARCHAR", "CHAR").contains(known.getTypeName().getSimple())
            || isNamed(call, "TEXT");
    if (text
        && value instanceof SqlCall inner
        && inner.getKind() == SqlKind.CAST
        && isRegclass(inner)
        && inner.operand(0) instanceof SqlCharStringLiteral) {
      call.setOperand(0, inner.operand(0)); // the name that was written
    }
    return null;
  }

  private static boolean isRegclass(SqlCall cast) {
    return isNamed(cast, "REGCLASS");
  }

  private static boolean isNamed(SqlCall cast, String name) {
    return cast.operandCount() == 2
        && cast.operand(1) instanceof SqlDataTypeSpec type
        && type.getTypeNameSpec() instanceof SqlUserDefinedTypeNameSpec named
        && named.getTypeName().isSimple()
        && named.getTypeName().getSimple().toUpperCase(Locale.ROOT).equals(name);
  }

  private SqlNode made(SqlNode value) {
    if (value instanceof SqlCharStringLiteral text) {
      String[] path = requireNonNull(text.toValue()).replace("\"", "").split("\\.", -1);
      SqlNode condition = same("relname", SqlLiteral.createCharString(path[path.length - 1], at));
      if (path.length > 1 && !FIRST.contains(path[path.length - 2].toLowerCase(Locale.ROOT))) {
        SqlNode schema = SqlLiteral.createCharString(path[path.length - 2], at);
        SqlNode number = select(SCHEMAS, name("oid"), same("nspname", schema));
        condition = call(SqlStdOperatorTable.AND, condition, equal(name("relnamespace"), number));
      }
      return number(condition);
    }
    return value instanceof SqlDynamicParam ? number(same("relname", cast(value))) : tableOf(value);
  }

  /** Of tables of one name that of the first schema. */
  private SqlNode number(SqlNode condition) {
    return select(TABLES, call(SqlStdOperatorTable.MIN, name("oid")), condition);
  }

  private SqlNode select(String view, SqlNode column, SqlNode condition) {
    return Selects.of(at, SqlNodeList.of(column), name(SessionNames.PG_CATALOG, view), condition);
  }

  /** The name of a number, which may be a column of the same name as that of the view. */
  private SqlNode tableOf(SqlNode number) {
    SqlNodeList columns =
        SqlNodeList.of(as(name("oid"), name(NUMBER)), as(name("relname"), name(NAMED)));
    SqlNode tables = Selects.of(at, columns, name(SessionNames.PG_CATALOG, TABLES), null);
    return Selects.of(
        at, SqlNodeList.of(name(NAMED)), as(tables, name("$tables")), equal(name(NUMBER), number));
  }

  private SqlNode as(SqlNode node, SqlIdentifier name) {
    return call(SqlStdOperatorTable.AS, node, name);
  }

  private SqlNode same(String column, SqlNode text) {
    return equal(
        call(SqlStdOperatorTable.LOWER, name(column)), call(SqlStdOperatorTable.LOWER, text));
  }

  private SqlNode equal(SqlNode one, SqlNode other) {
    return call(SqlStdOperatorTable.EQUALS, one, other);
  }

  private SqlNode cast(SqlNode value) {
    return call(
        SqlStdOperatorTable.CAST,
        value,
        new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.VARCHAR, at), at));
  }

  private SqlNode call(SqlOperator operator, SqlNode... operands) {
    return operator.createCall(at, operands);
  }

  private SqlIdentifier name(String... names) {
    return new SqlIdentifier(Arrays.asList(names), at);
  }
}
