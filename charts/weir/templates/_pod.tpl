{{/* Labels and annotations of every pod. Arguments: root, component, podAnnotations (of its own, which win). */}}
{{- define "weir.podMetadata" -}}
labels:
  {{- include "weir.labels" (dict "root" .root "component" .component "labels" .root.Values.pods.labels) | nindent 2 }}
{{- with merge (dict) (default (dict) .podAnnotations) (default (dict) .root.Values.pods.annotations) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Security context of every pod, as the restricted profile wants it; user ids come from the image. */}}
{{- define "weir.podSecurityContext" -}}
{{- toYaml (mergeOverwrite (dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault")) (deepCopy (default dict .Values.pods.securityContext))) -}}
{{- end -}}

{{/* Security context of every container. */}}
{{- define "weir.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Begins with a line's end where there are some. */}}
{{- define "weir.imagePullSecrets" -}}
{{- with concat (default list .Values.imagePullSecrets) (default list (.Values.global).imagePullSecrets) }}
imagePullSecrets:
  {{- range . }}
  - name: {{ if kindIs "string" . }}{{ . }}{{ else }}{{ .name }}{{ end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* What all pods of the product's image have in common; the certificate of peers is for roles alone. Arguments: root, spec (of a role). */}}
{{- define "weir.podBase" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "weir.podSecurityContext" .root | nindent 2 }}
{{- include "weir.imagePullSecrets" .root }}
volumes:
  - name: tmp
    emptyDir: {}
  {{- with and .spec .root.Values.rpc.tls.existingSecret }}
  - name: peers
    secret: { secretName: {{ . }} }
  {{- end }}
  {{- with .root.Values.pods.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* What all containers of the product's image have in common. Arguments: root, spec (of a role). */}}
{{- define "weir.containerBase" -}}
image: {{ include "weir.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "weir.containerSecurityContext" .root | nindent 2 }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- if and .spec .root.Values.rpc.tls.existingSecret }}
  - name: peers
    mountPath: /etc/weir/peers
    readOnly: true
  {{- end }}
  {{- with .root.Values.pods.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Where every pod may run, and before which others. Arguments: root, values (of a role). */}}
{{- define "weir.placement" -}}
{{- with .root.Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with default .root.Values.pods.nodeSelector .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat (default list .root.Values.pods.tolerations) (default list .values.tolerations) }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with default .root.Values.pods.affinity .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Spread of the pods of a role over zones and hosts. Arguments: root, component. */}}
{{- define "weir.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "weir.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end -}}
