package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/config/position"
	"github.com/locsync/locsync/sync/config/schedule"
	"github.com/locsync/locsync/sync/config/spell"
)

// decoder fills the configuration from what the TOML library read. The library's own decoding stops at
// the first wrong type, takes INTERVAL for interval and knows no lines; here every value is looked at,
// names must be exact, and each problem names its position.
type decoder struct {
	problems Problems
	meant    Problems // without words: keys that are missing, as they are misspelled
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	scheduleType = reflect.TypeFor[schedule.Schedule]()
)

func (d *decoder) add(o origin, format string, args ...any) {
	d.problems = append(d.problems, o.problem(format, args...))
}

// table fills a struct: every key must be one of its fields.
func (d *decoder) table(o origin, in map[string]any, out reflect.Value) {
	fields := fieldsOf(out.Type())
	for _, key := range slices.Sorted(maps.Keys(in)) {
		at := o.at(position.Key(key))
		i, ok := fields[key]
		if !ok && len(d.problems) > mostTold { // what may have been meant costs time
			d.add(at, "unknown key")
			continue
		}
		if why, secret := misplaced[key]; !ok && secret {
			d.add(at, "%s", why)
			continue
		}
		if !ok {
			near := spell.Nearest(key, slices.Sorted(maps.Keys(fields)))
			if _, there := in[near]; near != "" && !there {
				d.meant = append(d.meant, o.at(near).problem(""))
			}
			d.add(at, "%s", unknownKey(key, near, o.path, out.Type()))
			continue
		}
		d.value(at, in[key], out.Field(i))
	}
	if out.CanAddr() {
		if p, ok := out.Addr().Interface().(interface{ from(origin) }); ok {
			p.from(o)
		}
	}
}

// misplaced are keys that hold a secret where people write them.
var misplaced = map[string]string{
	"api_key":         inPlace("api_key"),
	"password":        inPlace("api_key"),
	"webhook_secret":  inPlace("webhook_secret"),
	"callback_secret": inPlace("callback_secret"),
	"page_token":      inPlace("page_token"),
	"database_url":    inPlace("database_url"),
	"token":           inPlace("token"),
}

func inPlace(key string) string {
	return fmt.Sprintf("this file must not hold secrets: put it into the environment variable that %[1]s_env names, "+
		"or into a file that %[1]s_file names. If this file was committed or shared with it, the secret is known: "+
		"make a new one and revoke this one", key)
}

// value fills one field.
func (d *decoder) value(o origin, in any, out reflect.Value) {
	switch out.Type() {
	case durationType:
		d.duration(o, in, out)
		return
	case scheduleType:
		d.schedule(o, in, out)
		return
	}
	switch out.Kind() {
	case reflect.String:
		if text, ok := in.(string); ok {
			out.SetString(text)
		} else {
			d.wrongType(o, "a text in quotes", in)
		}
	case reflect.Bool:
		if yes, ok := in.(bool); ok {
			out.SetBool(yes)
		} else {
			d.wrongType(o, "true or false", in)
		}
	case reflect.Float64:
		switch n := in.(type) {
		case float64:
			out.SetFloat(n)
		case int64:
			out.SetFloat(float64(n))
		default:
			d.wrongType(o, "a number", in)
		}
	case reflect.Struct:
		if table, ok := in.(map[string]any); ok {
			d.table(o, table, out)
		} else {
			d.wrongType(o, "a table ["+position.WithoutIndexes(o.path)+"]", in)
		}
	case reflect.Map:
		if out.Type().Elem().Kind() == reflect.Map {
			d.groups(o, in, out)
		} else {
			d.texts(o, in, out)
		}
	case reflect.Slice:
		if out.Type().Elem().Kind() == reflect.Struct {
			d.tables(o, in, out)
		} else {
			d.list(o, in, out)
		}
	default:
		panic("config: no rule for fields of type " + out.Type().String())
	}
}

func (d *decoder) duration(o origin, in any, out reflect.Value) {
	const want = `a duration with its unit in quotes, such as "300ms", "5s", "10m" or "1h30m"`
	text, ok := in.(string)
	if !ok {
		d.wrongType(o, want, in)
		return
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		d.add(o, "%q is not %s", text, want)
		return
	}
	out.SetInt(int64(length))
}

func (d *decoder) schedule(o origin, in any, out reflect.Value) {
	text, ok := in.(string)
	if !ok {
		d.wrongType(o, "a cron expression in quotes", in)
		return
	}
	s, err := schedule.Parse(text)
	if err != nil {
		d.add(o, "%s", err)
		return
	}
	out.Set(reflect.ValueOf(s))
}

// texts fills a table of texts whose keys are free.
func (d *decoder) texts(o origin, in any, out reflect.Value) {
	table, ok := in.(map[string]any)
	if !ok {
		d.wrongType(o, "a table of texts", in)
		return
	}
	m := make(map[string]string, len(table))
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if text, ok := table[key].(string); ok {
			m[key] = text
		} else {
			d.wrongType(o.at(position.Key(key)), "a text in quotes", table[key])
		}
	}
	out.Set(reflect.ValueOf(m))
}

// groups fills a table of such tables.
func (d *decoder) groups(o origin, in any, out reflect.Value) {
	tables, ok := in.(map[string]any)
	if !ok {
		d.wrongType(o, "a table of tables", in)
		return
	}
	out.Set(reflect.MakeMap(out.Type()))
	for _, key := range slices.Sorted(maps.Keys(tables)) {
		group := reflect.New(out.Type().Elem()).Elem()
		d.texts(o.at(position.Key(key)), tables[key], group)
		out.SetMapIndex(reflect.ValueOf(key), group)
	}
}

// list fills a list of texts.
func (d *decoder) list(o origin, in any, out reflect.Value) {
	elements, ok := in.([]any)
	if !ok {
		d.wrongType(o, `a list of texts, such as ["one", "two"]`, in)
		return
	}
	list := make([]string, 0, len(elements))
	for i, e := range elements {
		text, ok := e.(string)
		if !ok {
			d.wrongType(o.index(i), "a text in quotes", e)
		}
		list = append(list, text) // also a wrong one, so that later problems name the right element
	}
	out.Set(reflect.ValueOf(list))
}

// tables fills a list of structs, each begun with its defaults.
func (d *decoder) tables(o origin, in any, out reflect.Value) {
	var elements []map[string]any
	switch in := in.(type) {
	case []map[string]any:
		elements = in
	case []any:
		for i, e := range in {
			table, ok := e.(map[string]any)
			if !ok {
				d.wrongType(o.index(i), "a table", e)
			}
			elements = append(elements, table)
		}
	case map[string]any:
		key := position.WithoutIndexes(o.path)
		d.add(o, "there may be several of these: write [[%s]] with two brackets, not [%s]", key, key)
		return
	default:
		d.wrongType(o, "a list of tables [["+position.WithoutIndexes(o.path)+"]]", in)
		return
	}
	list := reflect.MakeSlice(out.Type(), len(elements), len(elements))
	for i, table := range elements {
		element := list.Index(i)
		if p, ok := element.Addr().Interface().(interface{ setDefaults() }); ok {
			p.setDefaults()
		}
		d.table(o.index(i), table, element)
	}
	out.Set(list)
}

func (d *decoder) wrongType(o origin, want string, in any) {
	d.add(o, "must be %s, not %s", want, spoken(in))
}

// spoken names a TOML value in the words of the format.
func spoken(in any) string {
	switch v := in.(type) {
	case string:
		return fmt.Sprintf("the text %q", v)
	case int64, float64, bool:
		return fmt.Sprint(v)
	case time.Time:
		return "a date"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("%v", in)
}

// fieldsOf maps the keys that a struct knows to its fields.
func fieldsOf(t reflect.Type) map[string]int {
	if known, ok := fieldsByType.Load(t); ok {
		return known.(map[string]int)
	}
	fields := map[string]int{}
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("toml"); key != "" {
			fields[key] = i
		}
	}
	fieldsByType.Store(t, fields)
	return fields
}

var fieldsByType sync.Map // what fieldsOf has found

// unknownKey says that a key means nothing here, and what was perhaps meant.
func unknownKey(key, near, table string, t reflect.Type) string {
	if near != "" {
		return fmt.Sprintf("unknown key; did you mean %s?", near)
	}
	if homes := tablesWith(key, "", reflect.TypeFor[Config]()); len(homes) > 0 {
		return fmt.Sprintf("unknown key here; it belongs to %s", strings.Join(homes, " or "))
	}
	where := "at the top of the file"
	if table != "" {
		where = "in [" + position.WithoutIndexes(table) + "]"
	}
	known := slices.Sorted(maps.Keys(fieldsOf(t)))
	return fmt.Sprintf("unknown key; allowed %s: %s", where, strings.Join(known, ", "))
}

// tablesWith lists the tables of the configuration that know a key.
func tablesWith(key, path string, t reflect.Type) []string {
	var homes []string
	if _, ok := fieldsOf(t)[key]; ok {
		if path == "" {
			homes = append(homes, "the top of the file")
		} else {
			homes = append(homes, "["+path+"]")
		}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		inner := f.Type
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if name := f.Tag.Get("toml"); name != "" && inner.Kind() == reflect.Struct && inner != scheduleType {
			homes = append(homes, tablesWith(key, position.Join(path, name), inner)...)
		}
	}
	return homes
}
