package service

import (
	"net"
	"net/http"
	"time"
)

// newTransport is HTTP/1.1 over TCP or TLS (1.2 at least, the library's default), with a limit for every
// stage that the library knows; the answer is limited in request.
func newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout:        30 * time.Second,
		MaxIdleConnsPerHost:    8,
		DisableCompression:     true, // see unpacked
		Protocols:              &protocols,
	}
}
