# What `./dev test chart` needs beside npm packages: etcd and promtool of Debian, an API server of Kubernetes that is
# built from its Go module, and the CRDs of the operators that the chart makes objects for. Sourced by ./dev.
# shellcheck shell=bash

# Go fetches the version that go.mod asks for by itself from 1.21 on.
go_wanted=1.21
# The CRDs that the chart's objects are checked against: a Go module that carries it, and its file there.
crds=(
  'sigs.k8s.io/gateway-api@v1.4.0 config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'
  'github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'
  'github.com/prometheus-operator/prometheus-operator@v0.85.0 example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml'
  'github.com/kedacore/keda/v2@v2.18.0 config/crd/bases/keda.sh_scaledobjects.yaml'
  'github.com/kedacore/keda/v2@v2.18.0 config/crd/bases/keda.sh_triggerauthentications.yaml'
)

find_go() {
  local go
  for go in "$(command -v go)" /usr/local/go/bin/go $(printf '%s\n' /usr/lib/go-*/bin/go | sort -rV); do
    [ -x "$go" ] && is_at_least "$("$go" env GOVERSION | tr -d go)" "$go_wanted" || continue
    printf '%s\n' "$go"
    return
  done
  return 1
}

# Builds kube-apiserver as its go.sum says, with the version that it tells clients.
build_apiserver() {
  local go=$1 version=$2 program=$3 stamp=k8s.io/component-base/version minor
  minor=${version#*.}
  # without C, for which there may be no compiler
  CGO_ENABLED=0 "$go" build -C "$root/test/chart/cluster/apiserver" -trimpath -o "$program.new" -ldflags \
    "-s -w -X $stamp.gitVersion=$version -X $stamp.gitMajor=${version:1:1} -X $stamp.gitMinor=${minor%%.*}" .
  mv "$program.new" "$program"
}

# Puts the CRDs that API servers are given in one folder.
collect_crds() {
  local go=$1 target=$2 crd module file folder
  rm -rf "$target.new"
  mkdir -p "$target.new"
  for crd in "${crds[@]}"; do
    read -r module file <<<"$crd"
    # outside of any module, so that just this one is fetched; Go looks its checksum up
    folder=$(cd "$target.new" && "$go" mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    install -m 644 "$folder/$file" "$target.new"
  done
  mv "$target.new" "$target"
}

# Makes or finds all of it, and tells the tests where it is; what was built is kept in the data directory.
install_chart_tools() {
  local version go missing
  version=$(sed -n 's/^\tk8s.io\/kubernetes //p' "$root/test/chart/cluster/apiserver/go.mod")
  WEIR_KUBE_APISERVER=$data/tools/kube-apiserver-$version
  WEIR_CRDS=$data/tools/crds-$(printf '%s\n' "${crds[@]}" | cksum | cut -d ' ' -f 1)
  mkdir -p "$data/tools"
  missing=$({
    find_program etcd >/dev/null || echo etcd-server
    has promtool || echo prometheus
  } | xargs)
  # shellcheck disable=SC2086 # a list of words
  [ -z "$missing" ] || install_packages $missing
  WEIR_ETCD=$(find_program etcd)
  export WEIR_KUBE_APISERVER WEIR_CRDS WEIR_ETCD
  [ -x "$WEIR_KUBE_APISERVER" ] && [ -d "$WEIR_CRDS" ] && return
  go=$(find_go) || fail "the chart is tried on an API server that is built by Go: install Go $go_wanted or newer (https://go.dev/doc/install; Debian's golang from 13 on), or run the checks that need none: npx vitest run --project chart"
  [ -d "$WEIR_CRDS" ] || step 'fetching CRDs from the Go module proxy' crds collect_crds "$go" "$WEIR_CRDS"
  [ -x "$WEIR_KUBE_APISERVER" ] || step "building kube-apiserver $version, once; this takes a quarter of an hour" \
    apiserver build_apiserver "$go" "$version" "$WEIR_KUBE_APISERVER"
}
