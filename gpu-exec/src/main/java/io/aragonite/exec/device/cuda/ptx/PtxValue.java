package io.aragonite.exec.device.cuda.ptx;

import org.jspecify.annotations.Nullable;

/** What stands for a value of the JVM while bytecode is translated. */
sealed interface PtxValue {
  /** Types of registers. */
  enum Type {
    INT("b32", "%r", 1),
    LONG("b64", "%rd", 2),
    FLOAT("f32", "%f", 1),
    DOUBLE("f64", "%fd", 2);

    /** The type in declarations and moves. */
    final String ptx;

    final String register;

    /** Local variables that a value takes. */
    final int size;

    Type(String ptx, String register, int size) {
      this.ptx = ptx;
      this.register = register;
      this.size = size;
    }

    /** The type of a descriptor's first character. */
    static Type of(char descriptor) {
      return switch (descriptor) {
        case 'J' -> LONG;
        case 'D' -> DOUBLE;
        case 'F' -> FLOAT;
        case 'I', 'Z', 'B', 'S', 'C' -> INT;
        default -> throw new PtxUntranslatable("a value of type " + descriptor);
      };
    }
  }

  /** Numbers have a register type; references have none. */
  default @Nullable Type type() {
    return null;
  }

  /** A register, which keeps its value from where it is set. */
  record Reg(Type type, String name) implements PtxValue {}

  record Const(Type type, Number value) implements PtxValue {}

  /** An int of 0 or 1 in a predicate register; 1 if the register is true unless inverted. */
  record Pred(String name, boolean inverted) implements PtxValue {
    @Override
    public Type type() {
      return Type.INT;
    }
  }

  /**
   * An int that is negative, zero or positive as {@code left} is less than, equal to or greater
   * than {@code right}.
   *
   * @param of the type compared
   * @param nan the value if one of them is not a number
   */
  record Compare(Type of, boolean unsigned, int nan, PtxValue left, PtxValue right)
      implements PtxValue {
    @Override
    public Type type() {
      return Type.INT;
    }
  }

  /** The arguments of the kernel, KernelArgs in Java. */
  record Args() implements PtxValue {}

  /** An array in the arguments. */
  record ArgsArray(String field) implements PtxValue {}

  /** The heap of new texts. */
  record Heap() implements PtxValue {}

  /** An object constant of which only the class is known. */
  record ObjectConstant(int index, @Nullable String owner) implements PtxValue {}

  /** An array in an object constant. */
  record ObjectArray(int index, String owner, String field, char element) implements PtxValue {}

  /** An array in a static field, or made of one. */
  record StaticArray(String name, Object array) implements PtxValue {}

  /** A constant of an enum, which code is made for. */
  record EnumConstant(Enum<?> constant) implements PtxValue {}

  /** A reference that code may pass on but not look into: null, a text, an exception. */
  record Opaque(String what) implements PtxValue {}

  static PtxValue of(int value) {
    return new Const(Type.INT, value);
  }

  static PtxValue of(long value) {
    return new Const(Type.LONG, value);
  }

  /** The value of an int constant, or null if it is none. */
  static @Nullable Integer constantInt(PtxValue value) {
    return value instanceof Const c && c.type == Type.INT ? (Integer) c.value : null;
  }
}
