package io.aragonite.rules.function;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;
import org.jspecify.annotations.Nullable;

/** The methods that Calcite's generated code calls for a function, of ours and of its own. */
public final class HostMethods {
  private static final String REPLACE = "regexpReplace";

  /** By the operator itself: those of one name are equal, whatever their arguments mean. */
  private static final Map<SqlOperator, List<Method>> METHODS = methods();

  /** Of characters, counted from 1 or so many of them. */
  private static final Map<SqlOperator, List<Method>> COUNTING = counting();

  private HostMethods() {}

  private static Map<SqlOperator, List<Method>> methods() {
    Map<SqlOperator, List<Method>> methods = new IdentityHashMap<>();
    addRegex(methods);
    methods.put(DatePartFunction.DATE_PART, named(DatePartFunction.class, "datePart"));
    methods.put(LambdaFunctions.LIST_TRANSFORM, named(LambdaFunctions.class, "transform"));
    methods.put(LambdaFunctions.LIST_FILTER, named(LambdaFunctions.class, "filter"));
    methods.put(LambdaFunctions.LIST_REDUCE, named(LambdaFunctions.class, "reduce"));
    addRandom(methods);
    addDistances(methods);
    methods.put(FormatFunctions.FORMAT_VALUE, named(FormatFunctions.class, "formatValue"));
    methods.put(IntegerFunctions.GCD, named(IntegerFunctions.class, "gcd"));
    methods.put(IntegerFunctions.HEX, named(IntegerFunctions.class, "hex"));
    methods.put(IntegerFunctions.UNHEX, named(IntegerFunctions.class, "unhex"));
    methods.put(IntegerFunctions.LCM, named(IntegerFunctions.class, "lcm"));
    methods.put(ZoneFunctions.INSTANT_FLOOR, named(ZoneFunctions.class, "instantFloor"));
    methods.put(ZoneFunctions.INSTANT_CEIL, named(ZoneFunctions.class, "instantCeil"));
    methods.put(ListFunctions.LIST_AVG, named(ListFunctions.class, "average"));
    methods.put(ListFunctions.REGEXP_EXTRACT_ALL, regex("regexpExtractGroups"));
    methods.put(ListFunctions.REGEXP_SPLIT, regex("regexpSplit"));
    methods.put(SplitFunctions.STRIP_ACCENTS, named(SplitFunctions.class, "stripAccents"));
    methods.put(ListFunctions.RANGE, named(ListFunctions.class, "range"));
    methods.put(ListFunctions.SERIES_STEP, named(ListFunctions.class, "step"));
    methods.put(ListFunctions.GENERATE_SERIES, named(ListFunctions.class, "series"));
    methods.put(MomentLists.MOMENT_SERIES, named(MomentLists.class, "series"));
    methods.put(ListFunctions.LIST_SLICE, named(ListFunctions.class, "slice"));
    addLists(methods);
    methods.put(SqlLibraryOperators.SPLIT_PART, named(SplitFunctions.class, "splitPart"));
    methods.put(SqlLibraryOperators.STR_TO_MAP, named(SplitFunctions.class, "strToMap"));
    List<Method> instantOfText = named(ZoneFunctions.class, "instantOfText");
    methods.put(ZoneFunctions.INSTANT_OF_TEXT, instantOfText);
    methods.put(ZoneFunctions.FINE_INSTANT_OF_TEXT, instantOfText);
    List<Method> tryInstantOfText = named(ZoneFunctions.class, "tryInstantOfText");
    methods.put(ZoneFunctions.TRY_INSTANT_OF_TEXT, tryInstantOfText);
    methods.put(ZoneFunctions.TRY_FINE_INSTANT_OF_TEXT, tryInstantOfText);
    methods.put(ZoneFunctions.INSTANT_TEXT, named(ZoneFunctions.class, "instantText"));
    methods.put(SqlLibraryOperators.PARSE_DATETIME, named(ParseFunctions.class, "parseDatetime"));
    methods.put(ParseFunctions.STRPTIME_TEXT, named(ParseFunctions.class, "momentText"));
    methods.put(ParseFunctions.TRY_STRPTIME_TEXT, named(ParseFunctions.class, "tryMomentText"));
    IntervalFunctions.all()
        .forEach(function -> methods.put(function, IntervalFunctions.methods(function)));
    methods.put(DoubleFunctions.LOG2, named(DoubleFunctions.class, "log2"));
    methods.put(SqlStdOperatorTable.SQRT, named(DoubleFunctions.class, "sqrt"));
    methods.put(SqlStdOperatorTable.LIKE, named(LikeFunctions.class, "like"));
    methods.put(SqlLibraryOperators.ILIKE, named(LikeFunctions.class, "ilike"));
    methods.put(SqlStdOperatorTable.SIMILAR_TO, named(LikeFunctions.class, "similar"));
    return methods;
  }

  private static void addRegex(Map<SqlOperator, List<Method>> methods) {
    methods.put(SqlLibraryOperators.RLIKE, regex("rlike"));
    methods.put(SqlLibraryOperators.REGEXP, regex("rlike"));
    methods.put(SqlLibraryOperators.REGEXP_LIKE, regex("regexpLike"));
    methods.put(SqlLibraryOperators.REGEXP_CONTAINS, regex("regexpContains"));
    methods.put(SqlLibraryOperators.REGEXP_EXTRACT, regex("regexpExtract"));
    methods.put(SqlLibraryOperators.REGEXP_SUBSTR, regex("regexpExtract"));
    methods.put(SqlLibraryOperators.REGEXP_EXTRACT_ALL, regex("regexpExtractAll"));
    methods.put(SqlLibraryOperators.REGEXP_INSTR, regex("regexpInstr"));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_2, regex(REPLACE));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_3, regex(REPLACE));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_4, regex(REPLACE));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_5, regex(REPLACE));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_5_ORACLE, regex(REPLACE));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_6, regex(REPLACE));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_BIG_QUERY_3, regex("regexpReplaceBigQuery"));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_PG_3, regex("regexpReplacePg"));
    methods.put(SqlLibraryOperators.REGEXP_REPLACE_PG_4, regex("regexpReplacePg"));
  }

  private static void addLists(Map<SqlOperator, List<Method>> methods) {
    methods.put(JsonFunctions.JSON_EXTRACT, named(JsonFunctions.class, "extract"));
    methods.put(JsonFunctions.JSON_EXTRACT_STRING, named(JsonFunctions.class, "extractString"));
    methods.put(JsonFunctions.JSON_ARRAY_LENGTH, named(JsonFunctions.class, "arrayLength"));
    methods.put(JsonFunctions.JSON_EXISTS, named(JsonFunctions.class, "exists"));
    methods.put(JsonFunctions.JSON_NORMALIZED, named(JsonFunctions.class, "normalized"));
    methods.put(JsonEdits.SET, named(JsonEdits.class, "set"));
    methods.put(JsonEdits.INSERT, named(JsonEdits.class, "insert"));
    methods.put(JsonEdits.REPLACE, named(JsonEdits.class, "replace"));
    methods.put(JsonEdits.REMOVE, named(JsonEdits.class, "remove"));
    methods.put(JsonEdits.NAMES, named(JsonEdits.class, "names"));
    methods.put(JsonEdits.SIZE, named(JsonEdits.class, "size"));
    methods.put(JsonRows.KEYS, named(JsonRows.class, "keys"));
    methods.put(JsonRows.ELEMENTS, named(JsonRows.class, "elements"));
    methods.put(JsonRows.ELEMENT_TEXTS, named(JsonRows.class, "elementTexts"));
    methods.put(JsonRows.PARTS, named(JsonRows.class, "parts"));
    methods.put(JsonRows.PART_TEXTS, named(JsonRows.class, "partTexts"));
    methods.put(JsonRows.MEMBERS, named(JsonRows.class, "members"));
    methods.put(JsonRows.MEMBER_TEXTS, named(JsonRows.class, "memberTexts"));
    methods.put(JsonRows.EACH, named(JsonRows.class, "each"));
    methods.put(JsonRows.TREE, named(JsonRows.class, "tree"));
    methods.put(FormatFunctions.BAR, named(FormatFunctions.class, "bar"));
    methods.put(JsonTexts.TO_JSON_TEXT, named(JsonTexts.class, "of"));
    methods.put(NestedTexts.NESTED_TEXT, named(NestedTexts.class, "of"));
    methods.put(ListFunctions.FLATTEN, named(ListFunctions.class, "flatten"));
    methods.put(ListEdits.LIST_ZIP, named(ListEdits.class, "zip"));
    methods.put(ListFunctions.MAP_ENTRIES, named(ListEdits.class, "entries"));
    methods.put(SqlLibraryOperators.ARRAYS_ZIP, named(ListEdits.class, "zip"));
    methods.put(ListEdits.ELEMENTS, named(ListEdits.class, "rows"));
    methods.put(ListEdits.LIST_RESIZE, named(ListEdits.class, "resize"));
    methods.put(SqlLibraryOperators.ARRAY_REVERSE, named(ListEdits.class, "reverse"));
    methods.put(ListEdits.LIST_WHERE, named(ListEdits.class, "where"));
    methods.put(ListEdits.LIST_SELECT, named(ListEdits.class, "select"));
    methods.put(VectorFunctions.LIST_DOT_PRODUCT, named(VectorFunctions.class, "dotProduct"));
    methods.put(VectorFunctions.LIST_COSINE_SIMILARITY, named(VectorFunctions.class, "cosine"));
    methods.put(VectorFunctions.LIST_DISTANCE, named(VectorFunctions.class, "distance"));
    methods.put(VectorFunctions.LIST_PRODUCT, named(VectorFunctions.class, "product"));
    methods.put(VectorFunctions.LIST_MEDIAN, named(VectorFunctions.class, "median"));
    methods.put(VectorFunctions.LIST_VAR_POP, named(VectorFunctions.class, "varPop"));
    methods.put(VectorFunctions.LIST_VAR_SAMP, named(VectorFunctions.class, "varSamp"));
  }

  private static void addDistances(Map<SqlOperator, List<Method>> methods) {
    methods.put(TextDistances.HAMMING, named(TextDistances.class, "hamming"));
    methods.put(
        TextDistances.DAMERAU_LEVENSHTEIN, named(TextDistances.class, "damerauLevenshtein"));
    methods.put(TextDistances.JACCARD, named(TextDistances.class, "jaccard"));
    methods.put(TextDistances.JARO, named(TextDistances.class, "jaro"));
    methods.put(TextDistances.JARO_WINKLER, named(TextDistances.class, "jaroWinkler"));
  }

  private static void addRandom(Map<SqlOperator, List<Method>> methods) {
    methods.put(RandomFunctions.UUID, named(RandomFunctions.class, "uuid"));
    methods.put(RandomFunctions.RANDOM, named(RandomFunctions.class, "random"));
    methods.put(RandomFunctions.RANDOM_INTEGER, named(RandomFunctions.class, "randomInteger"));
    methods.put(NumberSequence.NEXTVAL, named(NumberSequence.class, "nextval"));
    methods.put(NumberSequence.SETVAL, named(NumberSequence.class, "setval"));
    methods.put(NumberSequence.LASTVAL, named(NumberSequence.class, "lastval"));
    methods.put(NumberSequence.CURRVAL, named(NumberSequence.class, "currval"));
  }

  private static Map<SqlOperator, List<Method>> counting() {
    Map<SqlOperator, List<Method>> methods = new IdentityHashMap<>();
    for (SqlOperator operator : List.of(SqlLibraryOperators.LPAD, NullableFunctions.LPAD)) {
      methods.put(operator, counting("lpad"));
    }
    for (SqlOperator operator : List.of(SqlLibraryOperators.RPAD, NullableFunctions.RPAD)) {
      methods.put(operator, counting("rpad"));
    }
    methods.put(SqlLibraryOperators.LEFT, counting("left"));
    methods.put(SqlLibraryOperators.RIGHT, counting("right"));
    methods.put(SqlStdOperatorTable.SUBSTRING, counting("substring"));
    methods.put(SqlStdOperatorTable.OVERLAY, counting("overlay"));
    methods.put(SqlStdOperatorTable.POSITION, counting("position"));
    methods.put(SqlLibraryOperators.STRPOS, counting("positionIn"));
    methods.put(SqlLibraryOperators.INSTR, counting("positionIn"));
    methods.put(SqlStdOperatorTable.CHAR_LENGTH, counting("charLength"));
    methods.put(SqlStdOperatorTable.CHARACTER_LENGTH, counting("charLength"));
    methods.put(SqlLibraryOperators.LENGTH, counting("charLength"));
    methods.put(SqlLibraryOperators.LEN, counting("charLength"));
    methods.put(SqlLibraryOperators.SUBSTR_POSTGRESQL, counting("substring"));
    methods.put(SqlLibraryOperators.TRANSLATE3, counting("translate"));
    methods.put(SqlLibraryOperators.LEVENSHTEIN, counting("levenshtein"));
    return methods;
  }

  static List<Method> counting(String name) {
    return named(CodePointFunctions.class, name);
  }

  private static List<Method> regex(String name) {
    return named(RegexFunctions.class, name);
  }

  static List<Method> named(Class<?> type, String name) {
    List<Method> methods = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name)) {
        methods.add(method);
      }
    }
    return List.copyOf(methods);
  }

  /** Whether a function that Calcite lacks has a method for its code. */
  public static boolean implement(SqlOperator operator) {
    return METHODS.containsKey(operator)
        || operator.equals(ListFunctions.LIST_SUM)
        || ListCalls.compares(operator);
  }

  /** The method of a call, of some functions by its type. */
  static @Nullable Method ofType(RexCall call) {
    if (call.getOperator().equals(ZoneFunctions.AT_TIME_ZONE)) {
      return named(ZoneFunctions.class, atTimeZone(call)).getFirst();
    }
    return call.getOperator().equals(ListFunctions.LIST_SUM)
        ? named(ListFunctions.class, ListFunctions.sumOf(call.getType())).getFirst()
        : method(call, METHODS);
  }

  private static String atTimeZone(RexCall call) {
    if (call.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP) {
      return "localTime";
    }
    RelDataType local = call.getOperands().getFirst().getType();
    return local.getSqlTypeName() == SqlTypeName.DATE ? "instantOfDate" : "instant";
  }

  /** That of a call which counts characters. */
  static @Nullable Method counting(RexCall call) {
    return method(call, COUNTING);
  }

  private static @Nullable Method method(RexCall call, Map<SqlOperator, List<Method>> methods) {
    Method found = null;
    for (Method method : methods.getOrDefault(call.getOperator(), List.of())) {
      if (method.getParameterCount() == call.getOperands().size() && fits(method, call)) {
        found = method;
      }
    }
    return found;
  }

  /** Two forms of one length differ by what their last argument is. */
  private static boolean fits(Method method, RexCall call) {
    for (int i = 0; i < method.getParameterCount(); i++) {
      boolean text = SqlTypeUtil.inCharFamily(call.getOperands().get(i).getType());
      boolean nothing = call.getOperands().get(i).getType().getSqlTypeName() == SqlTypeName.NULL;
      // a lambda is of the type of its values
      boolean function = i == 1 && method.getDeclaringClass() == LambdaFunctions.class;
      boolean any = method.getParameterTypes()[i] == Object.class;
      if (!any
          && !nothing
          && !function
          && text != (method.getParameterTypes()[i] == String.class)) {
        return false;
      }
    }
    return true;
  }

  /** A function with another's type, by the one method of a name. */
  static SqlOperator function(SqlOperator operator, Class<?> type, String name) {
    return function(operator, named(type, name).getFirst());
  }

  /**
   * Named by its method, since Calcite takes calls of one name over the same operands for equal.
   */
  static SqlOperator function(SqlOperator operator, Method method) {
    String name = method.getDeclaringClass().getSimpleName() + "." + method.getName();
    return new SqlUserDefinedFunction(
        new SqlIdentifier(name, SqlParserPos.ZERO),
        operator.getKind(),
        operator.getReturnTypeInference() == null
            ? ReturnTypes.ARG0_NULLABLE
            : operator.getReturnTypeInference(),
        operator.getOperandTypeInference(),
        null,
        ScalarFunctionImpl.create(method));
  }
}
