package io.aragonite.adapter.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javafx.application.Platform;
import javafx.scene.Group;
import javafx.scene.Scene;
import javafx.scene.image.PixelReader;
import javafx.scene.image.WritableImage;
import javafx.scene.web.WebView;
import javafx.stage.Stage;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console in a real browser: JavaFX's WebKit, which needs no screen. */
@Timeout(180)
class ConsoleBrowserTest {
  /** Where pictures of the pages go. */
  private static final Path PICTURES = Path.of("target", "console");

  private static final String URL = "jdbc:aragonite:tpch=0.01;threads=2;device=cpu";

  /** Takes hours, with a join by keys in it. */
  private static final String LONG =
      "select count(*) as \"<img src=x onerror=document.title='hit'>\" from orders o"
          + " join customer c on o.o_custkey = c.c_custkey, lineitem a, lineitem b"
          + " where a.l_quantity + b.l_quantity + c.c_nationkey < -1";

  private static QueryServer server;
  private static WebView view;

  @BeforeAll
  static void start() throws Exception {
    System.setProperty("glass.platform", "Headless");
    System.setProperty("prism.order", "sw");
    CountDownLatch started = new CountDownLatch(1);
    Platform.startup(started::countDown);
    assertTrue(started.await(60, TimeUnit.SECONDS));
    Platform.setImplicitExit(false);
    server = QueryServer.start(ServerOptions.local(URL));
    view =
        inBrowser(() -> {
          WebView made = new WebView();
          made.setPrefSize(1280, 1400);
          Stage stage = new Stage();
          // The page is larger than what the window, which nobody sees, shows of it.
          stage.setScene(new Scene(new Group(made), 900, 700));
          stage.show();
          return made;
        });
  }

  @AfterAll
  static void stop() throws SQLException {
    Platform.exit();
    server.close();
  }

  private static <T extends @Nullable Object> T inBrowser(Callable<T> work) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    Platform.runLater(() -> {
      try {
        result.complete(work.call());
      } catch (Exception e) {
        result.completeExceptionally(e);
      }
    });
    return result.get(60, TimeUnit.SECONDS);
  }

  private static String script(String code) throws Exception {
    return inBrowser(() -> String.valueOf(view.getEngine().executeScript(code)));
  }

  /** Waits until an expression is true in the page. */
  private static void awaitTrue(String condition) throws Exception {
    long begin = System.nanoTime();
    while (!script("!!(" + condition + ")").equals("true")) {
      if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(40)) {
        throw new AssertionError(
            condition + " did not come true in: " + script("document.body.innerText"));
      }
      Thread.sleep(50);
    }
  }

  private static void open(String path) throws Exception {
    String url = "http://127.0.0.1:" + server.port() + path;
    var _ =
        inBrowser(() -> {
          view.getEngine().load(url);
          return url;
        });
  }

  /** A picture of the page, which must have more than one color. */
  private static void picture(String name) throws Exception {
    Thread.sleep(400); // it is painted
    BufferedImage picture =
        inBrowser(() -> {
          WritableImage image = view.snapshot(null, null);
          PixelReader pixels = image.getPixelReader();
          BufferedImage copy =
              new BufferedImage(
                  (int) image.getWidth(), (int) image.getHeight(), BufferedImage.TYPE_INT_RGB);
          for (int y = 0; y < copy.getHeight(); y++) {
            for (int x = 0; x < copy.getWidth(); x++) {
              copy.setRGB(x, y, pixels.getArgb(x, y));
            }
          }
          return copy;
        });
    save(picture, name);
    long colors =
        java.util.stream.IntStream.range(0, picture.getHeight())
            .flatMap(y ->
                java.util.stream.IntStream.range(0, picture.getWidth())
                    .map(x -> picture.getRGB(x, y)))
            .distinct()
            .count();
    assertTrue(colors > 20, name + " has " + colors + " colors");
  }

  private static void save(BufferedImage picture, String name) throws IOException {
    Files.createDirectories(PICTURES);
    assertTrue(ImageIO.write(picture, "png", PICTURES.resolve(name + ".png").toFile()));
  }

  private static String end(Statement statement) {
    try (ResultSet rows = statement.executeQuery(LONG)) {
      return "rows: " + rows.next();
    } catch (SQLException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void aQueryIsSeenLookedAtAndCancelled() throws Exception {
    try (Connection connection = DriverManager.getConnection(server.clientUrl());
        Statement statement = connection.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery(
              "select n_name, count(*) from customer join nation on c_nationkey = n_nationkey"
                  + " group by n_name order by n_name")) {
        assertTrue(rows.next());
      }
      CompletableFuture<String> ended = CompletableFuture.supplyAsync(() -> end(statement));
      open("/console");
      awaitTrue("document.querySelector('tr .state.running')");
      assertEquals("Aragonite", script("document.title"));
      assertForeignTextIsText("td.sql");
      picture("queries");
      script(
          "document.querySelector('tr .state.running').closest('tr').querySelector('a').click()");
      planIsShown();
      pricesAreShown();

      script("document.querySelector('button.cancel').click()");
      assertTrue(ended.get(30, TimeUnit.SECONDS).contains("AR-602"), ended.get());
      awaitTrue("document.querySelector('.state.cancelled')");
      awaitTrue("!document.querySelector('button.cancel')");
      picture("cancelled");

      script("document.getElementById('devices-link').click()");
      awaitTrue("document.body.innerText.includes('host')");
      picture("devices");
      assertEquals("Aragonite", script("document.title"));
    }
  }

  /** It has made no element, and no code of it has run. */
  private static void assertForeignTextIsText(String place) throws Exception {
    assertTrue(
        script("document.querySelector('" + place + "').textContent").contains("<img src=x"));
    assertEquals("0", script("document.querySelectorAll('img').length"));
  }

  private static void planIsShown() throws Exception {
    awaitTrue("document.querySelectorAll('.picture g.node').length > 4");
    assertForeignTextIsText("#sql");
    // The time of what an operator is at counts, though it has not come to an end.
    awaitTrue(
        "Array.from(document.querySelectorAll('.bars text'))"
            + ".some(text => /^[0-9.]+ s$/.test(text.textContent))");
    picture("plan");
  }

  /** Those of a join's candidates. */
  private static void pricesAreShown() throws Exception {
    script(
        "Array.from(document.querySelectorAll('.picture g.node'))"
            + ".find(node => node.textContent.includes('HashJoin'))"
            + ".dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    awaitTrue("document.querySelector('#details details.candidates')");
    script("document.querySelector('#details details.candidates').open = true");
    awaitTrue(
        "document.querySelector('#details"
            + " details.candidates[open]').textContent.includes('chosen')");
    Thread.sleep(1_500); // the page is made anew, and what was opened stays open
    awaitTrue("document.querySelector('#details details.candidates[open]')");
    script("document.getElementById('details').scrollIntoView()");
    picture("prices");
  }
}
