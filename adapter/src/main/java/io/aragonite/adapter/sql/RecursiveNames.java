package io.aragonite.adapter.sql;

import java.util.List;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Makes WITH RECURSIVE ready for Calcite's validator, which finds the name of the query only if it
 * is written alike, and gives a literal text of the first part the CHAR of its length, which later
 * rows would not fit. As in PostgreSQL names match whatever their case, and a literal is a text of
 * any length.
 */
public final class RecursiveNames extends SqlBasicVisitor<@Nullable Void> {
  private RecursiveNames() {}

  /** Changes the statement. */
  public static void prepare(SqlNode statement) {
    statement.accept(new RecursiveNames());
  }

  @Override
  public @Nullable Void visit(SqlCall call) {
    if (call instanceof SqlWith with) {
      for (SqlNode item : with.withList) {
        if (((SqlWithItem) item).recursive.booleanValue()) {
          with.accept(new Renamed(((SqlWithItem) item).name));
        }
      }
    }
    if (call instanceof SqlWithItem item && item.recursive.booleanValue()) {
      if (item.query.getKind() == SqlKind.UNION) {
        literals(((SqlCall) item.query).operand(0));
      }
    }
    return super.visit(call);
  }

  private static final class Renamed extends SqlBasicVisitor<@Nullable Void> {
    private final SqlIdentifier name;

    Renamed(SqlIdentifier name) {
      this.name = name;
    }

    @Override
    public @Nullable Void visit(SqlIdentifier id) {
      if (id.isSimple() && id.getSimple().equalsIgnoreCase(name.getSimple())) {
        id.setNames(List.of(name.getSimple()), List.of(id.getParserPosition()));
      }
      return null;
    }
  }

  private static void literals(SqlNode query) {
    if (query instanceof SqlSelect select) {
      varying(select.getSelectList());
    } else if (query instanceof SqlCall call) {
      switch (call.getKind()) {
        case UNION, INTERSECT, EXCEPT, VALUES ->
            call.getOperandList().forEach(RecursiveNames::literals);
        case ROW -> {
          for (int i = 0; i < call.operandCount(); i++) {
            call.setOperand(i, anyLength(call.operand(i)));
          }
        }
        default -> {}
      }
    }
  }

  private static void varying(SqlNodeList columns) {
    for (int i = 0; i < columns.size(); i++) {
      SqlNode column = columns.get(i);
      if (column instanceof SqlCall as && as.getKind() == SqlKind.AS) {
        as.setOperand(0, anyLength(as.operand(0)));
      } else {
        columns.set(i, anyLength(column));
      }
    }
  }

  private static SqlNode anyLength(SqlNode value) {
    return value instanceof SqlCharStringLiteral
        ? CastCalls.cast(value, SqlTypeName.VARCHAR)
        : value;
  }
}
