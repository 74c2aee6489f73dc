package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A cast of values of one type, in Calcite's internal forms, to another one: plain values as the
 * engine casts them, lists, maps and rows value by value. A null stays one.
 */
abstract class NestedCast {
  abstract @Nullable Object ofPresent(Object value);

  final @Nullable Object of(@Nullable Object value) {
    return value == null ? null : ofPresent(value);
  }

  /** Whether values stay as they are. */
  boolean isSame() {
    return false;
  }

  /**
   * The cast from one type to another.
   *
   * @param op CAST or TRY_CAST
   * @return null if there is none
   */
  static @Nullable NestedCast of(CastType from, CastType to, Op op) {
    if (from instanceof CastType.Plain plain
        && (plain.name() == SqlTypeName.NULL || plain.name() == SqlTypeName.UNKNOWN)) {
      return new Same(); // nulls, or nothing at all
    }
    if (from instanceof CastType.OfList list && to instanceof CastType.OfList other) {
      NestedCast element = of(list.element(), other.element(), op);
      return element == null || element.isSame() ? element : new OfLists(element);
    }
    if (from instanceof CastType.OfMap map && to instanceof CastType.OfMap other) {
      NestedCast key = of(map.key(), other.key(), op);
      NestedCast value = of(map.value(), other.value(), op);
      if (key == null || value == null) {
        return null;
      }
      if (key.isSame() && value.isSame()) {
        return key;
      }
      String keys = SortKeys.type(other.key());
      return keys == null ? null : new OfMaps(key, value, SortKeys.codec(keys), op);
    }
    if (from instanceof CastType.Plain plain && plain.isText()) {
      NestedCast cast = ofText(to, op);
      if (cast != null) {
        return cast;
      }
    }
    if (from instanceof CastType.OfRow row && to instanceof CastType.OfRow other) {
      return ofRows(row, other, op);
    }
    return from instanceof CastType.Plain plain && to instanceof CastType.Plain other
        ? ofPlain(plain, other, op)
        : null;
  }

  /** Of a text to a list or a map, by way of those of its parts; null of others. */
  private static @Nullable NestedCast ofText(CastType to, Op op) {
    CastType text = new CastType.Plain(SqlTypeName.VARCHAR, DataType.VARCHAR.precision(), 0);
    CastType parts =
        switch (to) {
          case CastType.OfList _ -> new CastType.OfList(text);
          case CastType.OfMap _ -> new CastType.OfMap(text, text);
          default -> null;
        };
    NestedCast cast = parts == null ? null : of(parts, to, op);
    return cast == null ? null : new OfTexts(to instanceof CastType.OfMap, cast, op);
  }

  private static @Nullable NestedCast ofRows(CastType.OfRow from, CastType.OfRow to, Op op) {
    List<Integer> places = FieldPlaces.of(from.names(), to.names());
    if (places == null) {
      return null;
    }
    NestedCast[] fields = new NestedCast[places.size()];
    boolean same = from.fields().size() == places.size();
    for (int i = 0; i < fields.length; i++) {
      int place = places.get(i);
      NestedCast field =
          place < 0 ? new Same() : of(from.fields().get(place), to.fields().get(i), op);
      if (field == null) {
        return null;
      }
      fields[i] = field;
      same &= place == i && field.isSame();
    }
    return same ? new Same() : new OfRows(fields, places);
  }

  private static @Nullable NestedCast ofPlain(CastType.Plain from, CastType.Plain to, Op op) {
    // Calcite's code puts decimals of other scales into a list
    if (from.equals(to) && from.name() != SqlTypeName.DECIMAL) {
      return new Same();
    }
    DataType varchar = DataType.VARCHAR;
    if (to.name() == SqlTypeName.UUID) {
      return from.isText() ? new ToUuids(op) : null;
    }
    if (from.name() == SqlTypeName.UUID) {
      DataType text = to.isText() ? to.engines() : null;
      return text == null ? null : new OfPlain(op, varchar, text);
    }
    if (from.interval() != null || to.interval() != null) {
      return ofInterval(from, to, op);
    }
    DataType given = from.engines();
    DataType made = to.engines();
    if (given == null || made == null) {
      return from.name() == to.name() ? new Same() : null;
    }
    boolean bytes = made.kind() == TypeKind.BINARY;
    if (bytes && !from.isText() && given.kind() != TypeKind.BINARY && !given.kind().isInteger()) {
      return null;
    }
    boolean truth = given.kind() == TypeKind.BOOLEAN && made.kind().isNumeric();
    NestedCast cast = new OfPlain(op, truth ? DataType.INT32 : given, made);
    return to.name() == SqlTypeName.BINARY && to.precision() >= 0
        ? new Filled(cast, to.precision())
        : cast;
  }

  /** An interval as a text, or as one that counts the same. */
  private static @Nullable NestedCast ofInterval(CastType.Plain from, CastType.Plain to, Op op) {
    DataType given = from.interval();
    if (given == null || to.interval() != null) {
      return given != null && given.equals(to.interval()) ? new Same() : null;
    }
    DataType text = to.isText() ? to.engines() : null;
    return text == null ? null : new OfPlain(op, given, text);
  }

  private static final class Same extends NestedCast {
    @Override
    boolean isSame() {
      return true;
    }

    @Override
    Object ofPresent(Object value) {
      return value;
    }
  }

  private static final class OfTexts extends NestedCast {
    private final boolean map;
    private final NestedCast parts;
    private final Op op;

    /**
     * @param parts casts a list or map of texts
     */
    OfTexts(boolean map, NestedCast parts, Op op) {
      this.map = map;
      this.parts = parts;
      this.op = op;
    }

    @Override
    @Nullable Object ofPresent(Object value) {
      String text = value.toString();
      try {
        return parts.of(map ? map(NestedTextParser.map(text)) : NestedTextParser.list(text));
      } catch (NestedTextParser.MalformedException e) {
        if (op == Op.TRY_CAST) {
          return null;
        }
        throw new AragoniteException(
            ErrorCode.INVALID_CAST,
            "'%s' is not a value of a %s: %s; write it as %s."
                .formatted(
                    value,
                    map ? "map" : "list",
                    e.getMessage(),
                    map ? "{key=value, ...}" : "[value, ...] or {value,...}"),
            e);
      }
    }

    /** A map of texts; of a key that is there twice the cast of keys has nothing to say. */
    private static Map<@Nullable String, @Nullable String> map(List<@Nullable String> parts)
        throws NestedTextParser.MalformedException {
      Map<@Nullable String, @Nullable String> map = new LinkedHashMap<>();
      for (int i = 0; i < parts.size(); i += 2) {
        String key = parts.get(i);
        if (key == null || map.containsKey(key)) {
          throw new NestedTextParser.MalformedException(
              key == null ? "a key in it is null" : "the key %s is in it twice".formatted(key));
        }
        map.put(key, parts.get(i + 1));
      }
      return map;
    }
  }

  private static final class OfLists extends NestedCast {
    private final NestedCast element;

    OfLists(NestedCast element) {
      this.element = element;
    }

    @Override
    Object ofPresent(Object value) {
      List<?> list = (List<?>) value;
      List<@Nullable Object> made = new ArrayList<>(list.size());
      list.forEach(each -> made.add(element.of(each)));
      return made;
    }
  }

  private static final class OfMaps extends NestedCast {
    private final NestedCast key;
    private final NestedCast value;
    private final SortKeyCodec keys;
    private final Op op;

    OfMaps(NestedCast key, NestedCast value, SortKeyCodec keys, Op op) {
      this.key = key;
      this.value = value;
      this.keys = keys;
      this.op = op;
    }

    /** Null if what becomes of the keys are no keys, and that is no error. */
    @Override
    @Nullable Object ofPresent(Object map) {
      Map<@Nullable Object, @Nullable Object> made = new LinkedHashMap<>();
      Set<Object> seen = new HashSet<>();
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) map).entrySet()) {
        Object newKey = key.of(entry.getKey());
        if (newKey == null || !seen.add(keys.commonOf(newKey))) {
          if (op == Op.TRY_CAST) {
            return null;
          }
          throw new AragoniteException(
              ErrorCode.INVALID_CAST,
              newKey == null
                  ? "A key of a map becomes null by a cast."
                  : "Two keys of a map become one, %s, by a cast."
                      .formatted(MapMakers.text(newKey)));
        }
        made.put(newKey, value.of(entry.getValue()));
      }
      return made;
    }
  }

  private static final class OfRows extends NestedCast {
    private final NestedCast[] fields;
    private final List<Integer> places;

    /**
     * @param places of the fields in the row that is cast
     */
    OfRows(NestedCast[] fields, List<Integer> places) {
      this.fields = fields;
      this.places = places;
    }

    @Override
    Object ofPresent(Object row) {
      List<?> values = row instanceof Object[] array ? Arrays.asList(array) : (List<?>) row;
      @Nullable Object[] made = new @Nullable Object[fields.length];
      for (int i = 0; i < made.length; i++) {
        int place = places.get(i);
        made[i] = place < 0 ? null : fields[i].of(values.get(place));
      }
      return made;
    }
  }

  private static final class ToUuids extends NestedCast {
    private final Op op;

    ToUuids(Op op) {
      this.op = op;
    }

    @Override
    @Nullable Object ofPresent(Object value) {
      String text = value.toString();
      return op == Op.CAST ? UuidFunctions.ofText(text) : UuidFunctions.tryOfText(text);
    }
  }

  private static final class OfPlain extends NestedCast {
    private final Expr.Call cast;
    private final DataType from;
    private final DataType to;

    OfPlain(Op op, DataType from, DataType to) {
      this.cast = new Expr.Call(op, List.of(new Expr.InputRef(0, from)), to);
      this.from = from;
      this.to = to;
    }

    @Override
    @Nullable Object ofPresent(Object value) {
      Object made = Interpreter.apply(cast, new @Nullable Object[] {engines(value, from)});
      return made == null ? null : calcites(made, to);
    }
  }

  /** As many bytes as a BINARY has, zeros behind those that a value has. */
  private static final class Filled extends NestedCast {
    private final NestedCast bytes;
    private final int length;

    Filled(NestedCast bytes, int length) {
      this.bytes = bytes;
      this.length = length;
    }

    @Override
    @Nullable Object ofPresent(Object value) {
      return bytes.of(value) instanceof ByteString made
          ? new ByteString(Arrays.copyOf(made.getBytes(), length))
          : null;
    }
  }

  private static Object engines(Object value, DataType type) {
    if (value instanceof Boolean truth && type.kind() == TypeKind.INT32) {
      return truth ? 1L : 0L;
    }
    return switch (type.kind()) {
      case TIME, TIMESTAMP -> FineMoment.in(value, type);
      case INT8, INT16, INT32, INT64, DATE, INTERVAL_MONTH, INTERVAL_DAY ->
          ((Number) value).longValue();
      case FLOAT32, FLOAT64 -> ((Number) value).doubleValue();
      case BINARY -> value instanceof ByteString bytes ? bytes.getBytes() : value;
      case CHAR, VARCHAR -> value.toString(); // a UUID too
      default -> value;
    };
  }

  private static Object calcites(Object value, DataType type) {
    return switch (type.kind()) {
      case INT8 -> ((Long) value).byteValue();
      case INT16 -> ((Long) value).shortValue();
      case INT32, DATE -> ((Long) value).intValue();
      case FLOAT32 -> ((Double) value).floatValue();
      case TIME, TIMESTAMP -> FineMoment.of((Long) value, type);
      case BINARY -> value instanceof byte[] bytes ? new ByteString(bytes) : value;
      default -> value;
    };
  }
}
