#!/usr/bin/env bash
# Finds a bug in pool.cpp, replays it, and asks for the verdict on the repaired program. Prints only what the tools say.
set -euo pipefail
tools=$(cd "$1/bin" && pwd)
sources=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$sources/../.." && pwd)
out=heddle-out
cd "$top"  # the commands that are shown work from here
mkdir -p $out
rm -rf $out/hunt
export PATH=$tools:$PATH
exec 2>&1  # one stream: the answers of the tools go to stderr

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

# STATUS COMMAND...: shows and runs the command, which must end with STATUS.
show() {
  local expected=$1 status=0
  shift
  printf '$ %s\n' "$*"
  "$@" || status=$?
  (( status == expected )) || { echo "demo: exit code $status, where $expected was expected"; exit 1; }
}

for program in pool pool_fixed; do
  heddle-c++ -std=c++20 -g -O1 -pthread "$sources/$program.cpp" -o $out/$program
done
say "A connection pool, tools/demo/pool.cpp: 1,000 native runs"
failures=0
for _ in {1..1000}; do $out/pool > /dev/null 2>&1 || failures=$((failures + 1)); done
echo "$failures failed"

say "Heddle finds the bug and explains it"
show 1 heddle hunt --first --quiet --out $out/hunt -- $out/pool

clip=$(ls $out/hunt/clips/*-small.clip)
say "The clip replays it exactly"
show 0 heddle replay --times 50 "$clip"

say "The repaired program passes under the same schedule"
diff "$sources/pool.cpp" "$sources/pool_fixed.cpp" | grep '^[<>]' || true
show 0 heddle replay --expect fixed "$clip" -- $out/pool_fixed

say "Next, on your own program"
cat <<TXT
export PATH=$tools:\$PATH
heddle-c++ -g -O1 -pthread YOUR_SOURCES -o your_test    # or: CXX=heddle-c++ CC=heddle-cc in your build
heddle hunt -- ./your_test
The report: $PWD/$(ls $out/hunt/*-small.html)
TXT
