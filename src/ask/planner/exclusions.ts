/** Marks the words of a question that are excluded: "ignore schools", "not flood, just fire". */
export function markExcludedWords(words: string[]): boolean[] {
  const excluded = words.map(() => false)
  for (const [i] of words.entries()) {
    const cue = cues.find(
      (cue) =>
        cue.every((word, k) => words[i + k] === word) && (cue[0] !== 'not' || cue.length > 1 || beginsClause(words, i)),
    )
    if (!cue) continue
    for (let k = i; k < words.length && (k < i + cue.length || !endsClause(words[k]!)); k++) excluded[k] = true
  }
  return excluded
}

/**
 * Longest first. A bare `not` excludes only at the start of a clause: "is it not in a flood zone?" asks about the flood
 * zone.
 */
const cues = [
  "don't care about",
  'do not care about',
  "don't need",
  'do not need',
  "don't want",
  "don't tell me about",
  "don't tell me",
  'do not tell me about',
  'do not tell me',
  'not interested in',
  'no need for',
  'other than',
  'apart from',
  'aside from',
  'instead of',
  'rather than',
  'leave out',
  'never mind',
  'not about',
  'not the',
  'nevermind',
  'ignore',
  'ignoring',
  'except',
  'excluding',
  'exclude',
  'skip',
  'forget',
  'besides',
  'not',
]
  .map((cue) => cue.split(' '))
  .toSorted((a, b) => b.length - a.length)

const clauseStarters = new Set("but just only what what's how which where is are tell show give".split(' '))

function endsClause(word: string): boolean {
  return /^[,;.?!:]$/.test(word) || clauseStarters.has(word)
}

function beginsClause(words: string[], i: number): boolean {
  return i === 0 || /^[,;.?!:]$/.test(words[i - 1]!) || words[i - 1] === 'but' || words[i - 1] === 'and'
}
