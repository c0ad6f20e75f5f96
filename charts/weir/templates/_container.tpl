{{/* Megabytes of old space that three quarters of a memory limit allow; 0 when there is none. */}}
{{- define "weir.oldSpaceMb" -}}
{{- $limit := toString (default "" .) -}}
{{- $number := regexFind "^[0-9]+" $limit | default "0" | int64 -}}
{{- $unit := regexReplaceAll "^[0-9.]+" $limit "" -}}
{{- if eq $unit "Gi" }}{{ div (mul $number 768) 1 }}
{{- else if eq $unit "Mi" }}{{ div (mul $number 3) 4 }}
{{- else if eq $unit "G" }}{{ div (mul $number 715) 1 }}
{{- else if eq $unit "M" }}{{ div (mul $number 7) 10 }}
{{- else }}0{{ end -}}
{{- end -}}

{{/* Flags of Node for a role. Arguments: root, role, values. */}}
{{- define "weir.nodeOptions" -}}
{{- $flags := list -}}
{{- $limits := default (dict) (.values.resources).limits -}}
{{- $mb := include "weir.oldSpaceMb" $limits.memory -}}
{{- if ne $mb "0" }}{{ $flags = append $flags (printf "--max-old-space-size=%s" $mb) }}{{ end -}}
{{- /* of those that pass on much and keep little: more small collections, and less memory */ -}}
{{- with get (dict "gateway" "16" "observations" "8" "processor" "8" "ingestion" "4") .role }}{{ $flags = append $flags (printf "--max-semi-space-size=%s" .) }}{{ end -}}
{{- join " " $flags -}}
{{- end -}}

{{/* The settings of a role that are no secrets, as a map. Arguments: root, role, spec, values. */}}
{{- define "weir.plainSettings" -}}
{{- $root := .root -}}
{{- $env := dict
  "LOG_LEVEL" $root.Values.pods.logLevel
  "DRAIN_MS" (toString (int $root.Values.pods.drainMs))
  "LISTEN_ADDRESS" (printf "0.0.0.0:%s" (include "weir.port" .spec.serves)) -}}
{{- if $root.Values.rpc.tls.existingSecret }}
{{- range $file, $name := dict "CERT" "tls.crt" "KEY" "tls.key" "CA" "ca.crt" }}{{ $_ := set $env (printf "TLS_%s_FILE" $file) (printf "/etc/weir/peers/%s" $name) }}{{ end -}}
{{- if ne .spec.serves "http" }}{{ $_ := set $env "HEALTH_ADDRESS" (printf "0.0.0.0:%d" (int $root.Values.rpc.tls.healthPort)) }}{{ end -}}
{{- else if and $root.Values.rpc.plain (ne .spec.serves "http") }}{{ $_ := set $env "RPC_PLAIN" "true" }}
{{- end -}}
{{- if $root.Values.metrics.enabled }}{{ $_ := set $env "METRICS_ADDRESS" (printf "0.0.0.0:%d" (int $root.Values.metrics.port)) }}{{ end -}}
{{- range .spec.calls }}
{{- $_ := set $env (printf "%s_ADDRESS" (upper .)) (printf "%s:%s" (include "weir.host" (dict "root" $root "component" .)) (include "weir.port" "grpc")) -}}
{{- end -}}
{{- if eq .role "gateway" }}{{ $_ := set $env "GATEWAY_REPLICAS" (include "weir.replicasMax" . | int | max 1 | toString) }}{{ end -}}
{{- range $name, $value := .values.settings }}
{{- $_ := set $env $name (ternary (printf "%.0f" (float64 (kindIs "string" $value | ternary 0 $value))) (toString $value) (kindIs "float64" $value)) -}}
{{- end -}}
{{- toYaml $env -}}
{{- end -}}

{{/* What Node and OpenTelemetry read in the container of a role, as a map. Arguments: root, role, values. */}}
{{- define "weir.runtimeSettings" -}}
{{- $env := dict -}}
{{- with include "weir.nodeOptions" . }}{{ $_ := set $env "NODE_OPTIONS" . }}{{ end -}}
{{- with .root.Values.telemetry }}{{ if .otlpEndpoint }}
{{- $env = merge $env (dict
  "OTEL_SERVICE_NAME" (printf "weir-%s" $.role)
  "OTEL_EXPORTER_OTLP_ENDPOINT" .otlpEndpoint
  "OTEL_EXPORTER_OTLP_PROTOCOL" .otlpProtocol
  "OTEL_TRACES_SAMPLER" "parentbased_traceidratio"
  "OTEL_TRACES_SAMPLER_ARG" (toString .sampleRatio)
  "OTEL_RESOURCE_ATTRIBUTES" (printf "service.namespace=%s,service.version=%s" $.root.Release.Namespace $.root.Chart.AppVersion)) -}}
{{- end }}{{ end -}}
{{- toYaml $env -}}
{{- end -}}

{{/* What the chart sets for the process of a role. Arguments: root, role, spec, values. */}}
{{- define "weir.ownEnv" -}}
{{- $of := dict "root" .root "role" .role -}}
{{- range .spec.uses }}
{{ include (printf "weir.%sEnv" .) $of }}
{{- end }}
{{- range $name, $value := include "weir.plainSettings" . | fromYaml }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Probes: liveness asks the process alone, readiness also what it needs. Arguments: root, spec. */}}
{{- define "weir.probes" -}}
{{- $port := include "weir.port" .spec.serves | int -}}
{{- with .root.Values.rpc.tls }}{{ if .existingSecret }}{{ $port = int .healthPort }}{{ end }}{{ end -}}
{{- $live := dict "grpc" (dict "port" $port "service" "live") -}}
{{- $ready := dict "grpc" (dict "port" $port) -}}
{{- if eq .spec.serves "http" }}
{{- $live = dict "httpGet" (dict "path" "/livez" "port" "http") -}}
{{- $ready = dict "httpGet" (dict "path" "/readyz" "port" "http") -}}
{{- end -}}
startupProbe:
  {{- toYaml $live | nindent 2 }}
  periodSeconds: 2
  failureThreshold: 60
  timeoutSeconds: 2
livenessProbe:
  {{- toYaml $live | nindent 2 }}
  periodSeconds: 10
  failureThreshold: 6
  timeoutSeconds: 5
readinessProbe:
  {{- toYaml $ready | nindent 2 }}
  periodSeconds: 2
  failureThreshold: 2
  timeoutSeconds: 2
{{- end -}}
