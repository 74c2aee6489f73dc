package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference names every property and every error code as the code has them. */
class ReferenceDocTest {
  private static String reference() throws IOException {
    return Files.readString(Path.of("..", "docs", "reference.md"));
  }

  @Test
  void everyProperty() throws IOException {
    String text = reference();
    for (AragoniteProperty property : AragoniteProperty.values()) {
      Object value = property.defaultValue();
      String row =
          "| `" + property.camelName() + "` | " + (value == null ? "" : "`" + value + "` ");
      assertTrue(text.contains(row), () -> "docs/reference.md has no row " + row);
    }
  }

  @Test
  void everyErrorCode() throws IOException {
    String text = reference();
    for (ErrorCode code : ErrorCode.values()) {
      String row =
          "| %s | %s | %s | %s |".formatted(code.code(), code, code.kind(), code.sqlState());
      assertTrue(text.contains(row), () -> "docs/reference.md has no row " + row);
    }
  }
}
