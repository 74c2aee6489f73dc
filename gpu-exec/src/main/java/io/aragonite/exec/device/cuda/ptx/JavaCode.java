package io.aragonite.exec.device.cuda.ptx;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The instructions of a method, cut into basic blocks. */
final class JavaCode {
  /**
   * Instructions without a jump in or out between them.
   *
   * @param from the first instruction
   * @param to behind the last one
   * @param predecessors how many ways lead here
   */
  record BasicBlock(int from, int to, int predecessors) {}

  final String owner;
  final boolean isStatic;
  final MethodTypeDesc descriptor;
  final Instruction[] instructions;
  final BasicBlock[] blocks;

  /** How often each local variable is stored to. */
  final Map<Integer, Integer> stores = new HashMap<>();

  /** How many return instructions there are. */
  final int returns;

  private final Map<Label, Integer> positions = new HashMap<>();
  private final Map<Integer, Integer> blockAt = new HashMap<>();

  private JavaCode(String owner, MethodModel method) {
    this.owner = owner;
    this.isStatic = method.flags().has(java.lang.reflect.AccessFlag.STATIC);
    this.descriptor = method.methodTypeSymbol();
    List<Instruction> list = new ArrayList<>();
    for (CodeElement element : method.code().orElseThrow().elementList()) {
      if (element instanceof LabelTarget target) {
        positions.put(target.label(), list.size());
      } else if (element instanceof Instruction instruction) {
        list.add(instruction);
      }
    }
    this.instructions = list.toArray(new Instruction[0]);
    int count = 0;
    for (Instruction instruction : instructions) {
      if (instruction instanceof StoreInstruction store) {
        stores.merge(store.slot(), 1, Integer::sum);
      } else if (instruction instanceof IncrementInstruction increment) {
        stores.merge(increment.slot(), 2, Integer::sum);
      } else if (instruction instanceof ReturnInstruction) {
        count++;
      }
    }
    this.returns = count;
    this.blocks = cut();
  }

  private BasicBlock[] cut() {
    TreeSet<Integer> starts = new TreeSet<>();
    starts.add(0);
    for (int i = 0; i < instructions.length; i++) {
      List<Integer> targets = targets(i);
      starts.addAll(targets);
      if (!targets.isEmpty() || ends(i)) {
        starts.add(i + 1);
      }
    }
    starts.remove(instructions.length);
    Integer[] from = starts.toArray(new Integer[0]);
    int[] predecessors = new int[from.length];
    for (int b = 0; b < from.length; b++) {
      blockAt.put(from[b], b);
    }
    for (int b = 0; b < from.length; b++) {
      int last = (b + 1 < from.length ? from[b + 1] : instructions.length) - 1;
      for (int target : targets(last)) {
        predecessors[block(target)]++;
      }
      if (!ends(last) && b + 1 < from.length) {
        predecessors[b + 1]++;
      }
    }
    BasicBlock[] result = new BasicBlock[from.length];
    for (int b = 0; b < from.length; b++) {
      int to = b + 1 < from.length ? from[b + 1] : instructions.length;
      result[b] = new BasicBlock(from[b], to, predecessors[b]);
    }
    return result;
  }

  /** The block that begins at an instruction. */
  int block(int instruction) {
    return java.util.Objects.requireNonNull(blockAt.get(instruction));
  }

  int block(Label label) {
    return block(java.util.Objects.requireNonNull(positions.get(label)));
  }

  /** Where an instruction may jump to. */
  private List<Integer> targets(int at) {
    List<Integer> targets = new ArrayList<>();
    switch (instructions[at]) {
      case BranchInstruction branch -> targets.add(position(branch.target()));
      case TableSwitchInstruction table -> {
        targets.add(position(table.defaultTarget()));
        for (SwitchCase entry : table.cases()) {
          targets.add(position(entry.target()));
        }
      }
      case LookupSwitchInstruction lookup -> {
        targets.add(position(lookup.defaultTarget()));
        for (SwitchCase entry : lookup.cases()) {
          targets.add(position(entry.target()));
        }
      }
      default -> {}
    }
    return targets;
  }

  private int position(Label label) {
    return java.util.Objects.requireNonNull(positions.get(label));
  }

  /** Whether the instruction behind is not reached from here. */
  private boolean ends(int at) {
    return switch (instructions[at]) {
      case BranchInstruction branch ->
          branch.opcode() == Opcode.GOTO || branch.opcode() == Opcode.GOTO_W;
      case TableSwitchInstruction table -> true;
      case LookupSwitchInstruction lookup -> true;
      case ReturnInstruction end -> true;
      case ThrowInstruction thrown -> true;
      default -> false;
    };
  }

  /** The methods of a class by name and descriptor, each cut into blocks when first asked for. */
  static final class Methods {
    private final String owner;
    private final Map<String, MethodModel> models = new HashMap<>();
    private final ConcurrentHashMap<String, JavaCode> known = new ConcurrentHashMap<>();

    Methods(byte[] classFile) {
      ClassModel model =
          ClassFile.of(
                  ClassFile.DebugElementsOption.DROP_DEBUG,
                  ClassFile.LineNumbersOption.DROP_LINE_NUMBERS)
              .parse(classFile);
      owner = model.thisClass().asInternalName();
      for (MethodModel method : model.methods()) {
        if (method.code().isPresent()) {
          String name = method.methodName().stringValue();
          models.put(name + method.methodType().stringValue(), method);
        }
      }
    }

    /** The methods of a class of the product or of the JDK. */
    static Methods of(Class<?> type) {
      String name = type.getName();
      String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
      try (var in = type.getResourceAsStream(file)) {
        if (in == null) {
          throw new PtxUntranslatable("the class file of " + name + " is not there");
        }
        return new Methods(in.readAllBytes());
      } catch (IOException e) {
        throw new PtxUntranslatable("the class file of " + name + " cannot be read: " + e);
      }
    }

    /** A method by its name and descriptor; null if there is none with code. */
    @Nullable JavaCode get(String key) {
      MethodModel model = models.get(key);
      return model == null ? null : known.computeIfAbsent(key, k -> new JavaCode(owner, model));
    }
  }

  /**
   * A block that only loads a constant or a local variable and goes on: the instruction; else null.
   */
  @Nullable Instruction loneLoad(int block) {
    BasicBlock b = blocks[block];
    int length = b.to - b.from;
    if (b.predecessors != 1 || length > 2) {
      return null;
    }
    Instruction first = instructions[b.from];
    boolean loads =
        first instanceof java.lang.classfile.instruction.ConstantInstruction
            || first instanceof java.lang.classfile.instruction.LoadInstruction;
    boolean goesOn = length == 1 || isGoto(instructions[b.to - 1]);
    return loads && goesOn && next(block) >= 0 ? first : null;
  }

  static boolean isGoto(Instruction instruction) {
    return instruction.opcode() == Opcode.GOTO || instruction.opcode() == Opcode.GOTO_W;
  }

  /** The only block that follows a block; -1 if there are none or several. */
  int next(int block) {
    int last = blocks[block].to - 1;
    if (instructions[last] instanceof BranchInstruction branch) {
      return isGoto(branch) ? block(branch.target()) : -1;
    }
    return ends(last) || block + 1 == blocks.length ? -1 : block + 1;
  }
}
