package io.aragonite.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.proto.Common;
import org.apache.calcite.avatica.proto.Responses;
import org.apache.calcite.avatica.remote.Service;
import org.jspecify.annotations.Nullable;

/**
 * Rows of Avatica's messages. Avatica makes a message of each row, of each of its columns and of
 * each value, and asks them by reflection which fields they have: most of what a row costs. Values
 * become objects here as they are read; those of rare kinds are left to Avatica.
 */
final class FrameReader {
  private static final Object OTHER = new Object();

  private static final int SINGLE =
      Common.ColumnValue.SCALAR_VALUE_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int NUMBER = Common.TypedValue.NUMBER_VALUE_FIELD_NUMBER << 3;
  private static final int TRUTH = Common.TypedValue.BOOL_VALUE_FIELD_NUMBER << 3;
  private static final int FRACTION =
      Common.TypedValue.DOUBLE_VALUE_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_FIXED64;
  private static final int TEXT =
      Common.TypedValue.STRING_VALUE_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private final byte[] message;
  private final CodedInputStream in;

  /**
   * @param message all bytes
   * @param in reads them, and is at the length of the answer
   */
  FrameReader(byte[] message, CodedInputStream in) {
    this.message = message;
    this.in = in;
  }

  /** The answer. */
  Service.FetchResponse response() throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    Meta.Frame frame = new Meta.Frame(0, false, List.of());
    boolean noStatement = false;
    boolean noResults = false;
    Service.RpcMetadataResponse metadata = null;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case Responses.FetchResponse.FRAME_FIELD_NUMBER -> frame = frame();
        case Responses.FetchResponse.MISSING_STATEMENT_FIELD_NUMBER -> noStatement = in.readBool();
        case Responses.FetchResponse.MISSING_RESULTS_FIELD_NUMBER -> noResults = in.readBool();
        case Responses.FetchResponse.METADATA_FIELD_NUMBER ->
            metadata =
                new Service.RpcMetadataResponse(
                    Responses.RpcMetadata.parseFrom(in.readByteArray()).getServerAddress());
        default -> in.skipField(tag);
      }
    }
    in.popLimit(outer);
    return new Service.FetchResponse(frame, noStatement, noResults, metadata);
  }

  private Meta.Frame frame() throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    long offset = 0;
    boolean done = false;
    List<Object> rows = new ArrayList<>();
    int columns = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (WireFormat.getTagFieldNumber(tag)) {
        case Common.Frame.OFFSET_FIELD_NUMBER -> offset = in.readUInt64();
        case Common.Frame.DONE_FIELD_NUMBER -> done = in.readBool();
        case Common.Frame.ROWS_FIELD_NUMBER -> {
          List<@Nullable Object> row = row(columns);
          columns = row.size();
          rows.add(row);
        }
        default -> in.skipField(tag);
      }
    }
    in.popLimit(outer);
    return new Meta.Frame(offset, done, rows);
  }

  private List<@Nullable Object> row(int columns) throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    List<@Nullable Object> row = new ArrayList<>(columns);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == Common.Row.VALUE_FIELD_NUMBER) {
        row.add(column());
      } else {
        in.skipField(tag);
      }
    }
    in.popLimit(outer);
    return row;
  }

  private @Nullable Object column() throws IOException {
    int size = in.readRawVarint32();
    int begin = in.getTotalBytesRead();
    int outer = in.pushLimit(size);
    Object value = OTHER;
    if (in.readTag() == SINGLE) {
      int inner = in.pushLimit(in.readRawVarint32());
      value = single();
      in.skipRawBytes(in.getBytesUntilLimit());
      in.popLimit(inner);
    }
    boolean known = !OTHER.equals(value) && in.isAtEnd();
    in.skipRawBytes(in.getBytesUntilLimit());
    in.popLimit(outer);
    return known ? value : others(begin, size);
  }

  /** A value of a kind that is read here; {@link #OTHER} for one of another. */
  private @Nullable Object single() throws IOException {
    if (in.readTag() != Common.TypedValue.TYPE_FIELD_NUMBER << 3) {
      return OTHER;
    }
    int kind = in.readEnum();
    int tag = in.readTag();
    if (kind == Common.Rep.NULL_VALUE) {
      return null;
    }
    Object value =
        switch (tag) {
          case NUMBER -> number(kind, in.readSInt64());
          case FRACTION -> kind == Common.Rep.DOUBLE_VALUE ? (Object) in.readDouble() : OTHER;
          case TEXT -> text(kind, in.readString());
          case TRUTH -> kind == Common.Rep.BOOLEAN_VALUE ? (Object) in.readBool() : OTHER;
          default -> OTHER;
        };
    return in.isAtEnd() ? value : OTHER;
  }

  private static Object number(int kind, long number) {
    return switch (kind) {
      case Common.Rep.LONG_VALUE -> number;
      case Common.Rep.INTEGER_VALUE -> (int) number;
      case Common.Rep.SHORT_VALUE -> (short) number;
      case Common.Rep.BYTE_VALUE -> (byte) number;
      case Common.Rep.FLOAT_VALUE -> Float.intBitsToFloat((int) number);
      default -> OTHER;
    };
  }

  private static Object text(int kind, String text) {
    return switch (kind) {
      case Common.Rep.STRING_VALUE -> text;
      case Common.Rep.BIG_DECIMAL_VALUE -> new BigDecimal(text);
      default -> OTHER;
    };
  }

  /** A value as Avatica reads it. */
  private @Nullable Object others(int begin, int size) throws IOException {
    Common.ColumnValue column =
        Common.ColumnValue.parseFrom(CodedInputStream.newInstance(message, begin, size));
    Common.Frame frame =
        Common.Frame.newBuilder().addRows(Common.Row.newBuilder().addValue(column)).build();
    List<?> row = (List<?>) Meta.Frame.fromProto(frame).rows.iterator().next();
    return row.get(0);
  }
}
