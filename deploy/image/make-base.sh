#!/usr/bin/env bash
# Makes an image that stands in for docker.io/library/node:24 where no registry of images is reached: Debian by
# debootstrap, Node and npm of the npm registry, and what this machine trusts. For trying the image, not for shipping it.
#   make-base.sh <name>
set -euo pipefail
name=${1:?usage: make-base.sh <name>}
architecture=$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
packages=$(mktemp -d)
container=$(buildah from scratch)
trap 'rm -rf "$packages"; buildah rm "$container" >/dev/null' EXIT

base=$(buildah mount "$container")
debootstrap --variant=minbase --include=ca-certificates "$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")" "$base" http://deb.debian.org/debian
npm install --prefix "$packages" --ignore-scripts --no-audit --no-fund "node-linux-$architecture@24" npm@11
mkdir -p "$base/usr/local/lib/node_modules"
cp "$packages/node_modules/node-linux-$architecture/bin/node" "$base/usr/local/bin/node"
cp -r "$packages/node_modules/npm" "$base/usr/local/lib/node_modules/npm"
for program in npm npx; do ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$base/usr/local/bin/$program"; done
cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/ca-certificates.crt"

buildah config --cmd node --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah commit --quiet "$container" "$name"
