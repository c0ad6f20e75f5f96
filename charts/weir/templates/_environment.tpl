{{/* The values of which the chart makes environment itself, beside <role>.settings. */}}
{{- define "weir.valuesOfEnv" -}}
CURSOR_KEYS: cursors.existingSecret
DATABASE_URL: database.existingSecret
DRAIN_MS: pods.drainMs
GATEWAY_REPLICAS: gateway.replicas
HEALTH_ADDRESS: rpc.tls.healthPort
LOG_LEVEL: pods.logLevel or <role>.settings.LOG_LEVEL
METRICS_ADDRESS: metrics.port
NATS_REPLICAS: nats.replicas
NATS_STREAM_BYTES_MAX: nats.streamBytesMax
NATS_STREAM_PREFIX: nats.streamPrefix
NATS_URL: nats.existingSecret
REDIS_KEY_PREFIX: redis.keyPrefix
REDIS_URL: redis.existingSecret
RPC_PLAIN: rpc.plain
TLS_CA_FILE: rpc.tls.existingSecret
TLS_CERT_FILE: rpc.tls.existingSecret
TLS_KEY_FILE: rpc.tls.existingSecret
WEIR_API_KEY: tests.existingSecret
WEIR_INGEST_KEY: tests.existingSecret
WEIR_PROJECT_ID: tests.existingSecret
{{- end -}}

{{/*
Environment of a container: what the chart sets for Weir's process, what Node and OpenTelemetry read, and extraEnv. No name stands
there twice, which server-side apply refuses: extraEnv wins over what Node and OpenTelemetry read, that of a role over that of all
pods, and what the chart sets for Weir is refused in it.
Arguments: root, role, values (with settings and extraEnv, of a role), own (text), runtime (a map, of a role).
*/}}
{{- define "weir.environment" -}}
{{- $runtime := default dict .runtime -}}
{{- $ofAll := default list .root.Values.pods.extraEnv -}}
{{- $extra := concat $ofAll (default list .values.extraEnv) -}}
{{- $last := dict -}}
{{- range $index, $entry := $extra }}{{ $_ := set $last .name $index }}{{ end -}}
{{- range fromYamlArray .own -}}
  {{- if hasKey $last .name -}}
    {{- $from := ternary "pods.extraEnv" (printf "%s.extraEnv" $.role) (lt (get $last .name) (len $ofAll)) -}}
    {{- $instead := get (include "weir.valuesOfEnv" . | fromYaml) .name -}}
    {{- if hasKey (default dict $.values.settings) .name }}{{ $instead = printf "%s.settings.%s" $.role .name }}{{ end -}}
    {{- fail (printf "%s has %s, which the chart sets itself in the container %s: take it away%s" $from .name $.role (empty $instead | ternary "" (printf ", and set %s instead" $instead))) -}}
  {{- end -}}
{{- end -}}
{{ .own | trim }}
{{- range $name, $value := $runtime }}
{{- if not (hasKey $last $name) }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- range $index, $entry := $extra }}
{{- if eq $index (get $last .name) }}
{{- if and (eq .name "NODE_OPTIONS") .valueFrom }}
{{- fail "extraEnv has NODE_OPTIONS by valueFrom, to which the chart's flags cannot be added: give it by value" }}
{{- end }}
{{- if and (eq .name "NODE_OPTIONS") .value }}
{{- /* added to the chart's flags: of a flag that is given twice, Node takes the last */}}
{{- $entry = set (deepCopy .) "value" (printf "%s %s" (get $runtime .name) .value | trim) }}
{{- end }}
{{ toYaml (list $entry) }}
{{- end }}
{{- end }}
{{- end -}}
