package io.aragonite.adapter.remote;

import java.net.InetAddress;
import java.util.Arrays;

/** Addresses of which only the network that this process is in knows, cloud metadata among them. */
final class InternalAddress {
  /** Where Azure's machines ask its platform; an address like others else. */
  private static final int[] AZURE = {168, 63, 129, 16};

  private static final byte[] NAT64 = {0, 0x64, (byte) 0xFF, (byte) 0x9B, 0, 0, 0, 0, 0, 0, 0, 0};

  private InternalAddress() {}

  static boolean is(InetAddress address) {
    if (address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress()) {
      return true;
    }
    byte[] bytes = address.getAddress();
    return bytes.length == 4 ? isInternal4(bytes, 0) : isInternal6(bytes);
  }

  private static boolean isInternal6(byte[] bytes) {
    boolean unique = (bytes[0] & 0xFE) == 0xFC;
    boolean compatible = Arrays.equals(bytes, 0, 12, new byte[12], 0, 12);
    boolean translated = Arrays.equals(bytes, 0, 12, NAT64, 0, 12);
    boolean sixToFour = bytes[0] == 0x20 && bytes[1] == 0x02;
    return unique
        || compatible
        || translated && isInternal4(bytes, 12)
        || sixToFour && isInternal4(bytes, 2);
  }

  private static boolean isInternal4(byte[] bytes, int at) {
    int[] part = new int[4];
    for (int i = 0; i < part.length; i++) {
      part[i] = bytes[at + i] & 0xFF;
    }
    return switch (part[0]) {
      case 0, 10, 127 -> true;
      case 100 -> part[1] >= 64 && part[1] < 128; // of providers
      case 168 -> Arrays.equals(part, AZURE);
      case 169 -> part[1] == 254;
      case 172 -> part[1] >= 16 && part[1] < 32;
      case 192 -> part[1] == 168 || part[1] == 0 && part[2] == 0;
      default -> part[0] >= 224;
    };
  }
}
