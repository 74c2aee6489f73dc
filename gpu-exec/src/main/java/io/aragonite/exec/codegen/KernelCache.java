package io.aragonite.exec.codegen;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.StringReader;
import java.lang.invoke.MethodHandles;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.codehaus.janino.SimpleCompiler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classes by their text, which has no constants in it: queries that differ in constants share them,
 * and with them what the JIT has made of them.
 */
public final class KernelCache {
  private static final Logger LOG = LoggerFactory.getLogger(KernelCache.class);
  private static final int MAX_CLASSES = 4_000;
  private static final int MAX_MISSING = 10_000;
  private static final String CLASS_NAME = "Generated";
  private static final String IMPORTS =
      """
      package io.aragonite.exec.codegen;
      import io.aragonite.exec.expr.DateTimes;
      import io.aragonite.exec.expr.Floats;
      import io.aragonite.exec.expr.Integers;
      import io.aragonite.exec.expr.KeyHash;
      import io.aragonite.exec.expr.TimeUnit;
      import io.aragonite.exec.expr.ZoneOffsets;
      import io.aragonite.exec.memory.Mem;
      """;
  private static final String HEADER = IMPORTS + "final class Generated extends Kernel {\n";

  private static final ConcurrentHashMap<String, Kernel> KERNELS = new ConcurrentHashMap<>();

  private static final NamedTypes TYPES = new NamedTypes(Kernel.class.getClassLoader());

  private KernelCache() {}

  /** Read when the first kernel is needed. */
  private static final class Kept {
    static final @Nullable ClassFileStore STORE = ClassFileStore.ofUser();
  }

  /**
   * Finds the types that texts name. Janino asks for many that are not there, for each text again,
   * as each name before a dot may be a type of any package: to look for one goes through all jars.
   */
  private static final class NamedTypes extends ClassLoader {
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    NamedTypes(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (missing.contains(name)) {
        throw new ClassNotFoundException(name);
      }
      try {
        return getParent().loadClass(name);
      } catch (ClassNotFoundException e) {
        if (missing.size() < MAX_MISSING) {
          missing.add(name);
        }
        throw e;
      }
    }
  }

  /** How many classes there are. */
  public static int size() {
    return KERNELS.size();
  }

  /** The kernel whose methods have this text. */
  static Kernel get(String members) {
    if (KERNELS.size() >= MAX_CLASSES) {
      KERNELS.clear();
    }
    return KERNELS.computeIfAbsent(members, text -> compile(HEADER + text + "}\n"));
  }

  /** The class file of static methods, for translation to another machine's code. */
  static byte[] classFile(String members) {
    String source = IMPORTS + "final class Generated {\n" + members + "}\n";
    try {
      return classFileOf(source);
    } catch (Exception e) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "Generated code does not compile: " + e.getMessage() + "\n" + source,
          e);
    }
  }

  private static byte[] classFileOf(String source) throws Exception {
    LOG.trace("{}", source);
    SimpleCompiler compiler = new SimpleCompiler();
    compiler.setParentClassLoader(TYPES);
    compiler.cook(CLASS_NAME, new StringReader(source));
    return compiler.getBytecodes().values().iterator().next();
  }

  private static Kernel compile(String source) {
    try {
      ClassFileStore store = Kept.STORE;
      byte[] kept = store == null ? null : store.find(source);
      if (kept != null) {
        return kernel(kept);
      }
      byte[] code = classFileOf(source);
      if (store != null) {
        store.keep(source, code);
      }
      return kernel(code);
    } catch (Exception | LinkageError e) {
      throw new AragoniteException(
          ErrorCode.INTERNAL,
          "Generated code does not compile: " + e.getMessage() + "\n" + source,
          e);
    }
  }

  private static Kernel kernel(byte[] code) throws ReflectiveOperationException {
    Class<?> type = MethodHandles.lookup().defineHiddenClass(code, true).lookupClass();
    return (Kernel) type.getDeclaredConstructor().newInstance();
  }
}
