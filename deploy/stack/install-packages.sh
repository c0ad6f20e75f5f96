#!/usr/bin/env bash
# Installs Debian packages, as root, so that the services they bring neither start now nor at boot:
# ./dev runs servers of its own. What it changes for that is put back.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1

policy=/usr/sbin/policy-rc.d
clusters=/etc/postgresql-common/createcluster.conf
made_policy=0 made_clusters=0
put_back() {
  [ $made_policy = 0 ] || rm -f $policy
  [ $made_clusters = 0 ] || cp /usr/share/postgresql-common/createcluster.conf $clusters || rm -f $clusters
  [ $made_clusters = 0 ] || rm -f $clusters.ucf-dist
}
trap put_back EXIT

# invoke-rc.d(8): 101 forbids starting services
if [ ! -e $policy ]; then
  made_policy=1
  printf '#!/bin/sh\n# for the moment of an installation by ./dev of Weir\nexit 101\n' >$policy
  chmod 755 $policy
fi
# pg_createcluster(1): no cluster "main", which would start at boot
if [ ! -e /etc/postgresql-common ]; then
  made_clusters=1
  mkdir -p /etc/postgresql-common
  printf 'create_main_cluster = false\n' >$clusters
fi

apt="apt-get -o DPkg::Lock::Timeout=300"
$apt update
$apt install -y --no-install-recommends "$@"

for package in "$@"; do
  case $package in
    redis-server | nats-server) ! command -v systemctl >/dev/null || systemctl --quiet disable "$package" || true ;;
  esac
done
