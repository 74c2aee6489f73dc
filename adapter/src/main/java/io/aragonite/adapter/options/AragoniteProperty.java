package io.aragonite.adapter.options;

import java.util.Locale;
import java.util.Properties;
import org.apache.calcite.avatica.ConnectionConfigImpl;
import org.apache.calcite.avatica.ConnectionProperty;
import org.jspecify.annotations.Nullable;

/** Aragonite's own connection properties; all of Calcite's can be given beside them. */
@SuppressWarnings(
    "ImmutableEnumChecker") // the fields are immutable; ConnectionProperty is Avatica's
public enum AragoniteProperty implements ConnectionProperty {
  /** Scale of an embedded TPC-H schema, which is generated and cached on disk when first used. */
  TPCH("tpch", null, "Scale factor of an embedded TPC-H schema, for instance 0.01 or 1"),

  /** Scale of an embedded TPC-DS schema, which is generated and cached on disk when first used. */
  TPCDS("tpcds", null, "Scale factor of an embedded TPC-DS schema, for instance 0.01 or 1"),

  /** Directory whose files are tables. */
  DIRECTORY(
      "directory",
      null,
      "Directory, or s3://bucket/folder, in which each Parquet, Arrow IPC, CSV or JSON file, folder"
          + " of Parquet parts, or Iceberg table, is a table"),

  /** Which files statements may name. */
  FILE_ACCESS(
      "fileAccess",
      "all",
      "Files that statements may name by path: all (read and written, s3:// and https:// too),"
          + " directory (read, those in directory=), none; for clients of a server it is directory"
          + " unless it is given where the server is started"),

  /** Where the store of {@code s3://} is. */
  S3_ENDPOINT(
      "s3Endpoint",
      null,
      "URL of the store of s3:// files that is not Amazon's: http://localhost:9000"),

  /** Region of buckets. */
  S3_REGION(
      "s3Region",
      null,
      "Region of the buckets; what AWS_REGION or the profile says, else us-east-1, if not given"),

  /** Who reads s3:// files. */
  S3_ACCESS_KEY(
      "s3AccessKey",
      null,
      "Access key for s3:// files; what the AWS SDK finds (AWS_ACCESS_KEY_ID, ~/.aws, a role), else"
          + " nobody's, if not given"),

  /** The key's secret. */
  S3_SECRET_KEY("s3SecretKey", null, "Secret of s3AccessKey; shown nowhere"),

  /** Of temporary keys. */
  S3_SESSION_TOKEN("s3SessionToken", null, "Token of a temporary s3AccessKey; shown nowhere"),

  /** Form of URLs of buckets. */
  S3_PATH_STYLE(
      "s3PathStyle",
      null,
      "true: a bucket is in the path of its URL; false: in the host name; true with s3Endpoint="
          + " alone if not given"),

  /** How long stores may be silent. */
  REMOTE_TIMEOUT(
      "remoteTimeout",
      "30s",
      "Longest time that a store or an HTTP server may send nothing before it is asked again:"
          + " seconds, or with a unit (500ms, 30s)"),

  /** Where queries run. */
  DEVICE(
      "device",
      "auto",
      "auto (each query where it should be faster), cpu, cuda (all GPUs), or cuda:0 for a certain"
          + " GPU, cuda:0,2 for several"),

  /** Whether nodes that the device cannot run may run in Calcite's Enumerable convention. */
  FALLBACK(
      "fallback",
      "on",
      "on: what the device cannot run is left to Calcite, counted and shown in EXPLAIN; off: it is"
          + " an error, functions that Calcite's code evaluates included"),

  /** Budget for tables and queries. */
  MEMORY(
      "memory",
      "50%",
      "Memory for tables and queries: bytes, or with a unit (512MB, 8GB), or a share of physical"
          + " memory (50%)"),

  /** Budget for tables and queries on a GPU. */
  GPU_MEMORY(
      "gpuMemory",
      "90%",
      "Memory of the GPU for tables and queries: bytes, or with a unit (512MB, 8GB), or a share of"
          + " what is free when it is opened (90%)"),

  /** Folder for rows that memory does not hold. */
  SPILL(
      "spill",
      null,
      "Folder for files of rows that memory does not hold, in one of this process's own; the"
          + " system's folder for temporary files if not given"),

  /** Budget of spill files. */
  SPILL_LIMIT(
      "spillLimit",
      null,
      "Bytes of spill files at once at most (64GB); what the disk has if not given"),

  /** Worker threads. */
  THREADS("threads", null, "Threads at most; as many as there are processors if not given"),

  /** How joins on equal keys are done. */
  JOIN(
      "join",
      "auto",
      "auto: the planner chooses; nphj: non-partitioned hash join, phj: partitioned hash join, smj:"
          + " sort-merge join, phj_um and smj_um: these with payload left in place, hsmj:"
          + " sort-merge join of tables in host memory, for all joins on equal keys; others are"
          + " refused, unless a side is one row"),

  /** How joins are done whose equalities close a cycle. */
  MULTIWAY(
      "multiway",
      "auto",
      "Joins whose equalities close a cycle (triangles of a graph) as one join over tries: auto,"
          + " where that should be faster; on, wherever it is possible; levels or depth, the same"
          + " level by level, or depth first where the device can; off"),

  /** Whether queries that differ in literals share plans. */
  AUTO_PARAMETERIZE(
      "autoParameterize",
      "on",
      "on: small queries that differ only in numbers, texts and dates that columns are compared"
          + " with share a plan; off: each text has its own"),

  /** Longest time a statement may take. */
  TIMEOUT(
      "timeout",
      null,
      "Longest time for a statement, planning and fetching included: seconds, or with a unit"
          + " (500ms, 30s, 5min); Statement.setQueryTimeout may only shorten it");

  private final String camelName;
  private final @Nullable String defaultValue;
  private final String description;

  AragoniteProperty(String camelName, @Nullable String defaultValue, String description) {
    this.camelName = camelName;
    this.defaultValue = defaultValue;
    this.description = description;
  }

  /** What the property is for, in one line. */
  public String description() {
    return description;
  }

  /** The value given in {@code properties} (names match whatever their case), else the default. */
  public @Nullable String get(Properties properties) {
    for (String name : properties.stringPropertyNames()) {
      if (name.equalsIgnoreCase(camelName)) {
        return properties.getProperty(name).trim();
      }
    }
    return defaultValue;
  }

  /** Sets the value in {@code properties}, whatever the case of the name that it has there. */
  public void replaceIn(Properties properties, String value) {
    properties.keySet().removeIf(key -> String.valueOf(key).equalsIgnoreCase(camelName));
    properties.setProperty(camelName, value);
  }

  @Override
  public String camelName() {
    return camelName;
  }

  @Override
  @SuppressWarnings("NullAway") // Avatica has no nullness annotations; null means no default
  public Object defaultValue() {
    return defaultValue;
  }

  @Override
  public Type type() {
    return Type.STRING;
  }

  @Override
  public ConnectionConfigImpl.PropEnv wrap(Properties properties) {
    java.util.Map<ConnectionProperty, String> map = new java.util.HashMap<>();
    String value = get(properties);
    if (value != null) {
      map.put(this, value);
    }
    return new ConnectionConfigImpl.PropEnv(map, this);
  }

  @Override
  public boolean required() {
    return false;
  }

  @Override
  public Class<?> valueClass() {
    return String.class;
  }

  @Override
  public String toString() {
    return camelName.toLowerCase(Locale.ROOT);
  }
}
