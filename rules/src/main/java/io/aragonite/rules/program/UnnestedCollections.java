package io.aragonite.rules.program;

import io.aragonite.rules.function.UnnestFunctions;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelHomogeneousShuttle;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Uncollect;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;
import org.apache.calcite.util.Util;

/**
 * UNNEST of a null has no rows, and a null among rows is a row of nulls. Calcite's code of UNNEST
 * (1.42) takes neither but for one list of plain values.
 */
final class UnnestedCollections extends RelHomogeneousShuttle {
  private static final SqlOperator ELEMENTS = function("elements");
  private static final SqlOperator ENTRIES = function("entries");

  private static SqlOperator function(String name) {
    for (Method method : UnnestFunctions.class.getMethods()) {
      if (method.getName().equals(name)) {
        return new SqlUserDefinedFunction(
            new SqlIdentifier(name, SqlParserPos.ZERO),
            SqlKind.OTHER_FUNCTION,
            ReturnTypes.ARG0,
            null,
            null,
            ScalarFunctionImpl.create(method));
      }
    }
    throw new IllegalStateException(name);
  }

  /** Whether collections of outer rows are unnested. */
  static boolean areCorrelated(RelNode rel) {
    return rel instanceof Correlate correlate && unnests(correlate.getRight())
        || rel.getInputs().stream().anyMatch(UnnestedCollections::areCorrelated);
  }

  private static boolean unnests(RelNode rel) {
    return rel instanceof Uncollect
        || rel.getInputs().stream().anyMatch(UnnestedCollections::unnests);
  }

  @Override
  public RelNode visit(RelNode other) {
    RelNode visited = super.visit(other);
    return visited instanceof Uncollect uncollect ? checked(uncollect) : visited;
  }

  private static RelNode checked(Uncollect uncollect) {
    RelNode input = uncollect.getInput();
    List<RelDataType> types =
        Util.transform(input.getRowType().getFieldList(), field -> field.getType());
    RelDataType only = types.getFirst().getComponentType();
    if (types.size() == 1 && !uncollect.withOrdinality && only != null && !only.isStruct()) {
      return uncollect;
    }
    RexBuilder rexBuilder = uncollect.getCluster().getRexBuilder();
    List<RexNode> collections = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      collections.add(checked(rexBuilder, RexInputRef.of(i, input.getRowType())));
    }
    RelNode project =
        Simplification.NONE
            .create(uncollect.getCluster(), null)
            .push(input)
            .project(collections, input.getRowType().getFieldNames(), true)
            .build();
    return uncollect.copy(uncollect.getTraitSet(), List.of(project));
  }

  private static RexNode checked(RexBuilder rexBuilder, RexInputRef collection) {
    RelDataType type = collection.getType();
    if (type.getSqlTypeName() == SqlTypeName.MAP) {
      return rexBuilder.makeCall(type, ENTRIES, List.of(collection));
    }
    RelDataType element = type.getComponentType();
    if (element == null) {
      return collection;
    }
    int fields = element.isStruct() ? element.getFieldCount() : 0;
    return rexBuilder.makeCall(
        type,
        ELEMENTS,
        List.of(collection, rexBuilder.makeExactLiteral(BigDecimal.valueOf(fields))));
  }
}
