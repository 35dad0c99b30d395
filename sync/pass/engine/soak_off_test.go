//go:build !soak

package engine

// crashRounds is how often every cut of TestKilledBetweenEffectAndRecord is made; 0 is a sample.
const crashRounds = 0
