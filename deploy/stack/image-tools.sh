# What `./dev test image` needs: buildah and runc of Debian, a base image, and the image itself. Sourced by ./dev.
# shellcheck shell=bash

# Builds the image of this checkout, on the base that the Containerfile names or one that stands in for it, and tells
# the tests its name. Buildah keeps layers, and runc makes namespaces, so that this wants root.
build_image() {
  local missing base version
  [ "$(id -u)" = 0 ] || fail 'the image is built and run as root: sudo ./dev test image'
  missing=$(for tool in buildah runc debootstrap; do find_program "$tool" >/dev/null || echo "$tool"; done | xargs)
  # shellcheck disable=SC2086 # a list of words
  [ -z "$missing" ] || install_packages $missing
  base=$(sed -n 's/^ARG NODE_IMAGE=//p' "$root/deploy/image/Containerfile")
  if ! buildah pull --quiet "$base" >/dev/null 2>&1; then
    base=localhost/weir-base-of-debootstrap
    buildah inspect --type image "$base" >/dev/null 2>&1 ||
      step 'making a base image, since that of Node is not reached' image-base bash "$root/deploy/image/make-base.sh" "$base"
  fi
  version=$(sed -n 's/^ARG VERSION=//p' "$root/deploy/image/Containerfile")
  export WEIR_IMAGE=localhost/weir:$version
  step 'building the image' image buildah build --isolation chroot --build-arg "NODE_IMAGE=$base" \
    --build-arg "REVISION=$(git -C "$root" rev-parse HEAD)" --file "$root/deploy/image/Containerfile" --tag "$WEIR_IMAGE" "$root"
}
