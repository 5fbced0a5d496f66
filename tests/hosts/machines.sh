#!/bin/bash
# machines.sh up|down ID FOLDER: three machines made of network namespaces IDn1 to IDn3 on one cable, 10.201.7.1 to .3;
# the second and third have ssh servers with keys made in FOLDER, where the client's configuration is as well. What
# cannot be done is printed. Nothing outside of these namespaces is touched.
set -u
what=$1 id=$2 folder=$3

down() {
  for file in "$folder"/sshd*.pid "$folder"/tcpdump.pid; do
    [[ -f $file ]] && kill "$(cat "$file")" 2>/dev/null
  done
  for i in 1 2 3; do ip netns del "${id}n$i" 2>/dev/null; done
  return 0
}

# Becomes a program that lives on, without the files of whoever waits for this script.
leave() {
  for number in {3..60}; do eval "exec $number>&-"; done
  exec "$@"
}

fail() {
  echo "$1"
  down
  exit 1
}

if [[ $what == down ]]; then
  down
  exit 0
fi
[[ $(id -u) -eq 0 ]] || fail "this needs root"
for program in ip ssh ssh-keygen /usr/sbin/sshd; do
  command -v "$program" >/dev/null || fail "$program is not installed"
done
for i in 1 2 3; do
  ip netns add "${id}n$i" 2>&1 || fail "network namespaces are not allowed"
  ip -n "${id}n$i" link set lo up || fail "no loopback"
done
ip -n "${id}n1" link add cable type bridge || fail "no bridges"
ip -n "${id}n1" addr add 10.201.7.1/24 dev cable && ip -n "${id}n1" link set cable up || fail "no address"
for i in 2 3; do
  ip -n "${id}n1" link add "plug$i" type veth peer name eth0 netns "${id}n$i" || fail "no cables"
  ip -n "${id}n1" link set "plug$i" master cable up
  ip -n "${id}n$i" addr add "10.201.7.$i/24" dev eth0 && ip -n "${id}n$i" link set eth0 up || fail "no address"
done
cd "$folder" || fail "no folder"
ssh-keygen -q -t ed25519 -N '' -f host_key && ssh-keygen -q -t ed25519 -N '' -f client_key || fail "no keys"
cp client_key.pub authorized_keys
mkdir -p /run/sshd
for i in 2 3; do
  {
    echo "ListenAddress 10.201.7.$i"
    echo "HostKey $folder/host_key"
    echo "AuthorizedKeysFile $folder/authorized_keys"
    echo "PidFile $folder/sshd$i.pid"
    echo "UsePAM no"
    echo "StrictModes no"
    echo "PermitRootLogin yes"
    echo "PasswordAuthentication yes"
  } >"sshd_config$i"
  (leave ip netns exec "${id}n$i" /usr/sbin/sshd -f "sshd_config$i" -E "sshd$i.log") || fail "no ssh server"
  echo "10.201.7.$i $(cut -d' ' -f1,2 host_key.pub)" >>known_hosts
done
{
  echo "Host *"
  echo "  IdentityFile $folder/client_key"
  echo "  IdentitiesOnly yes"
  echo "  UserKnownHostsFile $folder/known_hosts"
  echo "  StrictHostKeyChecking yes"
} >ssh_config
if command -v tcpdump >/dev/null; then
  leave ip netns exec "${id}n1" tcpdump -i cable -U -w capture -s 0 >/dev/null 2>&1 &
  echo $! >tcpdump.pid
  disown
fi
for _ in $(seq 50); do
  ip netns exec "${id}n1" ssh -F ssh_config -o BatchMode=yes -o ConnectTimeout=5 root@10.201.7.2 true 2>ssh_error &&
    ip netns exec "${id}n1" ssh -F ssh_config -o BatchMode=yes -o ConnectTimeout=5 root@10.201.7.3 true 2>ssh_error &&
    exit 0
  sleep 0.1
done
fail "ssh does not connect: $(cat ssh_error) $(cat sshd2.log)"
