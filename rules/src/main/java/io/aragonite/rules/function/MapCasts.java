package io.aragonite.rules.function;

import static java.util.Objects.requireNonNull;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/** Casts of maps, key by key and value by value as those of lists. Calcite's code leaves both. */
@Strict
public final class MapCasts {
  /** Any type: a cast of a null is one. */
  private static final String NULLS = TypeKind.BOOLEAN + ":0:0";

  private MapCasts() {}

  /** Whether a cast is of a map to one of other types. */
  static boolean isOf(RexCall cast) {
    RelDataType from = cast.getOperands().getFirst().getType();
    RelDataType to = cast.getType();
    return from.getSqlTypeName() == SqlTypeName.MAP
        && to.getSqlTypeName() == SqlTypeName.MAP
        && !(isSame(from.getKeyType(), to.getKeyType())
            && isSame(from.getValueType(), to.getValueType()));
  }

  private static boolean isSame(@Nullable RelDataType type, @Nullable RelDataType other) {
    return type != null && other != null && SqlTypeUtil.equalSansNullability(type, other);
  }

  /** The call of a method of this class that does it. */
  static RexNode call(RexBuilder rexBuilder, RexCall cast) {
    RexNode map = cast.getOperands().getFirst();
    List<RexNode> operands = new ArrayList<>(List.of(map));
    for (RelDataType type : List.of(map.getType(), cast.getType())) {
      operands.add(
          rexBuilder.makeLiteral(text(key(map.getType()), key(type), map.getType(), cast)));
      operands.add(
          rexBuilder.makeLiteral(text(value(map.getType()), value(type), map.getType(), cast)));
    }
    String method = cast.isA(SqlKind.CAST) ? "cast" : "tryCast";
    return rexBuilder.makeCall(
        cast.getType(),
        HostMethods.function(ListFunctions.LIST_SLICE, MapCasts.class, method),
        operands);
  }

  /**
   * A type of keys or values as a text.
   *
   * @param given the type that is cast; where it is that of nulls, these stay
   */
  private static String text(RelDataType given, RelDataType part, RelDataType map, RexCall cast) {
    String text = given.getSqlTypeName() == SqlTypeName.NULL ? NULLS : ListCasts.text(part);
    if (text == null) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A map of %s cannot be cast to one of %s.".formatted(map, cast.getType()));
    }
    return text;
  }

  private static RelDataType key(RelDataType map) {
    return requireNonNull(map.getKeyType());
  }

  private static RelDataType value(RelDataType map) {
    return requireNonNull(map.getValueType());
  }

  public static Map<@Nullable Object, @Nullable Object> cast(
      Map<?, ?> map, String keys, String values, String newKeys, String newValues) {
    return made(
        ListCasts.cast(new ArrayList<>(map.keySet()), keys, newKeys),
        ListCasts.cast(new ArrayList<>(map.values()), values, newValues));
  }

  public static Map<@Nullable Object, @Nullable Object> tryCast(
      Map<?, ?> map, String keys, String values, String newKeys, String newValues) {
    return made(
        ListCasts.tryCast(new ArrayList<>(map.keySet()), keys, newKeys),
        ListCasts.tryCast(new ArrayList<>(map.values()), values, newValues));
  }

  private static Map<@Nullable Object, @Nullable Object> made(
      List<@Nullable Object> keys, List<@Nullable Object> values) {
    Map<@Nullable Object, @Nullable Object> made = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      if (made.containsKey(keys.get(i))) {
        throw new AragoniteException(
            ErrorCode.INVALID_CAST,
            "Two keys of a map become one, %s, by a cast.".formatted(keys.get(i)));
      }
      made.put(keys.get(i), values.get(i));
    }
    return made;
  }
}
