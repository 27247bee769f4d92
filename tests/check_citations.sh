#!/usr/bin/env bash
# Checks that nothing cites a text that is not in the tree: check_citations.sh SOURCE-TREE
#
# A citation is "docs/NAME.md N.M" (a numbered heading of that page) or a link or mention of docs/NAME.md. Tags like
# [E14] or "B09:" of tests are rows of docs/faults.md. Records and sections of texts that lie elsewhere are errors.
set -euo pipefail
cd "${1:?usage: check_citations.sh SOURCE-TREE}"
places=(src tests docs schemas models hardware scenarios bench README.md)
status=0
found() { # MESSAGE, lines on stdin
    local lines
    lines=$(cat)
    [ -z "$lines" ] && return
    echo "$1"
    sed 's/^/  /' <<<"$lines"
    status=1
}
self='^tests/check_citations\.sh:'
search() { grep -rnIE "$@" "${places[@]}" | grep -vE "$self" || true; }

# Texts outside the tree, by the names they had.
found "cites a text that is not in the tree" < <(search '(^|[^/a-z_-])(physics|design|house-style)\.md|\.\./shared|[^a-z]shared/(facts|measured|routing|cases|review)|efficiency record|\bBUF-[0-9]+|\bfaults? [A-H][0-9]{2}\b|traces/README' |
    grep -vE '^docs/[a-z]+\.md:[0-9]+:.*\]\(physics\.md' || true)

# Pages that are mentioned exist.
# (Data files, and what is printed from them, cite pages of other repositories.)
found "names a page that is not there" < <(search -o 'docs/[A-Za-z_.-]+\.md' | grep -vE '^(models|hardware|scenarios)/|^docs/accuracy\.md:|^tests/cli/' |
    while IFS=: read -r file line page; do
    [ -e "$page" ] || echo "$file:$line: $page"
done)

# Sections that are cited are headings: "docs/physics.md 6.1", also "6.1 and 7.2", "6.1, 7.2".
headings=$(grep -oE '^#+ [0-9]+(\.[0-9]+)?' docs/physics.md | grep -oE '[0-9.]+')
found "cites a section that docs/physics.md does not have" < <(
    search -o 'docs/physics\.md [0-9]+(\.[0-9]+)?((,| and| to) [0-9]+(\.[0-9]+)?)*' | while IFS=: read -r file line text; do
        for section in $(sed 's/^docs.physics.md//' <<<"$text" | grep -oE '[0-9]+(\.[0-9]+)?'); do
            grep -qxF "$section" <<<"$headings" || echo "$file:$line: $section"
        done
    done)
found "refers to a section of docs/physics.md without a number that it has" < <(
    search 'docs/physics\.md,? section' || true)

# Links between pages, anchors included.
anchors=$(grep -E '^#+ ' docs/physics.md | sed -E 's/^#+ //; s/[^A-Za-z0-9 _-]//g; s/ /-/g' | tr 'A-Z' 'a-z')
found "links to an anchor that docs/physics.md does not have" < <(grep -nohE 'physics\.md#[a-z0-9_-]+' docs/*.md README.md |
    sed 's/.*#//' | sort -u | while read -r anchor; do grep -qxF -- "$anchor" <<<"$anchors" || echo "$anchor"; done)

# Tags of faults are explained.
known=$(grep -oE '^\| [A-H][0-9]{2} ' docs/faults.md | tr -d '| ')
found "uses a tag that docs/faults.md does not explain" < <(
    grep -rnohE '"[A-H][0-9]{2}:|\[[A-H][0-9]{2}\]' tests --include='*.cpp' | grep -oE '[A-H][0-9]{2}' | sort -u |
        while read -r tag; do grep -qxF "$tag" <<<"$known" || echo "$tag"; done)

[ $status -eq 0 ] && echo "$(wc -w <<<"$headings") sections, all citations lead to them"
exit $status
