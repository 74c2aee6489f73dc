package io.aragonite.adapter.server;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.calcite.avatica.Meta;
import org.apache.calcite.avatica.proto.Common;
import org.apache.calcite.avatica.proto.Responses;
import org.apache.calcite.avatica.remote.ProtobufTranslationImpl;
import org.apache.calcite.avatica.remote.Service;
import org.apache.calcite.avatica.remote.TypedValue;
import org.jspecify.annotations.Nullable;

/**
 * Messages to Avatica's clients. Those with rows are written as they are encoded: Avatica makes
 * three objects of each value before, and sends it twice, the second time for clients older than
 * 1.5.
 */
final class FrameTranslation extends ProtobufTranslationImpl {
  @Override
  public byte[] serializeResponse(Service.Response response) throws IOException {
    byte[] written = response instanceof Service.FetchResponse fetched ? written(fetched) : null;
    return written == null ? super.serializeResponse(response) : written;
  }

  /** Null if there are no rows, or values that have several others. */
  private static byte @Nullable [] written(Service.FetchResponse response) throws IOException {
    Meta.Frame frame = response.frame;
    if (frame == null) {
      return null;
    }
    List<List<@Nullable Object>> rows = rows(frame);
    if (rows == null) {
      return null;
    }
    long[] sizes = rows.stream().mapToLong(FrameTranslation::rowSize).toArray();
    byte[] rest = rest(response);
    long frameSize = frameSize(frame, sizes);
    long fetchSize = fieldSize(Responses.FetchResponse.FRAME_FIELD_NUMBER, frameSize) + rest.length;
    String name = Responses.FetchResponse.class.getName();
    long size =
        CodedOutputStream.computeStringSize(Common.WireMessage.NAME_FIELD_NUMBER, name)
            + fieldSize(Common.WireMessage.WRAPPED_MESSAGE_FIELD_NUMBER, fetchSize);
    if (size > Integer.MAX_VALUE) {
      return null;
    }
    byte[] bytes = new byte[(int) size];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeString(Common.WireMessage.NAME_FIELD_NUMBER, name);
    begin(out, Common.WireMessage.WRAPPED_MESSAGE_FIELD_NUMBER, (int) fetchSize);
    begin(out, Responses.FetchResponse.FRAME_FIELD_NUMBER, (int) frameSize);
    out.writeUInt64(Common.Frame.OFFSET_FIELD_NUMBER, frame.offset);
    out.writeBool(Common.Frame.DONE_FIELD_NUMBER, frame.done);
    for (int i = 0; i < sizes.length; i++) {
      begin(out, Common.Frame.ROWS_FIELD_NUMBER, (int) sizes[i]);
      writeRow(out, rows.get(i));
    }
    out.writeRawBytes(rest);
    out.checkNoSpaceLeft();
    return bytes;
  }

  /** Rows of single values; null if others are among them. */
  private static @Nullable List<List<@Nullable Object>> rows(Meta.Frame frame) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (Object row : frame.rows) {
      List<@Nullable Object> values;
      if (row instanceof Object[] array) {
        values = Arrays.asList(array);
      } else if (row instanceof List<?> list) {
        values = new ArrayList<>(list);
      } else {
        return null;
      }
      for (Object value : values) {
        if (value instanceof List || value instanceof java.sql.Array) {
          return null;
        }
      }
      rows.add(values);
    }
    return rows;
  }

  /** What stands behind the frame. */
  private static byte[] rest(Service.FetchResponse response) {
    Responses.FetchResponse.Builder rest =
        Responses.FetchResponse.newBuilder()
            .setMissingResults(response.missingResults)
            .setMissingStatement(response.missingStatement);
    if (response.rpcMetadata != null) {
      rest.setMetadata(
          Responses.RpcMetadata.newBuilder()
              .setServerAddress(response.rpcMetadata.serverAddress)
              .build());
    }
    return rest.build().toByteArray();
  }

  private static long frameSize(Meta.Frame frame, long[] rows) {
    long size = CodedOutputStream.computeUInt64Size(Common.Frame.OFFSET_FIELD_NUMBER, frame.offset);
    size += CodedOutputStream.computeBoolSize(Common.Frame.DONE_FIELD_NUMBER, frame.done);
    for (long row : rows) {
      size += fieldSize(Common.Frame.ROWS_FIELD_NUMBER, row);
    }
    return size;
  }

  private static long fieldSize(int field, long size) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt64SizeNoTag(size)
        + size;
  }

  private static void begin(CodedOutputStream out, int field, int size) throws IOException {
    out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    out.writeUInt32NoTag(size);
  }

  private static long rowSize(List<@Nullable Object> row) {
    long size = 0;
    for (Object value : row) {
      size += fieldSize(Common.Row.VALUE_FIELD_NUMBER, columnSize(valueSize(value)));
    }
    return size;
  }

  private static int columnSize(int value) {
    return (int) fieldSize(Common.ColumnValue.SCALAR_VALUE_FIELD_NUMBER, value);
  }

  private static void writeRow(CodedOutputStream out, List<@Nullable Object> row)
      throws IOException {
    for (Object value : row) {
      int size = valueSize(value);
      begin(out, Common.Row.VALUE_FIELD_NUMBER, columnSize(size));
      begin(out, Common.ColumnValue.SCALAR_VALUE_FIELD_NUMBER, size);
      writeValue(out, value);
    }
  }

  /** The kind of a value that is written here; null for one that Avatica writes. */
  private static Common.@Nullable Rep kind(@Nullable Object value) {
    return switch (value) {
      case Long _ -> Common.Rep.LONG;
      case Integer _ -> Common.Rep.INTEGER;
      case Double _ -> Common.Rep.DOUBLE;
      case String _ -> Common.Rep.STRING;
      case null, default -> null;
    };
  }

  private static int valueSize(@Nullable Object value) {
    Common.Rep kind = kind(value);
    if (kind == null) {
      return message(value).getSerializedSize();
    }
    int size =
        switch (value) {
          case String text ->
              CodedOutputStream.computeStringSize(
                  Common.TypedValue.STRING_VALUE_FIELD_NUMBER, text);
          case Double number ->
              CodedOutputStream.computeDoubleSize(
                  Common.TypedValue.DOUBLE_VALUE_FIELD_NUMBER, number);
          case null, default ->
              CodedOutputStream.computeSInt64Size(
                  Common.TypedValue.NUMBER_VALUE_FIELD_NUMBER, whole(value));
        };
    return CodedOutputStream.computeEnumSize(Common.TypedValue.TYPE_FIELD_NUMBER, kind.getNumber())
        + size;
  }

  private static void writeValue(CodedOutputStream out, @Nullable Object value) throws IOException {
    Common.Rep kind = kind(value);
    if (kind == null) {
      message(value).writeTo(out);
      return;
    }
    out.writeEnum(Common.TypedValue.TYPE_FIELD_NUMBER, kind.getNumber());
    switch (value) {
      case String text -> out.writeString(Common.TypedValue.STRING_VALUE_FIELD_NUMBER, text);
      case Double number -> out.writeDouble(Common.TypedValue.DOUBLE_VALUE_FIELD_NUMBER, number);
      case null, default ->
          out.writeSInt64(Common.TypedValue.NUMBER_VALUE_FIELD_NUMBER, whole(value));
    }
  }

  private static long whole(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  private static MessageLite message(@Nullable Object value) {
    Common.TypedValue.Builder message = Common.TypedValue.newBuilder();
    TypedValue.toProto(message, value);
    return message.build();
  }
}
