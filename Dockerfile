# Images of Crewhall, for Docker with BuildKit and for buildah. Why they look like this:
# docs/decisions/0076-images-without-a-system.md. How to build and run them: docs/images.md.
#
#   docker build -t crewhall .                          the server: API, worker, migrations
#   docker build -t crewhall-worker --target worker .   the same with git, for workers that read repositories
#   docker build -t crewhall-hub --target hub .         the same with WireGuard, for the hub of desks
#   docker build -t crewhall-cli --target cli .         the command line
#   docker build --target papers -o papers .            SBOM and licences of the server, as files

# Digest of the base, sha256:…; a release names it. Without it, the tag decides.
ARG NODE_DIGEST=""
FROM docker.io/library/node:26-slim${NODE_DIGEST:+@${NODE_DIGEST}} AS base
WORKDIR /app
ENV NPM_CONFIG_UPDATE_NOTIFIER=false

# Manifests first, so that packages are installed again only when one of these has changed.
FROM base AS manifests
COPY package.json package-lock.json .npmrc ./
COPY apps/cli/package.json apps/cli/
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/server/package.json apps/server/
COPY apps/sidecar/package.json apps/sidecar/
COPY packages/client/package.json packages/client/
COPY packages/contracts/package.json packages/contracts/
COPY packages/services/package.json packages/services/
COPY packages/testkit/package.json packages/testkit/

# What the server needs in production and nothing else: Node itself comes from the base.
FROM manifests AS packages
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --omit=dev --workspace apps/server
COPY tools/image/prune-packages.sh tools/image/
RUN sh tools/image/prune-packages.sh node_modules

FROM manifests AS bundles
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci
COPY . .
RUN PATH=/app/node_modules/.bin:$PATH npm run --silent build && rm apps/dashboard/dist/.sources

# The program, the libraries it and its packages load, and a user. No shell, no package manager, nothing setuid.
FROM base AS root
COPY tools/image/collect-root.sh tools/image/
COPY --from=packages /app/node_modules /app/node_modules
RUN sh tools/image/collect-root.sh /root-of-image node /app/node_modules /usr/local/bin/node

FROM base AS root-with-git
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates git openssh-client
COPY tools/image/collect-root.sh tools/image/
RUN sh tools/image/collect-root.sh /root-of-image git '' /bin/sh /bin/false /usr/bin/setpriv /usr/bin/ssh \
      /usr/bin/git /usr/lib/git-core/git-remote-http /usr/lib/git-core/git-remote-https \
      /etc/ssl/certs/ca-certificates.crt

FROM base AS root-with-mesh
RUN apt-get update && apt-get install --yes --no-install-recommends iproute2 nftables wireguard-go wireguard-tools
COPY tools/image/collect-root.sh tools/image/
RUN sh tools/image/collect-root.sh /root-of-image mesh '' /bin/sh /bin/cat /bin/false /usr/bin/setpriv \
      /usr/bin/setsid /bin/ip /usr/sbin/nft /usr/bin/wg /usr/bin/wireguard-go \
      && ln -s ../run /root-of-image/var/run

FROM packages AS listing
COPY --from=root /root-of-image/usr/share/doc/debian-packages-node.txt debian-packages.txt
COPY tools/image/papers.ts tools/image/installed-packages.ts tools/image/sbom.ts tools/image/
ARG SOURCE_DATE_EPOCH=0
RUN node tools/image/papers.ts /papers

FROM scratch AS papers
COPY --from=listing /papers /

FROM scratch AS cli
COPY --from=root /root-of-image /
COPY --from=bundles /app/dist/crewhall.mjs /app/dist/crewhall-jq.cjs /app/LICENSE /app/
USER 10001:10001
ENTRYPOINT ["/usr/local/bin/node", "/app/crewhall.mjs"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG NODE_DIGEST
LABEL org.opencontainers.image.title="Crewhall command line" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:26-slim" \
      org.opencontainers.image.base.digest="${NODE_DIGEST}"

FROM scratch AS server-files
COPY --from=root /root-of-image /
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules node_modules
COPY packages/contracts packages/contracts
COPY apps/server apps/server
COPY --from=bundles /app/apps/dashboard/dist apps/dashboard/dist
COPY --from=bundles /app/dist dist
ENV NODE_ENV=production HTTP_HOST=0.0.0.0
EXPOSE 8400
USER 10001:10001
ENTRYPOINT ["/usr/local/bin/node"]
CMD ["apps/server/src/api.ts"]
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG NODE_DIGEST
LABEL org.opencontainers.image.title="Crewhall" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="docker.io/library/node:26-slim" \
      org.opencontainers.image.base.digest="${NODE_DIGEST}"

FROM server-files AS worker
COPY --from=root-with-git /root-of-image /
CMD ["apps/server/src/worker.ts"]

# It makes a network device and its firewall; compose.yaml in deploy/production takes all other rights from it.
FROM server-files AS hub
COPY --from=root-with-mesh /root-of-image /
USER 0:0
CMD ["apps/server/src/hub.ts"]

# The last stage is what a build without --target makes.
FROM server-files AS server
