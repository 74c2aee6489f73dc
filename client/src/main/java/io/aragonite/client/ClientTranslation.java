package io.aragonite.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import org.apache.calcite.avatica.proto.Common.WireMessage;
import org.apache.calcite.avatica.proto.Responses;
import org.apache.calcite.avatica.remote.ProtobufTranslationImpl;
import org.apache.calcite.avatica.remote.Service;

/**
 * Avatica's messages. One begins with the name of its class, which is Avatica's on the wire
 * whatever it is in this jar. Rows are read by {@link FrameReader}.
 */
final class ClientTranslation extends ProtobufTranslationImpl {
  /** What this jar puts before Avatica's names; empty where it has them as they are. */
  private static final String PREFIX =
      WireMessage.class.getName().replaceFirst("org[.]apache[.].*", "");

  private static final String ROWS =
      Responses.FetchResponse.class.getName().substring(PREFIX.length());

  @Override
  public byte[] serializeRequest(Service.Request request) throws IOException {
    byte[] message = super.serializeRequest(request);
    if (PREFIX.isEmpty()) {
      return message;
    }
    WireMessage asked = WireMessage.parseFrom(message);
    return named(asked, asked.getName().substring(PREFIX.length())).toByteArray();
  }

  @Override
  public Service.Response parseResponse(byte[] message) throws IOException {
    try {
      CodedInputStream in = CodedInputStream.newInstance(message);
      if (in.readTag() == tag(WireMessage.NAME_FIELD_NUMBER)
          && in.readString().equals(ROWS)
          && in.readTag() == tag(WireMessage.WRAPPED_MESSAGE_FIELD_NUMBER)) {
        return new FrameReader(message, in).response();
      }
      if (PREFIX.isEmpty()) {
        return super.parseResponse(message);
      }
      WireMessage answered = WireMessage.parseFrom(message);
      return super.parseResponse(named(answered, PREFIX + answered.getName()).toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException(
          "what answers does not speak Protobuf, or is no server of Aragonite", e);
    }
  }

  private static int tag(int field) {
    return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  private static WireMessage named(WireMessage message, String name) {
    return message.toBuilder().setName(name).build();
  }
}
