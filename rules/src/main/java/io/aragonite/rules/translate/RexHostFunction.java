package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.HostFunction;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.function.CheckedCalls;
import io.aragonite.rules.function.FineMoment;
import io.aragonite.rules.function.MillisFunctions;
import io.aragonite.rules.function.NumberSequence;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumUtils;
import org.apache.calcite.adapter.enumerable.RexToLixTranslator;
import org.apache.calcite.adapter.java.JavaTypeFactory;
import org.apache.calcite.linq4j.function.Function1;
import org.apache.calcite.linq4j.tree.BlockBuilder;
import org.apache.calcite.linq4j.tree.Expression;
import org.apache.calcite.linq4j.tree.Expressions;
import org.apache.calcite.linq4j.tree.ParameterExpression;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexExecutable;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgramBuilder;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlConformanceEnum;
import org.apache.calcite.util.BuiltInMethod;
import org.jspecify.annotations.Nullable;

/**
 * An expression compiled by Calcite's code generator. Rules translate expressions only to see
 * whether that works, so code is generated when {@link #prepare} or the first evaluation asks for
 * it.
 */
public final class RexHostFunction implements HostFunction {
  /** Operands whose types an error names. */
  private static final int MOST_NAMED = 20;

  private final RexBuilder rexBuilder;
  private final RexNode body;
  private final RelDataType rowType;
  private final RelDataType[] argumentTypes;
  private final DataType type;
  private final HostContext hostContext;

  /** What the code has of the arguments. */
  private volatile List<RelDataTypeField> codeTypes;

  private volatile @Nullable Function1<DataContext, @Nullable Object @Nullable []> code;

  RexHostFunction(
      RexBuilder rexBuilder, RexNode body, RelDataType rowType, HostContext hostContext) {
    this.rexBuilder = rexBuilder;
    this.body = body;
    this.rowType = rowType;
    this.hostContext = hostContext;
    this.codeTypes = rowType.getFieldList();
    this.type = TypeMapping.of(body.getType());
    this.argumentTypes =
        rowType.getFieldList().stream().map(RelDataTypeField::getType).toArray(RelDataType[]::new);
  }

  /** Generates the code. */
  public Function1<DataContext, @Nullable Object @Nullable []> prepare() {
    Function1<DataContext, @Nullable Object @Nullable []> present = code;
    if (present == null) {
      try {
        present = new RexExecutable(generate(), body).getFunction();
      } catch (AragoniteException e) {
        throw e;
      } catch (RuntimeException e) { // what it says names methods of Calcite
        throw new AragoniteException(
            ErrorCode.EXPRESSION_UNSUPPORTED,
            "There is no code for %s; cast its operands to other types.".formatted(named()),
            e);
      }
      code = present;
    }
    return present;
  }

  /** The operation and the types that it is asked of. */
  private String named() {
    if (!(body instanceof RexCall call)) {
      return body.toString();
    }
    String name = call.getOperator().getName();
    int operands = call.getOperands().size();
    if (operands > MOST_NAMED) {
      return "%s of %,d operands".formatted(name, operands);
    }
    return call.getOperands().stream()
        .map(operand -> operand.getType().toString())
        .collect(Collectors.joining(" and ", name + " of ", ""));
  }

  /**
   * What Calcite's RexExecutorImpl generates, but for a final parameter: code of TRY_CAST refers to
   * it from inside a lambda.
   */
  private String generate() {
    List<RexNode> checked = new ArrayList<>();
    for (RexNode value : isRow() ? ((RexCall) body).getOperands() : List.of(body)) {
      checked.add(CheckedCalls.of(rexBuilder, value));
    }
    Set<Integer> inList = new HashSet<>();
    List<RexNode> passed = FineOperands.of(rexBuilder, checked, inList);
    RelDataTypeFactory.Builder row = rexBuilder.getTypeFactory().builder();
    for (RelDataTypeField field : rowType.getFieldList()) {
      boolean any = inList.contains(field.getIndex());
      row.add(
          field.getName(), any ? FineOperands.any(rexBuilder, field.getType()) : field.getType());
    }
    codeTypes = row.build().getFieldList();
    RexProgramBuilder program = new RexProgramBuilder(row.build(), rexBuilder);
    passed.forEach(value -> program.addProject(value, null));
    JavaTypeFactory types = (JavaTypeFactory) rexBuilder.getTypeFactory();
    BlockBuilder block = new ManyNames();
    ParameterExpression context =
        Expressions.parameter(Modifier.FINAL, Object.class, "aragoniteContext");
    block.add(
        Expressions.declare(
            Modifier.FINAL, DataContext.ROOT, Expressions.convert_(context, DataContext.class)));
    List<Expression> values =
        RexToLixTranslator.translateProjects(
            program.getProgram(),
            types,
            SqlConformanceEnum.DEFAULT,
            block,
            null,
            null,
            DataContext.ROOT,
            (list, index, storage) -> argument(index, storage, types),
            null);
    block.add(Expressions.return_(null, Expressions.newArrayInit(Object[].class, values)));
    return Expressions.toString(
        Expressions.methodDecl(
            Modifier.PUBLIC, Object[].class, "apply", List.of(context), block.toBlock()));
  }

  /** Calcite's own tries all numbers behind a name from the first one on. */
  private static final class ManyNames extends BlockBuilder {
    private final Map<String, Integer> numbers = new HashMap<>();

    @Override
    public String newName(String suggestion) {
      StopCheck.current().check();
      int number = numbers.getOrDefault(suggestion, -1);
      String name = number < 0 ? suggestion : suggestion + number;
      while (hasVariable(name)) {
        number++;
        name = suggestion + number;
      }
      numbers.put(suggestion, number);
      return name;
    }
  }

  /** A row is the array of its fields: Calcite's code makes a null of a row of nulls. */
  private boolean isRow() {
    return body.getKind() == SqlKind.ROW;
  }

  private Expression argument(int index, @Nullable Type storage, JavaTypeFactory types) {
    Expression row =
        EnumUtils.convert(
            Expressions.call(
                DataContext.ROOT,
                BuiltInMethod.DATA_CONTEXT_GET.method,
                Expressions.constant("inputRecord")),
            Object[].class);
    return EnumUtils.convert(
        Expressions.arrayIndex(row, Expressions.constant(index)),
        storage == null ? types.getJavaClass(codeTypes.get(index).getType()) : storage);
  }

  @Override
  public @Nullable Object apply(@Nullable Object[] arguments) {
    prepare(); // it says what the code has
    List<RelDataTypeField> forms = codeTypes;
    @Nullable Object[] row = new Object[arguments.length];
    for (int i = 0; i < row.length; i++) {
      row[i] =
          forms.get(i).getType().getSqlTypeName() == SqlTypeName.ANY
              ? CalciteValues.inList(arguments[i], argumentTypes[i])
              : CalciteValues.fromEngine(arguments[i], argumentTypes[i]);
    }
    return evaluate(hostContext.row(row));
  }

  @Override
  public boolean sequential() {
    return RexUtil.findOperatorCall(NumberSequence.NEXTVAL, body) != null;
  }

  /** The value in a context, in the engine's form. */
  @Nullable Object evaluate(DataContext context) {
    @Nullable Object @Nullable [] result;
    try {
      result = prepare().apply(context);
    } catch (ClassCastException e) { // the code knows milliseconds alone
      throw String.valueOf(e.getMessage()).contains(FineMoment.class.getSimpleName())
          ? MillisFunctions.refused("timestamp in a list, map or row")
          : e;
    }
    if (result == null) {
      return null;
    }
    return CalciteValues.toEngine(isRow() ? result : result[0], type);
  }

  @Override
  public String toString() {
    return body.toString();
  }
}
