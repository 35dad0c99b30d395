//go:build !linux

package exposition

func showSystem(*Page) {}
