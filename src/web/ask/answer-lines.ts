/** A piece of an answer: some words, and the numbers of the sources that stand behind them. */
export type AnswerSegment = { text: string; citationIds: number[] }

/** The lines of an answer, each in pieces that end with their sources. */
export function parseAnswerLines(answer: string): AnswerSegment[][] {
  return answer
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(segmentsOf)
}

function segmentsOf(line: string): AnswerSegment[] {
  const segments: AnswerSegment[] = []
  let current: AnswerSegment | null = null
  for (const part of line.split(/(\[\d{1,3}\])/)) {
    const citationId = /^\[(\d{1,3})\]$/.exec(part)?.[1]
    if (citationId !== undefined) {
      current ??= startSegment('')
      current.text = current.text.trimEnd()
      current.citationIds.push(Number(citationId))
    } else if (part.trim() !== '') appendText(part)
  }
  return segments

  function appendText(text: string): void {
    // A full stop behind a number belongs to the words before it.
    const punctuation: string = current ? (/^[.,;:!?]/.exec(text)?.[0] ?? '') : ''
    if (current) current.text += punctuation
    current = text.length > punctuation.length ? startSegment(text.slice(punctuation.length)) : null
  }

  function startSegment(text: string): AnswerSegment {
    const segment: AnswerSegment = { text, citationIds: [] }
    segments.push(segment)
    return segment
  }
}
