#!/usr/bin/env bash
# What the images of PostgreSQL, Redis and NATS do when they start, as much of it as deploy/compose.yaml asks for.
set -euo pipefail
as() { exec setpriv --reuid "$1" --regid "$1" --init-groups -- "${@:2}"; }

case $1 in
  postgres)
    data=/var/lib/postgresql/data
    bin=$(echo /usr/lib/postgresql/*/bin)
    if [ ! -e $data/PG_VERSION ]; then
      printf %s "$POSTGRES_PASSWORD" >/tmp/password
      chown postgres:postgres $data /tmp/password
      (as postgres "$bin/initdb" -D $data -U "$POSTGRES_USER" --auth-host=scram-sha-256 --pwfile=/tmp/password)
      echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
      echo "create database \"$POSTGRES_DB\"" | (as postgres "$bin/postgres" --single -D $data postgres)
    fi
    as postgres "$bin/postgres" -D $data -c listen_addresses='*' "${@:2}"
    ;;
  psql) exec "$@" ;;
  redis-server) as redis "$@" --protected-mode no ;;
  -*)
    chown nats:nats /data
    as nats nats-server "$@"
    ;;
esac
