package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/** Calls over lists as {@link CheckedCalls} gives them to Calcite's code generator. */
final class ListCalls {
  private final RexBuilder rexBuilder;

  ListCalls(RexBuilder rexBuilder) {
    this.rexBuilder = rexBuilder;
  }

  private static final Set<SqlOperator> OF_ELEMENTS =
      Set.of(
          SqlLibraryOperators.ARRAY_CONTAINS,
          SqlLibraryOperators.ARRAY_POSITION,
          SqlLibraryOperators.ARRAY_APPEND,
          SqlLibraryOperators.ARRAY_PREPEND,
          SqlLibraryOperators.ARRAY_CONCAT,
          SqlStdOperatorTable.CONCAT);

  /** A list as one of another type, by a method of {@link ListCasts}. */
  RexNode cast(RexNode list, RelDataType type, String method) {
    return rexBuilder.makeCall(
        type,
        HostMethods.function(ListFunctions.LIST_SLICE, ListCasts.class, method),
        List.of(
            list,
            rexBuilder.makeLiteral(requireNonNull(ListCasts.element(list.getType()))),
            rexBuilder.makeLiteral(requireNonNull(ListCasts.element(type)))));
  }

  /** Whether a call searches lists, or puts elements and lists together. */
  static boolean isOfElements(RexCall call) {
    return OF_ELEMENTS.contains(call.getOperator());
  }

  /** Such a call, with operands that Calcite's code compares as SQL does. */
  RexNode ofElements(RexCall call) {
    return withNullsFound(withNumbersOfOneType(call));
  }

  /**
   * Calcite's code takes numbers of two types for unequal, those of two scales, the two zeros, and
   * padded texts and those that are not.
   */
  private RexNode withNumbersOfOneType(RexCall call) {
    boolean lists =
        call.getOperator().equals(SqlLibraryOperators.ARRAY_CONCAT)
            || call.getOperator().equals(SqlStdOperatorTable.CONCAT);
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    List<RexNode> operands = new ArrayList<>();
    List<RelDataType> elements = new ArrayList<>();
    for (RexNode operand : call.getOperands()) {
      boolean list = lists || operands.isEmpty();
      RexNode made =
          list
              ? operand
              : rexBuilder.makeCall(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, operand);
      operands.add(made);
      RelDataType element = made.getType().getComponentType();
      if (element == null || !isOf(element, SqlTypeUtil::isNumeric)) {
        return isLookup(call) ? withUnpaddedTexts(call) : call;
      }
      elements.add(element);
    }
    RelDataType common = types.leastRestrictive(elements);
    if (common == null) {
      return call;
    }
    RelDataType of = types.createArrayType(types.createTypeWithNullability(common, true), -1);
    for (int i = 0; i < operands.size(); i++) {
      RexNode list = operands.get(i);
      boolean nullable = list.getType().isNullable();
      RexNode cast =
          isLookup(call) && isOf(common, SqlTypeUtil::isApproximateNumeric)
              ? cast(list, types.createTypeWithNullability(of, nullable), "comparable")
              : ListCasts.isAlike(list.getType(), of)
                  ? null
                  : cast(list, types.createTypeWithNullability(of, nullable), "cast");
      operands.set(
          i,
          lists || i == 0
              ? cast == null ? list : cast
              : cast == null ? call.getOperands().get(i) : first(cast));
    }
    return call.clone(call.getType(), operands);
  }

  /** Calcite's code finds no null. */
  private RexNode withNullsFound(RexNode node) {
    return node instanceof RexCall call
            && call.getOperator().equals(SqlLibraryOperators.ARRAY_POSITION)
        ? rexBuilder.makeCall(
            call.getType(),
            HostMethods.function(call.getOperator(), ListSearch.class, "position"),
            call.getOperands())
        : node;
  }

  /** Whether it looks for an element, and makes no list of it. */
  private static boolean isLookup(RexCall call) {
    return call.getOperator().equals(SqlLibraryOperators.ARRAY_CONTAINS)
        || call.getOperator().equals(SqlLibraryOperators.ARRAY_POSITION);
  }

  /** Where a CHAR is compared, without padding, as the other comparisons have it. */
  private RexNode withUnpaddedTexts(RexCall call) {
    RexNode list = call.getOperands().getFirst();
    RexNode sought = call.getOperands().get(1);
    RelDataType element = list.getType().getComponentType();
    if (element == null
        || !SqlTypeUtil.inCharFamily(element)
        || !SqlTypeUtil.inCharFamily(sought.getType())
        || !isPadded(list, element, sought)) {
      return call;
    }
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    RelDataType text =
        types.createTypeWithNullability(types.createSqlType(SqlTypeName.VARCHAR), true);
    RelDataType texts = types.createArrayType(text, -1);
    RelDataType of = types.createTypeWithNullability(texts, list.getType().isNullable());
    RexNode one = rexBuilder.makeCall(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, sought);
    List<RexNode> operands =
        List.of(cast(list, of, "comparable"), first(cast(one, texts, "comparable")));
    return call.clone(call.getType(), operands);
  }

  /** Of two CHARs; of one beside a VARCHAR unless it is a literal, or a list of such. */
  private static boolean isPadded(RexNode list, RelDataType element, RexNode sought) {
    boolean one = sought.getType().getSqlTypeName() == SqlTypeName.CHAR;
    boolean others = element.getSqlTypeName() == SqlTypeName.CHAR;
    boolean literals =
        list instanceof RexCall values
            && values.getOperator().equals(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR)
            && values.getOperands().stream().allMatch(RexLiteral.class::isInstance);
    return one && others || one && !(sought instanceof RexLiteral) || others && !literals;
  }

  /** Calcite's code fails over a null that is compared with a list. */
  RexNode withNullCompared(RexCall call) {
    RexNode value = call.getOperands().getFirst();
    RexNode list = call.getOperands().get(1);
    RexNode empty =
        rexBuilder.makeCall(
            SqlStdOperatorTable.EQUALS,
            rexBuilder.makeCall(SqlStdOperatorTable.CARDINALITY, list),
            rexBuilder.makeExactLiteral(BigDecimal.ZERO));
    RelDataType type = rexBuilder.getTypeFactory().createTypeWithNullability(call.getType(), true);
    return rexBuilder.makeCall(
        type,
        SqlStdOperatorTable.CASE,
        List.of(
            rexBuilder.makeCall(
                SqlStdOperatorTable.AND,
                rexBuilder.makeCall(SqlStdOperatorTable.IS_NULL, value),
                empty),
            rexBuilder.makeLiteral(call.getKind() == SqlKind.ALL),
            rexBuilder.makeCall(SqlStdOperatorTable.IS_NULL, value),
            rexBuilder.makeNullLiteral(type),
            call.clone(call.getType(), List.of(rexBuilder.makeNotNull(value), list))));
  }

  private static boolean isOf(RelDataType type, Predicate<RelDataType> wanted) {
    RelDataType element = type.getComponentType();
    return element == null ? wanted.test(type) : isOf(element, wanted);
  }

  private RexNode first(RexNode list) {
    return rexBuilder.makeCall(
        SqlStdOperatorTable.ITEM, list, rexBuilder.makeExactLiteral(BigDecimal.ONE));
  }
}
