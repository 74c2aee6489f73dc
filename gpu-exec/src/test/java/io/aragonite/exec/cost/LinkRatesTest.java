package io.aragonite.exec.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rates of links: kept, read again, and what sets of devices follow from them. */
class LinkRatesTest {
  private static final List<String> FOUR = List.of("a", "b", "c", "d");

  @TempDir private Path folder;

  /** Two islands of quick links, as in the paper's IBM AC922. */
  private static double[][] islands() {
    double[][] rates = new double[4][4];
    for (int to = 0; to < 4; to++) {
      for (int from = 0; from < 4; from++) {
        rates[to][from] = to == from ? 0 : to % 2 == from % 2 ? 75 - to - from : 10 + to;
      }
    }
    return rates;
  }

  @Test
  void twoOfFourWhereLinksAreUneven() throws IOException {
    LinkRates.save(folder, FOUR, "today", islands());
    LinkRates links = LinkRates.load(folder, FOUR);
    assertEquals("calibrated: today", links.source());
    assertEquals(List.of(List.of(0, 1, 2, 3), List.of(0, 2), List.of(0, 1, 2)), links.sets(4));
    assertEquals(0.85 * 73, links.together(List.of(0, 2)), 1e-9);
    assertEquals(0.85 * 10, links.together(List.of(0, 1, 2, 3)), 1e-9);
  }

  @Test
  void allWhereLinksAreAlike() {
    double[][] rates = {{0, 390, 400}, {395, 0, 396}, {391, 392, 0}};
    assertEquals(List.of(List.of(0, 1, 2)), new LinkRates("", rates).sets(3));
    LinkRates shipped = LinkRates.load(folder, FOUR);
    assertTrue(shipped.source().startsWith("shipped"), shipped.source());
    assertEquals(List.of(List.of(0, 1, 2, 3)), shipped.sets(4));
    assertEquals(ExchangeModel.NVLINK, shipped.together(List.of(0, 3)));
  }

  @Test
  void whatIsBrokenIsNamedAndNotUsed() throws IOException {
    Path file = LinkRates.save(folder, FOUR, "today", islands());
    String text = Files.readString(file);
    for (String broken :
        List.of(
            text.replace("links 1", "links 0"),
            text.replace("1.from.0=11.0", "1.from.0=-1"),
            text.replace("1.from.0", "9.from.0"),
            text.replace("a, b", "b, a"))) {
      assertTrue(!broken.equals(text), "the text has changed");
      Files.writeString(file, broken);
      LinkRates links = LinkRates.load(folder, FOUR);
      assertTrue(links.source().contains("cannot be used"), links.source());
      assertEquals(1, links.sets(4).size());
    }
  }
}
