package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.remote.ProtobufTranslationImpl;
import org.apache.calcite.avatica.remote.Service;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows as we write them, read by Avatica's client, beside rows as Avatica writes them. */
class FrameTranslationTest {
  private static final FrameTranslation OURS = new FrameTranslation();
  private static final ProtobufTranslationImpl AVATICA = new ProtobufTranslationImpl();

  private static Service.FetchResponse read(byte[] bytes) throws IOException {
    return (Service.FetchResponse) AVATICA.parseResponse(bytes);
  }

  private static void assertSame(Service.FetchResponse response) throws IOException {
    Service.FetchResponse wanted = read(AVATICA.serializeResponse(response));
    Service.FetchResponse got = read(OURS.serializeResponse(response));
    assertEquals(wanted.missingResults, got.missingResults);
    assertEquals(wanted.missingStatement, got.missingStatement);
    assertEquals(wanted.rpcMetadata, got.rpcMetadata);
    if (wanted.frame == null) {
      assertEquals(null, got.frame);
      return;
    }
    Meta.Frame frame = assertNotNullAnd(got.frame);
    assertEquals(wanted.frame.offset, frame.offset);
    assertEquals(wanted.frame.done, frame.done);
    assertEquals(rows(wanted.frame), rows(frame));
  }

  private static Meta.Frame assertNotNullAnd(Meta.@Nullable Frame frame) {
    assertNotNull(frame);
    return frame;
  }

  /** As texts with their types, since arrays of bytes equal themselves alone. */
  private static List<String> rows(Meta.Frame frame) {
    List<String> rows = new ArrayList<>();
    for (Object row : frame.rows) {
      List<?> values = row instanceof Object[] array ? Arrays.asList(array) : (List<?>) row;
      for (Object value : values) {
        rows.add(
            value == null
                ? "null"
                : value.getClass() + " " + Arrays.deepToString(new Object[] {value}));
      }
      rows.add("end of a row");
    }
    return rows;
  }

  private static Service.FetchResponse response(long offset, boolean done, Object... rows) {
    return new Service.FetchResponse(
        new Meta.Frame(offset, done, Arrays.asList(rows)),
        false,
        false,
        new Service.RpcMetadataResponse("host:8765"));
  }

  @Test
  void valuesOfEachType() throws IOException {
    Object[] row = {
      1L,
      -1L,
      Long.MIN_VALUE,
      0L,
      7,
      Integer.MAX_VALUE,
      0,
      (byte) 3,
      (short) -4,
      1.5,
      -0.0,
      Double.NaN,
      2.5f,
      true,
      false,
      null,
      "",
      "ab",
      "日本 😀",
      "\ud800 alone",
      new BigDecimal("12345678901234567890.123"),
      new byte[] {1, 2, 3},
      "x".repeat(40_000)
    };
    assertSame(response(0, true, (Object) row));
    assertSame(response(3_000_000_000L, false, row, Arrays.asList(row), row));
  }

  @Test
  void valuesThatHaveSeveralOthers() throws IOException {
    Object[] row = {1L, List.of(1L, 2L), "a"};
    assertSame(response(0, false, new Object[] {1L, List.of(), "b"}, row));
  }

  @Test
  void withoutRows() throws IOException {
    assertSame(response(5, true));
    assertSame(response(0, false, (Object) new Object[] {}));
    assertSame(new Service.FetchResponse(null, true, false, null));
    assertSame(new Service.FetchResponse(new Meta.Frame(1, true, List.of()), false, true, null));
  }

  /** What the class is for: a value is sent once. */
  @Test
  void messagesAreShort() throws IOException {
    List<Object> rows = new ArrayList<>();
    for (long i = 0; i < 1000; i++) {
      rows.add(new Object[] {i, "text " + i});
    }
    Service.FetchResponse response = response(0, true, rows.toArray());
    int ours = OURS.serializeResponse(response).length;
    int theirs = AVATICA.serializeResponse(response).length;
    assertTrue(ours < theirs * 0.65, () -> ours + " bytes, Avatica's " + theirs);
  }
}
