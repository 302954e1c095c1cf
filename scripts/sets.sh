# The sets of docs/results.md: a name, the ruleset, and the arguments of `taflbase
# build`. Sourced by the other scripts.
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

# Prints the slices of a set and their dependencies, smallest first, without those
# that are too large.
slices_of() {
    "$program" plan "$@" --json | jq -r 'select(.state != "too large") | .slice'
}

# Finds the set $1; sets $rules to its ruleset and the array $wanted to its arguments.
find_set() {
    local line
    line=$(awk -v set="$1" '$1 == set { $1 = ""; print }' <<<"$sets")
    if [[ -z $line ]]; then
        echo "no such set: $1; the sets are:$(awk '{ printf " %s", $1 }' <<<"$sets")" >&2
        exit 2
    fi
    read -r rules wanted <<<"$line"
    read -ra wanted <<<"$wanted"
}

need() {
    command -v "$1" >/dev/null || { echo "$1 is missing: apt-get install $2" >&2; exit 2; }
}
