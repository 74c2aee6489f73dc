package io.aragonite.spark;
import java.util.*;
import org.apache.spark.sql.*;
public class Smoke { public static void main(String[] a) throws Exception {
  try (SparkSide s = new SparkSide("local[2]")) {
    for (String q : a) {
      System.out.println("=== " + q);
      try {
      Dataset<Row> d = s.session().sql(q);
      List<String> ours = SparkSide.text(d.collectAsList(), false);
      List<String> theirs = SparkSide.text(s.plain(q), false);
      d.explain();
      System.out.println(ours.equals(theirs) + " " + ours.stream().limit(5).toList() + " " + theirs.stream().limit(5).toList());
      } catch (Throwable e) { e.printStackTrace(System.out); }
    }
  } } }
