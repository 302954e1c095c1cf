# The sets of docs/results.md: a name, the ruleset, and what `taflbase build` is
# asked for. Sourced by the other scripts.
sets='
brandubh-8         brandubh         --men 8
brandubh-K0v8      brandubh         --slice K0v8
brandubh-9         brandubh         --men 9
ashton-6           ashton           --men 6
berkeley-6         berkeley         --men 6
tablut-6           tablut           --men 6
large-hnefatafl-5  large-hnefatafl  --men 5
alea-evangelii-4   alea-evangelii   --men 4
'

# The slices of a set and all that they need, smallest first; what is too large
# is left out.
slices_of() {
    "$program" plan "$@" --json | jq -r 'select(.state != "too large") | .slice'
}

# Finds the set $1: its ruleset in $rules, its arguments in the array $wanted.
find_set() {
    local line
    line=$(awk -v set="$1" '$1 == set { $1 = ""; print }' <<<"$sets")
    if [[ -z $line ]]; then
        echo "no such set: $1; there are:$(awk '{ printf " %s", $1 }' <<<"$sets")" >&2
        exit 2
    fi
    read -r rules wanted <<<"$line"
    read -ra wanted <<<"$wanted"
}

need() {
    command -v "$1" >/dev/null || { echo "$1 is missing: apt-get install $2" >&2; exit 2; }
}
