package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.Arithmetic.Condition;
import io.aragonite.exec.device.cuda.ptx.Value.Compare;
import io.aragonite.exec.device.cuda.ptx.Value.Const;
import io.aragonite.exec.device.cuda.ptx.Value.Pred;
import io.aragonite.exec.device.cuda.ptx.Value.Reg;
import io.aragonite.exec.device.cuda.ptx.Value.Type;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Translates one method in the place of its call. The JVM's stack is followed while translating, so
 * that only values remain; local variables that are set once are those values, others have a
 * register of their own; so has what lies on the stack where several ways meet. Constants are
 * followed too, and ways that they rule out are left out.
 */
final class Inliner {
  private static final int MAX_DEPTH = 60;

  private final RowTranslation unit;
  private final PtxWriter out;
  private final JavaCode code;
  private final int depth;

  /** Local variables that are never set again. */
  private final Map<Integer, Value> bound = new HashMap<>();

  /** Parameters that are set again. */
  private final Set<Integer> parameters = new HashSet<>();

  /** Registers of the other local variables, by number and type. */
  private final Map<String, Reg> homes = new HashMap<>();

  private final @Nullable List<Value>[] entries;
  private final String[] labels;
  private final boolean[] done;
  private final TreeSet<Integer> pending = new TreeSet<>();
  private final String exit;
  private @Nullable Value result;
  private @Nullable Reg resultHome;
  private List<Value> stack = new ArrayList<>();
  private int current;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Inliner(RowTranslation unit, JavaCode code, List<Value> args, int depth) {
    this.unit = unit;
    this.out = unit.out();
    this.code = code;
    this.depth = depth;
    this.entries = new List[code.blocks.length];
    this.labels = new String[code.blocks.length];
    this.done = new boolean[code.blocks.length];
    this.exit = out.freshLabel();
    for (int b = 0; b < labels.length; b++) {
      labels[b] = exit + "_" + b;
    }
    int slot = 0;
    for (Value arg : args) {
      if (code.stores.containsKey(slot)) {
        parameters.add(slot);
        setLocal(slot, arg);
      } else {
        bound.put(slot, arg);
      }
      Type type = arg.type();
      slot += type == null ? 1 : type.size;
    }
  }

  /**
   * Writes a method's code.
   *
   * @param args the receiver, if any, and the arguments
   * @return the result; null if there is none
   */
  static @Nullable Value inline(RowTranslation unit, JavaCode code, List<Value> args, int depth) {
    if (depth > MAX_DEPTH) {
      throw new Untranslatable("calls nested deeper than " + MAX_DEPTH, true);
    }
    return new Inliner(unit, code, args, depth).run();
  }

  private @Nullable Value run() {
    enter(0, List.of());
    while (!pending.isEmpty()) {
      current = java.util.Objects.requireNonNull(pending.pollFirst());
      block();
    }
    out.label(exit);
    if (resultHome != null) {
      return out.copy(resultHome);
    }
    if (result == null && !code.descriptor.returnType().descriptorString().equals("V")) {
      // It never returns: whatever comes behind does not run.
      return switch (Type.of(code.descriptor.returnType().descriptorString().charAt(0))) {
        case INT -> Value.of(0);
        case LONG -> Value.of(0L);
        case FLOAT -> new Const(Type.FLOAT, 0f);
        case DOUBLE -> new Const(Type.DOUBLE, 0.0);
      };
    }
    return result;
  }

  // Ways between blocks

  private void enter(int block, List<Value> with) {
    if (done[block]) {
      return;
    }
    if (pending.add(block)) {
      entries[block] = List.copyOf(with);
    }
  }

  private String home(int block, int place, Type type) {
    return "entry " + block + " " + place + " " + type;
  }

  /** Brings the stack to where a block expects it; harmless if the way is not taken. */
  private void pass(int block) {
    if (code.blocks[block].predecessors() <= 1) {
      enter(block, stack);
      return;
    }
    List<Value> passed = new ArrayList<>();
    for (int i = 0; i < stack.size(); i++) {
      Value value = stack.get(i);
      Type type = value.type();
      if (type == null) {
        passed.add(value);
        continue;
      }
      Reg home = homes.computeIfAbsent(home(block, i, type), key -> out.register(type));
      out.move(home, value);
      passed.add(home);
    }
    List<Value> before = entries[block];
    if (before != null && !before.equals(passed)) {
      throw new Untranslatable("different objects at one place in " + code.owner);
    }
    entries[block] = passed;
    enter(block, passed);
  }

  private void jump(int block) {
    pass(block);
    out.jump(labels[block]);
  }

  private void block() {
    done[current] = true;
    out.label(labels[current]);
    JavaCode.Block block = code.blocks[current];
    stack = new ArrayList<>();
    for (Value value : java.util.Objects.requireNonNull(entries[current])) {
      // The register may be set again for the next turn of a loop.
      boolean shared = block.predecessors() > 1 && value instanceof Reg;
      stack.add(shared ? out.copy((Reg) value) : value);
    }
    int at = block.from();
    while (at < block.to()) {
      Instruction instruction = code.instructions[at];
      try {
        switch (instruction) {
          case BranchInstruction branch -> {
            int next = branch(branch);
            if (next >= 0) {
              // Two ways have become one value: go on where they meet.
              block = code.blocks[next];
              at = block.from();
              continue;
            }
            return;
          }
          case TableSwitchInstruction table -> {
            chooseCase(table.cases(), code.block(table.defaultTarget()));
            return;
          }
          case LookupSwitchInstruction lookup -> {
            chooseCase(lookup.cases(), code.block(lookup.defaultTarget()));
            return;
          }
          case ReturnInstruction end -> {
            leave(end);
            return;
          }
          case ThrowInstruction thrown -> {
            unit.trap();
            return;
          }
          default -> instruction(instruction);
        }
      } catch (Untranslatable e) {
        if (e.whole || unit.isGenerated(code.owner) || current == 0) {
          throw e;
        }
        // A helper's way out for rare values: the host does these rows.
        unit.trap();
        return;
      }
      at++;
    }
    jump(current(block) + 1);
  }

  private int current(JavaCode.Block block) {
    return code.block(block.from());
  }

  private int branch(BranchInstruction branch) {
    if (JavaCode.isGoto(branch)) {
      jump(code.block(branch.target()));
      return -1;
    }
    Value condition = condition(branch.opcode());
    int taken = code.block(branch.target());
    int other = code.block(indexOf(branch) + 1);
    Integer known = Value.constantInt(condition);
    if (known != null) {
      jump(known != 0 ? taken : other);
      return -1;
    }
    Pred pred = (Pred) condition;
    Instruction yes = code.loneLoad(taken);
    Instruction no = code.loneLoad(other);
    if (yes != null && no != null && taken != other) {
      int meet = code.next(taken);
      if (meet == code.next(other)
          && code.blocks[meet].predecessors() == 2
          && isNumber(yes)
          && isNumber(no)) {
        done[taken] = true;
        done[other] = true;
        done[meet] = true;
        instruction(yes);
        Value first = pop();
        instruction(no);
        Value second = pop();
        push(Arithmetic.select(out, pred, first, second));
        return meet;
      }
    }
    pass(taken);
    pass(other);
    out.jumpIf(pred, labels[taken]);
    out.jump(labels[other]);
    return -1;
  }

  private static boolean isNumber(Instruction load) {
    java.lang.classfile.TypeKind kind =
        load instanceof ConstantInstruction constant
            ? constant.typeKind()
            : ((LoadInstruction) load).typeKind();
    return kind != java.lang.classfile.TypeKind.REFERENCE;
  }

  private int indexOf(BranchInstruction branch) {
    JavaCode.Block[] blocks = code.blocks;
    for (JavaCode.Block block : blocks) {
      if (code.instructions[block.to() - 1] == branch) {
        return block.to() - 1;
      }
    }
    throw new IllegalStateException();
  }

  private Value condition(Opcode opcode) {
    Condition condition =
        switch (opcode) {
          case IFEQ, IF_ICMPEQ -> Condition.EQ;
          case IFNE, IF_ICMPNE -> Condition.NE;
          case IFLT, IF_ICMPLT -> Condition.LT;
          case IFGE, IF_ICMPGE -> Condition.GE;
          case IFGT, IF_ICMPGT -> Condition.GT;
          case IFLE, IF_ICMPLE -> Condition.LE;
          default -> throw new Untranslatable("the instruction " + opcode);
        };
    boolean two = opcode.name().startsWith("IF_ICMP");
    Value right = two ? pop() : Value.of(0);
    Value left = pop();
    return two
        ? Arithmetic.test(out, new Compare(Type.INT, false, 0, left, right), condition)
        : Arithmetic.test(out, left, condition);
  }

  private void chooseCase(List<SwitchCase> cases, int otherwise) {
    Value value = pop();
    Integer known = Value.constantInt(value);
    for (SwitchCase entry : cases) {
      int target = code.block(entry.target());
      if (known != null) {
        if (known == entry.caseValue()) {
          jump(target);
          return;
        }
        continue;
      }
      pass(target);
      Value equal =
          Arithmetic.test(
              out,
              new Compare(Type.INT, false, 0, value, Value.of(entry.caseValue())),
              Condition.EQ);
      out.jumpIf((Pred) equal, labels[target]);
    }
    jump(otherwise);
  }

  private void leave(ReturnInstruction end) {
    if (end.opcode() != Opcode.RETURN) {
      Value value = pop();
      Type type = value.type();
      if (code.returns == 1) {
        result = value;
      } else if (type == null) {
        if (result != null && !result.equals(value)) {
          throw new Untranslatable("a choice between objects in " + code.owner);
        }
        result = value;
      } else {
        Reg home = resultHome;
        if (home == null) {
          home = out.register(type);
          resultHome = home;
        }
        out.move(home, value);
      }
    }
    out.jump(exit);
  }

  // Instructions

  private void push(Value value) {
    stack.add(value);
  }

  private Value pop() {
    return stack.removeLast();
  }

  private void instruction(Instruction instruction) {
    switch (instruction) {
      case ConstantInstruction constant -> push(constant(constant));
      case LoadInstruction load -> push(local(load));
      case StoreInstruction store -> store(store);
      case IncrementInstruction increment -> {
        Value sum =
            Arithmetic.binary(
                out, Opcode.IADD, home(increment.slot(), Type.INT), Value.of(increment.constant()));
        setLocal(increment.slot(), sum);
      }
      case OperatorInstruction operator -> operator(operator.opcode());
      case ConvertInstruction convert -> push(Arithmetic.convert(out, convert.opcode(), pop()));
      case StackInstruction shuffle -> shuffle(shuffle.opcode());
      case ArrayLoadInstruction load -> {
        Value index = pop();
        push(unit.memory().arrayElement(pop(), index, load.opcode()));
      }
      case ArrayStoreInstruction store -> throw new Untranslatable("a store to an array");
      case FieldInstruction field -> field(field);
      case TypeCheckInstruction check -> push(unit.memory().cast(pop(), check));
      case InvokeInstruction invoke -> invoke(invoke);
      case NopInstruction nop -> {}
      default -> throw new Untranslatable("the instruction " + instruction.opcode());
    }
  }

  private static Value constant(ConstantInstruction constant) {
    return switch (constant.constantValue()) {
      case Integer value -> Value.of(value);
      case Long value -> Value.of(value);
      case Float value -> new Const(Type.FLOAT, value);
      case Double value -> new Const(Type.DOUBLE, value);
      default -> new Value.Opaque("a constant");
    };
  }

  private static Type type(java.lang.classfile.TypeKind kind) {
    return switch (kind) {
      case LONG -> Type.LONG;
      case DOUBLE -> Type.DOUBLE;
      case FLOAT -> Type.FLOAT;
      case REFERENCE, VOID -> throw new Untranslatable("a reference that changes");
      default -> Type.INT;
    };
  }

  private Value local(LoadInstruction load) {
    Value known = bound.get(load.slot());
    return known != null ? known : out.copy(home(load.slot(), type(load.typeKind())));
  }

  private Reg home(int slot, Type type) {
    return homes.computeIfAbsent(slot + " " + type, key -> out.register(type));
  }

  private void setLocal(int slot, Value value) {
    Type type = value.type();
    if (type == null) {
      throw new Untranslatable("a reference that changes");
    }
    out.move(home(slot, type), value);
  }

  private void store(StoreInstruction store) {
    Value value = pop();
    int slot = store.slot();
    if (code.stores.getOrDefault(slot, 0) == 1 && !parameters.contains(slot)) {
      // Comparisons are kept as predicates or numbers, not made anew at every use.
      bound.put(slot, value instanceof Compare ? out.number(value) : value);
      return;
    }
    setLocal(slot, value);
  }

  private void operator(Opcode opcode) {
    switch (opcode) {
      case INEG, LNEG, FNEG, DNEG -> push(Arithmetic.unary(out, opcode, pop()));
      case ARRAYLENGTH -> push(unit.memory().arrayLength(pop()));
      case DREM -> {
        Value divisor = pop();
        push(unit.remainder(pop(), divisor, depth));
      }
      case LCMP, FCMPL, FCMPG, DCMPL, DCMPG -> {
        Value right = pop();
        Value left = pop();
        Type type =
            opcode == Opcode.LCMP
                ? Type.LONG
                : opcode == Opcode.FCMPL || opcode == Opcode.FCMPG ? Type.FLOAT : Type.DOUBLE;
        int nan = opcode == Opcode.FCMPL || opcode == Opcode.DCMPL ? -1 : 1;
        push(new Compare(type, false, nan, left, right));
      }
      default -> {
        Value right = pop();
        push(Arithmetic.binary(out, opcode, pop(), right));
      }
    }
  }

  private static boolean isLarge(Value value) {
    Type type = value.type();
    return type != null && type.size == 2;
  }

  private void shuffle(Opcode opcode) {
    switch (opcode) {
      case POP -> pop();
      case POP2 -> {
        if (!isLarge(pop())) {
          pop();
        }
      }
      case DUP -> push(stack.getLast());
      case DUP2 -> {
        Value top = pop();
        if (isLarge(top)) {
          push(top);
          push(top);
        } else {
          Value below = pop();
          stack.addAll(List.of(below, top, below, top));
        }
      }
      case DUP_X1 -> {
        Value top = pop();
        Value below = pop();
        stack.addAll(List.of(top, below, top));
      }
      case DUP_X2 -> {
        Value top = pop();
        Value below = pop();
        if (isLarge(below)) {
          stack.addAll(List.of(top, below, top));
        } else {
          Value third = pop();
          stack.addAll(List.of(top, third, below, top));
        }
      }
      case DUP2_X1 -> {
        Value top = pop();
        Value below = pop();
        if (!isLarge(top)) {
          throw new Untranslatable("the instruction " + opcode);
        }
        stack.addAll(List.of(top, below, top));
      }
      case SWAP -> {
        Value top = pop();
        Value below = pop();
        stack.addAll(List.of(top, below));
      }
      default -> throw new Untranslatable("the instruction " + opcode);
    }
  }

  private void field(FieldInstruction field) {
    String owner = field.owner().asInternalName();
    String name = field.name().stringValue();
    String type = field.type().stringValue();
    switch (field.opcode()) {
      case GETSTATIC -> push(unit.memory().staticField(owner, name));
      case GETFIELD -> push(unit.memory().field(pop(), owner, name, type));
      case PUTFIELD -> {
        Value value = pop();
        unit.memory().putField(pop(), name, value);
      }
      default -> throw new Untranslatable("the instruction " + field.opcode());
    }
  }

  private void invoke(InvokeInstruction invoke) {
    int count = invoke.typeSymbol().parameterCount();
    if (invoke.opcode() != Opcode.INVOKESTATIC) {
      count++;
    }
    List<Value> args = new ArrayList<>(stack.subList(stack.size() - count, stack.size()));
    String owner = invoke.owner().asInternalName();
    String key = invoke.name().stringValue() + invoke.type().stringValue();
    Value value = unit.call(code.owner, owner, key, args, depth);
    stack.subList(stack.size() - count, stack.size()).clear();
    if (value != null) {
      push(value);
    }
  }
}
