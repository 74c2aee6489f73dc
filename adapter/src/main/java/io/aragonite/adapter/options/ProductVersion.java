package io.aragonite.adapter.options;

/** The version of this build. */
public final class ProductVersion {
  private static final String UNPACKED = "0.1.0";

  private ProductVersion() {}

  /** As the jar's manifest has it; that of the sources where there is no jar. */
  public static String text() {
    String version = ProductVersion.class.getPackage().getImplementationVersion();
    return version == null ? UNPACKED : version;
  }
}
