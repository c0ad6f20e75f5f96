# What `./dev test image` needs: buildah, runc and podman of Debian, a base image, and the image itself. Sourced by ./dev.
# shellcheck shell=bash

# Builds the image of this checkout, on the base that the Containerfile names or one that stands in for it, and tells
# the tests its name. Buildah keeps layers, and runc makes namespaces, so that this wants root.
build_image() {
  local missing base version
  [ "$(id -u)" = 0 ] || fail 'the image is built and run as root: sudo ./dev test image'
  missing=$(
    # netavark, which makes the network of podman's containers, calls iptables
    for tool in buildah runc debootstrap podman podman-compose iptables; do find_program "$tool" >/dev/null || echo "$tool"; done
    # that network, and the names in it
    for tool in netavark aardvark-dns; do [ -x "/usr/lib/podman/$tool" ] || echo "$tool"; done
  )
  missing=$(xargs <<<"$missing")
  # shellcheck disable=SC2086 # a list of words
  [ -z "$missing" ] || install_packages $missing
  base=$(sed -n 's/^ARG NODE_IMAGE=//p' "$root/deploy/image/Containerfile")
  if ! buildah pull --quiet "$base" >/dev/null 2>&1; then
    base=localhost/weir-base-of-debootstrap
    buildah inspect --type image "$base" >/dev/null 2>&1 ||
      step 'making a base image, since that of Node is not reached' image-base bash "$root/deploy/image/make-base.sh" "$base"
    export WEIR_SERVERS_IMAGE=localhost/weir-servers-of-debian
    step 'making an image of the servers, since theirs are not reached' image-servers buildah build --isolation chroot --layers \
      --build-arg "BASE=$base" --file "$root/test/image/servers/Containerfile" --tag "$WEIR_SERVERS_IMAGE" "$root"
  fi
  version=$(sed -n 's/^ARG VERSION=//p' "$root/deploy/image/Containerfile")
  export WEIR_IMAGE=localhost/weir:$version
  step 'building the image' image buildah build --isolation chroot --build-arg "NODE_IMAGE=$base" \
    --build-arg "REVISION=$(git -C "$root" rev-parse HEAD)" --file "$root/deploy/image/Containerfile" --tag "$WEIR_IMAGE" "$root"
}
