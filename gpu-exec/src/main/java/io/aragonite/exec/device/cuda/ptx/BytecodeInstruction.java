package io.aragonite.exec.device.cuda.ptx;

/**
 * An instruction on its way from PTX to {@link PtxBytecode}: its operands are registers, of which
 * there is any number, or constants.
 */
final class BytecodeInstruction {
  /** In place of a register: there is none. */
  static final int NONE = -1;

  /** In place of a register: a constant. */
  static final int CONSTANT = -2;

  final BytecodeOperation operation;

  /** The register that gets the result. */
  final int target;

  private final int[] registers = {NONE, NONE, NONE};
  private final long[] constants = new long[3];

  /** Of a comparison: whether it is so if it does not hold. */
  final boolean inverted;

  /** A label's number; where a jump goes to, or a comparison that jumps if it holds. */
  final int label;

  BytecodeInstruction(BytecodeOperation operation, int target, boolean inverted, int label) {
    this.operation = operation;
    this.target = target;
    this.inverted = inverted;
    this.label = label;
  }

  BytecodeInstruction(BytecodeOperation operation, int target) {
    this(operation, target, false, NONE);
  }

  static BytecodeInstruction jump(int label) {
    return new BytecodeInstruction(BytecodeOperation.JUMP, NONE, false, label);
  }

  static BytecodeInstruction label(int label) {
    return new BytecodeInstruction(BytecodeOperation.LABEL, NONE, false, label);
  }

  /** Jumps if a predicate is 1; inverted, if it is 0. */
  static BytecodeInstruction jumpIf(int predicate, boolean inverted, int label) {
    return new BytecodeInstruction(BytecodeOperation.EQUAL_32, NONE, !inverted, label)
        .with(0, predicate)
        .withConstant(1, 0);
  }

  /** With a register as operand. */
  BytecodeInstruction with(int place, int register) {
    registers[place] = register;
    return this;
  }

  BytecodeInstruction withConstant(int place, long constant) {
    registers[place] = CONSTANT;
    constants[place] = constant;
    return this;
  }

  /** With another instruction's operand. */
  BytecodeInstruction withOperand(int place, BytecodeInstruction other, int otherPlace) {
    registers[place] = other.registers[otherPlace];
    constants[place] = other.constants[otherPlace];
    return this;
  }

  /** The same, jumping in place of giving a result. */
  BytecodeInstruction jumping(boolean nowInverted, int to) {
    BytecodeInstruction result = new BytecodeInstruction(operation, NONE, nowInverted, to);
    for (int place = 0; place < 3; place++) {
      result.withOperand(place, this, place);
    }
    return result;
  }

  /** The register that is an operand, or NONE, or CONSTANT. */
  int register(int place) {
    return registers[place];
  }

  boolean isConstant(int place) {
    return registers[place] == CONSTANT;
  }

  long constant(int place) {
    return constants[place];
  }

  /** Whether a constant may take an operand's place: an instruction has room for one. */
  boolean takes(long constant, int place) {
    for (int other = 0; other < 3; other++) {
      if (other != place && isConstant(other) && constants[other] != constant) {
        return false;
      }
    }
    return true;
  }

  boolean jumps() {
    return label != NONE && operation != BytecodeOperation.LABEL;
  }

  /** Whether nothing may follow but what is jumped to, or also what comes next. */
  boolean endsBlock() {
    return jumps() || operation == BytecodeOperation.RETURN;
  }

  boolean hasEffect() {
    return jumps() || operation.hasEffect();
  }
}
