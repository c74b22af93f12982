# The steps are those of `npm run build:image`, which runs without a container engine. Pin the base for the same image on every machine:
#   docker build --build-arg NODE_IMAGE=node:24.21.0-slim@sha256:… --build-arg REVISION="$(git log -1 --format='%H %ct')" .
ARG NODE_IMAGE=node:24.21.0-slim
ARG GO_IMAGE=golang:1.25
ARG BASE_IMAGE=debian:bookworm-slim
# The program that renders charts, from its Go module, whose content the checksum database of Go vouches for.
FROM ${GO_IMAGE} AS helm
ARG HELM_VERSION=v3.19.2
RUN --mount=type=secret,id=ca if [ -f /run/secrets/ca ]; then export SSL_CERT_FILE=/run/secrets/ca; fi; CGO_ENABLED=0 go install -trimpath -ldflags="-s -w -buildid=" "helm.sh/helm/v3/cmd/helm@${HELM_VERSION}"

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Behind a proxy with a certificate of your own authority: --secret id=ca,src=FILE (PEM). Nothing of it stays in the image.
RUN --mount=type=secret,id=ca if [ -f /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi; npm ci --prefer-offline --no-audit --no-fund
COPY . .
ARG REVISION=""
RUN npm run build && npm prune --omit=dev --no-audit --no-fund
RUN node scripts/write-sbom.ts
# After the bill of materials, which reads the licenses of packages.
RUN node scripts/strip-packages.ts

# Of the image of Node.js the program alone: not npm, headers and documents; without symbols, which are 18 MB.
FROM ${NODE_IMAGE} AS node-image
FROM ${GO_IMAGE} AS node
COPY --from=node-image /usr/local/bin/node /usr/local/bin/node
RUN strip /usr/local/bin/node

FROM ${BASE_IMAGE}
COPY --from=node /usr/local/bin/node /usr/local/bin/node
# Threads that read catalogs and releases end; what glibc has cut from arenas of their own would stay with the process, 30 MiB. Thresholds that are set do
# not grow: freed memory goes back to the system.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072
# Git over SSH runs ssh, and ssh looks its user up in /etc/passwd. Nothing that tells the time of the build stays.
RUN --mount=type=secret,id=ca if [ -f /run/secrets/ca ]; then echo 'Acquire::https::CAInfo "/run/secrets/ca";' > /etc/apt/apt.conf.d/99ca; fi; apt-get update && apt-get install --yes --no-install-recommends openssh-client && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* /etc/apt/apt.conf.d/99ca && echo 'longshore:x:65532:65532::/nonexistent:/usr/sbin/nologin' >> /etc/passwd
WORKDIR /app
COPY --from=build --chown=0:0 /src/package.json ./package.json
COPY --from=build --chown=0:0 /src/node_modules ./node_modules
COPY --from=build --chown=0:0 /src/dist ./dist
COPY --from=build --chown=0:0 /src/cli/bin.js ./cli/bin.js
COPY --from=build --chown=0:0 /src/sbom.cdx.json ./sbom.cdx.json
COPY --from=helm --chown=0:0 /go/bin/helm /usr/local/bin/helm
USER 65532:65532
ENTRYPOINT ["node", "/app/cli/bin.js"]
CMD ["--help"]
