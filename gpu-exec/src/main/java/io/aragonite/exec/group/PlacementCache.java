package io.aragonite.exec.group;

import io.aragonite.exec.cost.LinkRates;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.ExchangeSettings;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * On which devices plans that run again and again are quickest, and how: pricing a plan takes as
 * long as some of its exchanges. Forgotten when garbage is collected: a choice has the plan, which
 * has the tables, so that holding it would keep dropped tables.
 */
final class PlacementCache {
  private static final int MOST = 256;

  /**
   * @param settings what else decides
   */
  private record CachedPlacement(
      WeakReference<PhysicalPlan> plan,
      List<Device> devices,
      LinkRates links,
      ExchangeSettings settings,
      WeakReference<DeviceGroup.GroupDecision> choice) {
    @SuppressWarnings("ReferenceEquality") // a plan is prepared once; to compare all of it is slow
    boolean isOf(PhysicalPlan wanted) {
      return plan.get() == wanted;
    }
  }

  private final List<CachedPlacement> all = new ArrayList<>();

  DeviceGroup.GroupDecision get(
      PhysicalPlan plan,
      List<Device> devices,
      LinkRates links,
      Supplier<DeviceGroup.GroupDecision> choose) {
    ExchangeSettings settings = EngineSettings.current().exchange();
    DeviceGroup.GroupDecision known = find(plan, devices, links, settings);
    if (known != null) {
      return known;
    }
    DeviceGroup.GroupDecision choice = choose.get();
    synchronized (this) {
      all.removeIf(one -> one.choice.get() == null || one.isOf(plan));
      if (all.size() >= MOST) {
        all.removeFirst();
      }
      all.add(
          new CachedPlacement(
              new WeakReference<>(plan), devices, links, settings, new WeakReference<>(choice)));
    }
    return choice;
  }

  private synchronized DeviceGroup.@Nullable GroupDecision find(
      PhysicalPlan plan, List<Device> devices, LinkRates links, ExchangeSettings settings) {
    for (CachedPlacement known : all) {
      if (known.isOf(plan)
          && known.devices.equals(devices)
          && known.links.equals(links)
          && known.settings.equals(settings)) {
        return known.choice.get();
      }
    }
    return null;
  }
}
