// Package toxiproxy stands where Toxiproxy's own package of that name stands, so that
// Toxiproxy's tests, unchanged, drive a running kf-chaos over HTTP (tests/toxiproxy/run.sh).
// Each Proxy of a test is a proxy of the one server, under a name of its own.
package toxiproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

var ErrProxyAlreadyStarted = errors.New("Proxy already started")

var names atomic.Int64

type MetricsContainer struct{ ProxyMetrics, RuntimeMetrics any }

func NewMetricsContainer(*prometheus.Registry) *MetricsContainer { return &MetricsContainer{} }

type ApiServer struct {
	Metrics    *MetricsContainer
	Logger     *zerolog.Logger
	Collection *ProxyCollection
	at         string
}

func NewServer(m *MetricsContainer, log zerolog.Logger) *ApiServer {
	return &ApiServer{Metrics: m, Logger: &log, Collection: NewProxyCollection(), at: os.Getenv("KF_CHAOS_ADMIN")}
}

// Listen starts a server of its own: the API tests want theirs at a fixed port.
func (s *ApiServer) Listen(addr string) error {
	s.Collection.at = addr
	args := append(strings.Fields(os.Getenv("KF_CHAOS_ARGS")), "--with-parent", fmt.Sprint(os.Getpid()),
		"--admin", strings.Replace(addr, "localhost", "127.0.0.1", 1))
	return exec.Command(os.Getenv("KF_CHAOS"), args...).Run()
}

// ask sends v and reads the answer into out; what the server says is the error.
func ask(at, method, path string, v, out any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if raw, ok := v.(io.Reader); ok {
		if body, err = io.ReadAll(raw); err != nil {
			return err
		}
	}
	req, err := http.NewRequest(method, "http://"+at+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%d %s", resp.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

type Proxy struct {
	Name     string           `json:"name"`
	Listen   string           `json:"listen"`
	Upstream string           `json:"upstream"`
	Enabled  bool             `json:"enabled"`
	Toxics   *ToxicCollection `json:"-"`
	at, id   string
	isMade   bool
}

type wire struct {
	Name     string `json:"name"`
	Listen   string `json:"listen"`
	Upstream string `json:"upstream"`
	Enabled  bool   `json:"enabled"`
}

func NewProxy(s *ApiServer, name, listen, upstream string) *Proxy {
	p := &Proxy{Name: name, Listen: listen, Upstream: upstream, at: s.at, id: fmt.Sprintf("t%d-%d", os.Getpid(), names.Add(1))}
	p.Toxics = &ToxicCollection{p}
	return p
}

func (p *Proxy) put(listen, upstream string, enabled bool) error {
	method, path, made := "POST", "/proxies", wire{}
	if p.isMade {
		method, path = "PATCH", "/proxies/"+p.id
	}
	if err := ask(p.at, method, path, wire{p.id, listen, upstream, enabled}, &made); err != nil {
		return err
	}
	p.isMade, p.Listen, p.Upstream, p.Enabled = true, made.Listen, made.Upstream, made.Enabled
	return nil
}

func (p *Proxy) Start() error {
	if p.Enabled {
		return ErrProxyAlreadyStarted
	}
	return p.put(p.Listen, p.Upstream, true)
}

func (p *Proxy) Stop() {
	if p.Enabled {
		_ = p.put(p.Listen, p.Upstream, false)
	}
}

func (p *Proxy) Update(in *Proxy) error { return p.put(in.Listen, in.Upstream, in.Enabled) }

// Differs asks by a mark: populating with what is the same leaves a proxy its toxics.
func (p *Proxy) Differs(other *Proxy) (bool, error) {
	if err := p.Toxics.post(map[string]any{"name": "mark", "type": "noop"}); err != nil {
		return true, err
	}
	if err := ask(p.at, "POST", "/populate", []wire{{p.id, other.Listen, other.Upstream, other.Enabled}}, nil); err != nil {
		return true, err
	}
	return ask(p.at, "GET", "/proxies/"+p.id+"/toxics/mark", nil, nil) != nil, nil
}

type ToxicCollection struct{ proxy *Proxy }

func (c *ToxicCollection) post(v any) error {
	return ask(c.proxy.at, "POST", "/proxies/"+c.proxy.id+"/toxics", v, nil)
}

func (c *ToxicCollection) AddToxicJson(data io.Reader) (any, error) { return nil, c.post(data) }

func (c *ToxicCollection) RemoveToxic(_ context.Context, name string) error {
	return ask(c.proxy.at, "DELETE", "/proxies/"+c.proxy.id+"/toxics/"+name, nil, nil)
}

func (c *ToxicCollection) ResetToxics(ctx context.Context) {
	var all []struct{ Name string }
	if ask(c.proxy.at, "GET", "/proxies/"+c.proxy.id+"/toxics", nil, &all) != nil {
		return
	}
	for _, t := range all {
		_ = c.RemoveToxic(ctx, t.Name)
	}
}

// ProxyCollection is a test's own view of the server's one collection.
type ProxyCollection struct {
	at   string
	mine map[string]*Proxy
}

func NewProxyCollection() *ProxyCollection {
	return &ProxyCollection{mine: map[string]*Proxy{}}
}

func (c *ProxyCollection) Add(p *Proxy, start bool) error {
	if p.isMade && c.mine[p.Name] == nil {
		c.mine[p.Name] = p
		return nil
	}
	if err := ask(p.at, "POST", "/proxies", wire{p.id, p.Listen, p.Upstream, start}, nil); err != nil {
		return err
	}
	p.isMade, p.Enabled, c.mine[p.Name] = true, start, p
	return nil
}

func (c *ProxyCollection) Get(name string) (*Proxy, error) {
	p := c.mine[name]
	if p == nil {
		return nil, errors.New("proxy not found")
	}
	return p, ask(p.at, "GET", "/proxies/"+p.id, nil, nil)
}

func (c *ProxyCollection) Proxies() map[string]*Proxy { return c.mine }

func (c *ProxyCollection) Remove(name string) error {
	p, err := c.Get(name)
	if err != nil {
		return err
	}
	delete(c.mine, name)
	return ask(p.at, "DELETE", "/proxies/"+p.id, nil, nil)
}

// Clear removes what an API test has left behind.
func (c *ProxyCollection) Clear() error {
	all := map[string]wire{}
	for i := 0; ; i++ {
		if _, err := net.Dial("tcp", c.at); err == nil || i == 50 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := ask(c.at, "GET", "/proxies", nil, &all); err != nil {
		return err
	}
	for name := range all {
		if err := ask(c.at, "DELETE", "/proxies/"+name, nil, nil); err != nil {
			return err
		}
	}
	return nil
}
