# Aragonite in a container, with or without a GPU: the bundle, which has its own Java.
#   mvn -P bundle -DskipTests package            # on Linux x86-64: what is copied here
#   docker build -t aragonite .
#   docker run -it aragonite                     # the shell
#   docker run --gpus all aragonite doctor       # NVIDIA's container toolkit brings the driver; nothing of CUDA is needed here
#   docker run -v /data/shop:/data:ro aragonite sql --directory /data "select count(*) from orders"
FROM debian:stable-slim

ADD adapter/target/aragonite-linux-x86_64.tar.xz /opt/
# Which GPUs, and that programs compute on them; without the toolkit these do nothing.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    ARAGONITE_CACHE=/var/cache/aragonite
# The cache that commands start from quickly, and a user who may write to it and to nothing else.
RUN useradd --system --no-create-home aragonite \
    && mkdir -p "$ARAGONITE_CACHE" && chown aragonite "$ARAGONITE_CACHE"
USER aragonite
RUN /opt/aragonite/aragonite train

# What serve listens on; from outside it asks for --host 0.0.0.0, --users and --keystore (docs/security.md).
EXPOSE 8765 8766
ENTRYPOINT ["/opt/aragonite/aragonite"]
