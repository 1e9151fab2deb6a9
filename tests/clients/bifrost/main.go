// Bifrost's core library behind a door, for tests/peers.sh where bifrost-http
// cannot be had: the library retries, falls back and streams; what is here reads a
// configuration and a request, and writes events, errors and [DONE] as bifrost-http
// documents them.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	bifrost "github.com/maximhq/bifrost/core"
	"github.com/maximhq/bifrost/core/schemas"
)

type provider struct {
	Keys    []schemas.Key                 `json:"keys"`
	Network schemas.NetworkConfig         `json:"network_config"`
	Custom  *schemas.CustomProviderConfig `json:"custom_provider_config"`
}

type account map[schemas.ModelProvider]provider

func (a account) GetConfiguredProviders() (names []schemas.ModelProvider, err error) {
	for name := range a {
		names = append(names, name)
	}
	return names, nil
}

func (a account) GetKeysForProvider(_ *context.Context, name schemas.ModelProvider) ([]schemas.Key, error) {
	keys := a[name].Keys
	for i := range keys {
		keys[i].Models = nil // any
	}
	return keys, nil
}

func (a account) GetConfigForProvider(name schemas.ModelProvider) (*schemas.ProviderConfig, error) {
	p := a[name]
	c := &schemas.ProviderConfig{NetworkConfig: p.Network, CustomProviderConfig: p.Custom}
	c.CheckAndSetDefaults()
	return c, nil
}

// PROVIDER/MODEL
func target(s string) schemas.Fallback {
	name, model, _ := strings.Cut(s, "/")
	return schemas.Fallback{Provider: schemas.ModelProvider(name), Model: model}
}

func fail(w http.ResponseWriter, e *schemas.BifrostError) {
	status := http.StatusInternalServerError
	if e.StatusCode != nil {
		status = *e.StatusCode
	} else if !e.IsBifrostError {
		status = http.StatusBadRequest
	}
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(e)
}

func chat(client *bifrost.Bifrost) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model     string                `json:"model"`
			Messages  []schemas.ChatMessage `json:"messages"`
			Fallbacks []string              `json:"fallbacks"`
			Stream    bool                  `json:"stream"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		first := target(body.Model)
		ask := &schemas.BifrostChatRequest{Provider: first.Provider, Model: first.Model, Input: body.Messages, Params: &schemas.ChatParameters{}}
		for _, f := range body.Fallbacks {
			ask.Fallbacks = append(ask.Fallbacks, target(f))
		}
		if !body.Stream {
			answer, e := client.ChatCompletionRequest(context.Background(), ask)
			if e != nil {
				fail(w, e)
				return
			}
			w.Header().Set("content-type", "application/json")
			json.NewEncoder(w).Encode(answer)
			return
		}
		stream, e := client.ChatCompletionStreamRequest(context.Background(), ask)
		if e != nil {
			fail(w, e)
			return
		}
		w.Header().Set("content-type", "text/event-stream")
		for chunk := range stream {
			if text, err := json.Marshal(chunk); err == nil && chunk != nil {
				fmt.Fprintf(w, "data: %s\n\n", text)
				w.(http.Flusher).Flush()
			}
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

func main() {
	host, port, dir := flag.String("host", "127.0.0.1", ""), flag.String("port", "8080", ""), flag.String("app-dir", ".", "")
	flag.Parse()
	var conf struct {
		Providers account `json:"providers"`
	}
	text, err := os.ReadFile(filepath.Join(*dir, "config.json"))
	if err == nil {
		err = json.Unmarshal(text, &conf)
	}
	if err != nil {
		log.Fatal(err)
	}
	client, err := bifrost.Init(context.Background(), schemas.BifrostConfig{Account: conf.Providers, Logger: bifrost.NewDefaultLogger(schemas.LogLevelError)})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	http.HandleFunc("/v1/chat/completions", chat(client))
	log.Fatal(http.ListenAndServe(*host+":"+*port, nil))
}
