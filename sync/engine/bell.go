package engine

// bell is a wake-up with one slot: rung once or a hundred times before somebody listens, it wakes once. It says nothing but "look".
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

// ring never blocks.
func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}
