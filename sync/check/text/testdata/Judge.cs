using System;
using System.Collections.Generic;
using System.Text;

/** Says for each line of standard input, a text in Base64, what String.Format refuses of it, and which arguments it shows. */
class Judge {
  static readonly SortedSet<int> shown = new SortedSet<int>();

  class Shown : IFormattable {
    readonly int number;
    public Shown(int number) { this.number = number; }
    public string ToString(string format, IFormatProvider provider) { shown.Add(number); return "x"; }
  }

  static void Main() {
    var arguments = new Shown[100000];
    for (int i = 0; i < arguments.Length; i++) arguments[i] = new Shown(i);
    for (string line; (line = Console.In.ReadLine()) != null; ) {
      string answer;
      shown.Clear();
      try {
        string.Format(Encoding.UTF8.GetString(Convert.FromBase64String(line)), arguments);
        answer = "shows " + string.Join(" ", shown);
      } catch (FormatException e) {
        answer = "refuses " + e.Message;
      }
      Console.Out.WriteLine(answer);
      Console.Out.Flush();
    }
  }
}
