# Sourced by tools/test.

# run_checks CHECK…: one after another; notes in $results those that fail. $quick: fewer rounds.
run_checks() {
  for check in "$@"; do
    started=$(date +%s)
    option=$quick
    # The whole of them takes half an hour, a minute and a half, six minutes, eight, two, and one. Of
    # the others a part, each day another one: two of five interruptions, a fifth of all points.
    case $check in
      year | live-query | upkeep | bulk | watch | index) option=--quick ;;
      interruption) [ -n "$quick" ] || option="--times 40" ;;
      crash | power-loss) option="$quick --share $(($(date +%s) / 86400 % 5 + 1))/5" ;;
    esac
    say "tools/check-$check"
    # shellcheck disable=SC2086  # The options are words.
    tools/check-$check $option || echo "$check" >> "$results/failed"
    echo "($check took $(($(date +%s) - started)) s)"
  done
}
