{{/*
What every role is: the protocol that it serves, whom it calls (by gRPC), the stores it uses. Deployments, Services,
NetworkPolicies and the rest are made of this table; a test compares it with the settings that the processes declare.
*/}}
{{- define "weir.roles" -}}
gateway: { serves: http, calls: [access, variables, dashboards, parsers, ingestion, observations], uses: [redis, cursors] }
access: { serves: grpc, calls: [], uses: [database] }
variables: { serves: grpc, calls: [], uses: [database] }
dashboards: { serves: grpc, calls: [], uses: [database] }
parsers: { serves: grpc, calls: [], uses: [database] }
ingestion: { serves: grpc, calls: [], uses: [database, nats] }
observations: { serves: grpc, calls: [], uses: [database] }
processor: { serves: grpc, calls: [variables, ingestion], uses: [database, nats] }
{{- end -}}

{{/* Port that a role serves on. */}}
{{- define "weir.port" -}}
{{- if eq . "http" }}8080{{ else }}50051{{ end -}}
{{- end -}}

{{/* Most pods that a role can have. Arguments: root, role. */}}
{{- define "weir.replicasMax" -}}
{{- $values := index .root.Values .role -}}
{{- if $values.autoscaling.enabled }}{{ $values.autoscaling.maxReplicas }}{{ else }}{{ $values.replicas }}{{ end -}}
{{- end -}}

{{/* Fewest pods that a role has. Arguments: root, role. */}}
{{- define "weir.replicasMin" -}}
{{- $values := index .root.Values .role -}}
{{- if $values.autoscaling.enabled }}{{ $values.autoscaling.minReplicas }}{{ else }}{{ $values.replicas }}{{ end -}}
{{- end -}}
