import { gzipSync } from 'node:zlib';
import { fileEntries, tarFile } from '../support/index.ts';
import type { Files } from './contents.ts';

/** A chart as `helm create` writes one, in small: a Deployment and its Service. */
export function helloWorld(more: Files = {}): Files {
  return {
    'Chart.yaml': 'apiVersion: v2\nname: hello-world\nversion: 0.1.0\nappVersion: 1.16.0\ntype: application\n',
    'values.yaml': 'replicaCount: 1\nnameOverride: ""\nimage: {repository: nginx, tag: ""}\n',
    'templates/_helpers.tpl': `{{- define "hello.name" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- define "hello.labels" -}}
app.kubernetes.io/name: {{ include "hello.name" . }}
{{- end -}}
`,
    'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "hello.name" . }}
  labels:
    {{- include "hello.labels" . | nindent 4 }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
spec:
  replicas: {{ .Values.replicaCount }}
  selector:
    matchLabels: {{- include "hello.labels" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "hello.labels" . | nindent 8 }}
    spec:
      containers:
        - name: web
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
`,
    'templates/service.yaml': `apiVersion: v1
kind: Service
metadata: {name: {{ include "hello.name" . }}}
spec:
  ports: [{port: 80, name: http}]
  selector:
    {{- include "hello.labels" . | nindent 4 }}
`,
    'templates/NOTES.txt': 'Visit {{ .Release.Name }}.\n',
    ...more,
  };
}

/** A chart whose password is another one each time it is rendered. */
export function randomPassword(): Files {
  return helloWorld({
    'templates/secret.yaml': `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-password}
stringData: {password: {{ randAlphaNum 20 | quote }}, user: {{ .Values.user | default "admin" }}}
`,
  });
}

/** Files in a folder. */
export function inFolder(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

/** A chart as `helm package` packs it. */
export function packedChart(name: string, files: Files): Buffer {
  return gzipSync(tarFile(fileEntries(inFolder(name, files))));
}
