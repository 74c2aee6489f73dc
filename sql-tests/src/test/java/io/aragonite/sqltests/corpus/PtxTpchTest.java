package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.tpch.TpchRunner;
import io.aragonite.tpch.TpchRunner.Options;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * All expressions of TPC-H as kernels in PTX: each passes the assembler, and computes what it
 * should.
 */
class PtxTpchTest {
  private static final String DEVICE = "aragonite.test.device";

  /** Memory that no other test asks for, since engines are shared by equal properties. */
  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=2;memory=1010MB;fallback=off";

  @Test
  void allExpressionsAreKernels() throws SQLException {
    assumeTrue(System.getProperty(DEVICE, "").isEmpty());
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    PtxReport report = new PtxReport();
    System.setProperty(DEVICE, "ptx");
    try (Connection connection = DriverManager.getConnection(URL);
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      int status = TpchRunner.of(connection, Options.standard(0.01), out).run().exitStatus();
      assertEquals(0, status, () -> text.toString(StandardCharsets.UTF_8));
    } finally {
      System.clearProperty(DEVICE);
    }
    System.out.println("TPC-H as PTX: " + report);
    assertEquals(Map.of(), report.onHost());
    assertTrue(report.kernels() > 40, report::toString);
  }
}
