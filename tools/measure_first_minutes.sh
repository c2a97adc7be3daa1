#!/usr/bin/env bash
# How long a new user waits: the time of `./dev demo` and of `./dev build`, each from a clone in a chroot of Debian 12
# in which nothing is installed, and the ratio of the two. The demo runs a second time to show what it costs from then
# on.
#
#   tools/measure_first_minutes.sh DIRECTORY    about 25 minutes and 12 GB; needs root and debootstrap
set -euo pipefail
(( $# == 1 )) || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
command -v debootstrap > /dev/null || { echo "debootstrap is missing; ./dev setup installs it" >&2; exit 2; }
bar=0.40
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
mkdir -p "$1"
cd "$1"

# NAME: an empty Debian 12 with the package sources of this machine, and a clone of this repository.
make_place() {
  [[ ! -e $1 ]] || { echo "$PWD/$1 is there already; remove it or name another directory" >&2; exit 2; }
  cp -a base "$1"
  git clone -q "$repository" "$1/root/heddle"
}

# NAME COMMAND: runs it in the clone; its output goes to NAME.log, its seconds to stdout. A namespace of its own keeps
# the mounts and processes of the chroot from outliving it.
seconds_of() {
  local begin end
  begin=$(date +%s.%N)
  unshare --mount --pid --fork --kill-child bash -c '
    set -e
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount --make-rslave "$1/dev"
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd /root/heddle && $2"
  ' bash "$1" "$2" >> "$1.log" 2>&1 || { tail -n 20 "$1.log" >&2; echo "$2 failed; see $PWD/$1.log" >&2; exit 1; }
  end=$(date +%s.%N)
  awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.0f", e - b }'
}

if [[ ! -e base ]]; then
  debootstrap --variant=minbase --include=ca-certificates bookworm base.part > debootstrap.log
  rm -rf base.part/etc/apt/sources.list base.part/etc/apt/sources.list.d
  cp -a /etc/apt/sources.list.d base.part/etc/apt/
  [[ ! -e /etc/apt/sources.list ]] || cp -a /etc/apt/sources.list base.part/etc/apt/
  cp /etc/resolv.conf base.part/etc/resolv.conf
  mv base.part base
fi

make_place demo
first=$(seconds_of demo './dev demo')
again=$(seconds_of demo './dev demo')
make_place full
full=$(seconds_of full './dev build')
echo "./dev demo, first time:  $first s"
echo "./dev demo, second time: $again s"
echo "./dev build:             $full s"
awk -v f="$first" -v b="$full" -v bar=$bar 'BEGIN {
  printf "ratio: %.2f (at most %.2f)\n", f / b, bar
  exit !(f <= bar * b)
}'
