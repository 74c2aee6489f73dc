package io.aragonite.rules.program.subquery;

import java.util.HashSet;
import java.util.Set;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.CorrelationId;
import org.apache.calcite.rel.logical.LogicalCorrelate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/** References to columns of outer rows, in trees with all the subqueries that they hold. */
public final class OuterColumns {
  private OuterColumns() {}

  /** What stands in place of a column of an outer row; null leaves it. */
  @FunctionalInterface
  public interface Replacement {
    @Nullable RexNode of(CorrelationId variable, RelDataType row, int field);
  }

  public static RelNode replace(RelNode rel, Replacement replacement) {
    return rel.accept(new Trees(new Expressions(replacement)));
  }

  public static RexNode replace(RexNode expression, Replacement replacement) {
    return expression.accept(new Expressions(replacement));
  }

  /** The columns of a variable that a tree refers to. */
  public static ImmutableBitSet fields(RelNode rel, CorrelationId variable) {
    ImmutableBitSet.Builder fields = ImmutableBitSet.builder();
    replace(rel, collector(variable, fields));
    return fields.build();
  }

  /** The columns of a variable that an expression refers to. */
  public static ImmutableBitSet fields(RexNode expression, CorrelationId variable) {
    ImmutableBitSet.Builder fields = ImmutableBitSet.builder();
    replace(expression, collector(variable, fields));
    return fields.build();
  }

  private static Replacement collector(CorrelationId variable, ImmutableBitSet.Builder fields) {
    return (id, row, field) -> {
      if (id.equals(variable)) {
        fields.set(field);
      }
      return null;
    };
  }

  static boolean uses(RelNode rel, CorrelationId variable) {
    return !fields(rel, variable).isEmpty();
  }

  static boolean uses(RexNode expression, CorrelationId variable) {
    return !fields(expression, variable).isEmpty();
  }

  /** Variables that a tree's own nodes define. */
  static Set<CorrelationId> defined(RelNode rel) {
    Set<CorrelationId> defined = new HashSet<>();
    rel.accept(new Definitions(defined));
    return defined;
  }

  private static final class Trees extends RelHomogeneousShuttle {
    private final Expressions expressions;

    Trees(Expressions expressions) {
      this.expressions = expressions;
      expressions.trees = this;
    }

    @Override
    public RelNode visit(RelNode other) {
      return super.visit(other).accept(expressions);
    }
  }

  private static final class Expressions extends RexShuttle {
    private final Replacement replacement;
    private @Nullable Trees trees;

    Expressions(Replacement replacement) {
      this.replacement = replacement;
    }

    @Override
    public RexNode visitFieldAccess(RexFieldAccess access) {
      if (access.getReferenceExpr() instanceof RexCorrelVariable variable) {
        RexNode replaced =
            replacement.of(variable.id, variable.getType(), access.getField().getIndex());
        return replaced == null ? access : replaced;
      }
      return super.visitFieldAccess(access);
    }

    @Override
    public RexNode visitSubQuery(RexSubQuery subQuery) {
      RexSubQuery call = (RexSubQuery) super.visitSubQuery(subQuery);
      Trees inside = trees == null ? new Trees(this) : trees;
      RelNode rel = call.rel.accept(inside);
      return rel.equals(call.rel) ? call : call.clone(rel);
    }
  }

  private static final class Definitions extends RelHomogeneousShuttle {
    private final Set<CorrelationId> defined;
    private final RexShuttle expressions =
        new RexShuttle() {
          @Override
          public RexNode visitSubQuery(RexSubQuery subQuery) {
            subQuery.rel.accept(Definitions.this);
            return super.visitSubQuery(subQuery);
          }
        };

    Definitions(Set<CorrelationId> defined) {
      this.defined = defined;
    }

    @Override
    public RelNode visit(RelNode other) {
      defined.addAll(other.getVariablesSet());
      if (other instanceof LogicalCorrelate correlate) {
        defined.add(correlate.getCorrelationId());
      }
      other.accept(expressions);
      return super.visit(other);
    }
  }
}
