import io.aragonite.adapter.result.ArrowResult;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;

/** Reads a query's result as Arrow columns. */
public final class ReadArrow {
  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:aragonite:tpch=0.01");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "select n_name, n_regionkey, sum(c_acctbal) as balance from customer join nation"
                    + " on c_nationkey = n_nationkey group by n_name, n_regionkey"
                    + " order by balance desc limit 3");
        BufferAllocator allocator = new RootAllocator();
        ArrowReader reader = rows.unwrap(ArrowResult.class).reader(allocator)) {
      VectorSchemaRoot root = reader.getVectorSchemaRoot();
      System.out.println(root.getSchema());
      while (reader.loadNextBatch()) {
        System.out.print(root.contentToTSVString());
      }
    }
  }
}
