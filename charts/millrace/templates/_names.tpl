{{- define "millrace.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* At most 40 characters, so that every suffix fits into a label. */ -}}
{{- define "millrace.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "millrace.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Takes (list root component). The operator names the internal gateway's Pods by these labels in its NetworkPolicies. */ -}}
{{- define "millrace.selector" -}}
app.kubernetes.io/name: {{ include "millrace.name" (index . 0) }}
app.kubernetes.io/instance: {{ include "millrace.fullname" (index . 0) }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "millrace.labels" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{ include "millrace.selector" . }}
app.kubernetes.io/part-of: millrace
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Without the chart's version, so that a new chart alone restarts nothing. */ -}}
{{- define "millrace.pod-labels" -}}
{{ include "millrace.selector" . }}
app.kubernetes.io/part-of: millrace
{{- with (index . 0).Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Takes (list root image-values). */ -}}
{{- define "millrace.image-of" -}}
{{- $root := index . 0 -}}
{{- $image := index . 1 -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default $root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- /* Empty: nobody said it, and people sign in at whatever address they open. */ -}}
{{- define "millrace.set-url" -}}
{{- if .Values.externalURL -}}
{{- .Values.externalURL | trimSuffix "/" -}}
{{- else if and .Values.ingress.enabled .Values.ingress.hosts -}}
{{- printf "%s://%s" (ternary "https" "http" (ne .Values.ingress.tlsSecretName "")) (first .Values.ingress.hosts) -}}
{{- end -}}
{{- end -}}

{{- /* For links: the Service's name inside the cluster where no other address is set. */ -}}
{{- define "millrace.external-url" -}}
{{- with include "millrace.set-url" . -}}
{{- . -}}
{{- else -}}
{{- printf "http://%s-public.%s.svc" (include "millrace.fullname" .) .Release.Namespace -}}
{{- if ne (int .Values.gateway.public.service.port) 80 }}:{{ int .Values.gateway.public.service.port }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "millrace.check-values" -}}
{{- if and .Values.postgres.enabled .Values.database.existingSecret -}}
{{- fail "both databases are set: postgres.enabled=true and database.existingSecret; choose one" -}}
{{- end -}}
{{- if not (or .Values.postgres.enabled .Values.database.existingSecret) -}}
{{- fail "no database: leave postgres.enabled=true, or name a Secret with a connection URL in database.existingSecret" -}}
{{- end -}}
{{- if and .Values.webhook.certManager.issuerRef (not .Values.webhook.certManager.issuerRef.name) -}}
{{- fail "webhook.certManager.issuerRef needs a name" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.enabled=true needs at least one name in ingress.hosts" -}}
{{- end -}}
{{- end -}}
