# Two images: `emulator` runs everything with the embedded switch, `bmv2` with the real one out of p4lang's image.
FROM debian:12-slim AS emulator
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates ethtool iproute2 iputils-ping make mininet \
    python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /dropzero
# Outside the folder, so that a checkout mounted there does not hide it, nor its own .venv get in the way.
ENV VENV=/opt/dropzero
# Code that was compiled, and bytecode, which would be root's in the checkout: docker-compose.yml keeps both.
ENV XDG_CACHE_HOME=/var/cache/dropzero PYTHONPYCACHEPREFIX=/var/cache/dropzero/bytecode
# What the set-up looks at. Changes of other files need no new one.
COPY Makefile requirements.txt pyproject.toml README.md LICENSE ./
COPY dropzero/__init__.py dropzero/
RUN make setup
COPY . .
# The files of runs get the owner of the checkout. The files of a mounted checkout are newer than the image: without
# --old-file, they would need a new set-up. Without a terminal, the run does not wait for somebody to see its page.
CMD ["bash", "-c", "trap 'chown --recursive --reference=. runs' EXIT; make --old-file=requirements.txt --old-file=pyproject.toml run </dev/null"]

FROM p4lang/behavioral-model AS p4lang

FROM emulator AS bmv2
# With its own libraries, in a root of its own: the two distributions need not match.
COPY --from=p4lang / /opt/bmv2
RUN printf '#!/bin/sh\nexec chroot /opt/bmv2 simple_switch_grpc "$@"\n' >/usr/local/bin/simple_switch_grpc \
 && chmod +x /usr/local/bin/simple_switch_grpc
