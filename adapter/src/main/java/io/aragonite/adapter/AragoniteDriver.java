package io.aragonite.adapter;

import io.aragonite.adapter.catalog.ConnectionAccess;
import io.aragonite.adapter.catalog.GeneratedCatalog;
import io.aragonite.adapter.catalog.GrantedSchema;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.error.SqlErrors;
import io.aragonite.adapter.metadata.ColumnMetadataFactory;
import io.aragonite.adapter.options.AragoniteProperty;
import io.aragonite.adapter.options.ConnectionModel;
import io.aragonite.adapter.options.ConnectionOptions;
import io.aragonite.adapter.options.ConnectionOptions.DeviceChoice;
import io.aragonite.adapter.options.ProductVersion;
import io.aragonite.adapter.options.PropertyCheck;
import io.aragonite.adapter.sql.Utf8TypeFactory;
import io.aragonite.adapter.statement.AragonitePrepare;
import io.aragonite.adapter.statement.ConnectionTerms;
import io.aragonite.adapter.statement.Session;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.JvmDefects;
import io.aragonite.exec.memory.NativeAccess;
import io.aragonite.rules.translate.AragoniteTypeSystem;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.calcite.avatica.AvaticaConnection;
import org.apache.calcite.avatica.ConnectStringParser;
import org.apache.calcite.avatica.ConnectionProperty;
import org.apache.calcite.avatica.DriverVersion;
import org.apache.calcite.config.CalciteConnectionConfig;
import org.apache.calcite.config.CalciteConnectionConfigImpl;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.apache.calcite.jdbc.CalciteConnection;
import org.apache.calcite.jdbc.CalciteFactory;
import org.apache.calcite.jdbc.CalcitePrepare;
import org.apache.calcite.jdbc.Driver;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.schema.SchemaPlus;
import org.apache.calcite.schema.lookup.LikePattern;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC driver: {@code jdbc:aragonite:}, followed by properties as {@code key=value;key=value}.
 * {@link AragoniteProperty} lists those of Aragonite's own; all of Calcite's can be given as well.
 *
 * <p>Each connection is made by a driver object of its own, whose prepare knows the connection's
 * {@link Session}; the one that {@link java.sql.DriverManager} knows has none.
 */
public final class AragoniteDriver extends Driver {
  public static final String PREFIX = "jdbc:aragonite:";

  /** Of the thin client, which is another driver's. */
  private static final String REMOTE = PREFIX + "remote:";

  static {
    new AragoniteDriver().register();
    leaveCalciteToTheProgram();
  }

  private final @Nullable Session session;

  /** For {@link java.util.ServiceLoader}. */
  public AragoniteDriver() {
    this.session = null;
  }

  private AragoniteDriver(Session session) {
    super(() -> new AragonitePrepare(session));
    this.session = session;
  }

  /**
   * Where Calcite has a name of its own, in the driver's jar, {@code jdbc:calcite:} is not ours: a
   * program that has a Calcite would get connections that are none of its classes.
   */
  private static void leaveCalciteToTheProgram() {
    if (!Driver.class.getName().startsWith("io.aragonite.")) {
      return;
    }
    try {
      for (java.sql.Driver driver : DriverManager.drivers().toList()) {
        if (driver.getClass() == Driver.class) {
          DriverManager.deregisterDriver(driver);
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The version of this build. */
  static String version() {
    return ProductVersion.text();
  }

  @Override
  protected String getConnectStringPrefix() {
    return PREFIX;
  }

  @Override
  protected String getFactoryClassName(JdbcVersion version) {
    return AragoniteFactory.class.getName();
  }

  @Override
  protected DriverVersion createDriverVersion() {
    String version = version();
    String[] parts = version.split("[.-]", -1);
    return new DriverVersion(
        "Aragonite JDBC driver",
        version,
        "Aragonite",
        version,
        true,
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]),
        Integer.parseInt(parts[0]),
        Integer.parseInt(parts[1]));
  }

  @Override
  protected Collection<ConnectionProperty> getConnectionProperties() {
    return PropertyCheck.all();
  }

  @Override
  public boolean acceptsURL(String url) throws SQLException {
    return url != null && url.startsWith(PREFIX) && !url.startsWith(REMOTE);
  }

  @Override
  public CalcitePrepare createPrepare() {
    if (session == null) {
      throw new IllegalStateException("connections are made by connect()");
    }
    return super.createPrepare();
  }

  @Override
  public @Nullable Connection connect(String url, Properties info) throws SQLException {
    return connect(url, info, ConnectionTerms.ALL);
  }

  /**
   * Opens a connection for a user of a server.
   *
   * @param terms on which it is handed out
   * @return null if the URL is none of this driver's
   */
  public @Nullable Connection connect(String url, Properties info, ConnectionTerms terms)
      throws SQLException {
    if (!acceptsURL(url)) {
      return null;
    }
    EarlyClasses.begin(url.contains("directory"), "");
    try {
      NativeAccess.require();
      JvmDefects.require();
      Properties properties = ConnectStringParser.parse(url.substring(PREFIX.length()), info);
      PropertyCheck.check(properties);
      openGpuAhead(properties);
      setDefaults(properties);
      if (terms.access() != null) {
        AragoniteProperty.FILE_ACCESS.replaceIn(properties, "none");
      }
      return open(url, properties, terms);
    } catch (SQLException | RuntimeException | Error e) {
      throw SqlErrors.of(e);
    }
  }

  /** A GPU takes long to open: it does so beside what a connection does until it needs it. */
  private static void openGpuAhead(Properties properties) {
    DeviceChoice device = ConnectionOptions.device(properties);
    if (device.kind() == DeviceChoice.DeviceKind.CUDA) {
      CudaDriver.openAhead(device.ordinals());
    }
  }

  private static Connection open(String url, Properties properties, ConnectionTerms terms)
      throws SQLException {
    ConnectionAccess access = terms.access();
    ConnectionModel.prepare(properties);
    ConnectionOptions options = ConnectionOptions.of(properties);
    PlanningWarmUp.begin(options);
    Session session = new Session(options, terms);
    boolean done = false;
    try {
      AragoniteDriver driver = new AragoniteDriver(session);
      AvaticaConnection connection =
          ((CalciteFactory) driver.factory)
              .newConnection(
                  driver, driver.factory, url, properties, null, typeFactory(properties));
      CalciteConnection calcite = (CalciteConnection) connection;
      ConcurrentStatements.of(calcite);
      session.attach(calcite);
      String schema = addSchemas(calcite, session);
      if (schema != null) {
        calcite.setSchema(schema);
      }
      GpuSchemaFactory.within(
          session,
          () -> {
            driver.handler.onConnectionInit(connection);
            return true;
          });
      if (access == null) {
        Utf8View.replaceIn(calcite.getRootSchema());
      } else {
        restrict(calcite, access);
      }
      String wanted = get(properties, CalciteConnectionProperty.SCHEMA);
      if (wanted != null) {
        calcite.setSchema(schemaName(calcite, wanted));
      }
      session.beginWith(calcite.getSchema());
      done = true;
      return new ConnectionGuard(calcite, session, url);
    } finally {
      if (!done) {
        session.close();
      }
    }
  }

  /** Leaves what is granted; the default schema is another where that is not there any more. */
  private static void restrict(CalciteConnection calcite, ConnectionAccess access)
      throws SQLException {
    SchemaPlus root = calcite.getRootSchema();
    GrantedSchema.replaceIn(root, access);
    String schema = calcite.getSchema();
    if (schema == null || root.subSchemas().get(schema) == null) {
      calcite.setSchema(
          access.schemas().keySet().stream()
              .filter(name -> root.subSchemas().get(name) != null)
              .findFirst()
              .orElse(null));
    }
  }

  private static Utf8TypeFactory typeFactory(Properties properties) {
    CalciteConnectionConfig config = new CalciteConnectionConfigImpl(properties);
    RelDataTypeSystem typeSystem =
        config.typeSystem(RelDataTypeSystem.class, RelDataTypeSystem.DEFAULT);
    boolean varying =
        typeSystem instanceof AragoniteTypeSystem
            || config.conformance().shouldConvertRaggedUnionTypesToVarying();
    return new Utf8TypeFactory(typeSystem, varying);
  }

  /** Adds the schemas that properties ask for; returns the first one's name, the default schema. */
  private static @Nullable String addSchemas(CalciteConnection connection, Session session) {
    ConnectionOptions options = session.options();
    SchemaPlus root = connection.getRootSchema();
    List<String> names = new ArrayList<>();
    if (options.tpch() != null) {
      // these files are our own: there is nothing about them to complain of now
      Supplier<Path> directory = GeneratedCatalog.tpch(options.tpch(), options.threads());
      root.add("tpch", GpuSchema.lazy(() -> session.catalog(directory.get()), session));
      names.add("tpch");
    }
    if (options.tpcds() != null) {
      Supplier<Path> directory = GeneratedCatalog.tpcds(options.tpcds(), options.threads());
      root.add("tpcds", GpuSchema.lazy(() -> session.catalog(directory.get()), session));
      names.add("tpcds");
    }
    if (options.directory() != null) {
      root.add("files", new GpuSchema(session.catalog(options.directory()), session));
      names.add("files");
    }
    return names.isEmpty() ? null : names.get(0);
  }

  /**
   * The name of a schema as it is written where it was made.
   *
   * @throws AragoniteException INVALID_PROPERTY if there is none of the name, whatever its case
   */
  static String schemaName(CalciteConnection connection, String wanted) {
    Set<String> names = connection.getRootSchema().subSchemas().getNames(LikePattern.any());
    for (String name : names) {
      if (name.equalsIgnoreCase(wanted)) {
        return name;
      }
    }
    String nearest = NearestName.of(wanted, names);
    throw new AragoniteException(
        ErrorCode.INVALID_PROPERTY,
        "schema=%s is not valid: there is no such schema%s."
            .formatted(wanted, nearest == null ? "" : "; did you mean '" + nearest + "'?"));
  }

  private static void setDefaults(Properties properties) {
    setDefault(
        properties, CalciteConnectionProperty.TYPE_SYSTEM, AragoniteTypeSystem.class.getName());
    setDefault(
        properties,
        CalciteConnectionProperty.META_COLUMN_FACTORY,
        ColumnMetadataFactory.class.getName());
    if (get(properties, CalciteConnectionProperty.LEX) == null) {
      setDefault(properties, CalciteConnectionProperty.QUOTING, "DOUBLE_QUOTE");
      setDefault(properties, CalciteConnectionProperty.UNQUOTED_CASING, "UNCHANGED");
      setDefault(properties, CalciteConnectionProperty.QUOTED_CASING, "UNCHANGED");
      setDefault(properties, CalciteConnectionProperty.CASE_SENSITIVE, "false");
    }
  }

  private static void setDefault(Properties properties, ConnectionProperty property, String value) {
    if (get(properties, property) == null) {
      properties.setProperty(property.camelName(), value);
    }
  }

  private static @Nullable String get(Properties properties, ConnectionProperty property) {
    for (String name : properties.stringPropertyNames()) {
      if (name.equalsIgnoreCase(property.camelName()) || name.equalsIgnoreCase(property.name())) {
        return properties.getProperty(name);
      }
    }
    return null;
  }

  @Override
  public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
    Properties given;
    try {
      given =
          acceptsURL(url)
              ? ConnectStringParser.parse(url.substring(PREFIX.length()), info)
              : new Properties();
    } catch (RuntimeException e) {
      throw SqlErrors.of(e);
    }
    List<DriverPropertyInfo> list = new ArrayList<>();
    for (AragoniteProperty property : AragoniteProperty.values()) {
      DriverPropertyInfo entry = new DriverPropertyInfo(property.camelName(), property.get(given));
      entry.description = property.description();
      entry.choices =
          switch (property) {
            case DEVICE -> new String[] {"auto", "cpu", "cuda", "cuda:0", "cuda:0,1"};
            case FALLBACK -> new String[] {"on", "off"};
            case FILE_ACCESS -> new String[] {"all", "directory", "none"};
            default -> null;
          };
      list.add(entry);
    }
    for (CalciteConnectionProperty property : CalciteConnectionProperty.values()) {
      Object value = property.defaultValue();
      String text = get(given, property);
      list.add(
          new DriverPropertyInfo(
              property.camelName(), text != null ? text : value == null ? null : value.toString()));
    }
    return list.toArray(DriverPropertyInfo[]::new);
  }
}
