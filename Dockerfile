# Made by "node tools/images/main.ts --dockerfile" from config/images.json: change that, not this.
#   docker build --target millrace --tag localhost/millrace:dev .
# Without an engine "make images" makes the same images, smaller: it can leave out packages that Debian's
# dependencies ask for and nothing here uses.

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS go

FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm AS build
COPY --from=go /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN node tools/dist/main.ts

FROM node:24.21.0-bookworm-slim AS node

# operator, gateway, agent and command line; the default image of steps
FROM debian:bookworm-slim AS millrace
ARG TARGETARCH
RUN groupadd --gid 65532 millrace \
 && useradd --uid 65532 --gid 65532 --home-dir /home/millrace --no-create-home --shell /bin/bash millrace \
 && apt-get update \
 && apt-get install --yes --no-install-recommends base-files bash ca-certificates coreutils curl dash debianutils diffutils findutils git grep gzip jq libc-bin libstdc++6 mawk netbase openssh-client sed tar \
 && rm -rf /var/lib/apt/lists/* \
 && rm -rf /usr/bin/git-shell /usr/bin/scalar /usr/lib/git-core/git-daemon /usr/lib/git-core/git-http-backend /usr/lib/git-core/git-http-fetch /usr/lib/git-core/git-http-push /usr/lib/git-core/git-imap-send /usr/lib/git-core/git-shell /usr/lib/git-core/scalar /usr/lib/git-core/git-add--interactive /usr/lib/openssh/ssh-keysign /usr/lib/git-core/git \
 && ln -sfn mawk /usr/bin/awk \
 && ln -sfn which.debianutils /usr/bin/which \
 && ln -sfn ../../bin/git /usr/lib/git-core/git \
 && install -d -o 65532 -g 65532 -m 0775 /workdir /home/millrace
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY tools/images/millrace/root/ /
COPY --from=build /src/dist/*.js /src/dist/agent.cjs /src/dist/hcl.wasm /src/dist/DejaVuSans.ttf /src/dist/THIRD-PARTY-NOTICES /opt/millrace/
COPY --from=build /src/dist/migrations/ /opt/millrace/migrations/
COPY --from=build /src/dist/web/ /opt/millrace/web/
COPY --from=build /src/dist/native-${TARGETARCH} /opt/millrace/node_modules
COPY --from=build /src/dist/shim-${TARGETARCH} /usr/local/bin/millrace-shim
ENV PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin" HOME="/home/millrace"
USER 65532:65532
WORKDIR /workdir
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/millrace"]

# the chart's own single PostgreSQL instance
FROM debian:bookworm-slim AS millrace-postgres
RUN groupadd --gid 999 postgres \
 && useradd --uid 999 --gid 999 --home-dir /var/lib/postgresql --no-create-home --shell /bin/sh postgres \
 && apt-get update \
 && apt-get install --yes --no-install-recommends base-files coreutils dash libc-bin netbase postgresql-15 postgresql-client-15 sed tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && rm -rf /usr/lib/postgresql/15/lib/bitcode /usr/lib/postgresql/15/lib/llvmjit.so /usr/lib/postgresql/15/lib/llvmjit_types.bc /usr/lib/postgresql/15/lib/pgxs /etc/postgresql /var/lib/postgresql/15 \
 && install -d -o 999 -g 999 -m 0775 /var/lib/postgresql/data /run/postgresql /var/lib/postgresql
COPY tools/images/millrace-postgres/root/ /
ENV PATH="/usr/local/bin:/usr/bin:/usr/lib/postgresql/15/bin" HOME="/var/lib/postgresql" PGDATA="/var/lib/postgresql/data/pgdata"
USER 999:999
WORKDIR /var/lib/postgresql
EXPOSE 5432
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/millrace-postgres"]

# git over smart HTTP for the demonstration; anyone who reaches it may push
FROM debian:bookworm-slim AS millrace-git
RUN groupadd --gid 65532 git \
 && useradd --uid 65532 --gid 65532 --home-dir /srv/git --no-create-home --shell /bin/sh git \
 && apt-get update \
 && apt-get install --yes --no-install-recommends base-files coreutils dash git libc-bin lighttpd netbase sed \
 && rm -rf /var/lib/apt/lists/* \
 && rm -rf /usr/bin/git-shell /usr/bin/scalar /usr/lib/git-core/git-daemon /usr/lib/git-core/git-http-fetch /usr/lib/git-core/git-http-push /usr/lib/git-core/git-imap-send /usr/lib/git-core/git-shell /usr/lib/git-core/scalar /usr/lib/git-core/git-add--interactive /var/www /usr/lib/git-core/git \
 && ln -sfn ../../bin/git /usr/lib/git-core/git \
 && install -d -o 65532 -g 65532 -m 0775 /srv/git
COPY tools/images/millrace-git/root/ /
ENV PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin" HOME="/srv/git" REPOSITORIES=""
USER 65532:65532
WORKDIR /srv/git
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/millrace-git"]

# a small foreign image for the samples' container steps
FROM debian:bookworm-slim AS millrace-busybox
RUN groupadd --gid 65532 busybox \
 && useradd --uid 65532 --gid 65532 --home-dir /tmp --no-create-home --shell /bin/sh busybox \
 && apt-get update \
 && apt-get install --yes --no-install-recommends base-files busybox-static \
 && rm -rf /var/lib/apt/lists/* \
 && for name in [ [[ ash awk base64 basename bunzip2 bzcat cat chgrp chmod chown cmp cp cut date dd df diff dirname dos2unix du echo ed egrep env expand expr factor false fgrep find fold free getopt grep groups gunzip gzip head hexdump hostname id kill killall less link ln ls lzcat md5sum mkdir mkfifo mktemp more mv nc nl nproc nslookup od paste patch pidof ping printf ps pwd readlink realpath rev rm rmdir sed seq setsid sh sha1sum sha256sum sha3sum sha512sum shred shuf sleep sort stat strings stty sync tac tail tar tee test time timeout top touch tr true truncate tty uname unexpand uniq unix2dos unlink unlzma unxz unzip uptime usleep uudecode uuencode vi watch wc wget which who whoami xargs xxd xz xzcat yes zcat; do busybox ln -sfn busybox "/usr/bin/$name"; done \
 && install -d -o 65532 -g 65532 -m 0775 /workdir
ENV PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin" HOME="/tmp"
USER 65532:65532
WORKDIR /workdir
STOPSIGNAL SIGTERM
CMD ["/bin/sh"]
