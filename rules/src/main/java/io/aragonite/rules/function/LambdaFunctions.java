package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.linq4j.function.Function1;
import org.apache.calcite.linq4j.function.Predicate1;
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
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.SqlLambdaScope;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorImpl;
import org.jspecify.annotations.Nullable;

/** Functions of a list and of a function of its elements; the methods are for Calcite's code. */
@Strict
public final class LambdaFunctions {
  /** {@code LIST_TRANSFORM(list, x -> y)}: the values of the function. */
  public static final SqlFunction LIST_TRANSFORM =
      create(
          "LIST_TRANSFORM",
          binding -> {
            RelDataTypeFactory types = binding.getTypeFactory();
            if (isUnknown(binding.getOperandType(0))) {
              return binding.getOperandType(0);
            }
            RelDataType element = types.createTypeWithNullability(made(binding), true);
            return types.createTypeWithNullability(
                types.createArrayType(element, -1), binding.getOperandType(0).isNullable());
          });

  /** {@code LIST_FILTER(list, x -> condition)}: the elements for which it is true. */
  public static final SqlFunction LIST_FILTER =
      create(
          "LIST_FILTER",
          binding -> {
            if (made(binding).getSqlTypeName() != SqlTypeName.BOOLEAN
                && !isUnknown(binding.getOperandType(0))) {
              throw new AragoniteException(
                  ErrorCode.INVALID_STATEMENT,
                  "The function of LIST_FILTER is a condition, such as x -> x > 1.");
            }
            return binding.getOperandType(0);
          });

  private LambdaFunctions() {}

  private static SqlFunction create(String name, SqlReturnTypeInference type) {
    return new SqlFunction(
        name,
        SqlKind.OTHER_FUNCTION,
        type,
        null,
        new ElementFunctionChecker(),
        SqlFunctionCategory.SYSTEM);
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
  private static final class ElementFunctionChecker implements SqlOperandTypeChecker {
    @Override
    public boolean checkOperandTypes(SqlCallBinding binding, boolean throwOnFailure) {
      if (isUnknown(binding.getOperandType(0))) {
        return true;
      }
      RelDataType element = binding.getOperandType(0).getComponentType();
      if (element == null
          || !(binding.operand(1) instanceof SqlLambda lambda)
          || lambda.getParameters().size() != 1) {
        if (throwOnFailure) {
          throw binding.newValidationSignatureError();
        }
        return false;
      }
      SqlValidator validator = binding.getValidator();
      SqlLambdaScope scope = (SqlLambdaScope) validator.getLambdaScope(lambda);
      scope
          .getParameterTypes()
          .put(
              lambda.getParameters().get(0).toString(),
              binding.getTypeFactory().createTypeWithNullability(element, true));
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
      return name + "(<ARRAY>, x -> ...)";
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
    for (Object element : list) {
      made.add(apply(function, element));
    }
    return made;
  }

  public static List<@Nullable Object> filter(List<?> list, Object condition) {
    StopCheck.current().work(list.size());
    List<@Nullable Object> kept = new ArrayList<>();
    for (Object element : list) {
      if (Boolean.TRUE.equals(apply(condition, element))) {
        kept.add(element);
      }
    }
    return kept;
  }

  @SuppressWarnings("unchecked")
  private static @Nullable Object apply(Object function, @Nullable Object element) {
    return function instanceof Predicate1<?> condition
        ? (Object) ((Predicate1<@Nullable Object>) condition).apply(element)
        : ((Function1<@Nullable Object, @Nullable Object>) function).apply(element);
  }
}
