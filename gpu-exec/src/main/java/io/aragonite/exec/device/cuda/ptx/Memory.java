package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.PtxValue.Args;
import io.aragonite.exec.device.cuda.ptx.PtxValue.ArgsArray;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Const;
import io.aragonite.exec.device.cuda.ptx.PtxValue.EnumConstant;
import io.aragonite.exec.device.cuda.ptx.PtxValue.ObjectArray;
import io.aragonite.exec.device.cuda.ptx.PtxValue.ObjectConstant;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.StaticArray;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;

/** Fields and arrays: what code reads of the kernel's arguments, of constants, and of tables. */
final class Memory {
  private static final Map<String, KernelArgument.ArgumentKind> ARRAYS =
      Map.of(
          "values", KernelArgument.ArgumentKind.VALUES,
          "offsets", KernelArgument.ArgumentKind.OFFSETS,
          "validity", KernelArgument.ArgumentKind.VALIDITY,
          "ids", KernelArgument.ArgumentKind.IDS,
          "outValues", KernelArgument.ArgumentKind.OUT_VALUES,
          "outValidity", KernelArgument.ArgumentKind.OUT_VALIDITY,
          "outLengths", KernelArgument.ArgumentKind.OUT_LENGTHS,
          "longs", KernelArgument.ArgumentKind.LONG,
          "doubles", KernelArgument.ArgumentKind.DOUBLE);

  private final PtxWriter out;
  private final Intrinsics intrinsics;
  private final IntFunction<Object> objects;

  /** The registers through which methods return a second value, and what else varies. */
  private final Map<String, Reg> variables;

  /**
   * @param objects the object constants
   */
  Memory(PtxWriter out, Intrinsics intrinsics, IntFunction<Object> objects) {
    this.out = out;
    this.intrinsics = intrinsics;
    this.objects = objects;
    this.variables =
        Map.of(
            "high", out.register(Type.LONG),
            "length", out.register(Type.INT),
            "isNull", out.register(Type.INT),
            "sums", out.register(Type.INT));
  }

  /** Sets where a lane's sums begin. */
  void setSums(PtxValue address) {
    out.move(Objects.requireNonNull(variables.get("sums")), address);
  }

  /** The value of a field of an object. */
  PtxValue field(PtxValue object, String owner, String name, String descriptor) {
    switch (object) {
      case Args args -> {
        Reg variable = variables.get(name);
        if (variable != null) {
          return out.copy(variable);
        }
        return switch (name) {
          case "heap" -> new PtxValue.Heap();
          case "objects" -> new ArgsArray(name);
          default -> {
            if (!ARRAYS.containsKey(name)) {
              throw new PtxUntranslatable("the argument " + name);
            }
            yield new ArgsArray(name);
          }
        };
      }
      case ObjectConstant constant -> {
        if (descriptor.charAt(0) == '[') {
          if ("JDFIZBSC".indexOf(descriptor.charAt(1)) < 0) {
            throw new PtxUntranslatable("the array of objects " + owner + "." + name);
          }
          return new ObjectArray(constant.index(), owner, name, descriptor.charAt(1));
        }
        KernelArgument slot =
            new KernelArgument(KernelArgument.ArgumentKind.FIELD, constant.index(), name);
        return switch (Type.of(descriptor.charAt(0))) {
          case LONG -> out.slot(slot);
          case INT -> out.intSlot(slot);
          default -> throw new PtxUntranslatable("a field of type " + descriptor);
        };
      }
      default -> throw new PtxUntranslatable("the field " + owner + "." + name);
    }
  }

  void putField(PtxValue object, String name, PtxValue value) {
    Reg variable = variables.get(name);
    if (!(object instanceof Args) || variable == null) {
      throw new PtxUntranslatable("a store to the field " + name);
    }
    out.move(variable, value);
  }

  PtxValue staticField(String owner, String name) {
    if (name.equals("$assertionsDisabled")) {
      return PtxValue.of(1);
    }
    Object value;
    try {
      Field field = Class.forName(owner.replace('/', '.')).getDeclaredField(name);
      field.setAccessible(true);
      if (!java.lang.reflect.Modifier.isFinal(field.getModifiers())) {
        throw new PtxUntranslatable("the variable " + owner + "." + name);
      }
      value = field.get(null);
    } catch (ReflectiveOperationException | java.lang.reflect.InaccessibleObjectException e) {
      throw new PtxUntranslatable("the static field " + owner + "." + name);
    }
    return switch (value) {
      case Integer number -> PtxValue.of(number);
      case Long number -> PtxValue.of(number);
      case Double number -> new Const(Type.DOUBLE, number);
      case Enum<?> constant -> new EnumConstant(constant);
      case null -> new PtxValue.Opaque("null");
      default ->
          value.getClass().isArray()
              ? new StaticArray(owner + "." + name, value)
              : new PtxValue.Opaque(owner + "." + name);
    };
  }

  PtxValue arrayLength(PtxValue array) {
    return switch (array) {
      case StaticArray table -> PtxValue.of(Array.getLength(table.array()));
      case ObjectArray table ->
          out.intSlot(
              new KernelArgument(KernelArgument.ArgumentKind.LENGTH, table.index(), table.field()));
      default -> throw new PtxUntranslatable("the length of " + array);
    };
  }

  PtxValue arrayElement(PtxValue array, PtxValue index, Opcode opcode) {
    Integer known = PtxValue.constantInt(index);
    switch (array) {
      case ArgsArray args -> {
        if (known == null) {
          throw new PtxUntranslatable("an argument by number");
        }
        return args.field().equals("objects")
            ? new ObjectConstant(known, null)
            : out.slot(new KernelArgument(Objects.requireNonNull(ARRAYS.get(args.field())), known));
      }
      case ObjectArray table -> {
        Reg base =
            out.slot(
                new KernelArgument(
                    KernelArgument.ArgumentKind.ARRAY, table.index(), table.field()));
        return element(base, index, opcode, table.element() == 'Z');
      }
      case StaticArray table -> {
        if (known == null) {
          boolean bits = table.array() instanceof boolean[];
          return element(out.table(table.name(), table.array()), index, opcode, bits);
        }
        return switch (Array.get(table.array(), known)) {
          case Boolean value -> PtxValue.of(value ? 1 : 0);
          case Byte value -> PtxValue.of((int) value);
          case Short value -> PtxValue.of((int) value);
          case Character value -> PtxValue.of((int) value);
          case Integer value -> PtxValue.of(value);
          case Long value -> PtxValue.of(value);
          case Double value -> new Const(Type.DOUBLE, value);
          default -> throw new PtxUntranslatable("the table " + table.name());
        };
      }
      default -> throw new PtxUntranslatable("an element of " + array);
    }
  }

  private PtxValue element(Reg base, PtxValue index, Opcode opcode, boolean bits) {
    int shift =
        switch (opcode) {
          case BALOAD -> 0;
          case SALOAD, CALOAD -> 1;
          case IALOAD -> 2;
          case LALOAD, DALOAD -> 3;
          default -> throw new PtxUntranslatable("the instruction " + opcode);
        };
    PtxValue offset = Arithmetic.convert(out, Opcode.I2L, index);
    PtxValue address =
        Arithmetic.binary(
            out,
            Opcode.LADD,
            base,
            Arithmetic.binary(out, Opcode.LSHL, offset, PtxValue.of(shift)));
    return switch (opcode) {
      case BALOAD -> intrinsics.load(Type.INT, "ld.global.nc." + (bits ? "u8" : "s8"), address);
      case SALOAD -> intrinsics.load(Type.INT, "ld.global.nc.s16", address);
      case CALOAD -> intrinsics.load(Type.INT, "ld.global.nc.u16", address);
      case IALOAD -> intrinsics.load(Type.INT, "ld.global.nc.u32", address);
      case LALOAD -> intrinsics.load(Type.LONG, "ld.global.nc.u64", address);
      default -> intrinsics.load(Type.DOUBLE, "ld.global.nc.f64", address);
    };
  }

  /** A cast; constants get to know their class, and code is made for constants of an enum. */
  PtxValue cast(PtxValue value, TypeCheckInstruction check) {
    if (check.opcode() != Opcode.CHECKCAST) {
      throw new PtxUntranslatable("the instruction " + check.opcode());
    }
    if (!(value instanceof ObjectConstant constant)) {
      return value;
    }
    String type = check.type().asInternalName();
    if (type.startsWith("[")) {
      return new ObjectArray(constant.index(), type, "", type.charAt(1));
    }
    return objects.apply(constant.index()) instanceof Enum<?> known
        ? new EnumConstant(known)
        : new ObjectConstant(constant.index(), type);
  }
}
