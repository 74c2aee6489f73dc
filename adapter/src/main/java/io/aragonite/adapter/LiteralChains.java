package io.aragonite.adapter;

import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlLiteralChainOperator;
import org.apache.calcite.sql2rel.SqlRexContext;
import org.apache.calcite.sql2rel.SqlRexConvertlet;
import org.apache.calcite.sql2rel.SqlRexConvertletTable;
import org.apache.calcite.util.NlsString;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's convertlets, but a text literal in pieces ({@code _latin1'a' 'b'} over two lines) gets
 * the type that the validator has given it, which is of the default character set. Calcite's own
 * gives it that of the first piece, and then finds that the types differ.
 */
record LiteralChains(SqlRexConvertletTable table) implements SqlRexConvertletTable {
  @Override
  public @Nullable SqlRexConvertlet get(SqlCall call) {
    return call.getKind() == SqlKind.LITERAL_CHAIN ? LiteralChains::convert : table.get(call);
  }

  private static RexNode convert(SqlRexContext context, SqlCall chain) {
    RelDataType type = context.getValidator().getValidatedNodeType(chain);
    return SqlLiteralChainOperator.concatenateOperands(chain).getValue() instanceof NlsString text
        ? context.getRexBuilder().makeLiteral(text.getValue(), type, false)
        : context.convertLiteral(SqlLiteralChainOperator.concatenateOperands(chain));
  }
}
