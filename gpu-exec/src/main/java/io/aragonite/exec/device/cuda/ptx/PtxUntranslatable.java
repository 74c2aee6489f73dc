package io.aragonite.exec.device.cuda.ptx;

/** Bytecode that has no form in PTX. It never leaves the expression compiler. */
final class PtxUntranslatable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether the kernel as a whole cannot be, rather than a piece of code in it. */
  final boolean whole;

  PtxUntranslatable(String what) {
    this(what, false);
  }

  PtxUntranslatable(String what, boolean whole) {
    super(what, null, false, false);
    this.whole = whole;
  }

  /** What it is. */
  String what() {
    return String.valueOf(getMessage());
  }
}
