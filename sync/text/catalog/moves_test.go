package catalog

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMoves(t *testing.T) {
	files := func(args ...any) map[string]Marks {
		m := map[string]Marks{}
		for i := 0; i < len(args); i += 2 {
			m[args[i].(string)] = args[i+1].(Catalog).Marks()
		}
		return m
	}
	two, renamed := plain("a", "Open", "b", "Close"), plain("x.a", "Open", "x.b", "Close")
	for _, c := range []struct {
		name       string
		went, came map[string]Marks
		moves      string
		doubt      string
	}{
		{"moved", files("old", two), files("new", two), "[{old new}]", "map[]"},
		{"moved, with its keys renamed", files("old", two), files("new", renamed), "[{old new}]", "map[]"},
		{"half of it", files("old", two), files("new", plain("a", "Open", "c", "Copy")), "[{old new}]", "map[]"},
		{"less than half", files("old", plain("a", "Open", "b", "Close", "c", "Copy")), files("new", plain("a", "Open")), "[]", "map[]"},
		{"copied twice", files("old", two), files("n1", two, "n2", two), "[]", "map[old:[n1 n2]]"},
		{"two became one", files("o1", two, "o2", two), files("new", two), "[]", "map[o1:[new] o2:[new]]"},
		{"both moved, with a text in common", files("o1", plain("t", "One", "ok", "OK"), "o2", plain("t", "Two", "ok", "OK")),
			files("n1", plain("t", "One", "ok", "OK"), "n2", plain("t", "Two", "ok", "OK")), "[{o1 n1} {o2 n2}]", "map[]"},
		{"keys decide", files("old", two), files("n1", two, "n2", renamed), "[{old n1}]", "map[]"},
		{"another file", files("old", two), files("new", plain("a", "Apple", "b", "Pear")), "[]", "map[]"},
		{"empty", files("old", Catalog{}), files("new", Catalog{}), "[]", "map[]"},
	} {
		moves, doubt := Moves(c.went, c.came)
		if fmt.Sprint(moves) != c.moves || fmt.Sprint(doubt) != c.doubt {
			t.Errorf("%s: %v, in doubt %v; want %s, %s", c.name, moves, doubt, c.moves, c.doubt)
		}
	}
}

// Files whose texts are their own are found wherever they went, and nothing else is.
func TestMovesFindsPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "files")
		order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
		went, came, want := map[string]Marks{}, map[string]Marks{}, []Move{}
		for i := range n {
			var c Catalog
			for k := range rapid.IntRange(1, 4).Draw(t, "keys") {
				c = append(c, Unit{Name: Name{Key: fmt.Sprint("k", k)}, Text: fmt.Sprint("text ", i, " ", k)})
			}
			from, to := fmt.Sprint("old", i), fmt.Sprint("new", order[i])
			went[from], came[to] = c.Marks(), c.Marks()
			want = append(want, Move{from, to})
		}
		if moves, doubt := Moves(went, came); !slices.Equal(moves, want) || len(doubt) > 0 {
			t.Fatalf("%v, in doubt %v; want %v", moves, doubt, want)
		}
	})
}
