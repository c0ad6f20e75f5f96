{{/* Name of the Secret of database, redis, nats or cursors. Arguments: root, of. */}}
{{- define "weir.secretName" -}}
{{- if .root.Values.bundled.enabled -}}
{{- printf "%s-bundled" (include "weir.fullname" .root) -}}
{{- else -}}
{{- default (printf "%s-%s" (include "weir.fullname" .root) .of) (index .root.Values .of).existingSecret -}}
{{- end -}}
{{- end -}}

{{/* One environment variable out of a Secret. Arguments: root, of, name, key (of the existing Secret), bundledKey. */}}
{{- define "weir.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "weir.secretName" . }}
      key: {{ if .root.Values.bundled.enabled }}{{ .bundledKey }}{{ else }}{{ .key }}{{ end }}
{{- end -}}

{{/* Key of the URL that a role uses: the one of its own login, or that of a login for all. Arguments: root, role. */}}
{{- define "weir.databaseUrlKey" -}}
{{- if .root.Values.bundled.enabled }}database-url
{{- else }}{{ default .root.Values.database.urlKey (and .root.Values.database.urlKeys (index .root.Values.database.urlKeys .role)) }}{{ end -}}
{{- end -}}

{{/* Roles that share a login with others, a list for each such login. */}}
{{- define "weir.rolesOfOneLogin" -}}
{{- $rolesOf := dict -}}
{{- range $role, $spec := include "weir.roles" . | fromYaml -}}
{{- if has "database" $spec.uses -}}
  {{- $key := include "weir.databaseUrlKey" (dict "root" $ "role" $role) -}}
  {{- $_ := set $rolesOf $key (append (default list (get $rolesOf $key)) $role) -}}
{{- end -}}
{{- end -}}
{{- $shared := list -}}
{{- range $key, $roles := $rolesOf -}}
{{- if gt (len $roles) 1 }}{{ $shared = append $shared $roles }}{{ end -}}
{{- end -}}
{{- toJson $shared -}}
{{- end -}}

{{/* All keys that roles use. */}}
{{- define "weir.databaseUrlKeys" -}}
{{- $keys := list -}}
{{- range $role, $spec := include "weir.roles" . | fromYaml -}}
{{- if has "database" $spec.uses }}{{ $keys = append $keys (include "weir.databaseUrlKey" (dict "root" $ "role" $role)) }}{{ end -}}
{{- end -}}
{{- join ", " (uniq $keys) -}}
{{- end -}}

{{- define "weir.databaseEnv" -}}
{{- $key := include "weir.databaseUrlKey" . -}}
{{- include "weir.secretEnv" (dict "root" .root "of" "database" "name" "DATABASE_URL" "key" $key "bundledKey" $key) -}}
{{- end -}}

{{- define "weir.migrationDatabaseEnv" -}}
{{- include "weir.secretEnv" (dict "root" . "of" "database" "name" "DATABASE_URL" "key" .Values.database.migrationUrlKey "bundledKey" "database-migration-url") -}}
{{- end -}}

{{- define "weir.redisEnv" -}}
{{ include "weir.secretEnv" (dict "root" .root "of" "redis" "name" "REDIS_URL" "key" .root.Values.redis.urlKey "bundledKey" "redis-url") }}
- name: REDIS_KEY_PREFIX
  value: {{ .root.Values.redis.keyPrefix | quote }}
{{- end -}}

{{- define "weir.natsEnv" -}}
{{ include "weir.secretEnv" (dict "root" .root "of" "nats" "name" "NATS_URL" "key" .root.Values.nats.urlKey "bundledKey" "nats-url") }}
- name: NATS_STREAM_PREFIX
  value: {{ .root.Values.nats.streamPrefix | quote }}
- name: NATS_REPLICAS
  value: {{ .root.Values.nats.replicas | quote }}
- name: NATS_STREAM_BYTES_MAX
  value: {{ .root.Values.nats.streamBytesMax | int64 | quote }}
{{- end -}}

{{- define "weir.cursorsEnv" -}}
{{- include "weir.secretEnv" (dict "root" .root "of" "cursors" "name" "CURSOR_KEYS" "key" .root.Values.cursors.key "bundledKey" "cursor-keys") -}}
{{- end -}}
