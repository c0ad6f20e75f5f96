{{/* The first part of the names of all objects; a release may have a dot in its name, and a Service may not. */}}
{{- define "weir.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | replace "." "-" | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select the pods of one component; never changed. Arguments: root, component. */}}
{{- define "weir.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of an object of one component. Arguments: root, component, labels (of its own, which win over common ones). */}}
{{- define "weir.labels" -}}
{{ include "weir.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: weir
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with merge (dict) (default (dict) .labels) (default (dict) .root.Values.commonLabels) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Metadata of an object. Arguments: root, component, name, annotations, labels. */}}
{{- define "weir.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace | quote }}
labels:
  {{- include "weir.labels" . | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) (default (dict) .root.Values.commonAnnotations) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The image that everything but the bundled servers runs. */}}
{{- define "weir.image" -}}
{{- $image := .Values.image -}}
{{- $registry := default $image.registry (.Values.global).imageRegistry -}}
{{- $name := $image.repository -}}
{{- if $registry }}{{ $name = printf "%s/%s" $registry $name }}{{ end -}}
{{- if $image.digest }}{{ printf "%s@%s" $name $image.digest }}{{ else }}{{ printf "%s:%s" $name (default .Chart.AppVersion $image.tag) }}{{ end -}}
{{- end -}}

{{- define "weir.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "weir.fullname" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end -}}
{{- end -}}

{{/* A name that another release can find: host of a component's Service. Arguments: root, component. */}}
{{- define "weir.host" -}}
{{- printf "%s-%s.%s.svc" (include "weir.fullname" .root) .component .root.Release.Namespace -}}
{{- end -}}
