package io.aragonite.adapter.result;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The result that users hold. What is called for each row and value is done here, since a proxy
 * makes an array of each call's arguments and looks up by name what to do. JDBC's other methods go
 * to a proxy all the same: a class is made of this one that has them, when the first result is.
 */
abstract class GuardedResultSet implements ResultSet {
  private static final MethodType PARAMETERS =
      MethodType.methodType(void.class, ResultSetGuard.class, ResultSet.class);
  private static final MethodHandle CONSTRUCTOR = constructor();

  private final ResultSetGuard guard;
  private final ResultSet target;
  private final ColumnGetters getters;

  /** Where all other calls go. */
  final ResultSet proxy;

  GuardedResultSet(ResultSetGuard guard, ResultSet proxy) {
    this.guard = guard;
    this.target = guard.target;
    this.getters = guard.getters();
    this.proxy = proxy;
  }

  static GuardedResultSet of(ResultSetGuard guard, ResultSet proxy) {
    try {
      return (GuardedResultSet) CONSTRUCTOR.invokeExact(guard, proxy);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public final boolean next() throws SQLException {
    try {
      return guard.next();
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final boolean wasNull() throws SQLException {
    try {
      return target.wasNull();
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final @Nullable Object getObject(int column) throws SQLException {
    try {
      return guard.value(column);
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final @Nullable String getString(int column) throws SQLException {
    try {
      return guard.plain(column) instanceof String text ? text : getters.getString(column);
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final int getInt(int column) throws SQLException {
    try {
      // most columns are read as what they are, which takes none of Avatica's detours
      return guard.plain(column) instanceof Integer value ? value : getters.getInt(column);
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final long getLong(int column) throws SQLException {
    try {
      return guard.plain(column) instanceof Long value ? value : getters.getLong(column);
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final double getDouble(int column) throws SQLException {
    try {
      return guard.plain(column) instanceof Double value ? value : getters.getDouble(column);
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
    try {
      return getters.getBigDecimal(column);
    } catch (Throwable e) {
      throw guard.mapped(e);
    }
  }

  @Override
  public final <T> T unwrap(Class<T> type) throws SQLException {
    return type != null && type.isInstance(this) ? type.cast(this) : proxy.unwrap(type);
  }

  @Override
  public final String toString() {
    return proxy.toString();
  }

  private static MethodHandle constructor() {
    Lookup lookup = MethodHandles.lookup();
    try {
      return lookup
          .findConstructor(lookup.defineHiddenClass(code(), true).lookupClass(), PARAMETERS)
          .asType(PARAMETERS.changeReturnType(GuardedResultSet.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] code() {
    ClassDesc base = GuardedResultSet.class.describeConstable().orElseThrow();
    MethodTypeDesc parameters = PARAMETERS.describeConstable().orElseThrow();
    return ClassFile.of()
        .build(
            ClassDesc.of(GuardedResultSet.class.getName() + "All"),
            all -> {
              all.withSuperclass(base).withFlags(ClassFile.ACC_FINAL);
              all.withMethodBody(
                  ConstantDescs.INIT_NAME,
                  parameters,
                  0,
                  code ->
                      code.aload(0)
                          .aload(1)
                          .aload(2)
                          .invokespecial(base, ConstantDescs.INIT_NAME, parameters)
                          .return_());
              for (Method method : ResultSet.class.getMethods()) {
                if (!Modifier.isStatic(method.getModifiers()) && !isHere(method)) {
                  all.withMethodBody(
                      method.getName(),
                      type(method),
                      ClassFile.ACC_PUBLIC,
                      code -> forward(code, base, method));
                }
              }
            });
  }

  private static boolean isHere(Method method) {
    return Arrays.stream(GuardedResultSet.class.getDeclaredMethods())
        .anyMatch(own ->
            own.getName().equals(method.getName())
                && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
  }

  private static MethodTypeDesc type(Method method) {
    return MethodType.methodType(method.getReturnType(), method.getParameterTypes())
        .describeConstable()
        .orElseThrow();
  }

  /** {@code return proxy.method(all arguments)}. */
  private static void forward(CodeBuilder code, ClassDesc base, Method method) {
    ClassDesc owner = method.getDeclaringClass().describeConstable().orElseThrow();
    code.aload(0).getfield(base, "proxy", ResultSet.class.describeConstable().orElseThrow());
    for (int i = 0; i < method.getParameterCount(); i++) {
      code.loadLocal(TypeKind.from(method.getParameterTypes()[i]), code.parameterSlot(i));
    }
    code.invokeinterface(owner, method.getName(), type(method))
        .return_(TypeKind.from(method.getReturnType()));
  }
}
