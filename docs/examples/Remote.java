import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Asks a server that ./aragonite serve started; the client needs Avatica's jar only. */
public final class Remote {
  public static void main(String[] args) throws Exception {
    String url = "jdbc:avatica:remote:url=http://127.0.0.1:8765;serialization=protobuf";
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement =
            connection.prepareStatement("select n_name from nation where n_regionkey = ?")) {
      statement.setInt(1, 3);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          System.out.println(rows.getString(1));
        }
      }
    }
  }
}
