#!/bin/sh
# slurm.sh start DIR | stop DIR: a one-node Slurm on this machine, for tests of the scale-out; as root, on
# Debian, without systemd.  DIR holds its state, configuration and logs.
dir=$2
[ -n "$dir" ] || { echo "usage: slurm.sh start|stop DIR" >&2; exit 2; }

started() { pgrep -x "$1" >/dev/null; }

wait_for() {
  for _ in $(seq 40); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.5
  done
  echo "slurm.sh: '$*' does not answer; see $dir/*.log" >&2
  exit 1
}

start() {
  if ! command -v slurmctld >/dev/null || ! command -v munged >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends slurm-wlm munge >/dev/null || exit 1
  fi
  mkdir -p "$dir/state" "$dir/spool" /run/munge
  if [ ! -f /etc/munge/munge.key ]; then
    dd if=/dev/urandom of=/etc/munge/munge.key bs=1024 count=1 2>/dev/null
  fi
  chown munge:munge /etc/munge/munge.key /run/munge
  chmod 400 /etc/munge/munge.key
  started munged || su -s /bin/sh munge -c munged || exit 1
  node=$(hostname)
  cat >"$dir/slurm.conf" <<EOF
ClusterName=local
SlurmctldHost=$node(127.0.0.1)
AuthType=auth/munge
SlurmUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/d.pid
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes=$node Default=YES MaxTime=INFINITE State=UP
EOF
  export SLURM_CONF="$dir/slurm.conf"
  slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" || exit 1
  wait_for srun -n1 hostname
}

# Without an init nobody may take notice of the end of a process.
ended() { ! kill -0 "$1" || grep -q '^State:[[:space:]]*Z' "/proc/$1/status"; }

# Waits for the end: until then jobs and daemons write into DIR, and another start finds its ports taken.
stop() {
  SLURM_CONF="$dir/slurm.conf" scancel -u root
  for daemon in d ctld; do
    [ -f "$dir/$daemon.pid" ] || continue
    pid=$(cat "$dir/$daemon.pid")
    kill "$pid" && wait_for ended "$pid"
  done
}

case $1 in
  start | stop) "$1" ;;
  *) exit 2 ;;
esac
