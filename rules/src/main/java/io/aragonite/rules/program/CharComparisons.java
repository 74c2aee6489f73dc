package io.aragonite.rules.program;

import com.google.common.collect.ImmutableRangeSet;
import com.google.common.collect.Range;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.util.NlsString;
import org.apache.calcite.util.Sarg;
import org.jspecify.annotations.Nullable;

/**
 * Literals that a CHAR is compared with lose the blanks at their ends and get its type, so that all
 * conditions of it know one value by one literal. No value of a CHAR has such blanks.
 */
final class CharComparisons extends RelHomogeneousShuttle {
  @Override
  public RelNode visit(RelNode other) {
    RelNode rel = super.visit(other);
    RexBuilder rex = rel.getCluster().getRexBuilder();
    if (rel.getInputs().isEmpty()) {
      return rel;
    }
    return rel.accept(new Conditions(rex));
  }

  /** A CHAR that the converter has cast to the type that both sides have. */
  private static RexNode uncast(RexNode value) {
    return value.isA(SqlKind.CAST)
            && SqlTypeUtil.inCharFamily(value.getType())
            && ((RexCall) value).getOperands().getFirst().getType().getSqlTypeName()
                == SqlTypeName.CHAR
            && !(((RexCall) value).getOperands().getFirst() instanceof RexLiteral)
        ? ((RexCall) value).getOperands().getFirst()
        : value;
  }

  /** Values, none of which is the end of a range, without blanks at their ends. */
  private static Sarg<NlsString> stripped(Sarg<?> sarg) {
    ImmutableRangeSet<NlsString> points =
        ImmutableRangeSet.unionOf(
            (sarg.isPoints() ? sarg : sarg.negate())
                .rangeSet.asRanges().stream()
                    .map(range -> Range.singleton(((NlsString) range.lowerEndpoint()).rtrim()))
                    .toList());
    return Sarg.of(sarg.nullAs, sarg.isPoints() ? points : points.complement());
  }

  /** Comparisons with literals, those of subqueries too. */
  private final class Conditions extends RexShuttle {
    private final RexBuilder rex;

    Conditions(RexBuilder rex) {
      this.rex = rex;
    }

    @Override
    public RexNode visitCall(RexCall call) {
      if (call.isA(SqlKind.SEARCH)) {
        return search(call);
      }
      RexNode changed = super.visitCall(call);
      if (!changed.isA(SqlKind.COMPARISON) || ((RexCall) changed).getOperands().size() != 2) {
        return changed;
      }
      RexNode left = ((RexCall) changed).getOperands().get(0);
      RexNode right = ((RexCall) changed).getOperands().get(1);
      RexNode padded = padded(left, right);
      if (padded != null) {
        return rex.makeCall(((RexCall) changed).getOperator(), padded, uncast(right));
      }
      padded = padded(right, left);
      return padded == null
          ? changed
          : rex.makeCall(((RexCall) changed).getOperator(), uncast(left), padded);
    }

    /** A literal of the length of the CHAR that it is compared with; null if it is none. */
    private @Nullable RexNode padded(RexNode value, RexNode beside) {
      RexNode padded = uncast(beside);
      boolean cast = padded.getType().getSqlTypeName() != beside.getType().getSqlTypeName();
      return !(padded instanceof RexLiteral)
              && padded.getType().getSqlTypeName() == SqlTypeName.CHAR
              && value instanceof RexLiteral literal
              && (cast || literal.getType().getSqlTypeName() == SqlTypeName.CHAR)
              && literal.getValue() instanceof NlsString text
          ? literal(text.rtrim(), padded.getType())
          : null;
    }

    private RexNode literal(NlsString text, RelDataType type) {
      boolean fits =
          text.getValue().codePointCount(0, text.getValue().length()) <= type.getPrecision();
      return fits ? rex.makeLiteral(text, type, false, false) : rex.makeCharLiteral(text);
    }

    private RexNode search(RexCall call) {
      RexNode value = uncast(call.getOperands().getFirst());
      Sarg<?> sarg = ((RexLiteral) call.getOperands().get(1)).getValueAs(Sarg.class);
      if (value.getType().getSqlTypeName() != SqlTypeName.CHAR || sarg == null) {
        return super.visitCall(call);
      }
      if (!sarg.isPoints() && !sarg.isComplementedPoints()) {
        return RexUtil.expandSearch(rex, null, call).accept(this);
      }
      return rex.makeCall(
          call.getOperator(),
          value.accept(this),
          rex.makeSearchArgumentLiteral(stripped(sarg), value.getType()));
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery given) {
      RexSubQuery subquery = (RexSubQuery) super.visitSubQuery(given);
      return subquery.clone(subquery.rel.accept(CharComparisons.this));
    }
  }
}
