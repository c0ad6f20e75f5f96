{{/* Peers that are the pods of one component of this release. Arguments: root, component. */}}
{{- define "weir.peer" -}}
- podSelector:
    matchLabels:
      {{- include "weir.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* Egress to one store: the bundled one, the peers that values name, or anywhere on its port. Arguments: root, store. */}}
{{- define "weir.storeEgress" -}}
{{- $values := .root.Values -}}
- ports:
    - port: {{ (index $values .store).port }}
      protocol: TCP
  {{- if $values.bundled.enabled }}
  to:
    {{- include "weir.peer" (dict "root" .root "component" (ternary "postgresql" .store (eq .store "database"))) | nindent 4 }}
  {{- else }}
  {{- with index $values.networkPolicy (printf "%sTo" .store) }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end -}}

{{/* Egress of every pod: names, and traces. Pods of OpenShift's DNS listen on 5353, and some networks judge by that. */}}
{{- define "weir.commonEgress" -}}
- ports:
    {{- range $port := list 53 5353 }}
    {{- range $protocol := list "UDP" "TCP" }}
    - port: {{ $port }}
      protocol: {{ $protocol }}
    {{- end }}
    {{- end }}
  {{- with .Values.networkPolicy.dnsTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with .Values.telemetry.otlpEndpoint }}
- ports:
    - port: {{ regexFind ":[0-9]+$" (regexReplaceAll "^https?://([^/]*).*$" . "${1}") | trimPrefix ":" }}
      protocol: TCP
  {{- with $.Values.networkPolicy.otlpTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Ingress of a role: those that call it, and who reads metrics. Arguments: root, role, spec, roles. */}}
{{- define "weir.roleIngress" -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $peers := list -}}
{{- range $caller, $spec := .roles -}}
{{- if has $role $spec.calls }}{{ $peers = append $peers $caller }}{{ end -}}
{{- end -}}
{{- if eq $role "gateway" }}
- ports:
    - port: 8080
      protocol: TCP
  {{- with $root.Values.networkPolicy.gatewayFrom }}
  from:
    {{- toYaml . | nindent 4 }}
    {{- include "weir.peer" (dict "root" $root "component" "test") | nindent 4 }}
  {{- end }}
{{- else if $peers }}
- ports:
    - port: 50051
      protocol: TCP
  from:
    {{- range $peers }}
    {{- include "weir.peer" (dict "root" $root "component" .) | nindent 4 }}
    {{- end }}
{{- end }}
{{- if $root.Values.metrics.enabled }}
- ports:
    - port: {{ $root.Values.metrics.port }}
      protocol: TCP
  {{- with $root.Values.networkPolicy.metricsFrom }}
  from:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}
