package shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import org.apache.calcite.jdbc.CalciteConnection;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** A program of Spring Boot that uses Aragonite, and a Calcite of its own. */
@SpringBootApplication
public class Shop {
  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }

  @Bean
  CommandLineRunner ask(JdbcTemplate aragonite) {
    return arguments -> {
      System.out.println(
          "Aragonite: " + aragonite.queryForList("select r_name from region order by 1", String.class));
      try (Connection connection = DriverManager.getConnection("jdbc:calcite:");
          ResultSet row = connection.createStatement().executeQuery("values 1 + 1")) {
        row.next();
        Package calcite = connection.unwrap(CalciteConnection.class).getClass().getPackage();
        System.out.println("Calcite " + calcite.getImplementationVersion() + ": " + row.getInt(1));
      }
    };
  }
}
