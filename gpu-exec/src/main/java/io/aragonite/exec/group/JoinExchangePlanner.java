package io.aragonite.exec.group;

import io.aragonite.exec.cost.ExchangeModel;
import io.aragonite.exec.exchange.Distribution;
import io.aragonite.exec.group.ExchangePlanner.Placed;
import io.aragonite.exec.operator.join.FilterPlace;
import io.aragonite.exec.plan.JoinEstimate;
import io.aragonite.exec.plan.JoinType;
import io.aragonite.exec.plan.PhysicalPlan;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.ExchangeKind;
import io.aragonite.exec.plan.PhysicalPlan.Exchange.Placement;
import io.aragonite.exec.plan.PhysicalPlan.Join;
import io.aragonite.exec.plan.PhysicalPlan.JoinKey;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.ExchangeSettings;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where the two sides of a join must be for several devices to join a part each: both by the hash
 * of their keys, or one side everywhere. A side whose own rows come out because they have, or have
 * not, a partner on the other side (an outer join's, a semi join's left one) cannot be everywhere:
 * each device would know a part of the partners.
 */
final class JoinExchangePlanner {
  private static final double BY_KEYS_NANOS =
      ExchangeModel.EXCHANGE_NANOS + ExchangeModel.PARTITION_NANOS;

  private final ExchangePlanner spreading;
  private final Join join;

  JoinExchangePlanner(ExchangePlanner spreading, Join join) {
    this.spreading = spreading;
    this.join = join;
  }

  Placed place() {
    Placed left = spreading.place(join.left());
    Placed right = spreading.place(join.right());
    boolean leftMay = join.joinType() == JoinType.INNER || join.joinType() == JoinType.RIGHT;
    boolean rightMay = !join.joinType().padsLeft();
    if (left.rows().first() && right.rows().first()) {
      return joined(left.plan(), right.plan(), Distribution.FIRST, 1, 1);
    }
    if (left.rows().everywhere() && right.rows().everywhere()) {
      return joined(left.plan(), right.plan(), Distribution.EVERYWHERE, 1, 1);
    }
    if (right.rows().everywhere() && rightMay) {
      return withRight(left, right.plan());
    }
    if (left.rows().everywhere() && leftMay) {
      return withLeft(left.plan(), right);
    }
    Placed ownLeft = spreading.once(left);
    Placed ownRight = spreading.once(right);
    boolean hashes = !join.keys().isEmpty() && join.joinType() != JoinType.NULL_AWARE_ANTI;
    if (rightMay && (!hashes || broadcast(false, leftMay, ownLeft, ownRight))) {
      return withRight(ownLeft, spreading.everywhere(ownRight));
    }
    if (leftMay && (!hashes || broadcast(true, rightMay, ownLeft, ownRight))) {
      return withLeft(spreading.everywhere(ownLeft), ownRight);
    }
    return hashes ? hashed(ownLeft, ownRight) : onFirst(ownLeft, ownRight);
  }

  private Placed onFirst(Placed left, Placed right) {
    return joined(spreading.toFirst(left), spreading.toFirst(right), Distribution.FIRST, 1, 1);
  }

  /** The right side is everywhere. */
  private Placed withRight(Placed left, PhysicalPlan right) {
    double share = share(left);
    return joined(left.plan(), right, left.rows(), share, 1);
  }

  /** The left side is everywhere. */
  private Placed withLeft(PhysicalPlan left, Placed right) {
    int columns = left.types().size();
    double share = share(right);
    return joined(
        left, right.plan(), right.rows().mapped(column -> Set.of(column + columns)), 1, share);
  }

  /** The share of a side's rows that a device has. */
  private double share(Placed rows) {
    return rows.rows().first() || rows.rows().everywhere() ? 1 : 1.0 / spreading.model().devices();
  }

  /** Whether it is quicker to bring a side everywhere than both where their keys belong. */
  private boolean broadcast(boolean ofLeft, boolean otherMay, Placed left, Placed right) {
    ExchangeSettings.JoinExchange wanted = EngineSettings.current().exchange().join();
    if (wanted != ExchangeSettings.JoinExchange.AUTO) {
      return wanted == ExchangeSettings.JoinExchange.BROADCAST;
    }
    JoinEstimate expected = join.expected();
    if (expected == null) {
      return false;
    }
    double leftRows = leftRows(expected);
    double rightRows = rightRows(expected);
    double leftBytes = leftRows * ExchangeModel.rowBytes(left.plan().types());
    double rightBytes = rightRows * ExchangeModel.rowBytes(right.plan().types());
    if (otherMay && (ofLeft ? leftBytes > rightBytes : rightBytes >= leftBytes)) {
      return false;
    }
    LocalSides stays = stays(left, right, leftBytes, rightBytes);
    ExchangeModel model = spreading.model();
    // The probe side is filtered before it is sent, if that is worth it.
    boolean probeMoves = !(join.buildLeft() ? stays.right() : stays.left());
    FilterPlace.SentShare sending = FilterPlace.sentShare(join, model.profile(), model.devices());
    double hash =
        (stays.left() ? 0 : brought(leftBytes * (join.buildLeft() ? 1 : sending.share()), expected))
            + (stays.right()
                ? 0
                : brought(rightBytes * (join.buildLeft() ? sending.share() : 1), expected))
            + (probeMoves ? sending.nanos() : 0);
    double everywhere =
        ExchangeModel.EXCHANGE_NANOS
            + model.broadcastNanos(ofLeft ? leftRows : rightRows, ofLeft ? leftBytes : rightBytes);
    spreading.tell(
        join,
        String.format(
            Locale.ROOT,
            "both sides by their keys %.3f ms, %s side everywhere %.3f ms",
            hash / 1e6,
            ofLeft ? "left" : "right",
            everywhere / 1e6));
    // What exchanges take whatever they bring is counted for all of them.
    double fixed =
        everywhere < hash
            ? ExchangeModel.EXCHANGE_NANOS
            : ((stays.left() ? 0 : 1) + (stays.right() ? 0 : 1)) * BY_KEYS_NANOS;
    spreading.moves(Math.min(everywhere, hash) - fixed);
    return everywhere < hash;
  }

  private double brought(double bytes, JoinEstimate expected) {
    return BY_KEYS_NANOS + spreading.model().hashNanos(bytes, expected.topShare());
  }

  private double leftRows(JoinEstimate expected) {
    return join.buildLeft() ? expected.buildRows() : expected.probeRows();
  }

  private double rightRows(JoinEstimate expected) {
    return join.buildLeft() ? expected.probeRows() : expected.buildRows();
  }

  private List<Integer> columns(boolean ofLeft) {
    return join.keys().stream().map(key -> ofLeft ? key.left() : key.right()).toList();
  }

  /** Both sides by their keys; a side that is so already stays where it is. */
  private Placed hashed(Placed left, Placed right) {
    JoinEstimate expected = join.expected();
    double leftRows = expected == null ? 0 : leftRows(expected);
    double rightRows = expected == null ? 0 : rightRows(expected);
    LocalSides stays =
        stays(
            left,
            right,
            leftRows * ExchangeModel.rowBytes(left.plan().types()),
            rightRows * ExchangeModel.rowBytes(right.plan().types()));
    if (stays.left && stays.right) {
      spreading.tell(join, "both sides are on the devices of their keys");
    }
    // Rows that lie by the hash of these keys stay if the other side's turn out to go so.
    boolean leftLies =
        stays.right
            && left.rows().placement() == null
            && stays.places.equals(left.rows().among(columns(true)));
    boolean rightLies =
        stays.left
            && right.rows().placement() == null
            && stays.places.equals(right.rows().among(columns(false)));
    List<Integer> leftKeys = stays.places.stream().map(columns(true)::get).toList();
    List<Integer> rightKeys = stays.places.stream().map(columns(false)::get).toList();
    Placement placement = stays.placement;
    PhysicalPlan newLeft =
        stays.left
            ? left.plan()
            : spreading.exchange(left.plan(), ExchangeKind.HASH, leftKeys, placement, leftLies);
    PhysicalPlan newRight =
        stays.right
            ? right.plan()
            : spreading.exchange(right.plan(), ExchangeKind.HASH, rightKeys, placement, rightLies);
    double share = 1.0 / spreading.model().devices();
    return joined(newLeft, newRight, outcome(leftKeys, rightKeys, placement), share, share);
  }

  /**
   * Which sides stay where they are, and by which keys the other one is brought there.
   *
   * @param places among the join's keys
   * @param placement of all rows, then
   */
  private record LocalSides(
      boolean left, boolean right, List<Integer> places, @Nullable Placement placement) {}

  private LocalSides stays(Placed left, Placed right, double leftBytes, double rightBytes) {
    List<Integer> ofLeft = left.rows().among(columns(true));
    List<Integer> ofRight = right.rows().among(columns(false));
    Placement leftPlacement = left.rows().placement();
    Placement rightPlacement = right.rows().placement();
    if (ofLeft != null && ofLeft.equals(ofRight) && Objects.equals(leftPlacement, rightPlacement)) {
      return new LocalSides(true, true, ofLeft, leftPlacement);
    }
    boolean leftMay = ofLeft != null && (leftPlacement == null || integers(ofLeft));
    boolean rightMay = ofRight != null && (rightPlacement == null || integers(ofRight));
    if (leftMay && ofLeft != null && !(rightMay && rightBytes > leftBytes)) {
      return new LocalSides(true, false, ofLeft, leftPlacement);
    }
    if (rightMay && ofRight != null) {
      return new LocalSides(false, true, ofRight, rightPlacement);
    }
    List<Integer> all = IntStream.range(0, join.keys().size()).boxed().toList();
    return new LocalSides(false, false, all, integers(all) ? new Placement() : null);
  }

  /** Whether this is one key, of integers of one width that are never null. */
  private boolean integers(List<Integer> places) {
    if (places.size() != 1) {
      return false;
    }
    JoinKey key = join.keys().get(places.getFirst());
    DataType left = join.left().types().get(key.left());
    DataType right = join.right().types().get(key.right());
    Storage storage = Storage.of(left);
    return !left.nullable()
        && !right.nullable()
        && (storage == Storage.INT || storage == Storage.LONG)
        && storage == Storage.of(right);
  }

  private Distribution outcome(
      List<Integer> leftKeys, List<Integer> rightKeys, @Nullable Placement placement) {
    int columns = join.left().types().size();
    JoinType type = join.joinType();
    List<Set<Integer>> keys = new ArrayList<>();
    for (int i = 0; i < leftKeys.size(); i++) {
      Set<Integer> same = new TreeSet<>();
      if (!type.padsLeft()) {
        same.add(leftKeys.get(i));
      }
      if (!type.leftOnly() && !type.padsRight()) {
        same.add(columns + rightKeys.get(i));
      }
      if (same.isEmpty()) {
        return Distribution.SPREAD;
      }
      keys.add(same);
    }
    return new Distribution(Distribution.DistributionKind.HASHED, keys, placement);
  }

  /**
   * @param leftShare share of the left rows that a device has
   */
  private Placed joined(
      PhysicalPlan left,
      PhysicalPlan right,
      Distribution rows,
      double leftShare,
      double rightShare) {
    List<JoinKey> keys = join.keys();
    return new Placed(
        new Join(
            left,
            right,
            join.joinType(),
            keys,
            join.residual(),
            join.algorithm(),
            join.buildLeft(),
            join.types(),
            share(
                join.expected(),
                join.buildLeft() ? leftShare : rightShare,
                join.buildLeft() ? rightShare : leftShare)),
        rows);
  }

  /** What a device is to expect of its part. */
  private static @Nullable JoinEstimate share(
      @Nullable JoinEstimate all, double build, double probe) {
    return all == null
        ? null
        : new JoinEstimate(
            all.buildRows() * build,
            all.probeRows() * probe,
            Math.max(1, all.distinct() * build),
            all.matchRatio(),
            all.outRows() * Math.min(build, probe),
            all.topShare(),
            all.guessed(),
            all.settled());
  }
}
