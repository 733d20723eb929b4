{{- /*
The common part of the Deployments of operator and gateways. Takes a dict: root, component, values (of the component), args, ports (name → number),
env (list of name/value), volumes and mounts (lists), api (mounts the service-account token).
*/ -}}
{{- define "millrace.deployment" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "millrace.fullname" $root) .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "millrace.labels" (list $root .component) | nindent 4 }}
spec:
  replicas: {{ .values.replicas }}
  revisionHistoryLimit: 3
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: {{ ternary 0 1 (le (int .values.replicas) 1) }}
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "millrace.selector" (list $root .component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "millrace.pod-labels" (list $root .component) | nindent 8 }}
        millrace.dev/metrics: 'true'
      {{- with $root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: {{ .api }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: 30
      {{- with $root.Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile:
          type: RuntimeDefault
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ $key }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "millrace.selector" (list $root $.component) | nindent 14 }}
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "millrace.image-of" (list $root $root.Values.image) | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args:
            {{- toYaml .args | nindent 12 }}
          env:
            - name: MILLRACE_NAMESPACE
              valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
            - name: MILLRACE_POD_NAME
              valueFrom: { fieldRef: { fieldPath: metadata.name } }
            - name: MILLRACE_RELEASE
              value: {{ include "millrace.fullname" $root }}
            - name: MILLRACE_LOG_LEVEL
              value: {{ $root.Values.logLevel }}
            - name: MILLRACE_METRICS_LISTEN
              value: 0.0.0.0:9090
            # glibc returns freed memory at once: a third less memory when idle (docs/benchmarks.md).
            - name: MALLOC_TRIM_THRESHOLD_
              value: "65536"
            # One arena instead of one per thread: 6 MB less.
            - name: MALLOC_ARENA_MAX
              value: "1"
            {{- toYaml .env | nindent 12 }}
          ports:
            {{- range $port, $number := .ports }}
            - name: {{ $port }}
              containerPort: {{ $number }}
              protocol: TCP
            {{- end }}
          {{- include "millrace.probes" . | nindent 10 }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          terminationMessagePolicy: FallbackToLogsOnError
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- with .mounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: 64Mi
        {{- with .volumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end -}}

{{- define "millrace.service-account" -}}
{{- $root := index . 0 -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "millrace.fullname" $root }}-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "millrace.labels" . | nindent 4 }}
automountServiceAccountToken: false
{{- end -}}

{{- /* Takes (list root component component-values). */ -}}
{{- define "millrace.disruption-budget" -}}
{{- $root := index . 0 -}}
{{- $budget := (index . 2).podDisruptionBudget -}}
{{- if $budget.enabled -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "millrace.fullname" $root }}-{{ index . 1 }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "millrace.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ $budget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "millrace.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- /* All on the port that only the cluster sees: liveness depends on progress, readiness on the database and on being drained. */ -}}
{{- define "millrace.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /healthz, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{- /* Environment, volume and mount of the database's connection URL, as YAML lists. */ -}}
{{- define "millrace.database-volume" -}}
- name: database
  secret:
    {{- if .Values.postgres.enabled }}
    secretName: {{ include "millrace.fullname" . }}-database
    items: [{ key: url, path: url }, { key: ca.crt, path: ca.crt }]
    {{- else }}
    secretName: {{ .Values.database.existingSecret }}
    items:
      - { key: {{ .Values.database.key }}, path: url }
      {{- with .Values.database.listenKey }}
      - { key: {{ . }}, path: listen-url }
      {{- end }}
    {{- end }}
    defaultMode: 288
{{- end -}}

{{- define "millrace.database-mount" -}}
- { name: database, mountPath: /etc/millrace/database, readOnly: true }
{{- end -}}

{{- define "millrace.database-env" -}}
- { name: MILLRACE_DATABASE_URL_FILE, value: /etc/millrace/database/url }
{{- if .Values.postgres.enabled }}
- { name: MILLRACE_DATABASE_CA_FILE, value: /etc/millrace/database/ca.crt }
{{- end }}
{{- if and (not .Values.postgres.enabled) .Values.database.listenKey }}
- { name: MILLRACE_DATABASE_LISTEN_URL_FILE, value: /etc/millrace/database/listen-url }
{{- end }}
{{- end -}}
