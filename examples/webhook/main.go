// Webhook decides about requests by the admission policies in a folder, as a validating
// webhook: it takes an AdmissionReview of admission.k8s.io/v1 and answers with another. It
// reads the folder again when a file in it has changed.
//
// Its argument is the folder, with YAML files of ValidatingAdmissionPolicies, bindings,
// and whatever they use: namespaces and params.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"time"
)

func main() {
	log.SetFlags(0)
	address := flag.String("address", "localhost:8443", "where to listen")
	interval := flag.Duration("interval", time.Second, "how often to look for changes")
	certificate, key := flag.String("certificate", "", "file of the certificate"), flag.String("key", "", "file of its key")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: webhook [-address host:port] [-certificate file -key file] folder")
	}
	webhook := NewWebhook(flag.Arg(0))
	if err := webhook.Reload(); err != nil {
		log.Fatal(err)
	}
	go watch(context.Background(), webhook, *interval)
	server := &http.Server{Addr: *address, Handler: webhook, ReadHeaderTimeout: 10 * time.Second}
	if *certificate == "" {
		log.Fatal(server.ListenAndServe())
	}
	log.Fatal(server.ListenAndServeTLS(*certificate, *key))
}

// watch reads the folder again when it has changed. What cannot be read leaves the
// policies as they are.
func watch(ctx context.Context, webhook *Webhook, interval time.Duration) {
	for ticker := time.NewTicker(interval); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := webhook.Reload(); err != nil {
				log.Print(err)
			}
		}
	}
}
