/** A part of an answer: some text, and the ids of the citations that support it. */
export type AnswerSegment = { text: string; citationIds: number[] }

/** Splits an answer into lines, and each line into segments that end with their citations. */
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
    // Punctuation after a citation belongs to the text before it.
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
