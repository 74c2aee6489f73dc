package io.aragonite.exec.device.cuda.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.device.cuda.ptx.PtxWriter.RowText;
import org.junit.jupiter.api.Test;

/** What of a row's code comes before its first jump or write. */
class PtxWriterTest {
  private final PtxWriter out = new PtxWriter();

  @Test
  void loadsBeforeTheFirstJumpLead() {
    int mark = out.mark();
    out.label("A");
    out.line("ld.global.nc.u32 %r1, [%rd1]");
    out.line("add.s32 %r1, %r1, 1");
    out.line("@%p1 bra B");
    out.line("ld.global.nc.u32 %r2, [%rd2]");
    out.label("B");
    RowText text = out.cut(mark);
    assertEquals(1, text.loads());
    assertEquals("A:\n\tld.global.nc.u32 %r1, [%rd1];\n\tadd.s32 %r1, %r1, 1;\n", text.leading());
    assertEquals("\t@%p1 bra B;\n\tld.global.nc.u32 %r2, [%rd2];\nB:\n", text.rest());
    assertEquals(mark, out.mark(), "what is cut is not there");
  }

  @Test
  void aLoopAtTheBeginningIsNotTakenApart() {
    int mark = out.mark();
    out.label("A");
    out.line("ld.global.u8 %r1, [%rd1]");
    out.line("@%p1 bra A");
    assertEquals("", out.cut(mark).leading());
  }

  @Test
  void loadsBehindAWriteStayThere() {
    int mark = out.mark();
    out.line("st.global.u32 [%rd1], %r1");
    out.line("ld.global.u32 %r2, [%rd1]");
    RowText text = out.cut(mark);
    assertEquals("", text.leading());
    assertEquals(0, text.loads());
  }

  @Test
  void aJumpThatIsPendingIsPartOfTheCode() {
    int mark = out.mark();
    out.line("ld.global.u32 %r2, [%rd1]");
    out.jump("DONE");
    assertEquals("\tbra DONE;\n", out.cut(mark).rest());
  }
}
