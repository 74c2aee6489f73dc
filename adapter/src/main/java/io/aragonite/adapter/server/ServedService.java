package io.aragonite.adapter.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.calcite.avatica.remote.Service;

/** A service whose errors are those that clients are told, {@link ServedErrors}. */
final class ServedService {
  private ServedService() {}

  static Service of(Service service) {
    return (Service)
        Proxy.newProxyInstance(
            ServedService.class.getClassLoader(),
            new Class<?>[] {Service.class},
            (proxy, method, args) -> {
              try {
                return method.invoke(service, args);
              } catch (InvocationTargetException e) {
                throw ServedErrors.of(e.getCause() == null ? e : e.getCause());
              }
            });
  }
}
