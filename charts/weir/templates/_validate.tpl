{{/* Refuses values that contradict each other, and says what to do. */}}
{{- define "weir.validate" -}}
{{- $values := .Values -}}
{{- if $values.bundled.enabled -}}
  {{- range list "database" "redis" "nats" "cursors" -}}
    {{- if (index $values .).existingSecret -}}
      {{- fail (printf "bundled.enabled runs its own servers, but %s.existingSecret names a Secret of others: set bundled.enabled=false, or take %s.existingSecret away" . .) -}}
    {{- end -}}
  {{- end -}}
  {{- if not $values.bundled.password -}}
    {{- fail "bundled.enabled needs a password that stays the same: --set bundled.password=\"$(openssl rand -hex 16)\", kept for upgrades" -}}
  {{- end -}}
{{- end -}}
{{- if and $values.bundled.enabled (gt (int $values.nats.replicas) 1) -}}
  {{- fail (printf "bundled.enabled runs one NATS, which keeps no %d copies of a stream: set nats.replicas=1" (int $values.nats.replicas)) -}}
{{- end -}}
{{- if and $values.migrations.hook (not $values.migrations.enabled) -}}
  {{- fail "migrations.hook makes a hook of a Job that migrations.enabled=false leaves out: set migrations.enabled=true, or take migrations.hook away" -}}
{{- end -}}
{{- if and $values.migrations.hook (or $values.bundled.enabled (not $values.database.existingSecret)) -}}
  {{- fail "migrations.hook runs before anything else of this release is there: it needs database.existingSecret and bundled.enabled=false" -}}
{{- end -}}
{{- if lt (mul 1000 (int $values.pods.terminationGracePeriodSeconds)) (add 25000 (int $values.pods.drainMs)) -}}
  {{- fail (printf "pods.drainMs=%d and 25 s to stop are more than pods.terminationGracePeriodSeconds=%d: raise that" (int $values.pods.drainMs) (int $values.pods.terminationGracePeriodSeconds)) -}}
{{- end -}}
{{- if and $values.keda.enabled (not $values.processor.autoscaling.enabled) -}}
  {{- fail "keda.enabled scales processors only when autoscaling is asked for: set processor.autoscaling.enabled=true" -}}
{{- end -}}
{{- if and $values.keda.enabled (not $values.bundled.enabled) (not $values.keda.natsMonitoringEndpoint) -}}
  {{- fail "keda.enabled reads what waits from NATS: set keda.natsMonitoringEndpoint, such as nats-headless.nats.svc:8222" -}}
{{- end -}}
{{- if and $values.service.externalTrafficPolicy (eq $values.service.type "ClusterIP") -}}
  {{- fail (printf "service.externalTrafficPolicy=%s says how nodes pass on what comes to them, and nothing does: set service.type=LoadBalancer or NodePort" $values.service.externalTrafficPolicy) -}}
{{- end -}}
{{- if and $values.service.loadBalancerSourceRanges (ne $values.service.type "LoadBalancer") -}}
  {{- fail "service.loadBalancerSourceRanges says whom a load balancer lets in: set service.type=LoadBalancer, or let networkPolicy.gatewayFrom say it" -}}
{{- end -}}
{{- if and $values.serviceMonitor.enabled (not $values.metrics.enabled) -}}
  {{- fail "serviceMonitor.enabled has nothing to read: set metrics.enabled=true" -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
  {{- fail "httpRoute.enabled needs the Gateway that serves it: set httpRoute.parentRefs[0].name" -}}
{{- end -}}
{{- if and ($values.prometheusRule).enabled (not (.Files.Glob "monitoring/rules/*.yaml")) -}}
  {{- fail "prometheusRule.enabled: this build of the chart carries no rules; set prometheusRule.enabled=false" -}}
{{- end -}}
{{- /* docs/runbook.md was the default once, which --reuse-values brings along: no link is made of it */ -}}
{{- if not (regexMatch "^(https?://[^\\s]+|docs/runbook[.]md)?$" (default "" ($values.prometheusRule).runbookUrl)) -}}
  {{- fail (printf "prometheusRule.runbookUrl=%s is not where a browser finds the runbook: set a URL with https://, or none" $values.prometheusRule.runbookUrl) -}}
{{- end -}}
{{- if and ($values.grafanaDashboards).enabled (not (.Files.Glob "monitoring/dashboards/*.json")) -}}
  {{- fail "grafanaDashboards.enabled: this build of the chart carries no dashboards; set grafanaDashboards.enabled=false" -}}
{{- end -}}
{{- if not (or $values.rpc.plain $values.rpc.tls.existingSecret) -}}
  {{- fail "rpc.plain=false lets pods answer those alone who show a certificate: set rpc.tls.existingSecret to the Secret that has theirs" -}}
{{- end -}}
{{- range $role, $spec := include "weir.roles" . | fromYaml -}}
  {{- $scaling := (index $values $role).autoscaling -}}
  {{- if and $scaling.enabled (gt (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
    {{- fail (printf "%s.autoscaling.minReplicas (%d) is more than maxReplicas (%d): lower the one or raise the other" $role (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
  {{- end -}}
  {{- if and $scaling.enabled (not (and $values.keda.enabled (eq $role "processor"))) (not (((index $values $role).resources).requests).cpu) -}}
    {{- fail (printf "%s.autoscaling.enabled scales by the share that is used of the CPU asked for: set %s.resources.requests.cpu" $role $role) -}}
  {{- end -}}
{{- end -}}
{{- include "weir.validatePorts" . -}}
{{- include "weir.validateShared" . -}}
{{- include "weir.validateConnections" . -}}
{{- end -}}

{{/* Ports that one pod listens on. */}}
{{- define "weir.validatePorts" -}}
{{- $metrics := int .Values.metrics.port -}}
{{- $health := int .Values.rpc.tls.healthPort -}}
{{- if and .Values.metrics.enabled (has $metrics (list 8080 50051)) -}}
  {{- fail (printf "metrics.port=%d is where pods serve: take another" $metrics) -}}
{{- end -}}
{{- if .Values.rpc.tls.existingSecret -}}
  {{- if or (eq $health 50051) (and .Values.metrics.enabled (eq $health $metrics)) -}}
    {{- fail (printf "rpc.tls.healthPort=%d is taken in the same pods: take another" $health) -}}
  {{- end -}}
{{- end -}}
{{- if and .Values.bundled.enabled (eq (int .Values.nats.port) 8222) -}}
  {{- fail "nats.port=8222 is where the bundled NATS tells of itself: take another" -}}
{{- end -}}
{{- end -}}

{{/* Settings that two roles must be given alike, and one of which the gateway may not have more. */}}
{{- define "weir.validateShared" -}}
{{- $values := .Values -}}
{{- $pairs := list
  (list "WIDGETS_PER_DASHBOARD_MAX" "gateway" "dashboards")
  (list "QUERY_OBSERVATIONS_MAX" "gateway" "observations")
  (list "PARSER_CONFIGURATION_BYTES_MAX" "gateway" "parsers")
  (list "PREVIEW_BYTES_MAX" "gateway" "parsers")
  (list "CHANGE_RETENTION_DAYS" "observations" "processor") -}}
{{- range $pairs -}}
  {{- $name := index . 0 -}}
  {{- $one := get (default dict (index $values (index . 1)).settings) $name | int64 -}}
  {{- $other := get (default dict (index $values (index . 2)).settings) $name | int64 -}}
  {{- if ne $one $other -}}
    {{- fail (printf "%s.settings.%s and %s.settings.%s must be the same, or both be left out" (index . 1) $name (index . 2) $name) -}}
  {{- end -}}
{{- end -}}
{{- $gateway := get (default dict $values.gateway.settings) "EXPORT_TIMEOUT_MS" | default 3600000 | int64 -}}
{{- $observations := get (default dict $values.observations.settings) "EXPORT_TIMEOUT_MS" | default 3600000 | int64 -}}
{{- if gt $gateway $observations -}}
  {{- fail (printf "gateway.settings.EXPORT_TIMEOUT_MS (%d) is more than observations.settings.EXPORT_TIMEOUT_MS (%d), after which exports end: lower the one or raise the other" $gateway $observations) -}}
{{- end -}}
{{- end -}}

{{/* All that connect to PostgreSQL together must not open more connections than it has. */}}
{{- define "weir.validateConnections" -}}
{{- $root := . -}}
{{- $max := int .Values.database.connectionsMax -}}
{{- $sum := 0 -}}
{{- range $role, $spec := include "weir.roles" . | fromYaml -}}
  {{- if has "database" $spec.uses -}}
    {{- $settings := default dict (index $root.Values $role).settings -}}
    {{- $perPod := default 10 (get $settings "DATABASE_POOL_MAX") | int -}}
    {{- if eq $role "observations" -}}
      {{- $perPod = add $perPod (default 4 (get $settings "EXPORTS_MAX") | int) -}}
    {{- end -}}
    {{- /* one pod more while a role is updated */ -}}
    {{- $pods := add 1 (include "weir.replicasMax" (dict "root" $root "role" $role) | int) -}}
    {{- $sum = add $sum (mul $pods $perPod) -}}
  {{- end -}}
{{- end -}}
{{- if .Values.migrations.enabled }}{{ $sum = add $sum 1 }}{{ end -}}
{{- /* KEDA's own loop and the autoscaler that it makes may ask at the same time */ -}}
{{- if and .Values.keda.enabled .Values.keda.oldestRun }}{{ $sum = add $sum 2 }}{{ end -}}
{{- if and (gt $max 0) (gt (int $sum) $max) -}}
  {{- fail (printf "pods, migrations and KEDA may open %d connections to PostgreSQL (replicas and one for updates, times DATABASE_POOL_MAX; 1 for migrations, 2 for KEDA), more than database.connectionsMax=%d: lower replicas or <role>.settings.DATABASE_POOL_MAX, or raise PostgreSQL's max_connections and database.connectionsMax" (int $sum) $max) -}}
{{- end -}}
{{- end -}}
