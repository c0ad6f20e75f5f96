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

{{- define "weir.databaseEnv" -}}
{{- include "weir.secretEnv" (dict "root" . "of" "database" "name" "DATABASE_URL" "key" .Values.database.urlKey "bundledKey" "database-url") -}}
{{- end -}}

{{- define "weir.migrationDatabaseEnv" -}}
{{- include "weir.secretEnv" (dict "root" . "of" "database" "name" "DATABASE_URL" "key" .Values.database.migrationUrlKey "bundledKey" "database-migration-url") -}}
{{- end -}}

{{- define "weir.redisEnv" -}}
{{ include "weir.secretEnv" (dict "root" . "of" "redis" "name" "REDIS_URL" "key" .Values.redis.urlKey "bundledKey" "redis-url") }}
- name: REDIS_KEY_PREFIX
  value: {{ .Values.redis.keyPrefix | quote }}
{{- end -}}

{{- define "weir.natsEnv" -}}
{{ include "weir.secretEnv" (dict "root" . "of" "nats" "name" "NATS_URL" "key" .Values.nats.urlKey "bundledKey" "nats-url") }}
- name: NATS_STREAM_PREFIX
  value: {{ .Values.nats.streamPrefix | quote }}
- name: NATS_REPLICAS
  value: {{ .Values.nats.replicas | quote }}
- name: NATS_STREAM_BYTES_MAX
  value: {{ .Values.nats.streamBytesMax | int64 | quote }}
{{- end -}}

{{- define "weir.cursorsEnv" -}}
{{- include "weir.secretEnv" (dict "root" . "of" "cursors" "name" "CURSOR_KEYS" "key" .Values.cursors.key "bundledKey" "cursor-keys") -}}
{{- end -}}
