import java.io.*;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.Base64;

/** Says for each line of standard input, a text in Base64, what MessageFormat refuses of it, and which of ten arguments it shows. */
class Judge {
  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    for (String line; (line = in.readLine()) != null; ) {
      String text = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
      try {
        MessageFormat format = new MessageFormat(text);
        java.util.TreeSet<Integer> shown = new java.util.TreeSet<>();
        int n = format.getFormatsByArgumentIndex().length;
        for (int value : new int[] {-1, 0, 1, 2, 10}) {
          Object[] all = new Object[n];
          java.util.Arrays.fill(all, value);
          format.format(all);
        }
        for (int i = 0; i < n; i++) {
          Object[] a = new Object[n], b = new Object[n];
          java.util.Arrays.fill(a, 1); java.util.Arrays.fill(b, 1);
          b[i] = 700000 + i;
          if (!format.format(a).equals(format.format(b))) shown.add(i);
        }
        out.println("shows " + shown);
      } catch (Exception e) {
        out.println("refuses " + String.valueOf(e.getMessage()).replaceAll("[\\r\\n\\u2028\\u0085]", " "));
      }
    }
  }
}
