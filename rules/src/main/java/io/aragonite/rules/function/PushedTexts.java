package io.aragonite.rules.function;

import java.util.List;
import org.apache.calcite.adapter.jdbc.JdbcConvention;
import org.apache.calcite.plan.ConventionTraitDef;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlWriter;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.NlsString;

/**
 * Texts in what another database is asked: without a character set. Calcite writes it before each
 * text that is not of the process's default one, and ours are UTF-8: few databases know {@code
 * _UTF-8'x'}.
 */
public final class PushedTexts extends RexShuttle {
  private static final SqlFunction PLAIN = new Plain();

  private final RexBuilder rexBuilder;

  private PushedTexts(RexBuilder rexBuilder) {
    this.rexBuilder = rexBuilder;
  }

  /** The same plan, ready for Calcite to write the SQL of its parts that are pushed down. */
  public static RelNode of(RelNode tree) {
    PushedTexts texts = new PushedTexts(tree.getCluster().getRexBuilder());
    return tree.accept(
        new RelHomogeneousShuttle() {
          @Override
          public RelNode visit(RelNode other) {
            RelNode rel = super.visit(other);
            return rel.getTraitSet().getTrait(ConventionTraitDef.INSTANCE) instanceof JdbcConvention
                ? rel.accept(texts)
                : rel;
          }
        });
  }

  @Override
  public RexNode visitCall(RexCall call) {
    return call.isA(SqlKind.SEARCH)
        ? RexUtil.expandSearch(rexBuilder, null, call).accept(this)
        : super.visitCall(call);
  }

  @Override
  public RexNode visitLiteral(RexLiteral literal) {
    return literal.getTypeName() == SqlTypeName.CHAR && literal.getValue() instanceof NlsString
        ? rexBuilder.makeCall(literal.getType(), PLAIN, List.of(literal))
        : literal;
  }

  /** Writes its operand, a text, in quotes and nothing before them. */
  private static final class Plain extends SqlFunction {
    Plain() {
      super(
          "PLAIN",
          SqlKind.OTHER_FUNCTION,
          ReturnTypes.ARG0,
          null,
          OperandTypes.CHARACTER,
          SqlFunctionCategory.SYSTEM);
    }

    @Override
    public void unparse(SqlWriter writer, SqlCall call, int leftPrec, int rightPrec) {
      String text = ((SqlLiteral) call.operand(0)).getValueAs(String.class);
      writer.literal(writer.getDialect().quoteStringLiteral(text));
    }
  }
}
