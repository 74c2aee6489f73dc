package io.aragonite.bench.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.bench.multi.Timeline.Line;
import io.aragonite.exec.collective.Rank.TimeSpan;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

class TimelineTest {
  private static Document drawn(long nanos) throws Exception {
    List<Line> lines =
        List.of(
            new Line("all", List.of(new TimeSpan("all", 5, 5 + nanos))),
            new Line(
                "0: kernels",
                List.of(
                    new TimeSpan("placing", 5, 5 + nanos / 2),
                    new TimeSpan("something new", 5 + nanos / 2, 5 + nanos))));
    String svg = Timeline.svg("a join", lines);
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }

  private static List<String> texts(Document svg) {
    List<String> texts = new ArrayList<>();
    NodeList nodes = svg.getElementsByTagName("text");
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent());
    }
    return texts;
  }

  @Test
  void theLegendHasWhatIsThere() throws Exception {
    List<String> texts = texts(drawn(10_000_000));
    assertEquals(
        List.of("a join: 10.00 ms", "all", "placing", "something new"), texts.subList(0, 4));
    assertEquals(List.of("0", "0.5", "1"), texts.subList(4, 7));
    assertTrue(texts.contains("10") && !texts.contains("sorting"), texts::toString);
  }

  @Test
  void anyTimeHasTicks() throws Exception {
    for (long nanos = 0; nanos < 1L << 40; nanos = 3 * nanos + 1) {
      int ticks = drawn(nanos).getElementsByTagName("line").getLength();
      assertTrue(ticks >= 1 && ticks <= 21, ticks + " of " + nanos);
    }
  }
}
