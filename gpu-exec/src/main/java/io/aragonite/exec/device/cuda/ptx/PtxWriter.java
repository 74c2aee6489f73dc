package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.PtxValue.Compare;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Const;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The text of one kernel as it grows: registers, arguments, tables, instructions. */
final class PtxWriter {
  /** Arguments of 8 bytes in the 4 KB that a kernel of this ISA takes. */
  private static final int MAX_SLOTS = 500;

  /** Lines beyond which assembling takes seconds. */
  private static final int MAX_LINES = 40_000;

  private static final int MAX_TABLE = 4096;

  /** What a block's shared memory is called. */
  private static final String SHARED = "sums";

  /** How instructions begin that jump, write, or depend on a predicate. */
  private static final List<String> ACTIONS =
      List.of("@", "bra ", "ld.shared.", "st.", "red.", "atom.", "vote.", "bar.", "ret");

  private final StringBuilder body = new StringBuilder();
  private final StringBuilder prologue = new StringBuilder();
  private final Map<KernelArgument, Reg> slots = new LinkedHashMap<>();
  private final Map<KernelArgument, Reg> intSlots = new LinkedHashMap<>();
  private final Map<String, StaticTable> tables = new LinkedHashMap<>();
  private final EnumMap<Type, Integer> registers = new EnumMap<>(Type.class);
  private int predicates;
  private int labels;
  private int lines;
  private boolean usesShared;
  private @Nullable String pendingJump;

  private record StaticTable(String name, Object array) {}

  // Text

  void line(String text) {
    flushJump();
    raw(text);
  }

  private void raw(String text) {
    body.append('\t').append(text).append(";\n");
    if (++lines > MAX_LINES) {
      throw new PtxUntranslatable("code of more than " + MAX_LINES + " instructions", true);
    }
  }

  private void flushJump() {
    String target = pendingJump;
    if (target != null) {
      pendingJump = null;
      raw("bra " + target);
    }
  }

  /** Goes on elsewhere; nothing is written if that label comes next. */
  void jump(String label) {
    if (pendingJump == null) {
      pendingJump = label;
    }
  }

  void jumpIf(Pred condition, String label) {
    line(guard(condition) + " bra " + label);
  }

  static String guard(Pred condition) {
    return "@" + (condition.inverted() ? "!" : "") + condition.name();
  }

  void label(String label) {
    if (!label.equals(pendingJump)) {
      flushJump();
    }
    pendingJump = null;
    body.append(label).append(":\n");
  }

  /** The number of instructions so far. */
  int lines() {
    return lines;
  }

  /**
   * Code in two parts: what is done whatever happens and changes nothing outside of the thread, and
   * the rest, from where it first may jump, be jumped to, or write.
   *
   * @param loads how many instructions of the leading part read memory
   */
  record RowText(String leading, int loads, String rest) {}

  /** Where code begins that {@link #cut} takes away. */
  int mark() {
    flushJump();
    return body.length();
  }

  /** Takes away the code since a mark. */
  RowText cut(int mark) {
    flushJump();
    String text = body.substring(mark);
    body.setLength(mark);
    int at = 0;
    int loads = 0;
    while (at < text.length()) {
      int end = text.indexOf('\n', at);
      int instruction = at + 1;
      boolean leads =
          text.charAt(at) == '\t'
              ? ACTIONS.stream().noneMatch(action -> text.startsWith(action, instruction))
              : !text.contains("bra " + text.substring(at, end - 1) + ";");
      if (!leads) {
        break;
      }
      loads += text.startsWith("ld.", instruction) ? 1 : 0;
      at = end + 1;
    }
    return new RowText(text.substring(0, at), loads, text.substring(at));
  }

  /** Puts code back that was cut. */
  void append(String text) {
    flushJump();
    body.append(text);
  }

  String freshLabel() {
    return "L" + labels++;
  }

  // Registers

  Reg register(Type type) {
    return new Reg(type, type.register + registers.merge(type, 1, Integer::sum));
  }

  /** The value of a special register: a number of the thread, or of its block. */
  Reg special(String name) {
    Reg result = register(Type.INT);
    line("mov.u32 " + result.name() + ", " + name);
    return result;
  }

  Pred predicate() {
    return new Pred("%p" + ++predicates, false);
  }

  /** An instruction with a result: {@code emit(LONG, "add.s64", a, b)}. */
  Reg emit(Type type, String instruction, PtxValue... operands) {
    Reg result = register(type);
    StringBuilder text = new StringBuilder(instruction).append(' ').append(result.name());
    for (PtxValue operand : operands) {
      text.append(", ").append(operand(operand));
    }
    line(text.toString());
    return result;
  }

  /** A comparison: {@code test("setp.lt.s64", a, b)}. */
  Pred test(String instruction, PtxValue a, PtxValue b) {
    String left = operand(a);
    String right = operand(b);
    Pred result = predicate();
    line(instruction + " " + result.name() + ", " + left + ", " + right);
    return result;
  }

  void move(Reg target, PtxValue from) {
    if (from instanceof Compare || from instanceof Pred) {
      move(target, number(from));
      return;
    }
    line("mov." + target.type().ptx + " " + target.name() + ", " + operand(from));
  }

  /** A register with the value of another as it is now. */
  Reg copy(Reg from) {
    Reg result = register(from.type());
    move(result, from);
    return result;
  }

  /** An operand's text. */
  String operand(PtxValue value) {
    return switch (value) {
      case Reg register -> register.name();
      case Const constant -> constant(constant);
      case Pred predicate -> number(predicate).name();
      case Compare compare -> number(compare).name();
      default -> throw new PtxUntranslatable("a number is expected in place of " + value);
    };
  }

  private static String constant(Const constant) {
    return switch (constant.type()) {
      case INT -> Integer.toString(constant.value().intValue());
      case LONG -> {
        long value = constant.value().longValue();
        yield value == (int) value ? Long.toString(value) : "0x" + String.format("%016X", value);
      }
      case FLOAT ->
          "0f" + String.format("%08X", Float.floatToRawIntBits(constant.value().floatValue()));
      case DOUBLE ->
          "0d" + String.format("%016X", Double.doubleToRawLongBits(constant.value().doubleValue()));
    };
  }

  /** An int in a register. */
  Reg number(PtxValue value) {
    return switch (value) {
      case Reg register -> register;
      case Pred predicate -> {
        Reg result = register(Type.INT);
        String choice = predicate.inverted() ? ", 0, 1, " : ", 1, 0, ";
        line("selp.b32 " + result.name() + choice + predicate.name());
        yield result;
      }
      case Compare compare -> {
        PtxValue less = number(Arithmetic.test(this, compare, Arithmetic.Condition.LT));
        PtxValue greater = number(Arithmetic.test(this, compare, Arithmetic.Condition.GT));
        yield emit(Type.INT, "sub.s32", greater, less);
      }
      case Const constant -> {
        Reg result = register(constant.type());
        line("mov." + constant.type().ptx + " " + result.name() + ", " + constant(constant));
        yield result;
      }
      default -> throw new PtxUntranslatable("a number is expected in place of " + value);
    };
  }

  // Arguments and tables

  /** An argument of the kernel. */
  Reg slot(KernelArgument slot) {
    Reg known = slots.get(slot);
    if (known != null) {
      return known;
    }
    if (slots.size() == MAX_SLOTS) {
      throw new PtxUntranslatable("code with more than " + MAX_SLOTS + " arguments", true);
    }
    Type type = slot.kind() == KernelArgument.ArgumentKind.DOUBLE ? Type.DOUBLE : Type.LONG;
    Reg result = register(type);
    prologue
        .append("\tld.param.")
        .append(type == Type.DOUBLE ? "f64 " : "u64 ")
        .append(result.name() + ", [a" + slots.size() + "];\n");
    slots.put(slot, result);
    return result;
  }

  /** The low half of an argument. */
  Reg intSlot(KernelArgument slot) {
    Reg known = intSlots.get(slot);
    if (known == null) {
      Reg whole = slot(slot);
      known = register(Type.INT);
      prologue.append("\tcvt.u32.u64 " + known.name() + ", " + whole.name() + ";\n");
      intSlots.put(slot, known);
    }
    return known;
  }

  /** The address of a table in the module. */
  Reg table(String name, Object array) {
    if (Array.getLength(array) > MAX_TABLE || Array.getLength(array) == 0) {
      throw new PtxUntranslatable(
          "the table " + name + " of " + Array.getLength(array) + " entries");
    }
    StaticTable table =
        tables.computeIfAbsent(name, n -> new StaticTable("t" + tables.size(), array));
    Reg result = register(Type.LONG);
    line("mov.u64 " + result.name() + ", " + table.name());
    return result;
  }

  /** The address of the shared memory that a launch gives each block. */
  Reg sharedMemory() {
    usesShared = true;
    Reg result = register(Type.INT);
    line("mov.u32 " + result.name() + ", " + SHARED);
    return result;
  }

  List<KernelArgument> slots() {
    return new ArrayList<>(slots.keySet());
  }

  private static void append(StringBuilder text, StaticTable table) {
    Object array = table.array;
    int length = Array.getLength(array);
    int width =
        switch (array) {
          case byte[] bytes -> 1;
          case boolean[] bits -> 1;
          case short[] shorts -> 2;
          case int[] ints -> 4;
          case long[] longs -> 8;
          case double[] doubles -> 8;
          default -> throw new PtxUntranslatable("a table of " + array.getClass().getSimpleName());
        };
    String type = array instanceof double[] ? "f64" : "u" + 8 * width;
    text.append(".global .align 8 ." + type + " " + table.name + "[" + length + "] = {");
    for (int i = 0; i < length; i++) {
      String entry =
          switch (array) {
            case byte[] bytes -> Integer.toString(bytes[i] & 0xFF);
            case boolean[] bits -> bits[i] ? "1" : "0";
            case short[] shorts -> Integer.toString(shorts[i] & 0xFFFF);
            case int[] ints -> Integer.toUnsignedString(ints[i]);
            case long[] longs -> "0x" + String.format("%016X", longs[i]);
            case double[] doubles -> constant(new Const(Type.DOUBLE, doubles[i]));
            default -> throw new IllegalStateException();
          };
      text.append(i == 0 ? "" : ", ").append(entry);
    }
    text.append("};\n");
  }

  /** The whole module. */
  String module() {
    flushJump();
    StringBuilder text = new StringBuilder();
    text.append(".version 7.8\n.target sm_80\n.address_size 64\n");
    if (usesShared) {
      text.append(".extern .shared .align 8 .b8 " + SHARED + "[];\n");
    }
    tables.values().forEach(table -> append(text, table));
    text.append(".visible .entry " + PtxKernel.ENTRY + "(\n");
    int place = 0;
    for (KernelArgument slot : slots.keySet()) {
      text.append(place == 0 ? "" : ",\n");
      text.append(
          slot.kind() == KernelArgument.ArgumentKind.DOUBLE
              ? "\t.param .f64 a"
              : "\t.param .u64 a");
      text.append(place++);
    }
    text.append("\n)\n.maxntid " + PtxKernel.THREADS + ", 1, 1\n{\n");
    registers.forEach((type, count) ->
        text.append("\t.reg ." + type.ptx + " " + type.register + "<" + (count + 1) + ">;\n"));
    if (predicates > 0) {
      text.append("\t.reg .pred %p<" + (predicates + 1) + ">;\n");
    }
    return text.append(prologue).append(body).append("}\n").toString();
  }
}
