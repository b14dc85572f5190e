#!/bin/sh
# A viewer holds two connections of the proxy. Its image runs this at each start, systemd.md once.
grep -q worker_rlimit_nofile /etc/nginx/nginx.conf ||
    sed -i 's/worker_connections .*/worker_connections 4096;/; 1i worker_rlimit_nofile 8192;' /etc/nginx/nginx.conf
