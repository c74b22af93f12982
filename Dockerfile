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
WORKDIR /app
COPY --from=build --chown=0:0 /src/package.json ./
COPY --from=build --chown=0:0 /src/node_modules ./node_modules
COPY --from=build --chown=0:0 /src/dist ./dist
COPY --from=build --chown=0:0 /src/crds ./crds
COPY --from=build --chown=0:0 /src/cli/bin.js ./cli/bin.js
USER 65532:65532
ENTRYPOINT ["node", "/app/cli/bin.js"]
CMD ["--help"]
