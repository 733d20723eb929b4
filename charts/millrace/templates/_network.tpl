{{- define "millrace.network-policy-head" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "millrace.fullname" (index . 0) }}-{{ index . 1 }}
  namespace: {{ (index . 0).Release.Namespace }}
  labels:
    {{- include "millrace.labels" . | nindent 4 }}
{{- end -}}

{{- define "millrace.peer" -}}
- podSelector:
    matchLabels:
      {{- include "millrace.selector" . | nindent 6 }}
{{- end -}}

{{- define "millrace.egress-dns" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end -}}

{{- define "millrace.egress-database" -}}
{{- if .Values.postgres.enabled -}}
- to:
    {{- include "millrace.peer" (list . "postgres") | nindent 4 }}
  ports:
    - { protocol: TCP, port: 5432 }
{{- else -}}
- ports:
    - { protocol: TCP, port: {{ .Values.networkPolicy.database.port }} }
  {{- with .Values.networkPolicy.database.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "millrace.egress-api-server" -}}
- ports:
    {{- range .Values.networkPolicy.apiServer.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.networkPolicy.apiServer.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "millrace.egress-sources" -}}
- ports:
    {{- range .Values.networkPolicy.sources.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.networkPolicy.sources.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "millrace.egress-image-registries" -}}
- ports:
    {{- range .Values.networkPolicy.imageRegistries.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.networkPolicy.imageRegistries.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "millrace.egress-vaults" -}}
- ports:
    {{- range .Values.networkPolicy.vaults.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.networkPolicy.vaults.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "millrace.egress-identity-providers" -}}
- ports:
    {{- range .Values.networkPolicy.identityProviders.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.networkPolicy.identityProviders.cidrs }}
  to:
    {{- range . }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  {{- end }}
{{- end -}}

{{- define "millrace.ingress-metrics" -}}
- ports:
    - { protocol: TCP, port: 9090 }
  from:
    {{- if .Values.networkPolicy.metricsFrom }}
    {{- toYaml .Values.networkPolicy.metricsFrom | nindent 4 }}
    {{- else }}
    - namespaceSelector: {}
    {{- end }}
{{- end -}}
