{{/* A server with one pod and a volume, and its headless Service. Arguments: root, component, ports, container (text), volumes (text). */}}
{{- define "weir.bundledServer" -}}
{{- $root := .root -}}
{{- $bundled := $root.Values.bundled -}}
{{- $of := merge (dict "name" (printf "%s-%s" (include "weir.fullname" $root) .component)) . -}}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "weir.metadata" $of | nindent 2 }}
spec:
  clusterIP: None
  selector:
    {{- include "weir.selectorLabels" $of | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - name: {{ $name }}
      port: {{ $port }}
      targetPort: {{ $name }}
    {{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "weir.metadata" $of | nindent 2 }}
spec:
  serviceName: {{ $of.name }}
  replicas: 1
  selector:
    matchLabels:
      {{- include "weir.selectorLabels" $of | nindent 6 }}
  template:
    metadata:
      {{- $checksum := dict "checksum/secret" (include "weir.bundledSecretData" $root | sha256sum) }}
      {{- include "weir.podMetadata" (merge (dict "podAnnotations" $checksum) $of) | nindent 6 }}
    spec:
      serviceAccountName: {{ include "weir.serviceAccountName" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        {{- $context := include "weir.podSecurityContext" $root | fromYaml }}
        {{- with int $bundled.runAsUser }}
        {{- $context = merge (dict "runAsUser" . "runAsGroup" . "fsGroup" . "fsGroupChangePolicy" "OnRootMismatch") $context }}
        {{- end }}
        {{- toYaml $context | nindent 8 }}
      {{- with include "weir.imagePullSecrets" $root | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- include "weir.placement" (dict "root" $root "values" dict) | nindent 6 }}
      containers:
        - name: {{ .component }}
          {{- $image := index $bundled.images .component }}
          image: {{ with ($root.Values.global).imageRegistry }}{{ printf "%s/%s" . (regexReplaceAll "^[^/]+[.][^/]+/" $image "") }}{{ else }}{{ $image }}{{ end }}
          securityContext:
            {{- include "weir.containerSecurityContext" $root | nindent 12 }}
          {{- .container | nindent 10 }}
          ports:
            {{- range $name, $port := .ports }}
            - name: {{ $name }}
              containerPort: {{ $port }}
            {{- end }}
          {{- with $bundled.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
      volumes:
        {{- .volumes | nindent 8 }}
        {{- if not $bundled.storage.enabled }}
        - name: data
          emptyDir: {}
  {{- else }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $bundled.storage.className }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ $bundled.storage.size }}
  {{- end }}
{{ end -}}

{{/* Volume with one file of the bundled Secret. Arguments: root, key, path. */}}
{{- define "weir.bundledFile" -}}
- name: configuration
  secret:
    secretName: {{ printf "%s-bundled" (include "weir.fullname" .root) }}
    items:
      - key: {{ .key }}
        path: {{ .path }}
{{- end -}}
