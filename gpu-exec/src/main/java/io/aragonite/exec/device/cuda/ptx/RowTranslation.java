package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.Intrinsics.Access;
import io.aragonite.exec.device.cuda.ptx.PtxValue.EnumConstant;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Heap;
import io.aragonite.exec.device.cuda.ptx.PtxValue.ObjectConstant;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import io.aragonite.exec.expr.DateTimes;
import io.aragonite.exec.expr.Floats;
import io.aragonite.exec.expr.Integers;
import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.expr.ZoneOffsets;
import io.aragonite.exec.memory.Mem;
import java.lang.classfile.Opcode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The translation of one generated class: what its methods may call, and how rows fail. */
final class RowTranslation {
  private static final String CODEGEN = "io/aragonite/exec/codegen/";
  private static final String GENERATED = CODEGEN + "Generated";

  /** Classes whose methods are translated, static or of constants. */
  private static final Map<String, Class<?>> HELPERS =
      Stream.of(
              DateTimes.class,
              ZoneOffsets.class,
              KeyHash.class,
              Floats.class,
              Integers.class,
              Mem.class,
              DeviceCode.class,
              Math.class,
              Double.class,
              Long.class,
              Integer.class)
          .collect(
              Collectors.toUnmodifiableMap(type -> type.getName().replace('.', '/'), type -> type));

  /** Classes of the code generator whose methods are translated, static or of constants. */
  private static final Set<String> GENERATOR_HELPERS =
      Set.of(
          CODEGEN + "Arith",
          CODEGEN + "Texts",
          CODEGEN + "TextCasts",
          CODEGEN + "LongSet",
          CODEGEN + "TextSet",
          CODEGEN + "TruthTable",
          CODEGEN + "NativeDictionary");

  /** Methods that have another form here. */
  private static final Map<String, String> REPLACED =
      Map.of(
          "Mem.copy(JJJ)V", "copy(JJJ)V",
          "Mem.fill(JJB)V", "fill(JJB)V",
          "Arith.year(J)J", "year(J)J");

  private static final Map<String, JavaCode.Methods> KNOWN = new ConcurrentHashMap<>();

  private final PtxWriter out;
  private final JavaCode.Methods generated;
  private final Intrinsics intrinsics;
  private final Memory memory;
  private final String trap;
  private final String outOfHeap;
  private boolean traps;

  /**
   * @param classFile the generated class
   * @param objects the object constants
   * @param trap the label to which a row goes that fails, or that the host must do
   * @param outOfHeap the label to which a row goes when there is no room for its new texts
   */
  RowTranslation(
      PtxWriter out, byte[] classFile, IntFunction<Object> objects, String trap, String outOfHeap) {
    this.out = out;
    this.generated = new JavaCode.Methods(classFile);
    this.intrinsics = new Intrinsics(out);
    this.memory = new Memory(out, intrinsics, objects);
    this.trap = trap;
    this.outOfHeap = outOfHeap;
  }

  PtxWriter out() {
    return out;
  }

  Memory memory() {
    return memory;
  }

  boolean isGenerated(String owner) {
    return owner.equals(GENERATED);
  }

  /** The row cannot be done here. */
  void trap() {
    traps = true;
    out.jump(trap);
  }

  /** Whether some row may not be done here. */
  boolean traps() {
    return traps;
  }

  /** The method of the generated class that computes a row. */
  PtxValue row(String descriptor, Reg row) {
    JavaCode code = generated.get("row" + descriptor);
    if (code == null) {
      throw new PtxUntranslatable("a class without a method for rows");
    }
    PtxValue result = Inliner.inline(this, code, List.of(new PtxValue.Args(), row), 0);
    return java.util.Objects.requireNonNull(result);
  }

  private static JavaCode.@Nullable Methods helper(String owner) {
    JavaCode.Methods known = KNOWN.get(owner);
    if (known != null) {
      return known;
    }
    Class<?> type = HELPERS.get(owner);
    if (type == null && GENERATOR_HELPERS.contains(owner)) {
      try {
        type = Class.forName(owner.replace('/', '.'));
      } catch (ClassNotFoundException e) {
        throw new PtxUntranslatable("the class " + owner);
      }
    }
    if (type == null) {
      return null;
    }
    JavaCode.Methods methods = JavaCode.Methods.of(type);
    KNOWN.put(owner, methods);
    return methods;
  }

  /**
   * Writes a call.
   *
   * @param caller the class that calls
   * @param key the method's name and descriptor
   * @param args the receiver, if any, and the arguments
   * @return the result; null if there is none
   */
  @Nullable PtxValue call(String caller, String owner, String key, List<PtxValue> args, int depth) {
    if (owner.equals(GENERATED)) {
      return inline(generated, owner, key, args, depth);
    }
    String name = owner.substring(owner.lastIndexOf('/') + 1) + "." + key;
    if (intrinsics.isKnown(name)) {
      return intrinsics.call(name, args, access(caller));
    }
    String replacement = REPLACED.get(name);
    if (replacement != null) {
      return device(replacement, args, depth);
    }
    PtxValue receiver = args.isEmpty() ? null : args.getFirst();
    if (receiver instanceof EnumConstant known && key.equals("ordinal()I")) {
      return PtxValue.of(known.constant().ordinal());
    }
    if (receiver instanceof Heap && key.equals("allocate(J)J")) {
      return allocate(args.get(1));
    }
    if (receiver instanceof ObjectConstant matcher && name.equals("ByteMatcher.matches(JI)Z")) {
      Reg program =
          out.slot(new KernelArgument(KernelArgument.ArgumentKind.PROGRAM, matcher.index()));
      return device("like(JJI)Z", List.of(program, args.get(1), args.get(2)), depth);
    }
    JavaCode.Methods methods = helper(owner);
    if (methods == null) {
      throw new PtxUntranslatable("a call of " + name);
    }
    return inline(methods, owner, key, args, depth);
  }

  PtxValue remainder(PtxValue x, PtxValue y, int depth) {
    return java.util.Objects.requireNonNull(device("remainder(DD)D", List.of(x, y), depth));
  }

  private @Nullable PtxValue device(String key, List<PtxValue> args, int depth) {
    String owner = "io/aragonite/exec/device/cuda/ptx/DeviceCode";
    return call(owner, owner, key, args, depth);
  }

  private @Nullable PtxValue inline(
      JavaCode.Methods methods, String owner, String key, List<PtxValue> args, int depth) {
    JavaCode code = methods.get(key);
    if (code == null) {
      throw new PtxUntranslatable("a call of " + owner + "." + key);
    }
    return Inliner.inline(this, code, args, depth + 1);
  }

  private static Access access(String caller) {
    return switch (caller) {
      case GENERATED, "io/aragonite/exec/memory/Mem" -> Access.COLUMN;
      case "io/aragonite/exec/device/cuda/ptx/DeviceCode" -> Access.ALIGNED;
      default -> Access.ANY;
    };
  }

  /** Room for a new text; aligned, so that texts can be read by words. */
  private PtxValue allocate(PtxValue bytes) {
    PtxValue rounded =
        Arithmetic.binary(
            out,
            Opcode.LAND,
            Arithmetic.binary(out, Opcode.LADD, bytes, PtxValue.of(7L)),
            PtxValue.of(-8L));
    Reg start = out.register(Type.LONG);
    Reg used = out.slot(new KernelArgument(KernelArgument.ArgumentKind.HEAP));
    out.line(
        "atom.global.add.u64 " + start.name() + ", [" + used.name() + "], " + out.operand(rounded));
    PtxValue end = Arithmetic.binary(out, Opcode.LADD, start, rounded);
    Reg size = out.slot(new KernelArgument(KernelArgument.ArgumentKind.HEAP_SIZE));
    out.jumpIf(out.test("setp.gt.u64", end, size), outOfHeap);
    return Arithmetic.binary(
        out,
        Opcode.LADD,
        out.slot(new KernelArgument(KernelArgument.ArgumentKind.HEAP_BASE)),
        start);
  }
}
