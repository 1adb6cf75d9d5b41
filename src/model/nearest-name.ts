const maxCompared = 64

/** Returns ` Did you mean x?` for the nearest of the names, or an empty text. `quote` formats the name. */
export function suggestName(name: string, names: Iterable<string>, quote = (nearest: string) => nearest): string {
  const nearest = nearestName(name, names)
  return nearest === null ? '' : ` Did you mean ${quote(nearest)}?`
}

/**
 * Returns the name that was probably meant: the one with the fewest edits, at most `maxEdits`, and of several the one
 * with the longest common start; null if none is similar.
 * By default, one edit for every three characters is allowed, and two for a name of four characters.
 */
export function nearestName(
  name: string,
  names: Iterable<string>,
  maxEdits = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3)),
): string | null {
  if (name.length > maxCompared) return null
  const candidates = [...names]
    .filter((candidate) => Math.abs(candidate.length - name.length) <= maxEdits)
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
  const [nearest] = candidates
    .filter(({ edits }) => edits <= maxEdits)
    .toSorted((a, b) => a.edits - b.edits || sharedStart(name, b.candidate) - sharedStart(name, a.candidate))
  return nearest?.candidate ?? null
}

/** Returns a sentence with the three names most like a name, word by word. */
export function listNearest(name: string, names: Iterable<string>): string {
  const text = name.slice(0, maxCompared).toLowerCase()
  const wordsOf = (it: string) => it.split(/[^a-z0-9]+/)
  const edits = (word: string, it: string) => Math.min(...wordsOf(it).map((other) => editDistance(word, other)))
  const distance = (it: string) =>
    wordsOf(text).reduce((sum, word) => sum + edits(word, it), editDistance(text, it) / maxCompared)
  const nearest = [...names].toSorted((a, b) => distance(a) - distance(b)).slice(0, 3)
  return `The nearest are ${nearest.join(', ')}.`
}

/** The number of characters with which both names begin. */
function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** Returns the Levenshtein distance: the insertions, deletions and substitutions that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  const row = new Uint32Array(b.length + 1)
  for (let j = 0; j <= b.length; j++) row[j] = j
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0]!
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!
      const change = diagonal + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      row[j] = Math.min(change, above + 1, row[j - 1]! + 1)
      diagonal = above
    }
  }
  return row[b.length]!
}
