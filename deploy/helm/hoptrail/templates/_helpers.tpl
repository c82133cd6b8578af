{{/* Kubernetes takes 52 letters for a CronJob, with "-backup". */}}
{{- define "hoptrail.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 45 | trimSuffix "-" -}}
{{- end -}}

{{- define "hoptrail.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hoptrail.labels" -}}
{{ include "hoptrail.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "hoptrail.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "hoptrail.claim" -}}
{{ .Values.persistence.existingClaim | default (include "hoptrail.name" .) }}
{{- end -}}

{{/* Of a pod: nobody of the machine, and its volume's. */}}
{{- define "hoptrail.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "hoptrail.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Of a pod: the nodes that it may run on. */}}
{{- define "hoptrail.nodes" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What the pods of jobs share. */}}
{{- define "hoptrail.jobPod" -}}
restartPolicy: Never
serviceAccountName: {{ include "hoptrail.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext: {{- include "hoptrail.podSecurity" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "hoptrail.nodes" . }}
{{- if not (has "ReadWriteMany" .Values.persistence.accessModes) }}
# A volume of ReadWriteOnce can be mounted where the server runs, and nowhere else.
affinity:
  podAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels: {{- include "hoptrail.selector" . | nindent 14 }}
{{- end }}
{{- end -}}

{{/* The folder of the settings, not the file: a running server then sees a changed Secret. */}}
{{- define "hoptrail.mounts" -}}
- {name: config, mountPath: /etc/hoptrail, readOnly: true}
- {name: data, mountPath: /data}
- {name: tmp, mountPath: /tmp}
{{- end -}}

{{- define "hoptrail.volumes" -}}
- name: config
  secret:
    secretName: {{ include "hoptrail.name" . }}
    defaultMode: 0440
- name: data
  persistentVolumeClaim:
    claimName: {{ include "hoptrail.claim" . }}
- name: tmp
  emptyDir: {sizeLimit: 1Gi}
{{- end -}}
