#!/usr/bin/env bash
# D1: a machine with nothing but Node and apt, as a chroot that debootstrap makes, with this checkout's last commit: what
# the README says until the first 200, and again. D4: before it, the doctor names what is missing. D3: after it, somebody
# without root's rights, with data of their own. Needs root, debootstrap and a mirror of Debian. What tells apt and npm of
# this machine where their registries are is taken along, as are its certificates.
#   sudo test/operations/fresh-machine.sh [folder]      the folder keeps what debootstrap made, for the next time
set -euo pipefail

root=$(dirname -- "$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")")
folder=$(readlink -m -- "${1:-$root/.weir/fresh-machine}")
suite=${DEBIAN_SUITE:-bookworm} mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
first_max=300 second_max=15

machine=$folder/machine.$$
clean_up() { rm -rf --one-file-system "$machine"; }
trap clean_up EXIT
mkdir -p "$folder"
if [ ! -e "$folder/$suite" ]; then
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$folder/$suite.making" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
    { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
  mv "$folder/$suite.making" "$folder/$suite"
fi
cp -a "$folder/$suite" "$machine"

# Node and npm alone, wherever they stand here
mkdir -p "$machine"/opt/node/{bin,lib/node_modules}
cp -L "$(command -v node)" "$machine/opt/node/bin/node"
cp -a "$(dirname -- "$(dirname -- "$(readlink -f -- "$(command -v npm)")")")" "$machine/opt/node/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$machine/opt/node/bin/npm"
cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
cp -r /etc/apt/apt.conf.d /etc/apt/sources.list* "$machine/etc/apt/" 2>/dev/null || true
rm -f "$machine"/etc/apt/apt.conf.d/*{packagekit,appstream}*
cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/"
npm config ls --json | node -e '
  const { registry, cafile, proxy, "https-proxy": https } = JSON.parse(require("fs").readFileSync(0, "utf8"));
  for (const [name, value] of Object.entries({ registry, cafile, proxy, "https-proxy": https })) if (value) console.log(`${name}=${value}`);
' >"$machine/root/.npmrc"
mkdir "$machine/weir"
git -C "$root" archive HEAD | tar -x -C "$machine/weir"

cat >"$machine/first-200.sh" <<'INSIDE'
set -euo pipefail
export PATH=/opt/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
mount -t proc proc /proc
mount -t tmpfs tmpfs /dev/shm
cd /weir
first_200() {
  local began=$SECONDS
  ./dev up --detach >"$HOME/up.log" 2>&1 || { cat "$HOME/up.log" >&2; exit 1; }
  eval "$(./dev env)"
  curl -sS --fail -X POST "$WEIR_URL/v1/ingest" -H "X-API-Key: $WEIR_INGEST_KEY" -H 'Content-Type: application/json' -d '{ "data": [
    { "instrument_timestamp": "2026-01-31T12:00:00Z", "instrument_name": "Staff gauge",
      "ingested_variables": [ { "name": "water_level", "value": 1.532 } ] } ] }' >/dev/null
  echo "$1 $((SECONDS - began))"
}
if ./dev doctor >/tmp/doctor.log; then echo 'D4: the doctor misses nothing here' >&2; exit 1; fi
for what in postgresql redis nats git curl; do
  grep -q "^missing  $what  *apt-get install .*$what" /tmp/doctor.log || { echo "D4: not $what" >&2; cat /tmp/doctor.log >&2; exit 1; }
done
first_200 first
./dev down >/dev/null 2>&1
first_200 second
./dev down >/dev/null 2>&1
useradd --create-home person
chown -R person:person /weir
setpriv --reuid person --regid person --init-groups env HOME=/home/person WEIR_DATA_DIR=/home/person/weir \
  bash -euo pipefail -c "$(declare -f first_200); first_200 person; ./dev down >/dev/null 2>&1"
INSIDE
# a namespace of its own for processes: whatever is left there ends with it. Of the environment only proxies go along: servers and
# folders that it tells of are none of a fresh machine's
kept=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [ -z "${!name-}" ] || kept+=("$name=${!name}")
done
times=$(env -i PATH="$PATH" "${kept[@]}" unshare --mount --pid --fork --kill-child bash -c "mount --bind /dev '$machine/dev' && exec chroot '$machine' bash /first-200.sh")
printf '%s\n' "$times" | sed 's/$/ s to the first 200/'
first=$(sed -n 's/^first //p' <<<"$times") second=$(sed -n 's/^second //p' <<<"$times")
[ "$first" -le $first_max ] && [ "$second" -le $second_max ] ||
  { echo "D1: at most $first_max s the first time, and $second_max s the second" >&2; exit 1; }
