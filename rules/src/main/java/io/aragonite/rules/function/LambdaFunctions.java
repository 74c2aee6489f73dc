package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.linq4j.function.Function1;
import org.apache.calcite.linq4j.function.Function2;
import org.apache.calcite.linq4j.function.Predicate1;
import org.apache.calcite.linq4j.function.Predicate2;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLambda;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperandCountRange;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorBinding;
import org.apache.calcite.sql.type.FunctionSqlType;
import org.apache.calcite.sql.type.SqlOperandCountRanges;
import org.apache.calcite.sql.type.SqlOperandTypeChecker;
import org.apache.calcite.sql.type.SqlReturnTypeInference;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlLambdaScope;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorImpl;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.jspecify.annotations.Nullable;

/** Functions of a list and of a function of its elements; the methods are for Calcite's code. */
@Strict
public final class LambdaFunctions {
  /**
   * {@code LIST_TRANSFORM(list, x -> y)}: the values of the function; {@code (x, i) -> y} has the
   * places of elements too, the first is 1.
   */
  public static final SqlFunction LIST_TRANSFORM =
      create(
          "LIST_TRANSFORM",
          false,
          binding -> {
            RelDataTypeFactory types = binding.getTypeFactory();
            if (isUnknown(binding.getOperandType(0))) {
              return binding.getOperandType(0);
            }
            RelDataType element = types.createTypeWithNullability(made(binding), true);
            return types.createTypeWithNullability(
                types.createArrayType(element, -1), binding.getOperandType(0).isNullable());
          });

  /**
   * {@code LIST_FILTER(list, x -> condition)}: the elements for which it is true; with places too.
   */
  public static final SqlFunction LIST_FILTER =
      create(
          "LIST_FILTER",
          false,
          binding -> {
            if (made(binding).getSqlTypeName() != SqlTypeName.BOOLEAN
                && !isUnknown(binding.getOperandType(0))) {
              throw new AragoniteException(
                  ErrorCode.INVALID_STATEMENT,
                  "The function of LIST_FILTER is a condition, such as x -> x > 1.");
            }
            return binding.getOperandType(0);
          });

  /** {@code LIST_REDUCE(list, (x, y) -> z)}: from left to right, of z so far and an element. */
  public static final SqlFunction LIST_REDUCE =
      create("LIST_REDUCE", true, LambdaFunctions::reducedType);

  private LambdaFunctions() {}

  private static RelDataType reducedType(SqlOperatorBinding binding) {
    RelDataType list = binding.getOperandType(0);
    if (isUnknown(list)) {
      return list;
    }
    RelDataTypeFactory types = binding.getTypeFactory();
    RelDataType element = elementType(types, list);
    RelDataType made = made(binding);
    boolean alike =
        (made.getFamily().equals(element.getFamily()) || isAlikeList(made, element))
            && (made.getSqlTypeName() == element.getSqlTypeName() || SqlTypeUtil.isCharacter(made))
            && (!SqlTypeUtil.isDecimal(made) || made.getScale() == element.getScale());
    if (!alike) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The function of LIST_REDUCE makes %s of elements of %s; cast what it makes to their type, or the list to %s[]."
              .formatted(made, element, made));
    }
    RelDataType reduced =
        SqlTypeUtil.isDecimal(element)
            ? types.createSqlType(
                SqlTypeName.DECIMAL, DataType.MAX_DECIMAL_PRECISION, element.getScale())
            : element;
    return types.createTypeWithNullability(reduced, true);
  }

  /** Whether lists differ in where there may be nulls only; each type of a list is a family. */
  private static boolean isAlikeList(RelDataType a, RelDataType b) {
    return a.getComponentType() != null
        && a.getFullTypeString()
            .replace(" NOT NULL", "")
            .equals(b.getFullTypeString().replace(" NOT NULL", ""));
  }

  /** Texts get longer. */
  private static RelDataType elementType(RelDataTypeFactory types, RelDataType list) {
    RelDataType element = requireNonNull(list.getComponentType());
    return types.createTypeWithNullability(
        SqlTypeUtil.isCharacter(element)
            ? types.createTypeWithCharsetAndCollation(
                types.createSqlType(SqlTypeName.VARCHAR),
                requireNonNull(element.getCharset()),
                requireNonNull(element.getCollation()))
            : element,
        true);
  }

  private static SqlFunction create(String name, boolean reduces, SqlReturnTypeInference type) {
    return new ElementFunction(name, reduces, type);
  }

  /** How many parameters a function's lambda may have. */
  private static boolean takes(boolean reduces, SqlLambda lambda) {
    int parameters = lambda.getParameters().size();
    return parameters == 2 || !reduces && parameters == 1;
  }

  /** Parameters have their types before the function's, which Calcite derives first of all. */
  private static final class ElementFunction extends SqlFunction {
    private final boolean reduces;

    ElementFunction(String name, boolean reduces, SqlReturnTypeInference type) {
      super(
          name,
          SqlKind.OTHER_FUNCTION,
          type,
          null,
          new ElementFunctionChecker(reduces),
          SqlFunctionCategory.SYSTEM);
      this.reduces = reduces;
    }

    @Override
    public RelDataType deriveType(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
      setParameters(validator, scope, call);
      return super.deriveType(validator, scope, call);
    }
  }

  /** Has the parameters of a call's lambda be of the type of its list's elements. */
  public static void setParameters(SqlValidator validator, SqlValidatorScope scope, SqlCall call) {
    if (call.getOperator() instanceof ElementFunction function
        && call.operandCount() == 2
        && call.operand(1) instanceof SqlLambda lambda
        && takes(function.reduces, lambda)) {
      RelDataType list = validator.deriveType(scope, call.operand(0));
      if (list.getComponentType() != null) {
        setParameters(validator, lambda, list, function.reduces);
      }
    }
  }

  private static void setParameters(
      SqlValidator validator, SqlLambda lambda, RelDataType list, boolean reduces) {
    SqlLambdaScope scope = (SqlLambdaScope) validator.getLambdaScope(lambda);
    RelDataTypeFactory types = validator.getTypeFactory();
    RelDataType element =
        reduces
            ? elementType(types, list)
            : types.createTypeWithNullability(requireNonNull(list.getComponentType()), true);
    RelDataType second =
        reduces
            ? element
            : types.createTypeWithNullability(types.createSqlType(SqlTypeName.BIGINT), true);
    RelDataType type = element;
    for (SqlNode parameter : lambda.getParameters()) {
      scope.getParameterTypes().put(parameter.toString(), type);
      type = second;
    }
  }

  /** Whether it is that of a parameter of another function, whose type is not known yet. */
  private static boolean isUnknown(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.ANY;
  }

  /** The type of what the function makes. */
  private static RelDataType made(SqlOperatorBinding binding) {
    RelDataType type = binding.getOperandType(1);
    return type instanceof FunctionSqlType function ? function.getReturnType() : type;
  }

  /** Has the parameter be of the type of the elements, and asks for the function's type again. */
  private record ElementFunctionChecker(boolean reduces) implements SqlOperandTypeChecker {
    @Override
    public boolean checkOperandTypes(SqlCallBinding binding, boolean throwOnFailure) {
      if (isUnknown(binding.getOperandType(0))) {
        return true;
      }
      RelDataType element = binding.getOperandType(0).getComponentType();
      if (element == null
          || !(binding.operand(1) instanceof SqlLambda lambda)
          || !takes(reduces, lambda)) {
        if (throwOnFailure) {
          throw binding.newValidationSignatureError();
        }
        return false;
      }
      SqlValidator validator = binding.getValidator();
      setParameters(validator, lambda, binding.getOperandType(0), reduces);
      lambda.accept(new TypeRemover((SqlValidatorImpl) validator));
      validator.validateLambda(lambda);
      return true;
    }

    @Override
    public SqlOperandCountRange getOperandCountRange() {
      return SqlOperandCountRanges.of(2);
    }

    @Override
    public String getAllowedSignatures(SqlOperator operator, String name) {
      return name
          + (reduces
              ? "(<ARRAY>, (x, y) -> ...)"
              : "(<ARRAY>, x -> ...), or (<ARRAY>, (x, place) -> ...)");
    }
  }

  private static final class TypeRemover extends SqlBasicVisitor<@Nullable Void> {
    private final SqlValidatorImpl validator;

    TypeRemover(SqlValidatorImpl validator) {
      this.validator = validator;
    }

    @Override
    public @Nullable Void visit(SqlIdentifier name) {
      validator.removeValidatedNodeType(name);
      return null;
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
      validator.removeValidatedNodeType(call);
      for (SqlNode operand : call.getOperandList()) {
        if (operand != null) {
          operand.accept(this);
        }
      }
      return null;
    }
  }

  /** {@code function} is a Function1, or a Predicate1 where its values are never null. */
  public static List<@Nullable Object> transform(List<?> list, Object function) {
    StopCheck.current().work(list.size());
    List<@Nullable Object> made = new ArrayList<>(list.size());
    long place = 0;
    for (Object element : list) {
      made.add(apply(function, element, ++place));
    }
    return made;
  }

  public static List<@Nullable Object> filter(List<?> list, Object condition) {
    StopCheck.current().work(list.size());
    List<@Nullable Object> kept = new ArrayList<>();
    long place = 0;
    for (Object element : list) {
      if (Boolean.TRUE.equals(apply(condition, element, ++place))) {
        kept.add(element);
      }
    }
    return kept;
  }

  public static @Nullable Object reduce(List<?> list, Object function) {
    StopCheck.current().work(list.size());
    if (list.isEmpty()) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          "LIST_REDUCE of an empty list has no value; give it a value to begin with, as its third"
              + " argument.");
    }
    Object made = list.getFirst();
    for (Object element : list.subList(1, list.size())) {
      made = applyTwo(function, made, element);
    }
    return made;
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Object apply(Object function, @Nullable Object element, long place) {
    return switch (function) {
      case Predicate1<?> condition -> ((Predicate1<@Nullable Object>) condition).apply(element);
      case Function1<?, ?> one ->
          ((Function1<@Nullable Object, @Nullable Object>) one).apply(element);
      default -> applyTwo(function, element, place);
    };
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Object applyTwo(
      Object function, @Nullable Object first, @Nullable Object second) {
    return function instanceof Predicate2<?, ?> condition
        ? (Object) ((Predicate2<@Nullable Object, @Nullable Object>) condition).apply(first, second)
        : ((Function2<@Nullable Object, @Nullable Object, @Nullable Object>) function)
            .apply(first, second);
  }
}
