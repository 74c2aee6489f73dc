package io.aragonite.spark.plan;

import io.aragonite.spark.column.Utf8Batches;
import java.math.BigDecimal;
import java.util.List;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Scala's collections and Spark's values as Java's. */
final class ScalaValues {
  private ScalaValues() {}

  static <T> List<T> list(scala.collection.Seq<? extends T> seq) {
    return List.copyOf(CollectionConverters.asJava(seq));
  }

  static <T> Seq<T> seq(List<? extends T> list) {
    return CollectionConverters.<T>asScala(List.<T>copyOf(list)).toSeq();
  }

  static <K, V> scala.collection.immutable.Map<K, V> map(java.util.Map<K, V> map) {
    return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(map));
  }

  /**
   * A value of Spark's in the form of {@link io.aragonite.exec.expr.Expr.Literal}.
   *
   * @throws io.aragonite.exec.error.AragoniteException INVALID_ARGUMENT for a text that is not UTF-8
   */
  static @Nullable Object literal(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Byte number -> number.longValue();
      case Short number -> number.longValue();
      case Integer number -> number.longValue();
      case Float number -> number.doubleValue();
      case Decimal number -> scaled(number);
      case UTF8String text when !text.isValid() -> throw Utf8Batches.error();
      case UTF8String text -> text.toString();
      case Object other -> other;
    };
  }

  private static BigDecimal scaled(Decimal number) {
    return number.toJavaBigDecimal().setScale(number.scale());
  }
}
