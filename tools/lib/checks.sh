# Sourced by tools/test.

# begin WHAT … tell WHAT: says how long it took, also in seconds of a processor, which what runs
# beside makes more, too, but by far less.
begin() {
  times > "$results/began-$1"
  started=$(date +%s)
}
tell() {
  times > "$results/ended-$1"
  busy=$(awk -F '[ms ]+' 'FNR == 2 { all = 60 * ($1 + $3) + $2 + $4 - all } END { print int(all) }' \
    "$results/began-$1" "$results/ended-$1")
  echo "($1 took $(($(date +%s) - started)) s, $busy s of processor time)"
}

# run_checks CHECK…: one after another; notes in $results what they say, and those that fail.
# $quick: fewer rounds.
run_checks() {
  for check in "$@"; do
    begin "$check"
    option=$quick
    # The whole of them takes half an hour, a minute and a half, six minutes, eight, two, and one. Of
    # the next two, six and five: a fifth of their points each day, another one the next.
    case $check in
      year | live-query | upkeep | bulk | watch | index) option=--quick ;;
      crash | power-loss) option="$quick --share $(($(date +%s) / 86400 % 5 + 1))/5" ;;
    esac
    say "tools/check-$check"
    # shellcheck disable=SC2086  # The options are words.
    tools/check-$check $option > "$results/said-$check" 2>&1 || echo "$check" >> "$results/failed"
    cat "$results/said-$check"
    tell "$check"
  done
}
