#!/usr/bin/env bash
# Three machines, as network namespaces: docs/launching.md, "On several machines", in plain commands.
# machines.sh FOLDER COMMAND...  runs the command on both workers, and ends with what was started when they have ended.
#
#            10.0.0.1 data ------ data1 +--------+ data2 ------ data 10.0.0.2
#   worker1                             | switch |                            worker2
#       192.168.0.1 lan ----------- lan +--------+ 192.168.0.254 -- lan 192.168.0.2
set -euo pipefail
folder=$1
shift
cd "$folder"
name=m$$
switch=(ip netns exec "$name-switch")
worker1=(ip netns exec "$name-worker1")
worker2=(ip netns exec "$name-worker2")
cleanup() {
  kill $(jobs -p) 2>/dev/null || true
  wait
  for machine in switch worker1 worker2; do ip netns delete "$name-$machine" 2>/dev/null || true; done
}
trap cleanup EXIT

# The machines and their networks.
for machine in switch worker1 worker2; do ip netns add "$name-$machine"; ip -n "$name-$machine" link set lo up; done
ip -n "$name-switch" link add lan type bridge
ip -n "$name-switch" address add 192.168.0.254/24 dev lan
ip -n "$name-switch" link set lan up
for n in 1 2; do
  ip link add "data$n" netns "$name-switch" type veth peer name data netns "$name-worker$n"
  ip -n "$name-worker$n" link set data address "08:00:00:00:00:0$n"
  ip -n "$name-worker$n" address add "10.0.0.$n/24" dev data
  # A real network card has split large segments before they reach the wire.
  ip netns exec "$name-worker$n" ethtool -K data tso off >/dev/null
  ip link add "lan$n" netns "$name-switch" type veth peer name lan netns "$name-worker$n"
  ip -n "$name-switch" link set "lan$n" master lan up
  ip -n "$name-worker$n" address add "192.168.0.$n/24" dev lan
  ip -n "$name-switch" link set "data$n" up
  ip -n "$name-worker$n" link set data up
  ip -n "$name-worker$n" link set lan up
done

# An authority, and a certificate for the controller and one for the workers.
new=(openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365)
{
  "${new[@]}" -x509 -subj /CN=authority -keyout ca.key -out ca.pem
  for who in controller worker; do
    "${new[@]}" -x509 -CA ca.pem -CAkey ca.key -subj "/CN=$who" -addext "subjectAltName=IP:192.168.0.254" \
      -addext "basicConstraints=critical,CA:FALSE" -keyout "$who.key" -out "$who.pem"
  done
} 2>openssl.log

# On the switch's machine.
cat >topology.json <<END
{
  "hosts": {
    "worker1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:00:01"},
    "worker2": {"ip": "10.0.0.2/24", "mac": "08:00:00:00:00:02"}
  },
  "switches": {"s1": {}},
  "links": [["worker1", "s1-p1"], ["worker2", "s1-p2"]]
}
END
"${switch[@]}" dropzero switch -i 1@data1 -i 2@data2 --no-p4 -- --grpc-server-addr 127.0.0.1:50051 >switch.log 2>&1 &
"${switch[@]}" dropzero controller --tls-cert controller.pem --tls-key controller.key --tls-ca ca.pem \
  serve --topology topology.json --listen 192.168.0.254:50100 >controller.log 2>&1 &
controller=$!
until grep -q ^ready controller.log; do kill -0 "$controller" || { cat switch.log controller.log; exit 1; }; sleep 0.2; done

# On each worker's machine.
export DROPZERO_CONTROLLER=192.168.0.254:50100 DROPZERO_JOB=1 DROPZERO_SIZE=2
export DROPZERO_TLS_CERT=worker.pem DROPZERO_TLS_KEY=worker.key DROPZERO_TLS_CA=ca.pem
export GLOO_SOCKET_IFNAME=data
# torchrun takes its own options from PET_...
DROPZERO_IP=10.0.0.1 DROPZERO_RANK=0 PET_NODE_RANK=0 "${worker1[@]}" "$@" &
first=$!
DROPZERO_IP=10.0.0.2 DROPZERO_RANK=1 PET_NODE_RANK=1 "${worker2[@]}" "$@"
wait "$first"
