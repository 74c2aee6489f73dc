package io.aragonite.adapter.cli;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * The log of a server: lines of text or JSON on standard error, which tell the query that they are
 * about. SLF4J makes one when the first logger is made, which may be before the format is known.
 */
public final class ServiceLogging implements SLF4JServiceProvider {
  /** What a line looks like. */
  enum Format {
    TEXT,
    JSON
  }

  private static volatile Format format = Format.TEXT;

  private final Map<String, ServiceLogger> loggers = new ConcurrentHashMap<>();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter context = new NOPMDCAdapter();

  /** Has lines look so from now on. */
  static void use(Format wanted) {
    format = wanted;
  }

  static Format format() {
    return format;
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> loggers.computeIfAbsent(name, ServiceLogger::new);
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return context;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}
}
