# The steps are those of `npm run build:image`, which runs without a container engine.
ARG NODE_VERSION=24.21.0
FROM node:${NODE_VERSION}-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:${NODE_VERSION}-slim
ENV NODE_ENV=production
# Git over SSH runs git and ssh, and ssh looks its user up in /etc/passwd. Nothing that tells the time of the build stays.
RUN apt-get update && apt-get install --yes --no-install-recommends git openssh-client && rm -rf /var/lib/apt/lists/* /var/cache/* /var/log/* && echo 'longshore:x:65532:65532::/nonexistent:/usr/sbin/nologin' >> /etc/passwd
WORKDIR /app
COPY --from=build --chown=0:0 /src/package.json ./
COPY --from=build --chown=0:0 /src/node_modules ./node_modules
COPY --from=build --chown=0:0 /src/dist ./dist
COPY --from=build --chown=0:0 /src/crds ./crds
COPY --from=build --chown=0:0 /src/cli/bin.js ./cli/bin.js
USER 65532:65532
ENTRYPOINT ["node", "/app/cli/bin.js"]
CMD ["--help"]
