package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/** Calls over lists and maps as {@link CheckedCalls} gives them to Calcite's code generator. */
public final class ListCalls {
  private final RexBuilder rexBuilder;

  ListCalls(RexBuilder rexBuilder) {
    this.rexBuilder = rexBuilder;
  }

  private static final Set<SqlOperator> JOINING =
      Set.of(
          SqlLibraryOperators.ARRAY_APPEND,
          SqlLibraryOperators.ARRAY_PREPEND,
          SqlLibraryOperators.ARRAY_CONCAT,
          SqlStdOperatorTable.CONCAT);

  /** Those that make a list of the elements of two, which are of one type then. */
  private static final Set<SqlOperator> COMBINING =
      Set.of(
          SqlLibraryOperators.ARRAY_EXCEPT,
          SqlLibraryOperators.ARRAY_INTERSECT,
          SqlLibraryOperators.ARRAY_UNION);

  private static final Set<SqlOperator> MAP_MAKERS =
      Set.of(
          SqlStdOperatorTable.MAP_VALUE_CONSTRUCTOR,
          SqlLibraryOperators.MAP_FROM_ARRAYS,
          SqlLibraryOperators.MAP_FROM_ENTRIES);

  /** The methods of calls that compare elements, by the operators themselves. */
  private static final Map<SqlOperator, Method> COMPARING = comparing();

  private static Map<SqlOperator, Method> comparing() {
    Map<SqlOperator, Method> methods = new IdentityHashMap<>();
    methods.put(SqlLibraryOperators.ARRAY_CONTAINS, comparison("contains"));
    methods.put(SqlLibraryOperators.ARRAY_REMOVE, comparison("without"));
    methods.put(SqlLibraryOperators.ARRAY_DISTINCT, comparison("distinct"));
    methods.put(SqlLibraryOperators.ARRAY_EXCEPT, comparison("except"));
    methods.put(SqlLibraryOperators.ARRAY_INTERSECT, comparison("both"));
    methods.put(SqlLibraryOperators.ARRAY_UNION, comparison("union"));
    methods.put(SqlLibraryOperators.ARRAY_MIN, comparison("least"));
    methods.put(SqlLibraryOperators.ARRAY_MAX, comparison("greatest"));
    methods.put(SqlLibraryOperators.ARRAYS_OVERLAP, comparison("overlap"));
    methods.put(ListFunctions.LIST_SORT, comparison("sort"));
    methods.put(ListFunctions.LIST_HAS_ALL, comparison("hasAll"));
    methods.put(ListFunctions.LIST_HAS_ANY, comparison("hasAny"));
    methods.put(ListEdits.LIST_INTERSECT, comparison("intersect"));
    methods.put(ListEdits.LIST_HISTOGRAM, comparison("histogram"));
    methods.put(ListEdits.LIST_GRADE_UP, comparison("grade"));
    methods.put(SqlLibraryOperators.ARRAY_POSITION, search("position"));
    return methods;
  }

  private static Method comparison(String name) {
    return HostMethods.named(ListComparisons.class, name).getFirst();
  }

  private static Method search(String name) {
    return HostMethods.named(ListSearch.class, name).getFirst();
  }

  /** Whether an operator is a function that compares elements of lists. */
  public static boolean compares(SqlOperator operator) {
    return COMPARING.containsKey(operator) || operator.equals(SqlLibraryOperators.SORT_ARRAY);
  }

  /** Whether Calcite's code of a call would compare elements or keys as Java does. */
  public static boolean compares(RexCall call) {
    return compares(call.getOperator())
        || call.getOperator() instanceof SqlQuantifyOperator
        || call.isA(SqlKind.ITEM) && call.getOperands().getFirst().getType().getKeyType() != null;
  }

  /**
   * A call that compares elements, by a method that compares them as SQL does.
   *
   * @return null for others, and where there are no elements
   * @throws AragoniteException EXPRESSION_UNSUPPORTED if values of the types have no order, since
   *     Calcite's code would compare them as Java does
   */
  @Nullable RexNode compared(RexCall call) {
    boolean quantified = call.isA(SqlKind.SOME) || call.isA(SqlKind.ALL);
    if (call.getOperands().size() == 2
        && quantified
        && call.getOperands().get(1).getType().getSqlTypeName() != SqlTypeName.MULTISET
        && call.getOperator() instanceof SqlQuantifyOperator operator) {
      RexNode kind = rexBuilder.makeLiteral(operator.comparisonKind.name());
      return compared(call, search(call.isA(SqlKind.SOME) ? "some" : "all"), List.of(kind));
    }
    if (MAP_MAKERS.contains(call.getOperator())) {
      return map(call);
    }
    if (call.isA(SqlKind.ITEM)) {
      RelDataType key = call.getOperands().getFirst().getType().getKeyType();
      return key == null ? null : valueOfKey(call, key);
    }
    Method method =
        call.getOperator().equals(SqlLibraryOperators.SORT_ARRAY)
            ? sort(call.getOperands().size() + 1)
            : COMPARING.get(call.getOperator());
    return method == null ? null : compared(call, method, List.of());
  }

  /** A map of keys, none of which is there twice; null where there are no keys. */
  private @Nullable RexNode map(RexCall call) {
    RelDataType key = requireNonNull(call.getType().getKeyType());
    if (isUnknown(key)) {
      return null;
    }
    String type = SortKeys.type(key);
    if (type == null) {
      throw refused(call);
    }
    boolean entries = call.getOperator().equals(SqlLibraryOperators.MAP_FROM_ENTRIES);
    boolean written = call.getOperator().equals(SqlStdOperatorTable.MAP_VALUE_CONSTRUCTOR);
    List<RexNode> operands =
        written
            ? List.of(list(call.getOperands(), 0), list(call.getOperands(), 1))
            : call.getOperands();
    List<RexNode> typed = new ArrayList<>(operands);
    typed.add(rexBuilder.makeLiteral(type));
    Method method = HostMethods.named(MapMakers.class, entries ? "ofEntries" : "of").getFirst();
    return rexBuilder.makeCall(
        call.getType(), HostMethods.function(SqlStdOperatorTable.LOWER, method), typed);
  }

  /** Every second value as a list. */
  private RexNode list(List<RexNode> values, int first) {
    List<RexNode> list = new ArrayList<>();
    for (int i = first; i < values.size(); i += 2) {
      list.add(values.get(i));
    }
    return rexBuilder.makeCall(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, list);
  }

  /**
   * Whether nothing is of a type, as the elements of an empty list, or a value knows its type
   * itself, and what it is equal to.
   */
  private static boolean isUnknown(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.UNKNOWN
        || type.getSqlTypeName() == SqlTypeName.VARIANT;
  }

  private static AragoniteException refused(RexCall call) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "%s does not compare values of %s; cast them to one type that has an order."
            .formatted(
                call.getOperator().getName(),
                call.getOperands().stream()
                    .map(operand -> operand.getType().toString())
                    .collect(Collectors.joining(" and "))));
  }

  private @Nullable RexNode valueOfKey(RexCall call, RelDataType key) {
    if (isUnknown(key)) {
      return null;
    }
    RexNode sought = call.getOperands().get(1);
    RelDataType common = SortKeys.compared(rexBuilder.getTypeFactory(), key, sought.getType());
    String type = common == null ? null : SortKeys.type(common);
    if (common == null || type == null || !SortKeys.isReadAs(key, common)) {
      throw refused(call);
    }
    return rexBuilder.makeCall(
        call.getType(),
        HostMethods.function(SqlStdOperatorTable.LOWER, search("value")),
        List.of(
            call.getOperands().getFirst(),
            readable(sought, common, true),
            rexBuilder.makeLiteral(type)));
  }

  private static Method sort(int arguments) {
    return HostMethods.named(ListComparisons.class, "sortArray").stream()
        .filter(method -> method.getParameterCount() == arguments)
        .findFirst()
        .orElseThrow();
  }

  private @Nullable RexNode compared(RexCall call, Method method, List<RexNode> more) {
    Class<?>[] parameters = method.getParameterTypes();
    RelDataType common = null;
    for (int i = 0; i < call.getOperands().size(); i++) {
      RelDataType operand = call.getOperands().get(i).getType();
      RelDataType type = parameters[i] == Object.class ? operand : operand.getComponentType();
      if (type != null && parameters[i] != boolean.class && !isUnknown(type)) {
        common = common == null ? type : common(call, common, type);
        if (common == null) {
          throw refused(call);
        }
      }
    }
    if (common == null) {
      return null;
    }
    String type = SortKeys.type(common);
    if (type == null) {
      throw refused(call);
    }
    List<RexNode> operands = new ArrayList<>();
    for (int i = 0; i < call.getOperands().size(); i++) {
      RexNode operand = call.getOperands().get(i);
      boolean list = parameters[i] != Object.class;
      operands.add(
          parameters[i] == boolean.class
              ? operand
              : list && COMBINING.contains(call.getOperator())
                  ? listOf(operand, common)
                  : readable(operand, common, !list));
    }
    operands.addAll(more);
    operands.add(rexBuilder.makeLiteral(type));
    return rexBuilder.makeCall(
        call.getType(), HostMethods.function(SqlStdOperatorTable.LOWER, method), operands);
  }

  /** What values are made, or else compared, as. */
  private @Nullable RelDataType common(RexCall call, RelDataType one, RelDataType other) {
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    return COMBINING.contains(call.getOperator())
        ? SortKeys.common(types, one, other)
        : SortKeys.compared(types, one, other);
  }

  /** A value or a list as the codec of another type reads it: dates beside timestamps as these. */
  private RexNode readable(RexNode operand, RelDataType common, boolean value) {
    RelDataType given = operand.getType();
    RelDataType element = value ? given : given.getComponentType();
    if (element == null || SortKeys.isReadAs(element, common)) {
      return operand;
    }
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    return value
        ? rexBuilder.makeCast(types.createTypeWithNullability(common, given.isNullable()), operand)
        : listOf(operand, common);
  }

  /** A list with its elements cast to a type, itself if they are of it. */
  private RexNode listOf(RexNode list, RelDataType element) {
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    RelDataType of = types.createArrayType(types.createTypeWithNullability(element, true), -1);
    return NestedCasts.isSame(list.getType(), of)
        ? list
        : NestedCasts.call(
            rexBuilder,
            list,
            types.createTypeWithNullability(of, list.getType().isNullable()),
            false);
  }

  /** Whether a call puts elements and lists together. */
  static boolean isJoining(RexCall call) {
    return JOINING.contains(call.getOperator());
  }

  /** Such a call, with numbers, rows and maps of one type: a list keeps others as they are. */
  RexNode joined(RexCall call) {
    boolean lists =
        call.getOperator().equals(SqlLibraryOperators.ARRAY_CONCAT)
            || call.getOperator().equals(SqlStdOperatorTable.CONCAT);
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    List<RexNode> operands = new ArrayList<>();
    RelDataType common = null;
    for (RexNode operand : call.getOperands()) {
      boolean list = lists || operands.isEmpty();
      RelDataType element = list ? operand.getType().getComponentType() : operand.getType();
      operands.add(
          list
              ? operand
              : rexBuilder.makeCall(SqlStdOperatorTable.ARRAY_VALUE_CONSTRUCTOR, operand));
      common =
          element == null || operands.size() == 1
              ? element
              : common == null ? null : SortKeys.common(types, common, element);
      if (common == null || !isOf(common, ListCalls::hasForms)) {
        return call;
      }
    }
    for (int i = 0; i < operands.size(); i++) {
      RexNode list = operands.get(i);
      RexNode cast = listOf(list, requireNonNull(common));
      boolean same = cast.equals(list);
      operands.set(i, lists || i == 0 ? cast : same ? call.getOperands().get(i) : first(cast));
    }
    return call.clone(call.getType(), operands);
  }

  /** Whether equal values of types that have one in common have several forms. */
  private static boolean hasForms(RelDataType type) {
    return SqlTypeUtil.isNumeric(type) || type.isStruct() || type.getKeyType() != null;
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
