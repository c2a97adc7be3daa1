#!/usr/bin/env bash
# Finds a real concurrency bug, replays it, and says where the clip is. Everything printed is what the tools did.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(pwd)
out=$here/heddle-out
mkdir -p "$out"
export PATH=$build/bin:$PATH

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { printf '$ %s\n' "$*"; "$@"; }

say "A bank whose books do not balance when two tellers meet: kernels/BankAcct/kernel.cpp"
show heddle-c++ -std=c++20 -g -O1 -pthread kernels/BankAcct/kernel.cpp -o "$out/bank"

say "Left alone it passes: 100 runs"
failures=0
for _ in $(seq 100); do "$out/bank" > /dev/null 2>&1 || failures=$((failures + 1)); done
echo "$failures of 100 failed"

say "Under control, one seed after the other, until it fails"
seed=1
while heddle run --quiet --seed $seed --quantum 32 -- "$out/bank" > /dev/null 2>&1; do
  seed=$((seed + 1))
  (( seed <= 1000 )) || { echo "no failure within 1000 schedules" >&2; exit 1; }
done
show heddle run --seed $seed --quantum 32 --clip "$out/bank.clip" -- "$out/bank" || true

say "The clip replays it, on both engines, every time"
show heddle replay --times 50 "$out/bank.clip"
show heddle replay --times 50 --engine thread "$out/bank.clip"

say "The repaired program under the same schedule"
show heddle-c++ -std=c++20 -g -O1 -pthread kernels/BankAcct/fixed.cpp -o "$out/bank-fixed"
show heddle replay --expect fixed "$out/bank.clip" -- "$out/bank-fixed"

say "Where it switched"
grep -oE '"preemption":"[^"]*","kind":"[^"]*","at":"[^"]*"' "$out/bank.clip"
echo
echo "The clip is $out/bank.clip; look at it in gdb with: build/bin/heddle debug $out/bank.clip"
