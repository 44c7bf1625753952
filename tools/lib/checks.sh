# Sourced by tools/test.

# run_checks CHECK…: one after another; notes in $results those that fail. $quick: fewer rounds.
run_checks() {
  for check in "$@"; do
    started=$(date +%s)
    option=$quick
    # The whole of them takes half an hour, a minute and a half, six minutes, eight, two, and one. Of
    # the next two, six and five: a fifth of their points each day, another one the next.
    case $check in
      year | live-query | upkeep | bulk | watch | index) option=--quick ;;
      crash | power-loss) option="$quick --share $(($(date +%s) / 86400 % 5 + 1))/5" ;;
    esac
    say "tools/check-$check"
    # shellcheck disable=SC2086  # The options are words.
    tools/check-$check $option || echo "$check" >> "$results/failed"
    echo "($check took $(($(date +%s) - started)) s)"
  done
}
