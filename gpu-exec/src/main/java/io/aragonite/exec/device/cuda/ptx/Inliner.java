package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.cuda.ptx.Arithmetic.Condition;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Compare;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Const;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Pred;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Reg;
import io.aragonite.exec.device.cuda.ptx.PtxValue.Type;
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
  private final Map<Integer, PtxValue> bound = new HashMap<>();

  /** Parameters that are set again. */
  private final Set<Integer> parameters = new HashSet<>();

  /** Registers of the other local variables, by number and type. */
  private final Map<String, Reg> homes = new HashMap<>();

  private final @Nullable List<PtxValue>[] entries;
  private final String[] labels;
  private final boolean[] done;
  private final TreeSet<Integer> pending = new TreeSet<>();
  private final String exit;
  private @Nullable PtxValue result;
  private @Nullable Reg resultHome;
  private List<PtxValue> stack = new ArrayList<>();
  private int current;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Inliner(RowTranslation unit, JavaCode code, List<PtxValue> args, int depth) {
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
    for (PtxValue arg : args) {
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
  static @Nullable PtxValue inline(
      RowTranslation unit, JavaCode code, List<PtxValue> args, int depth) {
    if (depth > MAX_DEPTH) {
      throw new PtxUntranslatable("calls nested deeper than " + MAX_DEPTH, true);
    }
    return new Inliner(unit, code, args, depth).run();
  }

  private @Nullable PtxValue run() {
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
      char returned = code.descriptor.returnType().descriptorString().charAt(0);
      if (returned == 'L' || returned == '[') {
        throw new PtxUntranslatable("a method of " + code.owner + " that makes an object");
      }
      return switch (Type.of(returned)) {
        case INT -> PtxValue.of(0);
        case LONG -> PtxValue.of(0L);
        case FLOAT -> new Const(Type.FLOAT, 0f);
        case DOUBLE -> new Const(Type.DOUBLE, 0.0);
      };
    }
    return result;
  }

  // Ways between blocks

  private void enter(int block, List<PtxValue> with) {
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
    List<PtxValue> passed = new ArrayList<>();
    for (int i = 0; i < stack.size(); i++) {
      PtxValue value = stack.get(i);
      Type type = value.type();
      if (type == null) {
        passed.add(value);
        continue;
      }
      Reg home = homes.computeIfAbsent(home(block, i, type), key -> out.register(type));
      out.move(home, value);
      passed.add(home);
    }
    List<PtxValue> before = entries[block];
    if (before != null && !before.equals(passed)) {
      throw new PtxUntranslatable("different objects at one place in " + code.owner);
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
    JavaCode.BasicBlock block = code.blocks[current];
    stack = new ArrayList<>();
    for (PtxValue value : java.util.Objects.requireNonNull(entries[current])) {
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
      } catch (PtxUntranslatable e) {
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

  private int current(JavaCode.BasicBlock block) {
    return code.block(block.from());
  }

  private int branch(BranchInstruction branch) {
    if (JavaCode.isGoto(branch)) {
      jump(code.block(branch.target()));
      return -1;
    }
    PtxValue condition = condition(branch.opcode());
    int taken = code.block(branch.target());
    int other = code.block(indexOf(branch) + 1);
    Integer known = PtxValue.constantInt(condition);
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
        PtxValue first = pop();
        instruction(no);
        PtxValue second = pop();
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
    JavaCode.BasicBlock[] blocks = code.blocks;
    for (JavaCode.BasicBlock block : blocks) {
      if (code.instructions[block.to() - 1] == branch) {
        return block.to() - 1;
      }
    }
    throw new IllegalStateException();
  }

  private PtxValue condition(Opcode opcode) {
    Condition condition =
        switch (opcode) {
          case IFEQ, IF_ICMPEQ -> Condition.EQ;
          case IFNE, IF_ICMPNE -> Condition.NE;
          case IFLT, IF_ICMPLT -> Condition.LT;
          case IFGE, IF_ICMPGE -> Condition.GE;
          case IFGT, IF_ICMPGT -> Condition.GT;
          case IFLE, IF_ICMPLE -> Condition.LE;
          default -> throw new PtxUntranslatable("the instruction " + opcode);
        };
    boolean two = opcode.name().startsWith("IF_ICMP");
    PtxValue right = two ? pop() : PtxValue.of(0);
    PtxValue left = pop();
    return two
        ? Arithmetic.test(out, new Compare(Type.INT, false, 0, left, right), condition)
        : Arithmetic.test(out, left, condition);
  }

  private void chooseCase(List<SwitchCase> cases, int otherwise) {
    PtxValue value = pop();
    Integer known = PtxValue.constantInt(value);
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
      PtxValue equal =
          Arithmetic.test(
              out,
              new Compare(Type.INT, false, 0, value, PtxValue.of(entry.caseValue())),
              Condition.EQ);
      out.jumpIf((Pred) equal, labels[target]);
    }
    jump(otherwise);
  }

  private void leave(ReturnInstruction end) {
    if (end.opcode() != Opcode.RETURN) {
      PtxValue value = pop();
      Type type = value.type();
      if (code.returns == 1) {
        result = value;
      } else if (type == null) {
        if (result != null && !result.equals(value)) {
          throw new PtxUntranslatable("a choice between objects in " + code.owner);
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

  private void push(PtxValue value) {
    stack.add(value);
  }

  private PtxValue pop() {
    return stack.removeLast();
  }

  private void instruction(Instruction instruction) {
    switch (instruction) {
      case ConstantInstruction constant -> push(constant(constant));
      case LoadInstruction load -> push(local(load));
      case StoreInstruction store -> store(store);
      case IncrementInstruction increment -> {
        PtxValue sum =
            Arithmetic.binary(
                out,
                Opcode.IADD,
                home(increment.slot(), Type.INT),
                PtxValue.of(increment.constant()));
        setLocal(increment.slot(), sum);
      }
      case OperatorInstruction operator -> operator(operator.opcode());
      case ConvertInstruction convert -> push(Arithmetic.convert(out, convert.opcode(), pop()));
      case StackInstruction shuffle -> shuffle(shuffle.opcode());
      case ArrayLoadInstruction load -> {
        PtxValue index = pop();
        push(unit.memory().arrayElement(pop(), index, load.opcode()));
      }
      case ArrayStoreInstruction store -> throw new PtxUntranslatable("a store to an array");
      case FieldInstruction field -> field(field);
      case TypeCheckInstruction check -> push(unit.memory().cast(pop(), check));
      case InvokeInstruction invoke -> invoke(invoke);
      case NopInstruction nop -> {}
      default -> throw new PtxUntranslatable("the instruction " + instruction.opcode());
    }
  }

  private static PtxValue constant(ConstantInstruction constant) {
    return switch (constant.constantValue()) {
      case Integer value -> PtxValue.of(value);
      case Long value -> PtxValue.of(value);
      case Float value -> new Const(Type.FLOAT, value);
      case Double value -> new Const(Type.DOUBLE, value);
      default -> new PtxValue.Opaque("a constant");
    };
  }

  private static Type type(java.lang.classfile.TypeKind kind) {
    return switch (kind) {
      case LONG -> Type.LONG;
      case DOUBLE -> Type.DOUBLE;
      case FLOAT -> Type.FLOAT;
      case REFERENCE, VOID -> throw new PtxUntranslatable("a reference that changes");
      default -> Type.INT;
    };
  }

  private PtxValue local(LoadInstruction load) {
    PtxValue known = bound.get(load.slot());
    return known != null ? known : out.copy(home(load.slot(), type(load.typeKind())));
  }

  private Reg home(int slot, Type type) {
    return homes.computeIfAbsent(slot + " " + type, key -> out.register(type));
  }

  private void setLocal(int slot, PtxValue value) {
    Type type = value.type();
    if (type == null) {
      throw new PtxUntranslatable("a reference that changes");
    }
    out.move(home(slot, type), value);
  }

  private void store(StoreInstruction store) {
    PtxValue value = pop();
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
        PtxValue divisor = pop();
        push(unit.remainder(pop(), divisor, depth));
      }
      case LCMP, FCMPL, FCMPG, DCMPL, DCMPG -> {
        PtxValue right = pop();
        PtxValue left = pop();
        Type type =
            opcode == Opcode.LCMP
                ? Type.LONG
                : opcode == Opcode.FCMPL || opcode == Opcode.FCMPG ? Type.FLOAT : Type.DOUBLE;
        int nan = opcode == Opcode.FCMPL || opcode == Opcode.DCMPL ? -1 : 1;
        push(new Compare(type, false, nan, left, right));
      }
      default -> {
        PtxValue right = pop();
        push(Arithmetic.binary(out, opcode, pop(), right));
      }
    }
  }

  private static boolean isLarge(PtxValue value) {
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
        PtxValue top = pop();
        if (isLarge(top)) {
          push(top);
          push(top);
        } else {
          PtxValue below = pop();
          stack.addAll(List.of(below, top, below, top));
        }
      }
      case DUP_X1 -> {
        PtxValue top = pop();
        PtxValue below = pop();
        stack.addAll(List.of(top, below, top));
      }
      case DUP_X2 -> {
        PtxValue top = pop();
        PtxValue below = pop();
        if (isLarge(below)) {
          stack.addAll(List.of(top, below, top));
        } else {
          PtxValue third = pop();
          stack.addAll(List.of(top, third, below, top));
        }
      }
      case DUP2_X1 -> {
        PtxValue top = pop();
        PtxValue below = pop();
        if (!isLarge(top)) {
          throw new PtxUntranslatable("the instruction " + opcode);
        }
        stack.addAll(List.of(top, below, top));
      }
      case SWAP -> {
        PtxValue top = pop();
        PtxValue below = pop();
        stack.addAll(List.of(top, below));
      }
      default -> throw new PtxUntranslatable("the instruction " + opcode);
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
        PtxValue value = pop();
        unit.memory().putField(pop(), name, value);
      }
      default -> throw new PtxUntranslatable("the instruction " + field.opcode());
    }
  }

  private void invoke(InvokeInstruction invoke) {
    int count = invoke.typeSymbol().parameterCount();
    if (invoke.opcode() != Opcode.INVOKESTATIC) {
      count++;
    }
    List<PtxValue> args = new ArrayList<>(stack.subList(stack.size() - count, stack.size()));
    String owner = invoke.owner().asInternalName();
    String key = invoke.name().stringValue() + invoke.type().stringValue();
    PtxValue value = unit.call(code.owner, owner, key, args, depth);
    stack.subList(stack.size() - count, stack.size()).clear();
    if (value != null) {
      push(value);
    }
  }
}
