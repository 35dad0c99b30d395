package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
)

// kubeContainer is what the manifests say of a container, kubeObject of an object, as far as the test reads it. The
// JSON reader knows the names of fields in any case.
type kubeContainer struct {
	Name, Image, RestartPolicy string
	Args, Command              []string
	Env                        []struct {
		Name, Value string
		ValueFrom   struct{ SecretKeyRef struct{ Name, Key string } }
	}
	Ports []struct {
		Name          string
		ContainerPort int
	}
	StartupProbe, LivenessProbe, ReadinessProbe struct{ HTTPGet struct{ Path, Port string } }
	Resources                                   struct{ Requests, Limits map[string]string }
	SecurityContext                             struct {
		ReadOnlyRootFilesystem   bool
		AllowPrivilegeEscalation *bool
		Capabilities             struct{ Drop []string }
	}
	VolumeMounts []struct{ Name, MountPath, SubPath string }
}

type kubeVolume struct {
	Name      string
	ConfigMap *struct{ Name string }
	Secret    *struct {
		SecretName string
		Items      []struct{ Key, Path string }
	}
	PersistentVolumeClaim *struct{ ClaimName string }
	EmptyDir              *struct{ SizeLimit string }
}

type kubeObject struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Data             map[string]string
	Spec             struct {
		Replicas, MinAvailable int
		Strategy               struct {
			Type          string
			RollingUpdate struct{ MaxUnavailable, MaxSurge int }
		}
		Selector    json.RawMessage
		PodSelector struct{ MatchLabels map[string]string }
		Template    struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				TerminationGracePeriodSeconds int
				AutomountServiceAccountToken  *bool
				SecurityContext               struct {
					RunAsNonRoot   bool
					SeccompProfile struct{ Type string }
				}
				InitContainers, Containers []kubeContainer
				Volumes                    []kubeVolume
			}
		}
		Ports   []struct{ TargetPort string }
		Ingress []struct{ Ports []struct{ Port string } }
	}
}

// versions are the kinds of objects that the manifests may have, and where they are.
var versions = map[string]string{"ConfigMap": "v1", "Service": "v1", "PersistentVolumeClaim": "v1",
	"Deployment": "apps/v1", "PodDisruptionBudget": "policy/v1", "NetworkPolicy": "networking.k8s.io/v1"}

// manifest is one file, and the secrets that its first comment has made, with their keys.
type manifest struct {
	objects []kubeObject
	secrets map[string][]string
}

func readManifest(t *testing.T, text string) manifest {
	t.Helper()
	m := manifest{secrets: map[string][]string{}}
	for _, made := range regexp.MustCompile(`kubectl create secret generic (\S+)(.*)`).FindAllStringSubmatch(text, -1) {
		for _, key := range regexp.MustCompile(`--from-file=(\S+)`).FindAllStringSubmatch(made[2], -1) {
			m.secrets[made[1]] = append(m.secrets[made[1]], key[1])
		}
	}
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document any
		if err := d.Decode(&document); err == io.EOF {
			return m
		} else if err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(document)
		var o kubeObject
		if err := errors.Join(err, json.Unmarshal(asJSON, &o)); err != nil {
			t.Fatal(err)
		}
		if versions[o.Kind] != o.APIVersion || o.APIVersion == "" || o.Metadata.Name == "" {
			t.Errorf("%s %s of %q", o.Kind, o.Metadata.Name, o.APIVersion)
		}
		m.objects = append(m.objects, o)
	}
}

// named is an object that another one refers to.
func (m manifest) named(t *testing.T, kind, name string) kubeObject {
	t.Helper()
	i := slices.IndexFunc(m.objects, func(o kubeObject) bool { return o.Kind == kind && o.Metadata.Name == name })
	if i < 0 {
		t.Errorf("there is no %s %q", kind, name)
		return kubeObject{}
	}
	return m.objects[i]
}

// files are what a container finds at which path: the text, or "" for a secret.
func (m manifest) files(t *testing.T, d kubeObject, c kubeContainer) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, at := range c.VolumeMounts {
		if at.SubPath != "" {
			t.Errorf("%s: %s has a subPath: what changes does not arrive", c.Name, at.Name)
		}
		volumes := d.Spec.Template.Spec.Volumes
		i := slices.IndexFunc(volumes, func(v kubeVolume) bool { return v.Name == at.Name })
		if i < 0 {
			t.Errorf("%s: there is no volume %q", c.Name, at.Name)
			continue
		}
		switch v := volumes[i]; {
		case v.ConfigMap != nil:
			for name, text := range m.named(t, "ConfigMap", v.ConfigMap.Name).Data {
				found[path.Join(at.MountPath, name)] = text
			}
		case v.Secret != nil:
			keys := m.secrets[v.Secret.SecretName]
			if len(keys) == 0 {
				t.Errorf("how the secret %q is made is not said", v.Secret.SecretName)
			}
			for _, key := range keys {
				if len(v.Secret.Items) == 0 {
					found[path.Join(at.MountPath, key)] = ""
				}
			}
			for _, item := range v.Secret.Items {
				if !slices.Contains(keys, item.Key) {
					t.Errorf("the secret %q is not said to have %q", v.Secret.SecretName, item.Key)
				}
				found[path.Join(at.MountPath, item.Path)] = ""
			}
		case v.PersistentVolumeClaim != nil:
			m.named(t, "PersistentVolumeClaim", v.PersistentVolumeClaim.ClaimName)
		case v.EmptyDir == nil:
			t.Errorf("the volume %q is of no known kind", v.Name)
		}
	}
	return found
}

// Every manifest is whole: what it refers to is in it, or its first comment says how it is made; its containers have
// few rights and are probed where the daemon answers; its configuration is valid, and what that names is there.
func TestKubernetesManifests(t *testing.T) {
	files, err := filepath.Glob("../../systemd/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are none", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			readManifest(t, readPage(t, file)).check(t)
		})
	}
}

// What the chart makes of its values is as good as the manifests beside it; values that are not as they should be are
// refused. Helm itself is asked.
func TestChart(t *testing.T) {
	gittest.Long(t)
	helm, err := exec.LookPath("helm")
	if err != nil {
		t.Skip("NOTE: no helm here; the chart is not tried in this run")
	}
	t.Parallel()
	chart, err := filepath.Abs(filepath.Join("..", "..", "systemd", "kubernetes", "chart"))
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join("docs", "kubernetes.md")
	shown := ""
	for _, b := range blocksOf(t, page) {
		if b.language == "yaml" {
			shown = b.text
		}
	}
	template := func(t *testing.T, values string, set ...string) (string, error) {
		file := filepath.Join(t.TempDir(), "values.yaml")
		if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"template", "app", chart, "--values", file}
		for _, one := range set {
			args = append(args, "--set", one)
		}
		cmd := exec.Command(helm, args...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for name, set := range map[string][]string{"one": nil, "cluster": {"cluster=true"},
		"proxies": {"env[0].name=HTTPS_PROXY", "env[0].value=http://proxy.example.com", "storageClass=fast"}} {
		for of, values := range map[string]string{"the chart's values": "{}", "the page's values": shown} {
			t.Run(name+" with "+of, func(t *testing.T) {
				out, err := template(t, values, set...)
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				m := readManifest(t, out)
				m.check(t)
				if kinds := len(m.objects); kinds != 6 {
					t.Errorf("%d objects", kinds)
				}
			})
		}
	}
	for _, wrong := range []string{"replica=3", "replicas=1", "storage=many", "projects.app=x", "image="} {
		if out, err := template(t, "{}", "cluster=true", wrong); err == nil || !strings.Contains(out, "schema") {
			t.Errorf("%s: %v\n%s", wrong, err, out)
		}
	}
	lint := exec.Command(helm, "lint", "--strict", chart)
	lint.Env = append(os.Environ(), "HOME="+t.TempDir())
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// check checks that a manifest is whole.
func (m manifest) check(t *testing.T) {
	t.Helper()
	daemons := 0
	for _, d := range m.objects {
		if d.Kind != "Deployment" {
			continue
		}
		pod := d.Spec.Template.Spec
		if !pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.SeccompProfile.Type != "RuntimeDefault" ||
			pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken ||
			pod.TerminationGracePeriodSeconds < 10 {
			t.Errorf("%s: %+v", d.Metadata.Name, pod)
		}
		all := slices.Concat(pod.InitContainers, pod.Containers)
		for _, c := range all {
			m.checkContainer(t, d, c)
			if slices.Contains(c.Args, "run") {
				daemons++
				m.checkDaemon(t, d, c, all)
			}
		}
	}
	if daemons != 1 {
		t.Errorf("%d containers run locsync", daemons)
	}
}

func (m manifest) checkContainer(t *testing.T, d kubeObject, c kubeContainer) {
	t.Helper()
	s := c.SecurityContext
	if c.Image == "" || !s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
		!slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("%s: %+v", c.Name, c)
	}
	files := m.files(t, d, c)
	for _, e := range c.Env {
		if ref := e.ValueFrom.SecretKeyRef; ref.Name != "" && !slices.Contains(m.secrets[ref.Name], ref.Key) {
			t.Errorf("%s: %s comes from %q of a secret %q that is not said to be made",
				c.Name, e.Name, ref.Key, ref.Name)
		}
		if e.Name != "GIT_CONFIG_GLOBAL" {
			continue
		}
		helper := regexp.MustCompile(`helper = store --file=(\S+)`).FindStringSubmatch(files[e.Value])
		if helper == nil {
			t.Errorf("%s: git has no credentials by %s", c.Name, e.Value)
		} else if _, there := files[helper[1]]; !there {
			t.Errorf("%s: the credentials %s are not there", c.Name, helper[1])
		}
	}
}

// checkDaemon checks the container that runs locsync: its configuration, and what depends on that.
func (m manifest) checkDaemon(t *testing.T, d kubeObject, c kubeContainer, all []kubeContainer) {
	t.Helper()
	files := m.files(t, d, c)
	root := t.TempDir()
	for name, text := range files {
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, `"/etc/`, `"`+filepath.ToSlash(root)+`/etc/`)
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.Args) < 3 || c.Args[1] != "--config" {
		t.Fatalf("%q", c.Args)
	}
	cfg, err := config.Load(filepath.Join(root, filepath.FromSlash(c.Args[2])))
	if err != nil {
		t.Fatal(err)
	}
	if _, there := files[cfg.Service.APIKeyFile]; !there {
		t.Errorf("the API key %s is not there", cfg.Service.APIKeyFile)
	}
	needed := []string{cfg.StateDir, "/tmp"}
	credentials, shared := false, false
	for _, e := range c.Env {
		credentials = credentials || e.Name == "GIT_CONFIG_GLOBAL"
	}
	for _, p := range cfg.Projects {
		if !p.Cloned() {
			needed, shared = append(needed, p.Repository), true
		}
	}
	for _, folder := range needed {
		if !slices.ContainsFunc(c.VolumeMounts, func(at struct{ Name, MountPath, SubPath string }) bool {
			return strings.HasPrefix(folder+"/", at.MountPath+"/")
		}) {
			t.Errorf("%s is on no volume", folder)
		}
	}
	if !credentials {
		t.Error("git has no credentials, so that nothing is delivered")
	}
	follows := slices.ContainsFunc(all, func(c kubeContainer) bool {
		return c.RestartPolicy == "Always" && strings.Contains(strings.Join(c.Command, " "), "pull --quiet --ff-only")
	})
	if shared && (!follows || c.RestartPolicy != "Always" || d.Spec.Replicas != 1 ||
		d.Spec.Strategy.Type != "Recreate") {
		t.Error("a working tree is shared by one pod at a time, which follows the remote")
	}
	m.checkAddress(t, d, c, cfg)
	m.checkShare(t, d, c, cfg)
}

// checkAddress checks that probes, services and policies reach the daemon's address.
func (m manifest) checkAddress(t *testing.T, d kubeObject, c kubeContainer, cfg *config.Config) {
	t.Helper()
	host, port, err := net.SplitHostPort(cfg.Daemon.Listen)
	if err != nil || host != "0.0.0.0" || len(c.Ports) != 1 || strconv.Itoa(c.Ports[0].ContainerPort) != port {
		t.Errorf("listens at %q, ports %+v", cfg.Daemon.Listen, c.Ports)
		return
	}
	name := c.Ports[0].Name
	for _, p := range []struct{ got, want struct{ Path, Port string } }{
		{c.StartupProbe.HTTPGet, struct{ Path, Port string }{"/healthz", name}},
		{c.LivenessProbe.HTTPGet, struct{ Path, Port string }{"/healthz", name}},
		{c.ReadinessProbe.HTTPGet, struct{ Path, Port string }{"/readyz", name}},
	} {
		if p.got != p.want {
			t.Errorf("probed at %+v, want %+v", p.got, p.want)
		}
	}
	labels := d.Spec.Template.Metadata.Labels
	for _, o := range m.objects {
		selects := map[string]string{}
		switch o.Kind {
		case "Service":
			for _, p := range o.Spec.Ports {
				if p.TargetPort != name {
					t.Errorf("the service goes to port %q", p.TargetPort)
				}
			}
			_ = json.Unmarshal(o.Spec.Selector, &selects)
		case "NetworkPolicy":
			for _, in := range o.Spec.Ingress {
				if len(in.Ports) != 1 || in.Ports[0].Port != name {
					t.Errorf("the policy lets %+v through", in.Ports)
				}
			}
			selects = o.Spec.PodSelector.MatchLabels
		case "Deployment", "PodDisruptionBudget":
			var by struct{ MatchLabels map[string]string }
			_ = json.Unmarshal(o.Spec.Selector, &by)
			selects = by.MatchLabels
		default:
			continue
		}
		if len(selects) == 0 || !maps.Equal(selects, labels) {
			t.Errorf("%s %s selects %v, and the pods have %v", o.Kind, o.Metadata.Name, selects, labels)
		}
	}
}

// checkShare checks a deployment of several, which share their work by a database, and one of a single pod, which does
// not.
func (m manifest) checkShare(t *testing.T, d kubeObject, c kubeContainer, cfg *config.Config) {
	t.Helper()
	if !cfg.Clustered() {
		if d.Spec.Replicas != 1 {
			t.Errorf("%d pods do not know of each other", d.Spec.Replicas)
		}
		return
	}
	database := false
	for _, e := range c.Env {
		database = database || e.Name == cfg.Cluster.DatabaseURLEnv && e.ValueFrom.SecretKeyRef.Key != ""
	}
	if !database {
		t.Errorf("the address of the database, %s, comes from no secret", cfg.Cluster.DatabaseURLEnv)
	}
	rolling := d.Spec.Strategy.RollingUpdate
	if d.Spec.Replicas < 3 || d.Spec.Strategy.Type != "RollingUpdate" || rolling.MaxUnavailable != 1 {
		t.Errorf("%d pods, %+v", d.Spec.Replicas, d.Spec.Strategy)
	}
	budget := slices.IndexFunc(m.objects, func(o kubeObject) bool { return o.Kind == "PodDisruptionBudget" })
	if budget < 0 || m.objects[budget].Spec.MinAvailable < 1 || m.objects[budget].Spec.MinAvailable >= d.Spec.Replicas {
		t.Error("no budget says how many pods stay")
	}
}
