//go:build !linux || !amd64

package engine

import "errors"

const canTrace = false

func traced(*scene, string, int) ([]string, bool, error) {
	return nil, false, errors.New("no tracer for this system")
}
